// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

func (c comment) configuration(p *load.Package, marker parsed) Configuration {
	name, named := marker.arguments["name"]
	if !named {
		name.span = nameOf(configurationDefinition())
	}
	return Configuration{c.file, p, &model.Configuration{
		Source:   model.Source{Range: c.whole(), At: model.Positions{"name": c.rangeOf(name.span)}},
		Mutating: marker.arguments["mutating"].truth, Name: name.text,
	}}
}

// NameOf returns the name that configurations, in the order of Read, give to the mutating or the validating
// configuration object. The last configuration's name counts. It is empty if there is no configuration or if the last
// one has no name. The name is then controller-gen's default, mutating-webhook-configuration or
// validating-webhook-configuration.
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
			diags.Add(diag.Errorf(c.Range, ruleConfiguration, "a second +%s for the %s webhooks of this package", configurationName, model.KindWord(c.Mutating)).
				WithRelated(f.Range, "the first is here"))
			continue
		}
		first[c.Mutating] = c
	}
	return diags
}

// overridden reports configurations, in the order of Read, whose object gets another name from another package.
func overridden(all []Configuration) (diags diag.List) {
	last := map[bool]Configuration{}
	for _, c := range all {
		last[c.Mutating] = c
	}
	for _, c := range all {
		if l := last[c.Mutating]; c.Package != l.Package && c.Name != l.Name {
			diags.Add(diag.Warningf(c.Where("name"), ruleOverridden, "another package names the %s configuration too, and its name is the one taken", model.KindWord(c.Mutating)).
				WithRelated(l.Where("name"), "the name taken is here").
				WithHint("keep one of the two markers"))
		}
	}
	return diags
}

// Configurations returns the objects of the packages' markers: one for all mutating webhooks and one for all validating
// webhooks. An object may be empty. Webhooks whose marker has errors are left out.
func Configurations(packages []*load.Package) ([]*model.Configuration, diag.List) {
	webhooks, named, diags := Read(packages)
	var all []*model.Configuration
	for _, mutating := range []bool{true, false} {
		c := &model.Configuration{Mutating: mutating, Name: cmp.Or(NameOf(named, mutating), model.DefaultObjectName(mutating))}
		if i := slices.IndexFunc(named, func(n Configuration) bool { return n.Mutating == mutating && n.Name == c.Name }); i >= 0 {
			c.Source = named[i].Source
		}
		for _, w := range Order(webhooks, mutating) {
			if slices.ContainsFunc(diags, func(d diag.Diagnostic) bool {
				return d.Severity == diag.Error && d.Pos.File == w.Pos.File && d.Pos.Line == w.Pos.Line
			}) {
				continue // its other findings would only follow from the errors
			}
			w.Configuration = c.Name
			c.Webhooks = append(c.Webhooks, w.Webhook)
		}
		all = append(all, c)
	}
	return all, diags
}
