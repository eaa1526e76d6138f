// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// NotKind describes a type that cannot be a kind, for example as "a list". It returns "" for a type that may be a
// kind. It reads only the package's own source, so a type that is defined by another package's type may be a kind.
func NotKind(p *load.Package, t load.Type) string {
	k := kindReader{p: p}
	name := t.Spec.Name.Name
	own := k.isMarkedKind(t)
	what, structure := k.shape(t.Spec.Type, map[string]bool{name: true})
	_, isIdent := t.Spec.Type.(*ast.Ident)
	switch {
	case what != "":
		return what
	case t.Spec.Assign.IsValid() && isIdent:
		return "an alias of another type here"
	case structure == nil || own:
		return ""
	}
	has := k.metadata(structure, map[string]bool{name: true})
	switch {
	case has.list, !has.object && isListOf(name, structure):
		return "a list"
	case !has.object && k.isPart(name):
		return "a part of " + strings.TrimSuffix(strings.TrimSuffix(name, "Spec"), "Status")
	case k.embeddedIn(name) != "":
		return "embedded in " + k.embeddedIn(name)
	case has.object || has.unknown:
		return ""
	}
	if whole := k.fieldOf(name); whole != "" {
		return "a part of " + whole
	}
	return ""
}

// kindReader reads the types of a package.
type kindReader struct{ p *load.Package }

// isMarkedKind reports whether a type has a marker for a CRD, a client or runtime.Object methods.
func (k kindReader) isMarkedKind(t load.Type) bool {
	return slices.ContainsFunc(load.Markers(t.Comments()...), func(m string) bool {
		return m == "+kubebuilder:object:root=true" || strings.HasPrefix(m, "+kubebuilder:resource") || m == "+genclient" ||
			strings.HasPrefix(m, "+k8s:deepcopy-gen:interfaces=")
	})
}

// shape returns the struct of a type, or a description of another type. Both are empty for a type of another package.
func (k kindReader) shape(e ast.Expr, seen map[string]bool) (what string, structure *ast.StructType) {
	switch t := e.(type) {
	case *ast.StructType:
		return "", t
	case *ast.InterfaceType:
		return "an interface", nil
	case *ast.FuncType, *ast.ChanType:
		return "a function or a channel", nil
	case *ast.MapType:
		return "a map", nil
	case *ast.ArrayType:
		return "a list of other values", nil
	case *ast.StarExpr:
		return "a pointer", nil
	case *ast.ParenExpr:
		return k.shape(t.X, seen)
	case *ast.IndexExpr:
		return k.shape(t.X, seen)
	case *ast.IndexListExpr:
		return k.shape(t.X, seen)
	case *ast.Ident:
		local, ok := k.p.Type(t.Name)
		switch {
		case ok && seen[t.Name]:
			return "defined by itself", nil
		case ok:
			seen[t.Name] = true
			return k.shape(local.Spec.Type, seen)
		}
		if predeclared, ok := types.Universe.Lookup(t.Name).(*types.TypeName); ok {
			if types.IsInterface(predeclared.Type()) {
				return "an interface", nil
			}
			return "of type " + t.Name, nil
		}
	}
	return "", nil
}

// metadataKinds holds the kinds of metadata in a struct or in its embedded structs.
type metadataKinds struct {
	object, list bool
	unknown      bool // it embeds a struct of another package
}

// metadata returns the kinds of metadata in a struct.
func (k kindReader) metadata(s *ast.StructType, seen map[string]bool) (has metadataKinds) {
	for _, f := range s.Fields.List {
		name, _, _ := jsonTag(f)
		switch t := f.Type.(type) {
		case *ast.SelectorExpr:
			isMetadata := len(f.Names) == 0 || name == "metadata"
			switch {
			case isMetadata && t.Sel.Name == "ObjectMeta":
				has.object = true
			case isMetadata && t.Sel.Name == "ListMeta":
				has.list = true
			case len(f.Names) == 0 && t.Sel.Name != "TypeMeta", name == "metadata":
				has.unknown = true
			}
		case *ast.Ident:
			local, ok := k.p.Type(t.Name)
			switch {
			case len(f.Names) > 0 && name != "metadata" || seen[t.Name]:
			case !ok || name == "metadata": // for example of a dot import
				has.unknown = true
			default:
				seen[t.Name] = true
				what, structure := k.shape(local.Spec.Type, seen)
				if structure == nil {
					has.unknown = has.unknown || what == ""
					continue
				}
				of := k.metadata(structure, seen)
				has = metadataKinds{has.object || of.object, has.list || of.list, has.unknown || of.unknown}
			}
		}
	}
	return has
}

// fieldOf returns a struct of the package that contains a type in a field, or "". Items of a list do not count.
func (k kindReader) fieldOf(name string) string {
	for _, f := range k.p.FilesWith(name) {
		for spec := range load.Types(f.AST) {
			s, ok := spec.Type.(*ast.StructType)
			if !ok || spec.Name.Name == name || isListOf(spec.Name.Name, s) {
				continue
			}
			if slices.ContainsFunc(s.Fields.List, func(field *ast.Field) bool { return holds(field.Type, name) }) {
				return spec.Name.Name
			}
		}
	}
	return ""
}

// holds reports whether a type is the named type, or a pointer to it, or a list or map of it.
func holds(e ast.Expr, name string) bool {
	switch t := e.(type) {
	case *ast.Ident:
		return t.Name == name
	case *ast.StarExpr:
		return holds(t.X, name)
	case *ast.ArrayType:
		return holds(t.Elt, name)
	case *ast.MapType:
		return holds(t.Value, name)
	}
	return false
}

// isListOf reports whether a struct has the name and the member of a list.
func isListOf(name string, s *ast.StructType) bool {
	return strings.HasSuffix(name, "List") && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		return len(f.Names) == 1 && f.Names[0].Name == "Items"
	})
}

// isPart reports whether a type has the name of a spec or status of another type.
func (k kindReader) isPart(name string) bool {
	for _, part := range []string{"Spec", "Status"} {
		if kind, ok := strings.CutSuffix(name, part); ok && kind != "" {
			_, ok := k.p.Type(kind)
			return ok
		}
	}
	return false
}

// embeddedIn returns a kind of the package that embeds a type, or "".
func (k kindReader) embeddedIn(name string) string {
	for _, f := range k.p.FilesWith(name) {
		for spec := range load.Types(f.AST) {
			s, ok := spec.Type.(*ast.StructType)
			if !ok || !k.isMarkedKind(load.Type{File: f, Spec: spec}) {
				continue
			}
			if slices.ContainsFunc(s.Fields.List, func(field *ast.Field) bool {
				t, ok := field.Type.(*ast.Ident)
				return ok && len(field.Names) == 0 && t.Name == name
			}) {
				return spec.Name.Name
			}
		}
	}
	return ""
}
