// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// listKeys returns the lists with keys inside a type: those with +listType=map and +listMapKey. It reads types of the
// module and of the object's package. Handlers read the keys of Kubernetes' own types from the struct tag
// patchMergeKey. With sets, listKeys also returns the lists with +listType=set, which have no keys.
func (b *builder) listKeys(p *load.Package, object model.GoType, sets bool) []model.ListKey {
	if object.IsZero() || strings.HasPrefix(object.Path, "k8s.io/") {
		return nil
	}
	start := p
	if object.Path != p.Path {
		located, err := p.Module.Locate(b.ctx, object.Path)
		if err != nil {
			return nil
		}
		start = located
	}
	w := listKeyWalk{in: start, sets: sets, alias: object.Alias, seen: map[string]bool{}}
	w.named(object.Name)
	return w.found
}

type listKeyWalk struct {
	in    *load.Package // the object's package
	alias string        // the import alias in generated code
	sets  bool          // whether lists with +listType=set are found
	seen  map[string]bool
	found []model.ListKey
}

// named reads a type by name. It skips types of other packages, because generated code would have to import their
// packages.
func (w *listKeyWalk) named(name string) {
	if w.seen[name] {
		return
	}
	w.seen[name] = true
	t, ok := w.in.Type(name)
	if !ok {
		return
	}
	w.expression(model.GoType{Path: w.in.Path, Alias: w.alias, Name: name}, t.Spec.Type)
}

func (w *listKeyWalk) expression(owner model.GoType, e ast.Expr) {
	switch e := e.(type) {
	case *ast.Ident:
		if ast.IsExported(e.Name) {
			w.named(e.Name)
		}
	case *ast.StarExpr:
		w.expression(model.GoType{}, e.X)
	case *ast.ArrayType:
		w.expression(model.GoType{}, e.Elt)
	case *ast.MapType:
		w.expression(model.GoType{}, e.Value)
	case *ast.StructType:
		for _, field := range e.Fields.List {
			w.field(owner, field)
		}
	}
}

func (w *listKeyWalk) field(owner model.GoType, field *ast.Field) {
	w.expression(model.GoType{}, field.Type)
	if owner.IsZero() {
		return
	}
	comments := []*ast.CommentGroup{field.Doc}
	if name, ok := field.Type.(*ast.Ident); ok && ast.IsExported(name.Name) {
		if t, ok := w.in.Type(name.Name); ok {
			comments = append(comments, t.Comments()...)
		}
	}
	isSet := func(marker string) bool { return marker == "+listType=set" || marker == "+k8s:listType=set" }
	keys, set := load.ListMapKeys(comments...), w.sets && slices.ContainsFunc(load.Markers(comments...), isSet)
	if member, _, _ := jsonTag(field); (len(keys) > 0 || set) && member != "" {
		w.found = append(w.found, model.ListKey{Struct: owner, Member: member, Keys: keys})
	}
}
