// SPDX-License-Identifier: Apache-2.0

package marker

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// The ids under which this package reports.
const (
	RuleSyntax    = "M1"
	RuleUnknown   = "M2"
	RulePlacement = "M3"
	RuleArgument  = "M4"
	RuleRepeated  = "M5"
	RuleMissing   = "M6"
	RuleValue     = "M7"
	// RuleTypographic is the only warning.
	RuleTypographic = "M8"
)

// Rules documents them.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleSyntax, Title: "a marker follows the grammar", Doc: "+name(argument: value, argument: \"text\")=\"value\". Parentheses and quotes must be closed before the comment ends; values other than words, whole numbers, true and false need quotes."},
		{ID: RuleUnknown, Title: "a marker's name is known", Doc: "The prefix +webhook belongs to this tool, so an unknown name is a mistake and not a marker of another tool. A name that only resembles one, such as +webhok:validating or +Webhook:validating, would have no effect. `webhook-gen markers` lists the names."},
		{ID: RulePlacement, Title: "a marker is in a place where it has a meaning", Doc: "In the doc comment of a package, type or field, or in the comment block directly above that doc comment. Not in a function, not after a declaration, not in a comment that belongs to nothing."},
		{ID: RuleArgument, Title: "an argument's name is known", Doc: "`webhook-gen markers` lists the arguments of each marker."},
		{ID: RuleRepeated, Title: "an argument or marker is not repeated", Doc: "An argument may be given once in a marker. A marker that is not repeatable may be given once on a declaration."},
		{ID: RuleMissing, Title: "required arguments are given", Doc: "An argument or value without a default must be written."},
		{ID: RuleValue, Title: "a value is of its argument's type", Doc: "A whole number within its range, one of the words listed, a list without empty or repeated elements."},
		{ID: RuleTypographic, Severity: diag.Warning, Title: "gofmt keeps the text of a marker", Doc: "In the doc comment of a package or type, gofmt writes \u201d for two single quotes, so that a CEL expression no longer compiles. Write an empty string as \"\", in a value in backquotes. A value that has escapes for the quotes stays as it is."},
	}
}
