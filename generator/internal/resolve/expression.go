// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// environment is the scope in which an expression is resolved.
type environment struct {
	scope *scope
	file  *load.File
	types map[string]*Type // type arguments by parameter
	// constants leaves out the values of variables.
	constants bool
}

// text returns the source of an expression.
func (p environment) text(e ast.Expr) string {
	start := p.file.AST.FileStart
	return string(p.file.Src[e.Pos()-start : e.End()-start])
}

// noType returns an Opaque type for an expression that is not a type.
func (p environment) noType(e ast.Expr) *Type {
	return mention{Range: p.file.Range(e.Pos(), e.End()), name: p.text(e)}.missing("this is no type", nil)
}

// expression returns the type of a type expression. A type that cannot be found is Opaque and has an Err.
func (r *Resolver) expression(at environment, e ast.Expr) *Type {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.expression(at, e.X)
	case *ast.Ident, *ast.SelectorExpr:
		return r.name(at, e, nil)
	case *ast.IndexExpr:
		return r.name(at, e.X, []*Type{r.expression(at, e.Index)})
	case *ast.IndexListExpr:
		args := make([]*Type, len(e.Indices))
		for i, index := range e.Indices {
			args[i] = r.expression(at, index)
		}
		return r.name(at, e.X, args)
	case *ast.StarExpr:
		return unnamed(underlying{kind: Pointer, elem: r.expression(at, e.X)})
	case *ast.ArrayType:
		elem := r.expression(at, e.Elt)
		if e.Len == nil {
			return unnamed(underlying{kind: Slice, elem: elem})
		}
		return unnamed(underlying{kind: Array, elem: elem, length: lengthOf(at, e.Len)})
	case *ast.MapType:
		return unnamed(underlying{kind: Map, key: r.expression(at, e.Key), elem: r.expression(at, e.Value)})
	case *ast.StructType:
		return unnamed(underlying{kind: Struct, literal: e, at: at})
	case *ast.InterfaceType:
		return unnamed(underlying{kind: Interface, literal: e, at: at})
	case *ast.FuncType, *ast.ChanType:
		return unnamed(underlying{kind: Opaque, literal: e, at: at})
	}
	return at.noType(e)
}

func unnamed(u underlying) *Type { return &Type{under: &u} }

// name returns the type of a name, qualified or not, with its type arguments.
func (r *Resolver) name(at environment, e ast.Expr, args []*Type) *Type {
	m := mention{Range: at.file.Range(e.Pos(), e.End()), args: args}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		m.name = e.Name
		return r.unqualified(at, m)
	case *ast.SelectorExpr:
		m.name = e.Sel.Name
		if x, ok := e.X.(*ast.Ident); ok {
			importPath, ok := r.importPath(at, x.Name)
			if !ok {
				return m.missing("the file imports no package "+x.Name, nil)
			}
			m.importPath = importPath
			return r.lookup(m)
		}
	}
	return at.noType(e)
}

// unqualified resolves a name in Go's scopes, innermost first: type parameters, the package, dot imports, predeclared
// names.
func (r *Resolver) unqualified(at environment, m mention) *Type {
	if t := at.types[m.name]; t != nil {
		return t
	}
	if at.scope.declaration(m.name) != nil {
		m.importPath = at.scope.path
		return r.lookupIn(at.scope, m)
	}
	for _, importPath := range r.importsOf(at.file).dotted {
		s, err := r.open(vendoredPath(at.scope, importPath))
		if err != nil || !ast.IsExported(m.name) {
			continue
		}
		if s.declaration(m.name) != nil {
			m.importPath = s.path
			return r.lookupIn(s, m)
		}
	}
	if isPredeclared(m.name) {
		return r.predeclared(m.name)
	}
	m.importPath = at.scope.path
	return r.lookupIn(at.scope, m)
}

// prefetch indexes the declarations of the types in expressions, with one search for each package.
func (r *Resolver) prefetch(at environment, fields *ast.FieldList) {
	names := make(map[*scope][]string)
	visit := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.StructType, *ast.InterfaceType, *ast.FuncType:
			return false // their types are resolved on demand
		case *ast.SelectorExpr:
			if s := r.imported(at, n); s != nil {
				names[s] = append(names[s], n.Sel.Name)
			}
			return false
		case *ast.Ident:
			if at.types[n.Name] == nil {
				names[at.scope] = append(names[at.scope], n.Name)
			}
		}
		return true
	}
	for _, f := range fields.List {
		ast.Inspect(f.Type, visit)
	}
	for s, names := range names {
		s.indexTypes(names...)
	}
}
