// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"maps"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"k8s.io/apiserver/pkg/cel/mutation"
)

// mutation reports errors in an Object or JSONPatch of a mutation. An API server compiles these without types: it
// accepts every field.
func (e *typedEnvironment) mutation(role role, x ast.Expr, r *reporter) {
	name := x.AsStruct().TypeName()
	switch {
	case name == mutation.JSONPatchTypeName:
		e.patchPath(x, r)
	case name == mutation.ObjectTypeName || strings.HasPrefix(name, mutation.ObjectTypeName+"."):
		e.objectFields(role, x, name, r)
	}
}

// objectFields compares the fields of an Object with the type that its name names.
func (e *typedEnvironment) objectFields(role role, x ast.Expr, name string, r *reporter) {
	at := e.object.root
	path := e.object.kind
	for _, field := range strings.Split(name, ".")[1:] {
		next, ok := at.field(field)
		if !ok {
			if at.decl.IsObject() {
				r.at(x, "%s has no field %s%s, so there is no %s", path, field, proposal(field, at), name)
			}
			return // the object is reported where it is a value, or its type is open
		}
		for next.decl.IsList() || next.decl.IsMap() && isStructs(next) {
			next, _ = next.element()
		}
		at, path = next, path+"."+field
	}
	if !at.decl.IsObject() {
		return
	}
	for _, f := range x.AsStruct().Fields() {
		field := f.AsStructField()
		value := field.Value()
		target, ok := at.field(field.Name())
		switch {
		case !ok:
			r.field(f, "%s has no field %s%s", path, field.Name(), proposal(field.Name(), at))
		case role == applyConfiguration && target.isAtomic():
			r.field(f, "%s.%s is atomic, which an apply configuration may not set: declare its list type, map type or struct type, or use a JSON patch", path, field.Name())
		case !field.IsOptional():
			e.fieldValue(value, target, name+"."+field.Name(), path+"."+field.Name(), r)
		}
	}
}

// fieldValue compares the value of a field with its type. The name is the type of an Object that fits the field.
func (e *typedEnvironment) fieldValue(value ast.Expr, target node, name, path string, r *reporter) {
	if target.decl.CelType().Kind() == celgo.DynKind {
		return
	}
	switch value.Kind() {
	case ast.StructKind:
		if got := value.AsStruct().TypeName(); strings.HasPrefix(got, mutation.ObjectTypeName) && got != name {
			r.at(value, "%s is an %s, not an %s", path, name, got)
		} else if !target.decl.IsObject() && !isStructs(target) {
			r.at(value, "%s is %s, not an object", path, target.decl.CelType())
		} else if target.decl.IsList() {
			r.at(value, "%s is a list: write [%s{...}]", path, name)
		}
		return
	case ast.ListKind:
		if !target.decl.IsList() {
			break
		}
		element, _ := target.element()
		for _, x := range value.AsList().Elements() {
			e.fieldValue(x, element, name, path, r)
		}
		return
	}
	got := r.GetType(value.ID())
	if !fits(got, target.decl.CelType()) {
		r.at(value, "%s is %s, not %s", path, target.decl.CelType(), got)
	}
}

// fits reports whether a value of one type can be one of another in JSON. Open types fit.
func fits(got, want *celgo.Type) bool {
	open := func(t *celgo.Type) bool {
		switch t.Kind() {
		case celgo.DynKind, celgo.AnyKind, celgo.TypeParamKind, celgo.NullTypeKind, celgo.OpaqueKind:
			return true
		}
		return false
	}
	switch {
	case open(got) || open(want):
		return true
	case want.Kind() == celgo.DoubleKind:
		return got.Kind() == celgo.DoubleKind || got.Kind() == celgo.IntKind || got.Kind() == celgo.UintKind
	case want.Kind() == celgo.IntKind:
		return got.Kind() == celgo.IntKind || got.Kind() == celgo.UintKind
	case want.Kind() == celgo.StringKind:
		return slices.Contains([]celgo.Kind{celgo.StringKind, celgo.BytesKind, celgo.TimestampKind, celgo.DurationKind}, got.Kind())
	case want.Kind() == celgo.StructKind || want.Kind() == celgo.MapKind:
		return got.Kind() == celgo.StructKind || got.Kind() == celgo.MapKind
	case want.Kind() == celgo.ListKind && got.Kind() == celgo.ListKind:
		return fits(got.Parameters()[0], want.Parameters()[0])
	}
	return got.Kind() == want.Kind()
}

// isStructs reports a list or map of structs.
func isStructs(n node) bool {
	element, ok := n.element()
	return ok && (element.decl.IsObject() || isStructs(element))
}

// isAtomic reports a list, map or struct that server-side apply replaces as a whole. Lists are atomic by default.
func (n node) isAtomic() bool {
	if n.schema == nil {
		return false
	}
	if n.decl.IsList() {
		return n.schema.XListType == nil || *n.schema.XListType == "atomic"
	}
	return n.schema.XMapType != nil && *n.schema.XMapType == "atomic"
}

// patchPath compares a path of a JSON patch that is written out with the type.
func (e *typedEnvironment) patchPath(x ast.Expr, r *reporter) {
	for _, f := range x.AsStruct().Fields() {
		field := f.AsStructField()
		if field.Name() != "path" && field.Name() != "from" {
			continue
		}
		pointer, ok := literal(field.Value())
		if !ok || pointer == "" {
			continue
		}
		at := e.object.root
		for _, token := range strings.Split(pointer, "/")[1:] {
			token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
			next, ok := at.field(token)
			if at.decl.IsList() {
				next, ok = at.element()
			}
			if !ok {
				if at.decl.IsObject() {
					r.at(field.Value(), "%s has no field %s%s", at.decl.TypeName(), token, proposal(token, at))
				}
				break
			}
			at = next
		}
	}
}

// proposal proposes the field of the nearest name.
func proposal(wrong string, of node) string {
	if name := closest(wrong, slices.Sorted(maps.Keys(of.decl.Fields))); name != "" {
		return " (did you mean " + name + "?)"
	}
	return ""
}
