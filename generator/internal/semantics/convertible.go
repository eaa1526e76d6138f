// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// withoutMethods is the advice for types that cannot have methods.
const withoutMethods = "leave convertible out: the generated functions are what controller-runtime's NewSpokeConverter takes"

// addConvertible plans the methods of controller-runtime's Convertible and Hub. It checks that both types can have
// methods, and finds the package for the hub's method.
func (b *builder) addConvertible() {
	asked := map[model.GoType]*model.Conversion{} // the first conversion with methods, by hub
	for _, c := range b.conversions {
		if c.Convertible.V && asked[c.Hub.GoType] == nil {
			asked[c.Hub.GoType] = c
		}
	}
	for _, c := range b.conversions {
		first := asked[c.Hub.GoType]
		switch {
		case first == nil:
		case !c.Convertible.V:
			b.diags.Add(diag.Errorf(c.Range, model.RuleConvertible, "%s of %s has no methods of controller-runtime's Convertible, and %s has them", c.Spoke.Name, c.Spoke.Version, first.Spoke.Version).
				WithHint("add convertible: true: controller-runtime refuses a kind if only some versions have them").WithRelated(first.Convertible.At, "the other one is here"))
		default:
			b.refuseMethods(c)
			b.findHubPackage(c)
			b.refuseCircle(c)
		}
	}
}

// refuseMethods reports existing methods of the spoke that would be generated again.
func (b *builder) refuseMethods(c *model.Conversion) {
	p, err := b.module.Locate(b.ctx, c.Spoke.Path)
	if err != nil {
		return // the marker is from this package, so it exists
	}
	for _, m := range p.Methods(c.Spoke.Name) {
		if m.Name == "ConvertTo" || m.Name == "ConvertFrom" {
			b.diags.Add(diag.Errorf(m.Range, model.RuleConvertible, "%s has a method %s of its own, and convertible asks for one", c.Spoke.Name, m.Name).
				WithHint("remove it: the markers on fields replace it").WithRelated(c.Convertible.At, "convertible is here"))
		}
	}
}

// findHubPackage finds the package for the hub's method. It stays empty if the hub already has the method.
func (b *builder) findHubPackage(c *model.Conversion) {
	p, err := b.module.Locate(b.ctx, c.Hub.Path)
	if err != nil {
		return // the hub is from this package, so it exists
	}
	switch {
	case slices.ContainsFunc(p.Methods(c.Hub.Name), func(m load.Method) bool { return m.Name == "Hub" }):
	case p.Module != b.module:
		b.diags.Add(diag.Errorf(c.Convertible.At, model.RuleConvertible, "the hub %s is of the module %s, and no method can be declared on it from here", c.Hub.Name, p.Module.Path).
			WithHint(withoutMethods))
	default:
		c.HubPackage = packageOf(p)
	}
}

// refuseCircle reports a hub's package that imports the spoke's package, because the generated methods need the
// opposite import.
func (b *builder) refuseCircle(c *model.Conversion) {
	if c.Hub.Path == c.Spoke.Path {
		return
	}
	if way := b.importWay(c.Hub.Path, c.Spoke.Path, map[string]bool{}); way != nil {
		b.diags.Add(diag.Errorf(c.Convertible.At, model.RuleConvertible, "package %s would import itself: it has to import %s", c.Spoke.Path, strings.Join(way, ", which imports ")).
			WithHint("methods have to be in the package of their type: move the imported part to a package of its own, or " + withoutMethods))
	}
}

// importWay returns a chain of imports from one package of the module to another, including the imports of generated
// methods. It returns nil without such a chain. Existing generated code does not count.
func (b *builder) importWay(from, to string, seen map[string]bool) []string {
	if from == to {
		return []string{to}
	}
	if _, own := b.module.PackageName(from); !own || seen[from] {
		return nil
	}
	seen[from] = true
	for _, next := range b.imports(from) {
		if way := b.importWay(next, to, seen); way != nil {
			return append([]string{from}, way...)
		}
	}
	return nil
}

// imports returns a package's imports, including those of generated methods.
func (b *builder) imports(importPath string) []string {
	var paths []string
	for _, c := range b.conversions {
		if c.Convertible.V && c.Spoke.Path == importPath && c.Hub.Path != importPath {
			paths = append(paths, c.Hub.Path)
		}
	}
	p, err := b.module.Locate(b.ctx, importPath)
	if err != nil {
		return paths // the compiler reports it
	}
	return append(paths, p.Imports()...)
}
