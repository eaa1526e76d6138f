// SPDX-License-Identifier: Apache-2.0

package project

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// style is the signature of a validator's or defaulter's methods. The zero style is Validator[*T] or Defaulter[*T] of
// controller-runtime.
type style int

const (
	// styleCustom takes any runtime.Object.
	styleCustom style = iota + 1
	// styleObject has methods without a context, on the object itself: before controller-runtime v0.20.
	styleObject
	// styleObjectError is styleObject without warnings: before controller-runtime v0.15.
	styleObjectError
)

// existing is a validator or defaulter of controller-runtime in the project.
type existing struct {
	mutating bool
	style    style
	// typ is its own type.
	typ model.GoType
	// object is the type of the objects; zero if its methods do not tell.
	object model.GoType
	// hidden is true if the builder has a value of another type than the package's own validators and defaulters, such
	// as one that a function wraps around them. typ is zero.
	hidden bool
}

// existingIn returns the validators and defaulters in a package, by their method ValidateCreate or Default.
func existingIn(p *load.Package) []existing {
	var all []existing
	for r := range functions(p, " ValidateCreate(", " Default(") {
		name, typ := r.function.Name.Name, load.Receiver(r.function)
		e := existing{mutating: name == "Default", typ: model.GoType{Path: p.Path, Name: typ}}
		if typ != "" && (name == "ValidateCreate" || e.mutating) && e.read(r) {
			all = append(all, e)
		}
	}
	return all
}

// read sets style and object from the method. It reports whether controller-runtime calls such a method.
func (e *existing) read(r builderReader) bool {
	switch params := r.function.Type.Params; params.NumFields() {
	case 0:
		e.style, e.object = styleObject, e.typ
		if results := r.function.Type.Results; !e.mutating && results.NumFields() == 1 {
			e.style = styleObjectError
		}
		return true
	case 2:
		if !e.mutating && r.function.Type.Results.NumFields() != 2 {
			return false // without warnings, before controller-runtime v0.15
		}
		switch t := params.List[len(params.List)-1].Type.(type) {
		case *ast.StarExpr:
			e.object = r.named(t.X)
			return !e.object.IsZero()
		case *ast.SelectorExpr:
			e.style, e.object = styleCustom, r.asserted()
			return t.Sel.Name == "Object"
		}
	}
	return false
}

// asserted returns the type that the function first asserts a value to have: o.(*T).
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

// typeName returns the name of the type of a validator or defaulter, if the package declares it: of &T{}, the receiver,
// a variable, or a call of a function that returns one. isCall is true if a function returns a pointer.
func (r builderReader) typeName(e ast.Expr) (name string, isCall bool) {
	if pointer, ok := e.(*ast.UnaryExpr); ok && pointer.Op == token.AND {
		e = pointer.X
	}
	switch e := e.(type) {
	case *ast.CompositeLit:
		return localName(e.Type)
	case *ast.Ident:
		if t := r.typeOf(e).Name; t != "" {
			return t, false
		}
		if t := r.parameter(e.Name); t != nil {
			return localName(t)
		}
		if assigned := r.assigned(e); assigned != nil {
			return r.typeName(assigned)
		}
	case *ast.CallExpr:
		called, ok := e.Fun.(*ast.Ident)
		if !ok {
			return "", false
		}
		if called.Name == "new" && len(e.Args) == 1 {
			name, _ = localName(e.Args[0])
			return name, true
		}
		if d := r.declared(called.Name); d != nil && d.Type.Results.NumFields() == 1 {
			return localName(d.Type.Results.List[0].Type)
		}
	}
	return "", false
}

// localName returns the name in T and *T.
func localName(t ast.Expr) (name string, isPointer bool) {
	pointer, isPointer := t.(*ast.StarExpr)
	if isPointer {
		t = pointer.X
	}
	if id, ok := t.(*ast.Ident); ok {
		name = id.Name
	}
	return name, isPointer
}

// found is the code that serves a webhook.
type found struct {
	// object is the Go type of the objects; zero if unknown.
	object model.GoType
	// existing serves the webhook; nil if it is not found.
	existing *existing
	// builder and side register it; zero if the builder is not found.
	builder builder
	side    side
}

// source is a package with its builders, validators and defaulters.
type source struct {
	*load.Package
	builders []builder
	existing []existing
}

// search finds the code that serves a webhook: in a builder of the marker's package or else of any, or else among the
// validators and defaulters of the marker's package.
func search(own source, all []source, w *model.Webhook) found {
	for _, s := range append([]source{own}, all...) {
		if b, side := find(s.withMethods(), w); !b.object.IsZero() {
			return found{b.object, s.serving(b, side), b, side}
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
			return found{object: fits[i].object, existing: &fits[i]}
		}
	}
	return found{}
}

// hasResource reports whether the first resource of a webhook looks like the plural of a kind. The caller builds the
// webhook for the kind, and so compares with its real plural.
func hasResource(w *model.Webhook, kind string) bool {
	if len(w.Spec.Rules) == 0 || len(w.Spec.Rules[0].Resources) == 0 {
		return false
	}
	const ending = len("es")
	resource, _, _ := strings.Cut(w.Spec.Rules[0].Resources[0], "/")
	stem := strings.TrimSuffix(strings.ToLower(kind), "y")
	return strings.HasPrefix(resource, stem) && len(resource) <= len(kind)+ending
}

// withMethods returns the builders, with the sides that a builder does not name: methods of the object itself.
func (s source) withMethods() []builder {
	all := slices.Clone(s.builders)
	for i, b := range all {
		for _, e := range s.existing {
			if e.style >= styleObject && e.typ.Path == b.object.Path && e.typ.Name == b.object.Name &&
				!slices.ContainsFunc(b.sides, func(s side) bool { return s.mutating == e.mutating }) {
				all[i].sides = append(slices.Clone(all[i].sides), side{mutating: e.mutating, typeName: e.typ.Name, path: b.path})
			}
		}
	}
	return all
}

// serving returns the validator or defaulter of a builder. Without a type of the package that has the methods, it is
// hidden: whatever else the package has may lack the checks of what the builder has.
func (s source) serving(b builder, of side) *existing {
	for _, e := range s.existing {
		same := e.object.Path == b.object.Path && e.object.Name == b.object.Name
		if e.mutating == of.mutating && e.typ.Name == of.typeName && (same || e.object.IsZero()) {
			return &e
		}
	}
	e := &existing{mutating: of.mutating, object: b.object, hidden: true}
	if !of.typed {
		e.style = styleCustom
	}
	return e
}
