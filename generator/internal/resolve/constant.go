// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"maps"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Constants returns the values of a named string type's constants, by file and in source order. The constants are in
// the type's package and at package level. It can compute literals, other constants, operators and conversions
// between strings, and leaves out all other values.
func (r *Resolver) Constants(t *Type) (values []string) {
	for _, c := range r.sortedConstants(t) {
		if v := r.constantValue(t.at.scope, c); v.Kind() == constant.String {
			values = append(values, constant.StringVal(v))
		}
	}
	return values
}

// sortedConstants returns the constants of a named string type, by file and in source order.
func (r *Resolver) sortedConstants(t *Type) []*declaredConstant {
	if t.AST == nil || t.Basic() != "string" {
		return nil
	}
	s := t.at.scope
	s.search(t.Name)
	found := r.constantsOf(s, t)
	// A file without the type's name may derive a constant from another constant, so search for the constants' names
	// too.
	for count := -1; count < len(found); {
		count = len(found)
		var names []string
		for _, c := range found {
			names = append(names, c.name.Name)
		}
		s.search(names...)
		found = r.constantsOf(s, t)
	}
	slices.SortFunc(found, func(a, b *declaredConstant) int {
		return cmp.Or(cmp.Compare(a.file.Path, b.file.Path), cmp.Compare(a.name.Pos(), b.name.Pos()))
	})
	return found
}

// constantsOf returns a type's constants in the indexed files.
func (r *Resolver) constantsOf(s *scope, t *Type) (found []*declaredConstant) {
	for _, c := range slices.Collect(maps.Values(s.constants)) { // resolving a type may index further constants
		if !c.variable && r.constantType(s, c) == t {
			found = append(found, c)
		}
	}
	return found
}

// Text computes a string expression in a file. The expression consists of literals, and of constants and variables of
// any package, joined by +. A variable has the value of its declaration.
func (r *Resolver) Text(p *load.Package, f *load.File, e ast.Expr) (string, bool) {
	return r.textAt(environment{scope: r.scopeOf(p.Path, p), file: f}, e)
}

// Constant is Text without variables.
func (r *Resolver) Constant(p *load.Package, f *load.File, e ast.Expr) (string, bool) {
	return r.textAt(environment{scope: r.scopeOf(p.Path, p), file: f, constants: true}, e)
}

