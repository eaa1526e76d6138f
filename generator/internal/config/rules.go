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
		{ID: ruleSyntax, Title: "webhook-gen.yaml is one YAML document, a mapping of keys",
			Doc: "An empty file is not valid either: it needs at least its version."},
		{ID: ruleUnknown, Title: "every key of webhook-gen.yaml is known",
			Doc: "docs/reference/configuration.md lists the keys. A key that was silently ignored would be a setting without effect."},
		{ID: ruleRepeated, Title: "every key of webhook-gen.yaml is given once",
			Doc: "YAML requires it. Remove one of the two."},
		{ID: ruleType, Title: "values have the type of their key",
			Doc: "Text that reads as a number, as true or false, or as a date needs quotes. Booleans are true and false, as in YAML 1.2."},
		{ID: ruleValue, Title: "values are allowed for their key",
			Doc: "docs/reference/configuration.md describes the values of each key. The domain is checked by " +
				"k8s.io/apimachinery/pkg/util/validation.IsDNS1123Subdomain, as webhook names are."},
		{ID: ruleVersion, Title: "webhook-gen.yaml has a version, and this webhook-gen knows it",
			Doc: "The version changes only when a key changes its meaning, so that no release misreads a file."},
		{ID: ruleFile, Title: "webhook-gen.yaml can be read and has this exact name",
			Doc: "webhook-gen.yml beside go.mod would be overlooked, and is reported instead."},
	}
}
