// SPDX-License-Identifier: Apache-2.0

// Package expression parses the CEL expressions of policies. It knows no types, so it needs no environment.
package expression

import (
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// Parse returns the syntax tree of an expression. It returns false for text that is not CEL, and beyond the limits of
// cel-go's parser. Macros stay calls.
func Parse(text string) (*ast.AST, bool) {
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true), parser.EnableIdentEscapeSyntax(true))
	if err != nil {
		return nil, false
	}
	tree, issues := p.Parse(common.NewTextSource(text))
	return tree, len(issues.GetErrors()) == 0
}

// Path is the name of a variable and the fields below it that an expression selects. A path below a call or an element
// begins with the first field.
type Path []string

// Paths returns all paths in an expression, each before the paths that it begins with. A key in brackets is a field:
// a["b"] has the path of a.b.
func Paths(tree *ast.AST) (all []Path) {
	ast.PreOrderVisit(tree.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if p, _ := PathOf(e); p != nil {
			all = append(all, p)
		}
	}))
	return all
}

// PathOf returns the path of an expression, and whether it begins with a variable. It returns nil for an expression that
// selects nothing.
func PathOf(e ast.Expr) (p Path, isWhole bool) {
	var of ast.Expr
	var field string
	switch e.Kind() {
	case ast.IdentKind:
		return Path{e.AsIdent()}, true
	case ast.SelectKind:
		of, field = e.AsSelect().Operand(), e.AsSelect().FieldName()
	case ast.CallKind:
		c := e.AsCall()
		switch c.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			name := c.Args()[1]
			text, ok := types.String(""), false
			if name.Kind() == ast.LiteralKind {
				text, ok = name.AsLiteral().(types.String)
			}
			if !ok {
				return nil, false
			}
			of, field = c.Args()[0], string(text)
		default:
			return nil, false
		}
	default:
		return nil, false
	}
	p, isWhole = PathOf(of)
	return append(p, field), isWhole
}
