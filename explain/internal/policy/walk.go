// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"maps"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// scope has the variables of the loops around an expression.
type scope map[string]node

// at returns the place that an expression names: a chain of fields and elements from a variable.
func (e *typedEnvironment) at(x ast.Expr, in scope) (node, bool) {
	switch x.Kind() {
	case ast.IdentKind:
		if n, ok := in[x.AsIdent()]; ok {
			return n, n.decl != nil
		}
		n, ok := e.roots[x.AsIdent()]
		return n, ok
	case ast.SelectKind:
		if x.AsSelect().IsTestOnly() {
			return node{}, false
		}
		of, _ := e.at(x.AsSelect().Operand(), in)
		return of.field(x.AsSelect().FieldName())
	case ast.CallKind:
		call := x.AsCall()
		if call.FunctionName() != operators.Index {
			return node{}, false
		}
		of, ok := e.at(call.Args()[0], in)
		if !ok {
			return node{}, false
		}
		if name, text := condition.Literal(call.Args()[1]); text && of.decl.IsObject() {
			return of.field(name)
		}
		return of.element()
	}
	return node{}, false
}

// visit calls a function for an expression and all below it, with the variables of the loops around each.
func (e *typedEnvironment) visit(x ast.Expr, in scope, call func(ast.Expr, scope)) {
	call(x, in)
	if x.Kind() != ast.ComprehensionKind {
		for _, child := range condition.Children(x) {
			e.visit(child, in, call)
		}
		return
	}
	loop := x.AsComprehension()
	e.visit(loop.IterRange(), in, call)
	e.visit(loop.AccuInit(), in, call)
	inner := scope{}
	maps.Copy(inner, in)
	inner[loop.IterVar()], inner[loop.IterVar2()], inner[loop.AccuVar()] = node{}, node{}, node{}
	if over, ok := e.at(loop.IterRange(), in); ok {
		element, _ := over.element()
		switch {
		case over.decl.IsList() && loop.IterVar2() == "":
			inner[loop.IterVar()] = element
		case over.decl.IsList():
			inner[loop.IterVar()], inner[loop.IterVar2()] = node{decl: apiservercel.IntType}, element
		case over.decl.IsMap():
			inner[loop.IterVar()], inner[loop.IterVar2()] = node{decl: over.decl.KeyType}, element
		}
	}
	for _, part := range []ast.Expr{loop.LoopCondition(), loop.LoopStep(), loop.Result()} {
		e.visit(part, inner, call)
	}
}

// optional reports whether an object may lack a field of a struct, or a key of a map, for package condition.
func (e *typedEnvironment) optional(t *condition.Tree, operand ast.Expr, field string) bool {
	operandType := t.GetType(operand.ID())
	if operandType.Kind() == celgo.MapKind {
		return true
	}
	s := e.structOf(operandType.TypeName())
	return s != nil && node{schema: s}.isOptional(field)
}

// structOf returns the schema of a struct by the name of its type; nil for other types.
func (e *typedEnvironment) structOf(name string) *apiextensionsv1.JSONSchemaProps {
	for _, o := range []*objectType{e.object, e.params} {
		if o != nil && o.objects[name] != nil {
			return o.objects[name]
		}
	}
	return nil
}
