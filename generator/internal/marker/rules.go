// SPDX-License-Identifier: Apache-2.0

package marker

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// The ids of this package's rules.
const (
	RuleSyntax    = "M1"
	RuleUnknown   = "M2"
	RulePlacement = "M3"
	RuleArgument  = "M4"
	RuleRepeated  = "M5"
	RuleMissing   = "M6"
	RuleValue     = "M7"
	// RuleTypographic is the only rule that is a warning.
	RuleTypographic = "M8"
	RulePasted      = "M9"
)

// Rules documents the rules.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleSyntax, Title: "a marker follows the grammar"},
		{ID: RuleUnknown, Title: "a marker's name is known"},
		{ID: RulePlacement, Title: "a marker is in a place where it has a meaning"},
		{ID: RuleArgument, Title: "an argument's name is known"},
		{ID: RuleRepeated, Title: "an argument or marker is not repeated"},
		{ID: RuleMissing, Title: "required arguments are given"},
		{ID: RuleValue, Title: "a value is of its argument's type"},
		{ID: RuleTypographic, Severity: diag.Warning, Title: "gofmt keeps the text of a marker"},
		{ID: RulePasted, Title: "the grammar of a marker is ASCII"},
	}
}
