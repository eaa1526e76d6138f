// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"context"
	"go/ast"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// sample returns the fields that a sample object needs: metadata and, in each struct of the object's package, the
// fields that JSON does not omit when empty. Each value satisfies its field's validation markers.
func sample(ctx context.Context, module *load.Module, h *model.Handler) *model.Sample {
	if h.Object.IsZero() {
		return nil
	}
	if strings.HasPrefix(h.Object.Path, "k8s.io/api/") {
		// Kubernetes' own types have metadata, except types of options. Defaults set their required fields.
		s := &model.Sample{Type: h.Object}
		if !strings.HasSuffix(h.Object.Name, "Options") {
			s.Fields = []model.SampleField{{Name: "ObjectMeta", Metadata: true}}
		}
		return s
	}
	p, err := module.Locate(ctx, h.Object.Path)
	if err != nil {
		return &model.Sample{Type: h.Object}
	}
	w := sampleWalk{in: p, alias: h.Object.Alias, inside: map[string]bool{}}
	return w.named(h.Object.Name)
}

type sampleWalk struct {
	in     *load.Package
	alias  string // the import alias in generated code
	inside map[string]bool
}

// named returns a sample of a struct.
func (w *sampleWalk) named(name string) *model.Sample {
	s := &model.Sample{Type: model.GoType{Path: w.in.Path, Alias: w.alias, Name: name}}
	t, ok := w.in.Type(name)
	if !ok || w.inside[name] {
		return s
	}
	fields, ok := t.Spec.Type.(*ast.StructType)
	if !ok {
		return s
	}
	w.inside[name] = true
	defer delete(w.inside, name)
	for _, field := range fields.Fields.List {
		if f, ok := w.field(field); ok {
			s.Fields = append(s.Fields, f)
		}
	}
	return s
}

// field returns a sample of a field, if the field needs one.
func (w *sampleWalk) field(field *ast.Field) (model.SampleField, bool) {
	if selector, ok := field.Type.(*ast.SelectorExpr); ok {
		name := selector.Sel.Name
		if len(field.Names) > 0 {
			name = field.Names[0].Name
		}
		return model.SampleField{Name: name, Metadata: true}, selector.Sel.Name == "ObjectMeta"
	}
	typ, ok := field.Type.(*ast.Ident)
	if !ok || len(field.Names) != 1 || !field.Names[0].IsExported() || omitted(field) {
		return model.SampleField{}, false
	}
	f := model.SampleField{Name: field.Names[0].Name}
	if t, ok := w.in.Type(typ.Name); ok {
		if _, isStruct := t.Spec.Type.(*ast.StructType); isStruct {
			f.Struct = w.named(typ.Name)
			return f, len(f.Struct.Fields) > 0 && typ.IsExported()
		}
		basic, ok := t.Spec.Type.(*ast.Ident)
		if !ok {
			return f, false
		}
		f.Literal, ok = literal(basic.Name, append(t.Comments(), field.Doc))
		return f, ok
	}
	f.Literal, ok = literal(typ.Name, []*ast.CommentGroup{field.Doc})
	return f, ok
}

// omitted reports whether JSON omits the field, always or when empty.
func omitted(field *ast.Field) bool {
	name, options, _ := jsonTag(field)
	return field.Tag == nil || name == "-" || strings.Contains(options, "omit")
}

// literal returns a value of a basic type that satisfies the validation markers of the field and of its type.
func literal(basic string, comments []*ast.CommentGroup) (string, bool) {
	var limits schema.Limits
	limits.Read(comments, false)
	switch basic {
	case "string":
		return strconv.Quote(append(limits.Enum, "sample")[0]), true
	case "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64":
		number := 1
		if n, err := strconv.Atoi(limits.Minimum); err == nil {
			if limits.ExclusiveMinimum {
				n++
			}
			number = max(number, n)
		}
		return append(limits.Enum, strconv.Itoa(number))[0], true
	}
	return "", false
}
