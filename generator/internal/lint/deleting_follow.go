// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bytes"
	"context"
	"go/ast"
	"go/token"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// validatorMethod is a validator's method for updates.
type validatorMethod struct {
	pkg       *load.Package
	validator string
	fn        *ast.FuncDecl
	file      *load.File
}

// followed returns the method that a method calls for its answer: the method of the same name of another type. Types of
// fields, parameters and variables with a literal are known; behind an interface, the method itself is returned.
func (m validatorMethod) followed(ctx context.Context, module *load.Module) validatorMethod {
	for range 4 { // methods that call each other
		next := validatorMethod{}
		for n := range ast.Preorder(m.fn) {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				continue
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == m.fn.Name.Name {
				if next.pkg, next.validator = m.typeOf(ctx, module, s.X); next.pkg != nil {
					next.fn, next.file = methodOf(next.pkg, next.validator, s.Sel.Name)
				}
				break
			}
		}
		if next.fn == nil || next.fn == m.fn {
			break
		}
		m = next
	}
	return m
}

// typeOf returns the package and the name of the type of an expression.
func (m validatorMethod) typeOf(ctx context.Context, module *load.Module, e ast.Expr) (*load.Package, string) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return m.typeOf(ctx, module, e.X)
	case *ast.UnaryExpr:
		return m.typeOf(ctx, module, e.X)
	case *ast.CompositeLit:
		return m.named(ctx, module, e.Type)
	case *ast.TypeAssertExpr:
		return m.named(ctx, module, e.Type)
	case *ast.SelectorExpr: // a field of the receiver
		if !isNamed(e.X, parameterNames(m.fn.Recv)) {
			return nil, ""
		}
		t, _ := m.pkg.Type(m.validator)
		if t.Spec == nil {
			return nil, ""
		}
		if fields, ok := t.Spec.Type.(*ast.StructType); ok {
			for _, f := range fields.Fields.List {
				isEmbedded := len(f.Names) == 0 && load.TypeName(f.Type) == e.Sel.Name
				if isEmbedded || slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == e.Sel.Name }) {
					return (validatorMethod{pkg: m.pkg, file: t.File}).named(ctx, module, f.Type)
				}
			}
		}
	case *ast.Ident:
		for _, f := range m.fn.Type.Params.List {
			if slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == e.Name }) {
				return m.named(ctx, module, f.Type)
			}
		}
		for n := range ast.Preorder(m.fn) {
			if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE && isNamed(a.Lhs[0], []string{e.Name}) && a.Rhs[0] != ast.Expr(e) {
				return m.typeOf(ctx, module, a.Rhs[0])
			}
		}
	}
	return nil, ""
}

// named returns the package and the name of a named type, or of a pointer to it.
func (m validatorMethod) named(ctx context.Context, module *load.Module, t ast.Expr) (*load.Package, string) {
	if pointer, ok := t.(*ast.StarExpr); ok {
		t = pointer.X
	}
	s, isImported := t.(*ast.SelectorExpr)
	if !isImported {
		return m.pkg, load.TypeName(t)
	}
	if imported := module.Imported(m.file.AST, load.TypeName(s.X)); imported != "" {
		return packageAt(ctx, module, imported), s.Sel.Name
	}
	return nil, ""
}

// exempts reports whether the file of the method, or a function of the package that it calls, mentions objects that are
// being deleted.
func (m validatorMethod) exempts() bool {
	mentionsDeletion := func(text []byte) bool {
		return bytes.Contains(text, []byte("DeletionTimestamp")) || bytes.Contains(text, []byte("Finalizer"))
	}
	if mentionsDeletion(m.file.Src) {
		return true
	}
	for n := range ast.Preorder(m.fn) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			continue
		}
		name := load.TypeName(call.Fun)
		for f, fn := range m.pkg.Functions(name) {
			if begin := f.AST.FileStart; fn.Name.Name == name && mentionsDeletion(f.Src[fn.Pos()-begin:fn.End()-begin]) {
				return true
			}
		}
	}
	return false
}
