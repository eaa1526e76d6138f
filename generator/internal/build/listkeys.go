// SPDX-License-Identifier: Apache-2.0

package build

import (
	"go/ast"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// listKeys finds the lists below a type that +listType=map and +listMapKey declare to have keys, as
// far as the types are the module's own or of the package that the object comes from. Those of
// Kubernetes say the same in the struct tag patchMergeKey, which a handler reads itself.
func (b *builder) listKeys(p *load.Package, object model.GoType) []model.ListKey {
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
	w := listKeyWalk{in: start, alias: object.Alias, seen: map[string]bool{}}
	w.named(object.Name)
	return w.found
}

type listKeyWalk struct {
	in    *load.Package // the object's own
	alias string        // under which generated code imports it
	seen  map[string]bool
	found []model.ListKey
}

// named looks into a type by name. Other packages' types are passed over: generated code would
// have to import them for the sake of a hint.
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
	if owner.IsZero() || field.Doc == nil {
		return
	}
	var keys []string
	for _, c := range field.Doc.List {
		if key, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), "+listMapKey="); ok {
			keys = append(keys, strings.Trim(key, "\"`"))
		}
	}
	if member, _, _ := jsonTag(field); len(keys) > 0 && member != "" {
		w.found = append(w.found, model.ListKey{Struct: owner, Member: member, Keys: keys})
	}
}
