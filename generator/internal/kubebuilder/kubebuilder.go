// SPDX-License-Identifier: Apache-2.0

// Package kubebuilder is a drop-in replacement: it reads the markers +kubebuilder:webhook and
// +kubebuilder:webhookconfiguration and says what they mean to controller-gen v0.23.0.
//
// If controller-gen succeeds, the result is exactly its result, oddities included. A warning reports each oddity that
// is a trap. If controller-gen fails, there are errors, each at the wrong argument. This package does not check whether
// an API server accepts the result.
package kubebuilder

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Webhook is the content of one +kubebuilder:webhook marker.
type Webhook struct {
	// File and Package contain the marker.
	File    *load.File
	Package *load.Package
	// Webhook is the webhook after its patch, without its configuration. A field that the patch set or removed has the
	// position of the patch.
	*model.Webhook
	// name is the argument name. The patch may rename the webhook, but webhooks are sorted before it.
	name string
}

// Configuration is the content of one +kubebuilder:webhookconfiguration marker.
type Configuration struct {
	// File and Package contain the marker.
	File    *load.File
	Package *load.Package
	// Configuration is one of the two objects, without its webhooks. An empty name means the default. Without the
	// argument, the name has the position of the marker's own name.
	*model.Configuration
}

// Read reads the markers of the packages, which are sorted by import path.
//
// Webhooks and configurations have the order in which controller-gen handles them; see Order and NameOf. They are valid
// only if no diagnostic is an Error. Diagnostics have the order of the packages and of their files.
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

// contents is the content of one package's markers.
type contents struct {
	pkg            *load.Package
	webhooks       []Webhook // by the argument name, and then in the order of the source
	configurations []Configuration
	diags          diag.List
}

func readPackage(p *load.Package) contents {
	c := contents{pkg: p}
	for _, f := range p.Files {
		comments, stray := commentsOf(f)
		c.diags.Add(stray...)
		for _, m := range comments {
			d, from, _ := identify(m.text)
			marker := parse(d, m.text, from)
			c.diags.Add(m.diagnostics(marker.faults)...)
			if marker.broken {
				continue
			}
			if d.name == configurationName {
				c.configurations = append(c.configurations, m.configuration(p, marker))
				continue
			}
			w, problems := m.webhook(p, marker)
			c.diags.Add(problems...)
			c.webhooks = append(c.webhooks, w)
		}
	}
	slices.SortStableFunc(c.webhooks, func(a, b Webhook) int { return strings.Compare(a.name, b.name) })
	c.diags.Add(repeated(c.configurations)...)
	return c
}

// Order returns the mutating or the validating ones of webhooks in the order of Read. It sorts them as in
// controller-gen's manifest: by name, with slices.SortFunc deciding between equal names
// (sigs.k8s.io/controller-tools/pkg/webhook.Generator).
func Order(webhooks []Webhook, mutating bool) []Webhook {
	kind := slices.DeleteFunc(slices.Clone(webhooks), func(w Webhook) bool { return w.Mutating != mutating })
	slices.SortFunc(kind, func(a, b Webhook) int { return strings.Compare(a.Spec.Name, b.Spec.Name) })
	return kind
}
