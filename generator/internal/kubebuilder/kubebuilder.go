// SPDX-License-Identifier: Apache-2.0

// Package kubebuilder is the drop-in dialect: it reads the markers +kubebuilder:webhook and
// +kubebuilder:webhookconfiguration and says what they mean to controller-gen v0.23.0.
//
// Where controller-gen succeeds the result is exactly its result, oddities included; where
// the oddity is a trap there is a warning. Where controller-gen fails there are errors, each
// at the argument that is to blame. Whether the API server takes what the markers say is not
// asked here.
package kubebuilder

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Webhook is what one +kubebuilder:webhook marker says.
type Webhook struct {
	// Range is the marker, from its + to its end.
	diag.Range
	// File and Package are where the marker stands.
	File    *load.File
	Package *load.Package
	// Mutating tells a mutating webhook from a validating one.
	Mutating bool
	// Spec is the webhook after its patch. A validating webhook, which has all the fields but
	// one, has no ReinvocationPolicy.
	Spec admissionregistrationv1.MutatingWebhook
	// At holds the argument, or for an element of a list the element, that set a field of Spec,
	// by the field's path: "name", "rules[0].operations", "rules[0].operations[1]",
	// "clientConfig.service.path". A field that the patch set or removed has the patch.
	At model.Places
}

// Place is where a field of Spec is said: At its path, or else At the nearest field around it,
// or else the marker.
func (w Webhook) Place(path string) diag.Range {
	return w.At.Nearest(path, w.Range)
}

// Configuration is what one +kubebuilder:webhookconfiguration marker says.
type Configuration struct {
	// Range is the marker, from its + to its end.
	diag.Range
	// File and Package are where the marker stands.
	File    *load.File
	Package *load.Package
	// Mutating says which of the two configuration objects is meant.
	Mutating bool
	// Name is the object's name; empty means the default.
	Name string
	// NameAt is the argument name or, where it is left out, the marker's own name.
	NameAt diag.Range
}

// Read reads the markers of the packages, which are sorted by import path.
//
// Webhooks and configurations come in the order in which controller-gen handles them; see
// Order and NameOf. They are good only if no diagnostic is an Error. Diagnostics come in the
// order of the packages and of their files.
func Read(packages []*load.Package) (webhooks []Webhook, configurations []Configuration, diags diag.List) {
	var all []contents
	for _, p := range packages {
		c := readPackage(p)
		diags.Add(c.diags...)
		all = append(all, c)
	}
	if dependsOnVisits(all) {
		all = sortByVisit(all)
	}
	for _, c := range all {
		webhooks = append(webhooks, c.webhooks...)
		configurations = append(configurations, c.configurations...)
	}
	diags.Add(overridden(configurations)...)
	return webhooks, configurations, diags
}

// contents is what one package's markers say.
type contents struct {
	pkg            *load.Package
	webhooks       []Webhook // by the argument name, and then in the order of the source
	configurations []Configuration
	diags          diag.List
}

func readPackage(p *load.Package) contents {
	c := contents{pkg: p}
	type named struct {
		name string
		Webhook
	}
	var hooks []named
	for _, f := range p.Files {
		comments, stray := commentsOf(f)
		c.diags.Add(stray...)
		for _, m := range comments {
			d, from, _ := identify(m.text)
			said := parse(d, m.text, from)
			c.diags.Add(m.diagnostics(said.faults)...)
			if said.broken {
				continue
			}
			if d.name == configurationName {
				c.configurations = append(c.configurations, m.configuration(p, said))
				continue
			}
			w, problems := m.webhook(p, said)
			c.diags.Add(problems...)
			// The patch may rename the webhook, but comes after this order.
			hooks = append(hooks, named{said.arguments["name"].text, w})
		}
	}
	slices.SortStableFunc(hooks, func(a, b named) int { return strings.Compare(a.name, b.name) })
	for _, h := range hooks {
		c.webhooks = append(c.webhooks, h.Webhook)
	}
	c.diags.Add(repeated(c.configurations)...)
	return c
}

// Order splits webhooks, in the order of Read, into the mutating and the validating ones and
// orders each as in controller-gen's manifest: by name, and where names are equal by what
// slices.SortFunc makes of them (sigs.k8s.io/controller-tools/pkg/webhook.Generator).
func Order(webhooks []Webhook) (mutating, validating []Webhook) {
	for _, w := range webhooks {
		if w.Mutating {
			mutating = append(mutating, w)
		} else {
			validating = append(validating, w)
		}
	}
	byName := func(a, b Webhook) int { return strings.Compare(a.Spec.Name, b.Spec.Name) }
	slices.SortFunc(mutating, byName)
	slices.SortFunc(validating, byName)
	return mutating, validating
}
