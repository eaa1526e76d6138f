// SPDX-License-Identifier: Apache-2.0

package config

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

const (
	ruleSyntax   = "C1"
	ruleUnknown  = "C2"
	ruleRepeated = "C3"
	ruleType     = "C4"
	ruleValue    = "C5"
	ruleVersion  = "C6"
	ruleFile     = "C7"
)

// Rules documents the rules that Read reports.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: ruleSyntax, Title: "webhook-gen.yaml is one YAML document, a mapping of keys"},
		{ID: ruleUnknown, Title: "every key of webhook-gen.yaml is known"},
		{ID: ruleRepeated, Title: "every key of webhook-gen.yaml is given once"},
		{ID: ruleType, Title: "values have the type of their key"},
		{ID: ruleValue, Title: "values are allowed for their key"},
		{ID: ruleVersion, Title: "webhook-gen.yaml has a version, and this webhook-gen knows it"},
		{ID: ruleFile, Title: "webhook-gen.yaml can be read and has this exact name"},
	}
}
