// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// Identical reports whether a and b are the same type (https://go.dev/ref/spec#Type_identity). It compares named
// types by import path, name and arguments, and unnamed types by structure and struct tags. Interfaces differ if one
// of them embeds an interface and the other one lists its methods; the order of elements does not matter. Arrays
// differ if a length cannot be computed.
func Identical(a, b *Type) bool { return a == b || a.identity() == b.identity() }

// String returns the type in Go syntax, qualified with package names.
func (t *Type) String() string { return write(t, false) }

// identity returns a text that is equal for two types if and only if they are identical.
func (t *Type) identity() string {
	if t.id == "" {
		t.id = write(t, true)
	}
	return t.id
}

func write(t *Type, exact bool) string {
	w := writer{exact: exact}
	w.write(t)
	return w.String()
}

// writer writes types in Go syntax.
type writer struct {
	strings.Builder
	exact bool // with import paths, and equal for identical types
}

func (w *writer) write(t *Type) {
	if t.Name != "" {
		w.named(t)
		return
	}
	switch u := t.under; u.kind {
	case Pointer:
		w.WriteByte('*')
		w.write(u.elem)
	case Slice:
		w.WriteString("[]")
		w.write(u.elem)
	case Array:
		length := u.length.text
		if w.exact {
			length = u.length.exact
		}
		w.WriteString("[" + length + "]")
		w.write(u.elem)
	case Map:
		w.WriteString("map[")
		w.write(u.key)
		w.WriteByte(']')
		w.write(u.elem)
	case Struct:
		w.structure(t)
	case Interface:
		w.interfaces(u)
	default:
		w.expression(u.at, u.literal)
	}
}

func (w *writer) named(t *Type) {
	switch {
	case t.Package == "":
	case w.exact:
		w.WriteString(t.Package + ".")
	case t.at.scope != nil:
		w.WriteString(t.at.scope.pkg.Name + ".")
	default:
		w.WriteString(assumedName(t.Package) + ".")
	}
	w.WriteString(t.Name)
	if len(t.Args) > 0 {
		var args []string
		for _, arg := range t.Args {
			args = append(args, write(arg, w.exact))
		}
		w.WriteString("[" + strings.Join(args, ", ") + "]")
	}
}

func (w *writer) structure(t *Type) {
	w.WriteString("struct{")
	for i, f := range t.Fields() {
		if i > 0 {
			w.WriteString("; ")
		}
		if w.exact && !f.Exported { // unexported fields of two packages differ
			w.WriteString(t.under.at.scope.path + ".")
		}
		if w.exact || !f.Embedded {
			w.WriteString(f.Name + " ")
		}
		if w.exact && f.Embedded {
			w.WriteString("embedded ")
		}
		w.write(f.Type)
		if f.Tag != "" {
			w.WriteString(" " + strconv.Quote(string(f.Tag)))
		}
	}
	w.WriteByte('}')
}

func (w *writer) interfaces(u *underlying) {
	literal, _ := u.literal.(*ast.InterfaceType)
	if literal == nil || len(literal.Methods.List) == 0 {
		w.WriteString("any")
		return
	}
	var elements []string
	for _, f := range literal.Methods.List {
		e := writer{exact: w.exact}
		for _, name := range f.Names {
			if w.exact && !name.IsExported() {
				e.WriteString(u.at.scope.path + ".")
			}
			e.WriteString(name.Name)
		}
		if method, ok := f.Type.(*ast.FuncType); ok {
			e.signature(u.at, method)
		} else {
			e.expression(u.at, f.Type)
		}
		elements = append(elements, e.String())
	}
	if w.exact {
		slices.Sort(elements)
	}
	w.WriteString("interface{" + strings.Join(elements, "; ") + "}")
}

// expression writes a type expression that is not resolved otherwise.
func (w *writer) expression(at environment, e ast.Expr) {
	switch e := e.(type) {
	case *ast.FuncType:
		w.WriteString("func")
		w.signature(at, e)
	case *ast.ChanType:
		switch e.Dir {
		case ast.SEND:
			w.WriteString("chan<- ")
		case ast.RECV:
			w.WriteString("<-chan ")
		default:
			w.WriteString("chan ")
		}
		if c, ok := e.Value.(*ast.ChanType); ok && c.Dir == ast.RECV { // chan <-chan T means chan<- chan T
			w.WriteByte('(')
			defer w.WriteByte(')')
		}
		w.expression(at, e.Value)
	case *ast.Ellipsis:
		w.WriteString("...")
		w.expression(at, e.Elt)
	case *ast.UnaryExpr: // ~T in an interface
		w.WriteString(e.Op.String())
		w.expression(at, e.X)
	case *ast.BinaryExpr: // a union in an interface
		w.expression(at, e.X)
		w.WriteString(" " + e.Op.String() + " ")
		w.expression(at, e.Y)
	default:
		w.write(at.scope.resolver.expression(at, e))
	}
}

// signature writes parameters and results without their names.
func (w *writer) signature(at environment, f *ast.FuncType) {
	w.WriteByte('(')
	w.list(at, f.Params)
	w.WriteByte(')')
	switch results := f.Results.NumFields(); {
	case results == 1:
		w.WriteByte(' ')
		w.list(at, f.Results)
	case results > 1:
		w.WriteString(" (")
		w.list(at, f.Results)
		w.WriteByte(')')
	}
}

func (w *writer) list(at environment, fields *ast.FieldList) {
	separator := ""
	for _, f := range fields.List {
		for range max(1, len(f.Names)) {
			w.WriteString(separator)
			w.expression(at, f.Type)
			separator = ", "
		}
	}
}
