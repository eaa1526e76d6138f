// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"go/ast"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// existing is a validator or defaulter of controller-runtime in the project.
type existing struct {
	mutating bool
	// onObject is true if the object itself has the methods, as before controller-runtime v0.20.
	onObject bool
	// object is the objects' type, or zero if the methods do not determine it.
	object model.GoType
}

// existingIn returns the validators and defaulters in a package. They have a method ValidateCreate or Default.
func existingIn(p *load.Package) []existing {
	var all []existing
	for r := range functions(p, " ValidateCreate(", " Default(") {
		name, typ := r.function.Name.Name, load.Receiver(r.function)
		e := existing{mutating: name == "Default"}
		if typ != "" && (name == "ValidateCreate" || e.mutating) && e.read(r, model.GoType{Path: p.Path, Name: typ}) {
			all = append(all, e)
		}
	}
	return all
}

// read sets onObject and object from the method of the type typ. It reports whether controller-runtime calls the
// method.
func (e *existing) read(r builderReader, typ model.GoType) bool {
	switch params := r.function.Type.Params; params.NumFields() {
	case 0:
		e.onObject, e.object = true, typ
		return true
	case 2:
		if !e.mutating && r.function.Type.Results.NumFields() != 2 {
			return false // no warnings: before controller-runtime v0.15
		}
		switch t := params.List[len(params.List)-1].Type.(type) {
		case *ast.StarExpr:
			e.object = r.named(t.X)
			return !e.object.IsZero()
		case *ast.SelectorExpr:
			e.object = r.asserted()
			return t.Sel.Name == "Object"
		}
	}
	return false
}

// asserted returns the type in the function's first type assertion: o.(*T).
func (r builderReader) asserted() (t model.GoType) {
	for n := range ast.Preorder(r.function) {
		if a, ok := n.(*ast.TypeAssertExpr); ok && t.IsZero() {
			if pointer, ok := a.Type.(*ast.StarExpr); ok {
				t = r.named(pointer.X)
			}
		}
	}
	return t
}

// found is the code that serves a webhook.
type found struct {
	// object is the objects' Go type, or zero if it is unknown.
	object model.GoType
	// builder and side register the code. They are zero if no builder was found.
	builder builder
	side    side
	// own is the validator or defaulter whose methods give the object; zero with a builder.
	own existing
}

// methods reports whether controller-runtime calls methods of a validator or defaulter.
func (f found) methods() bool { return !f.builder.object.IsZero() || !f.own.object.IsZero() }

// rawHandler is a handler of requests that is registered at a path: server.Register(path, &webhook.Admission{...}).
type rawHandler struct {
	path string
	// constant is the path's constant in another package, or zero.
	constant model.GoType
	argument
}

// registered returns the handlers of requests that a package registers.
func registered(p *load.Package) (all []rawHandler) {
	for r := range functions(p, "Register(") {
		for n := range ast.Preorder(r.function) {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 {
				continue
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			path, isPath := r.constant(call.Args[0])
			var constant model.GoType
			if selector, ok := call.Args[0].(*ast.SelectorExpr); ok {
				constant = r.named(selector)
			}
			if !ok || method.Sel.Name != "Register" || !isPath && constant.IsZero() {
				continue
			}
			for n := range ast.Preorder(r.resolved(call.Args[1])) {
				if pair, ok := n.(*ast.KeyValueExpr); ok && r.text(pair.Key) == "Handler" {
					all = append(all, rawHandler{path, constant, argument{r.argument(pair.Value), r.value(pair.Value, model.GoType{})}})
					break
				}
			}
		}
	}
	return all
}

// registeredAt returns the handler of requests at a path; zero without one.
func registeredAt(all []source, path string) argument {
	constants := map[model.GoType]bool{} // with this path
	for _, s := range all {
		for _, h := range s.raw {
			named := model.GoType{Path: h.constant.Path, Name: h.constant.Name}
			if i := slices.IndexFunc(all, func(s source) bool { return s.Path == named.Path }); i >= 0 && !constants[named] {
				value, _ := builderReader{pkg: all[i].Package}.constantOf(named.Name)
				constants[named] = value == path
			}
			if h.path == path || constants[named] {
				return h.argument
			}
		}
	}
	return argument{}
}

// source is a package with its builders, validators and defaulters.
type source struct {
	*load.Package
	builders []builder
	existing []existing
	raw      []rawHandler
}

// sourcesOf returns the packages of markers, and then those of the module that register handlers, such as the program's.
func sourcesOf(ctx context.Context, run engine.Run, packages []*load.Package) (all []source) {
	others, _ := load.Load(ctx, load.Config{Dir: run.Root, Patterns: []string{"./..."}, Tags: run.Tags, Markers: []string{"WebhookManagedBy", "Register("}})
	for _, p := range slices.Concat(packages, others.Packages) {
		if !slices.ContainsFunc(all, func(s source) bool { return s.Path == p.Path }) {
			all = append(all, source{p, builders(p), existingIn(p), registered(p)})
		}
	}
	return all
}

// search returns the code that serves a webhook. It searches the builders of the marker's package, then all builders,
// then the validators and defaulters of the marker's package.
func search(own source, all []source, w *model.Webhook) found {
	for _, s := range append([]source{own}, all...) {
		if b, side := findBuilder(s.withMethods(all), w); !b.object.IsZero() {
			return found{object: b.object, builder: b, side: side}
		}
	}
	fits := slices.DeleteFunc(slices.Clone(own.existing), func(e existing) bool { return e.mutating != w.Mutating || e.object.IsZero() })
	for _, isMeant := range []func(existing) bool{
		func(e existing) bool { return builder{object: e.object}.serves(side{mutating: e.mutating}, w) },
		func(e existing) bool { return hasResource(w, e.object.Name) },
		func(existing) bool { return true },
	} {
		i := slices.IndexFunc(fits, isMeant)
		if i >= 0 && !slices.ContainsFunc(fits[i+1:], isMeant) {
			return found{object: fits[i].object, own: fits[i]}
		}
	}
	return found{}
}

// hasResource reports whether a webhook's first resource looks like the plural of a kind. The caller later compares
// it with the kind's real plural.
func hasResource(w *model.Webhook, kind string) bool {
	if len(w.Spec.Rules) == 0 || len(w.Spec.Rules[0].Resources) == 0 {
		return false
	}
	const ending = len("es")
	resource, _, _ := strings.Cut(w.Spec.Rules[0].Resources[0], "/")
	stem := strings.TrimSuffix(strings.ToLower(kind), "y")
	return strings.HasPrefix(resource, stem) && len(resource) <= len(kind)+ending
}

// withMethods returns the builders with sides for the methods of the objects themselves, which builders do not name.
func (s source) withMethods(sources []source) []builder {
	all := slices.Clone(s.builders)
	for i, b := range all {
		j := slices.IndexFunc(sources, func(o source) bool { return o.Path == b.object.Path })
		if j < 0 {
			continue
		}
		for _, e := range sources[j].existing {
			if e.onObject && e.object.Name == b.object.Name && !slices.ContainsFunc(b.sides, func(s side) bool { return s.mutating == e.mutating }) {
				all[i].sides = append(slices.Clone(all[i].sides), side{mutating: e.mutating, path: b.path})
			}
		}
	}
	return all
}
