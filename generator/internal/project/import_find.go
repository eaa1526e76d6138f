// SPDX-License-Identifier: Apache-2.0

package project

import (
	"go/ast"
	"slices"
	"strings"

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
}

// source is a package with its builders, validators and defaulters.
type source struct {
	*load.Package
	builders []builder
	existing []existing
}

// search returns the code that serves a webhook. It searches the builders of the marker's package, then all builders,
// then the validators and defaulters of the marker's package.
func search(own source, all []source, w *model.Webhook) found {
	for _, s := range append([]source{own}, all...) {
		if b, side := findBuilder(s.withMethods(), w); !b.object.IsZero() {
			return found{b.object, b, side}
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
			return found{object: fits[i].object}
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
func (s source) withMethods() []builder {
	all := slices.Clone(s.builders)
	for i, b := range all {
		for _, e := range s.existing {
			if e.onObject && e.object.Path == b.object.Path && e.object.Name == b.object.Name &&
				!slices.ContainsFunc(b.sides, func(s side) bool { return s.mutating == e.mutating }) {
				all[i].sides = append(slices.Clone(all[i].sides), side{mutating: e.mutating, path: b.path})
			}
		}
	}
	return all
}
