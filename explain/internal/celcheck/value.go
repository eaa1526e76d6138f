// SPDX-License-Identifier: Apache-2.0

package celcheck

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// value follows an expression to a place in the object, or to a path of package field.
func (w *walk) value(e ast.Expr) value {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return w.values[w.pkg.TypesInfo.Uses[e]]
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			return w.value(e.X)
		}
	case *ast.StarExpr:
		v := w.value(e.X)
		v.present = true
		return v
	case *ast.TypeAssertExpr:
		return w.value(e.X)
	case *ast.SelectorExpr:
		return w.selected(e)
	case *ast.IndexExpr:
		v := w.value(e.X)
		if _, ok := w.pkg.TypesInfo.TypeOf(e.X).Underlying().(*types.Map); ok && v.cel.root != "" {
			if key, ok := w.read(e.Index); ok {
				return value{cel: v.cel.with(step{name: key, optional: true, key: true})}
			}
		}
	case *ast.CallExpr:
		return w.called(e)
	}
	return value{}
}

// current is the object of the operation.
func (w *walk) current() value {
	if w.operation == "DELETE" {
		return value{cel: path{root: "oldObject"}}
	}
	return value{cel: path{root: "object"}}
}

// selected follows a field of a struct, through embedded ones.
func (w *walk) selected(e *ast.SelectorExpr) value {
	v := w.value(e.X)
	if v.request {
		switch e.Sel.Name {
		case "Object":
			return w.current()
		case "Old", "OldObject":
			return value{cel: path{root: "oldObject"}}
		}
		return value{}
	}
	selection := w.pkg.TypesInfo.Selections[e]
	if v.cel.root == "" || selection == nil || selection.Kind() != types.FieldVal {
		return value{}
	}
	at := v.cel
	t := selection.Recv()
	for _, i := range selection.Index() {
		s, ok := deref(t).Underlying().(*types.Struct)
		if !ok {
			return value{}
		}
		name, optional, inline := jsonOf(s, i)
		if name == "-" {
			return value{}
		}
		if !inline {
			declared := w.pkg.Fset.Position(s.Field(i).Pos())
			markers := w.sources.markers(declared, s.Field(i))
			nullable := slices.Contains(markers, "+nullable")
			if _, pointer := types.Unalias(s.Field(i).Type()).(*types.Pointer); nullable && !pointer {
				return value{} // it may be null, and Go has another zero value
			}
			at = at.with(step{name: name, optional: optional || w.sources.isOptional(declared.Filename, markers), nullable: nullable})
		}
		t = s.Field(i).Type()
	}
	return value{cel: at}
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// jsonOf is the name of a field in JSON, whether it may be left out, and whether its own fields take its place.
func jsonOf(s *types.Struct, i int) (name string, optional, inline bool) {
	tag := reflect.StructTag(s.Tag(i)).Get("json")
	name, options, _ := strings.Cut(tag, ",")
	f := s.Field(i)
	if name == "" && f.Embedded() {
		return "", false, true
	}
	name = cmp.Or(name, f.Name())
	_, pointer := types.Unalias(f.Type()).(*types.Pointer)
	optional = pointer || strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
	if name == "metadata" && f.Name() == "ObjectMeta" {
		optional = false // an API server always has it
	}
	return name, optional, false
}

// called follows calls that return a value of the object: accessors of metadata, the old object, and field paths.
func (w *walk) called(call *ast.CallExpr) value {
	fn := w.callee(call)
	if fn == nil {
		if w.pkg.TypesInfo.Types[call.Fun].IsType() { // a conversion such as string(x)
			return w.value(call.Args[0])
		}
		return value{}
	}
	if fn.Pkg() != nil && strings.HasSuffix(fn.Pkg().Path(), "/validation/field") {
		return w.fieldPath(fn, call)
	}
	selector, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok {
		return value{}
	}
	v := w.value(selector.X)
	if v.request && (fn.Name() == "OldObject" || fn.Name() == "Old") {
		return value{cel: path{root: "oldObject"}}
	}
	if v.cel.root == "" || len(v.cel.steps) > 0 {
		return value{}
	}
	if s, ok := map[string]step{
		"GetName": {name: "name"}, "GetNamespace": {name: "namespace", optional: true}, "GetLabels": {name: "labels", optional: true},
		"GetAnnotations": {name: "annotations", optional: true}, "GetDeletionTimestamp": {name: "deletionTimestamp", optional: true},
		"GetFinalizers": {name: "finalizers", optional: true},
	}[fn.Name()]; ok {
		return value{cel: v.cel.with(step{name: "metadata"}).with(s)}
	}
	return value{}
}

// fieldPath follows field.NewPath("spec", "sku") and its Child, Index and Key.
func (w *walk) fieldPath(fn *types.Func, call *ast.CallExpr) value {
	var names []string
	switch fn.Name() {
	case "NewPath":
	case "Child", "Index", "Key":
		v := w.value(ast.Unparen(call.Fun).(*ast.SelectorExpr).X)
		if !v.isField {
			return value{}
		}
		if names = append(names, v.field); fn.Name() != "Child" {
			return v // of every element
		}
	default:
		return value{}
	}
	for _, a := range call.Args {
		c := w.pkg.TypesInfo.Types[a].Value
		if c == nil || c.Kind() != constant.String {
			return value{}
		}
		names = append(names, constant.StringVal(c))
	}
	return value{isField: true, field: strings.Join(names, ".")}
}

// read writes an expression in CEL.
func (w *walk) read(e ast.Expr) (string, bool) {
	e = ast.Unparen(e)
	typed := w.pkg.TypesInfo.Types[e]
	if typed.Value != nil {
		return literal(typed.Value)
	}
	if v := w.value(e); v.cel.root != "" {
		zero, ok := zeroOf(typed.Type)
		if !ok && !v.present {
			if _, maybe := v.cel.write(false); maybe {
				return "", false
			}
		}
		return v.cel.read(zero, v.present), true
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	if of := measured(call); of != nil {
		text, ok := w.read(of)
		return "size(" + text + ")", ok && !isBasic(w.pkg.TypesInfo.TypeOf(of), types.IsString) // which Go counts in bytes
	}
	if w.pkg.TypesInfo.Types[call.Fun].IsType() {
		return w.read(call.Args[0])
	}
	return "", false
}

// measured is the argument of a call of len; nil for another expression.
func measured(e ast.Expr) ast.Expr {
	if call, ok := ast.Unparen(e).(*ast.CallExpr); ok && len(call.Args) == 1 {
		if name, ok := ast.Unparen(call.Fun).(*ast.Ident); ok && name.Name == "len" {
			return call.Args[0]
		}
	}
	return nil
}

// isZero reports whether an expression is the constant 0.
func (w *walk) isZero(e ast.Expr) bool {
	v := w.pkg.TypesInfo.Types[e].Value
	return v != nil && v.ExactString() == "0"
}

func isBasic(t types.Type, info types.BasicInfo) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&info != 0
}

// literal writes a constant.
func literal(v constant.Value) (string, bool) {
	switch v.Kind() {
	case constant.String:
		return quote(constant.StringVal(v)), true
	case constant.Bool, constant.Int:
		return v.ExactString(), true
	case constant.Float:
		if f, exact := constant.Float64Val(v); exact {
			return strconv.FormatFloat(f, 'g', -1, 64), true
		}
	}
	return "", false
}

// quote writes a string of CEL, in single quotes where it can. An empty one is in double quotes, because gofmt makes a
// typographic quote of two single ones in a comment.
func quote(text string) string {
	if text == "" {
		return `""`
	}
	if quoted := strconv.Quote(text); quoted != `"`+text+`"` || strings.Contains(text, "'") {
		return quoted
	}
	return "'" + text + "'"
}

// zeroOf is the value of a missing field.
func zeroOf(t types.Type) (string, bool) {
	switch t.Underlying().(type) {
	case *types.Slice:
		return "[]", true
	case *types.Map:
		return "{}", true
	}
	switch {
	case isBasic(t, types.IsString):
		return `""`, true
	case isBasic(t, types.IsInteger):
		return "0", true
	case isBasic(t, types.IsBoolean):
		return "false", true
	}
	return "", false
}
