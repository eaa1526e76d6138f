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

// Rules documents what Read reports.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: ruleSyntax, Title: "webhook-gen.yaml is one YAML document, a mapping of keys",
			Doc: "A file that says nothing is not valid either: it has its version at least."},
		{ID: ruleUnknown, Title: "every key of webhook-gen.yaml is known",
			Doc: "docs/configuration.md lists the keys. A key that was skipped in silence would be a setting without effect."},
		{ID: ruleRepeated, Title: "every key of webhook-gen.yaml stands once",
			Doc: "YAML asks for it. Remove one of the two."},
		{ID: ruleType, Title: "values are of their key's type",
			Doc: "Text that reads as a number, as true or false, or as a date needs quotes. Booleans are true and false, as in YAML 1.2."},
		{ID: ruleValue, Title: "values are ones that their key can have",
			Doc: "What that is, docs/configuration.md says for each key. The domain is held to " +
				"k8s.io/apimachinery/pkg/util/validation.IsDNS1123Subdomain, as webhook names are."},
		{ID: ruleVersion, Title: "webhook-gen.yaml says its version, and this webhook-gen reads it",
			Doc: "The version changes only when a key changes its meaning, so that no release reads a file otherwise than it was meant."},
		{ID: ruleFile, Title: "webhook-gen.yaml can be read and has that name",
			Doc: "webhook-gen.yml beside go.mod would be overlooked, and is reported instead."},
	}
}
