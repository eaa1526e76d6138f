// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// dependsOnVisits reports whether the result depends on the order in which packages are visited. It does if webhooks
// share a name, or if several packages name the same configuration.
func dependsOnVisits(all []contents) bool {
	type object struct {
		mutating, configuration bool
		webhook                 string
	}
	seen := map[object]bool{}
	isSecond := func(o object) bool {
		before := seen[o]
		seen[o] = true
		return before
	}
	return slices.ContainsFunc(all, func(c contents) bool {
		return slices.ContainsFunc(c.webhooks, func(w Webhook) bool { return isSecond(object{w.Mutating, false, w.Spec.Name}) }) ||
			slices.ContainsFunc(c.configurations, func(n Configuration) bool { return isSecond(object{n.Mutating, true, ""}) })
	})
}

// sortByVisit sorts packages in the order in which controller-gen visits them if its pattern is "./...". This is the
// order of "go list -deps": by the elements of the import paths, with imported packages before their importers
// (golang.org/x/tools/go/packages.Load).
//
// To that end it reads the imports of the packages' modules. Nothing else needs these imports.
func sortByVisit(all []contents) []contents {
	v := visitor{modules: map[*load.Module]bool{}, marked: map[string]contents{}, seen: map[string]bool{}}
	for _, c := range all {
		v.modules[c.pkg.Module] = true
		v.marked[c.pkg.Path] = c
	}
	for _, path := range slices.SortedFunc(maps.Keys(v.marked), byElements) {
		v.visit(v.marked[path].pkg)
	}
	return v.sorted
}

// byElements compares import paths element by element, as the go command does.
func byElements(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

type visitor struct {
	modules map[*load.Module]bool
	marked  map[string]contents // by import path
	seen    map[string]bool
	sorted  []contents
}

func (v *visitor) visit(p *load.Package) {
	if v.seen[p.Path] {
		return
	}
	v.seen[p.Path] = true
	for _, path := range slices.Sorted(slices.Values(p.Imports())) {
		if next := v.find(path); next != nil {
			v.visit(next)
		}
	}
	if c, ok := v.marked[p.Path]; ok {
		v.sorted = append(v.sorted, c)
	}
}

// find returns a package of the modules with markers. Packages of other modules do not import these.
func (v *visitor) find(path string) *load.Package {
	if c, ok := v.marked[path]; ok {
		return c.pkg
	}
	for m := range v.modules {
		if path == m.Path || strings.HasPrefix(path, m.Path+"/") {
			if p, err := m.Locate(context.Background(), path); err == nil {
				return p
			}
		}
	}
	return nil
}