func (r *Resolver) textAt(at environment, e ast.Expr) (string, bool) {
	v := r.value(at, e, 0)
	if v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// declaredConstant is a constant or variable at package level.
type declaredConstant struct {
	variable  bool
	file      *load.File
	name      *ast.Ident
	typ       ast.Expr // nil if the value determines it
	value     ast.Expr // nil in a broken declaration
	iota      int
	following bool // its type or value is being computed
}

// indexConstants records the constants or variables of a declaration. A constant without type and value repeats those
// of the previous one (https://go.dev/ref/spec#Constant_declarations).
func (s *scope) indexConstants(f *load.File, decl *ast.GenDecl) {
	var typ ast.Expr
	var values []ast.Expr
	for i, spec := range decl.Specs {
		spec := spec.(*ast.ValueSpec)
		if spec.Type != nil || spec.Values != nil {
			typ, values = spec.Type, spec.Values
		}
		for j, name := range spec.Names {
			if name.Name == "_" || s.constants[name.Name] != nil {
				continue
			}
			c := &declaredConstant{variable: decl.Tok == token.VAR, file: f, name: name, typ: typ, iota: i}
			if j < len(values) {
				c.value = values[j]
			}
			s.constants[name.Name] = c
		}
	}
}

// constant returns a constant at package level, or nil.
func (s *scope) constant(name string) *declaredConstant {
	if s.constants[name] == nil {
		s.search(name)
	}
	return s.constants[name]
}

// constantType returns the named type of a constant, or nil if it is untyped.
func (r *Resolver) constantType(s *scope, c *declaredConstant) *Type {
	at := environment{scope: s, file: c.file}
	if c.typ != nil {
		return r.expression(at, c.typ)
	}
	if c.following {
		return nil
	}
	c.following = true
	defer func() { c.following = false }()
	return r.valueType(at, c.value)
}

// valueType returns the named type of a constant expression, or nil. It knows conversions and typed constants.
func (r *Resolver) valueType(at environment, e ast.Expr) *Type {
	switch e := ast.Unparen(e).(type) {
	case *ast.CallExpr:
		if r.isConversion(at, e) {
			return r.expression(at, e.Fun)
		}
	case *ast.Ident:
		if c := at.scope.constant(e.Name); c != nil {
			return r.constantType(at.scope, c)
		}
	case *ast.BinaryExpr:
		return cmp.Or(r.valueType(at, e.X), r.valueType(at, e.Y))
	}
	return nil
}

// isConversion reports whether a call is a conversion. Calls of functions such as len are not.
func (r *Resolver) isConversion(at environment, e *ast.CallExpr) bool {
	if len(e.Args) != 1 {
		return false
	}
	switch f := ast.Unparen(e.Fun).(type) {
	case *ast.Ident:
		return isPredeclared(f.Name) || at.scope.types[f.Name] != nil
	case *ast.SelectorExpr:
		return r.expression(at, f).Err() == nil
	}
	return false
}

// constantValue computes a constant. The value is unknown if this package cannot compute it.
func (r *Resolver) constantValue(s *scope, c *declaredConstant) constant.Value {
	if c.following {
		return constant.MakeUnknown()
	}
	c.following = true
	defer func() { c.following = false }()
	return r.value(environment{scope: s, file: c.file}, c.value, c.iota)
}

// value computes a constant expression of literals, constants, operators and conversions that keep the kind of value.
func (r *Resolver) value(at environment, e ast.Expr, iota int) constant.Value {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.value(at, e.X, iota)
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "len" && len(e.Args) == 1 {
			if v := r.value(at, e.Args[0], iota); v.Kind() == constant.String {
				return constant.MakeInt64(int64(len(constant.StringVal(v))))
			}
		} else if r.isConversion(at, e) {
			v := r.value(at, e.Args[0], iota)
			if to := r.expression(at, e.Fun); (to.Basic() == "string") == (v.Kind() == constant.String) {
				return v
			}
		}
	case *ast.Ident:
		if c := at.scope.constant(e.Name); c != nil && !(at.constants && c.variable) {
			return r.constantValue(at.scope, c)
		}
		if e.Name == "iota" {
			return constant.MakeInt64(int64(iota))
		}
	case *ast.SelectorExpr:
		if s := r.imported(at, e); s != nil {
			if c := s.constant(e.Sel.Name); c != nil && !(at.constants && c.variable) {
				return r.constantValue(s, c)
			}
		}
	case *ast.UnaryExpr:
		if x := r.value(at, e.X, iota); x.Kind() == constant.Int && (e.Op == token.ADD || e.Op == token.SUB) {
			return constant.UnaryOp(e.Op, x, 0)
		}
	case *ast.BinaryExpr:
		return binary(r.value(at, e.X, iota), e.Op, r.value(at, e.Y, iota))
	}
	return constant.MakeUnknown()
}

// binary computes an operation on two strings or two integers.
func binary(x constant.Value, op token.Token, y constant.Value) constant.Value {
	if x.Kind() == constant.String && y.Kind() == constant.String && op == token.ADD {
		return constant.BinaryOp(x, op, y)
	}
	if x.Kind() != constant.Int || y.Kind() != constant.Int {
		return constant.MakeUnknown()
	}
	switch op {
	case token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR:
		return constant.BinaryOp(x, op, y)
	case token.QUO:
		if constant.Sign(y) != 0 {
			return constant.BinaryOp(x, token.QUO_ASSIGN, y) // go/constant's token for integer division
		}
	case token.REM:
		if constant.Sign(y) != 0 {
			return constant.BinaryOp(x, op, y)
		}
	case token.SHL, token.SHR:
		const widest = 64 // no length or enumeration needs more bits
		if n, ok := constant.Uint64Val(y); ok && n <= widest {
			return constant.Shift(x, op, uint(n))
		}
	}
	return constant.MakeUnknown()
}
