// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

func (c comment) configuration(p *load.Package, said parsed) Configuration {
	name, named := said.arguments["name"]
	if !named {
		name.span = nameOf(configurationDefinition())
	}
	return Configuration{
		Range: c.whole(), File: c.file, Package: p,
		Mutating: said.arguments["mutating"].truth,
		Name:     name.text,
		NameAt:   c.rangeOf(name.span),
	}
}

// NameOf is the name that configurations, in the order of Read, give to the mutating or the
// validating configuration object: that of the last one. It is empty if there is none or if
// that one has no name; the name is then controller-gen's default,
// mutating-webhook-configuration or validating-webhook-configuration.
func NameOf(configurations []Configuration, mutating bool) string {
	name := ""
	for _, c := range configurations {
		if c.Mutating == mutating {
			name = c.Name
		}
	}
	return name
}

// repeated reports the second configuration of a kind in one package.
func repeated(ofPackage []Configuration) (diags diag.List) {
	first := map[bool]Configuration{}
	for _, c := range ofPackage {
		if f, found := first[c.Mutating]; found {
			diags.Add(diag.Errorf(c.Range, ruleConfiguration, "a second +%s for the %s webhooks of this package", configurationName, adjective(c.Mutating)).
				WithRelated(f.Range, "the first is here"))
			continue
		}
		first[c.Mutating] = c
	}
	return diags
}

// overridden reports configurations, in the order of Read, to which another package gives another name.
func overridden(all []Configuration) (diags diag.List) {
	last := map[bool]Configuration{}
	for _, c := range all {
		last[c.Mutating] = c
	}
	for _, c := range all {
		if l := last[c.Mutating]; c.Package != l.Package && c.Name != l.Name {
			diags.Add(diag.Warningf(c.NameAt, ruleOverridden, "another package names the %s configuration too, and its name is the one taken", adjective(c.Mutating)).
				WithRelated(l.NameAt, "the name taken is here").
				WithHint("keep one of the two markers"))
		}
	}
	return diags
}

func adjective(mutating bool) string {
	if mutating {
		return "mutating"
	}
	return "validating"
}
