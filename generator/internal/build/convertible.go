// SPDX-License-Identifier: Apache-2.0

package build

import (
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// withoutMethods is what to do where types cannot have methods.
const withoutMethods = "leave convertible out: the generated functions are what controller-runtime's NewSpokeConverter takes"

// addConvertible sees to the methods of controller-runtime's Convertible and Hub: that both types can have
// them, and where the hub's goes.
func (b *builder) addConvertible() {
	asked := map[model.GoType]*model.Conversion{} // by hub, the first that asks for methods
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
			b.diags.Add(diag.Errorf(c.Range, model.RuleConvertible, "%s of %s has no methods of controller-runtime's Convertible, and that of %s has", c.Spoke.Name, c.Spoke.Version, first.Spoke.Version).
				WithHint("add convertible: true: controller-runtime refuses a kind of which only some versions have them").WithRelated(first.Convertible.At, "the other one is here"))
		default:
			b.refuseMethods(c)
			b.findHubPackage(c)
			b.refuseCircle(c)
		}
	}
}

// refuseMethods reports methods of the spoke that are generated and stand there already.
func (b *builder) refuseMethods(c *model.Conversion) {
	p, err := b.module.Locate(b.ctx, c.Spoke.Path)
	if err != nil {
		return // the marker was read from it
	}
	for _, m := range p.Methods(c.Spoke.Name) {
		if m.Name == "ConvertTo" || m.Name == "ConvertFrom" {
			b.diags.Add(diag.Errorf(m.Range, model.RuleConvertible, "%s has a method %s of its own, and convertible asks for one", c.Spoke.Name, m.Name).
				WithHint("remove it: the markers on fields replace it").WithRelated(c.Convertible.At, "convertible is here"))
		}
	}
}

// findHubPackage decides where the hub's method goes: nowhere, if its authors have written it.
func (b *builder) findHubPackage(c *model.Conversion) {
	p, err := b.module.Locate(b.ctx, c.Hub.Path)
	if err != nil {
		return // the hub was found in it
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

// refuseCircle reports that the hub's package imports the spoke's, which is to import it.
func (b *builder) refuseCircle(c *model.Conversion) {
	if c.Hub.Path == c.Spoke.Path {
		return
	}
	if way := b.importWay(c.Hub.Path, c.Spoke.Path, map[string]bool{}); way != nil {
		b.diags.Add(diag.Errorf(c.Convertible.At, model.RuleConvertible, "package %s would import itself: it has to import %s", c.Spoke.Path, strings.Join(way, ", which imports ")).
			WithHint("methods stand beside their type: move what is imported to a package of its own, or " + withoutMethods))
	}
}

// importWay leads from a package of the module to another one that it imports, directly or not, once the
// methods are generated; nil where it does not. Code of ours that stands there now does not count.
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

// imports are the packages that a package imports once the methods are generated.
func (b *builder) imports(importPath string) []string {
	var paths []string
	for _, c := range b.conversions {
		if c.Convertible.V && c.Spoke.Path == importPath && c.Hub.Path != importPath {
			paths = append(paths, c.Hub.Path)
		}
	}
	p, err := b.module.Locate(b.ctx, importPath)
	if err != nil {
		return paths // the compiler says so
	}
	for _, f := range p.FilesWith("import") {
		for _, i := range f.AST.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				paths = append(paths, path)
			}
		}
	}
	return paths
}
