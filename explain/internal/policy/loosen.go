// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// verdict is the meaning of a type error for an API server, which compiles expressions without types.
type verdict int

const (
	// fails is an error of each evaluation.
	fails verdict = iota
	// differs has a result that the types make constant: a comparison of a number with a text.
	differs
	// works has the result that the author expects: lists of two types added, a list compared with null.
	works
)

// judge returns the verdict of a type error at a node of an expression.
func (e *typedEnvironment) judge(env *celgo.Env, t *condition.Tree, at ast.Expr, message string) verdict {
	if m := notARange.FindStringSubmatch(message); m != nil {
		return either(e.structOf(m[1]) != nil, works)
	}
	if m := undefinedField.FindStringSubmatch(message); m != nil {
		return either(tests(t.Expr(), at, m[1]), differs)
	}
	if mixedElements.MatchString(message) {
		return works
	}
	m := noOverload.FindStringSubmatch(message)
	if m == nil {
		return fails
	}
	if function := env.Functions()[m[1]]; function != nil && function.Name() != operators.LogicalAnd && function.Name() != operators.LogicalOr {
		return e.applies(function, argumentsOf(m[2]))
	}
	return fails
}

func either(ok bool, v verdict) verdict {
	if ok {
		return v
	}
	return fails
}

// tests reports whether an expression tests a field that does not exist, by has() or .?, at the node or elsewhere. Such
// a test may tell versions of an API server apart, whose types have other fields.
func tests(root, at ast.Expr, field string) bool {
	operand := func(x ast.Expr) (ast.Expr, bool) {
		switch {
		case x.Kind() == ast.SelectKind && x.AsSelect().FieldName() == field:
			return x.AsSelect().Operand(), x.AsSelect().IsTestOnly()
		case x.Kind() == ast.CallKind && x.AsCall().FunctionName() == operators.OptSelect:
			if name, ok := condition.Literal(x.AsCall().Args()[1]); ok && name == field {
				return x.AsCall().Args()[0], true
			}
		}
		return nil, false
	}
	of, test := operand(at)
	if of == nil || test {
		return test
	}
	found := false
	ast.PreOrderVisit(root, ast.NewExprVisitor(func(x ast.Expr) {
		if other, test := operand(x); test && condition.SamePath(other, of) {
			found = true
		}
	}))
	return found
}

// applies finds the verdict of a call: works if an overload takes values of these kinds. Types of elements decide
// nothing when an API server runs the expression.
func (e *typedEnvironment) applies(function *decls.FunctionDecl, arguments []string) verdict {
	ofKinds := func(o *decls.OverloadDecl) bool {
		types := o.ArgTypes()
		if len(types) != len(arguments) {
			return false
		}
		for i, t := range types {
			if kind := e.kindOf(arguments[i]); kind != "" && kindOfType(t) != "" && kind != kindOfType(t) {
				return false
			}
		}
		return true
	}
	if !slices.ContainsFunc(function.OverloadDecls(), ofKinds) {
		return fails
	}
	kinds := []string{}
	switch function.Name() {
	case operators.Equals, operators.NotEquals:
		kinds = append(kinds, e.kindOf(arguments[0]), e.kindOf(arguments[1]))
	case operators.In:
		of, isList := strings.CutPrefix(arguments[1], "list(")
		if !isList {
			return works
		}
		kinds = append(kinds, e.kindOf(arguments[0]), e.kindOf(strings.TrimSuffix(of, ")")))
	default:
		return works
	}
	if slices.Contains(kinds, "") || slices.Contains(kinds, "null") || kinds[0] == kinds[1] {
		return works
	}
	return differs
}

// kindOf returns the kind of a value at run time, by the name of its type: struct and map are one kind, and so are
// numbers. It is empty for an open type.
func (e *typedEnvironment) kindOf(name string) string {
	outer, _, _ := strings.Cut(name, "(")
	switch {
	case outer == "dyn" || outer == "any" || outer == "!error!":
		return ""
	case slices.Contains([]string{"int", "uint", "double"}, outer):
		return "number"
	case e.structOf(name) != nil || strings.HasPrefix(name, "Object"):
		return "map"
	}
	return outer
}

// kindOfType is kindOf for the type of a parameter.
func kindOfType(t *celgo.Type) string {
	switch t.Kind() {
	case celgo.DynKind, celgo.AnyKind, celgo.TypeParamKind:
		return ""
	case celgo.IntKind, celgo.UintKind, celgo.DoubleKind:
		return "number"
	case celgo.ListKind:
		return "list"
	case celgo.MapKind:
		return "map"
	case celgo.NullTypeKind:
		return "null"
	case celgo.TimestampKind:
		return "timestamp"
	case celgo.DurationKind:
		return "duration"
	}
	return t.TypeName()
}

// argumentsOf takes the types of a message apart: "(int, map(string, dyn))", or "list(int).(int)" of a member.
func argumentsOf(text string) (all []string) {
	depth, from := 0, 0
	add := func(to int) {
		if word := strings.TrimSpace(text[from:to]); word != "" {
			all = append(all, word)
		}
		from = to + 1
	}
	member := strings.LastIndex(text, ".(")
	if member > 0 && balanced(text[member+1:]) {
		all = append(all, text[:member])
		text = text[member+1:]
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == ',' && depth == 0:
			add(i)
		}
	}
	add(len(text))
	return all
}

// balanced reports whether the bracket that begins a text ends it.
func balanced(text string) bool {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(text)-1
			}
		}
	}
	return false
}

// loosened is an expression in which dyn() leaves some types open for the compiler.
type loosened struct {
	parsed *celgo.Ast
	next   int64
	first  int64
}

func loosen(parsed *celgo.Ast) *loosened {
	next := ast.MaxID(parsed.NativeRep()) + 1
	return &loosened{parsed, next, next}
}

// open wraps the parts of a node in dyn(). inside reports that the node is itself a part: an element of a list, or the
// range of a loop.
func (l *loosened) open(at ast.Expr, inside bool) {
	target := at
	if inside {
		ast.PreOrderVisit(l.parsed.NativeRep().Expr(), ast.NewExprVisitor(func(x ast.Expr) {
			if slices.ContainsFunc(condition.Children(x), func(c ast.Expr) bool { return c.ID() == at.ID() }) {
				target = x
			}
		}))
	}
	replaceParts(target, func(part ast.Expr) ast.Expr {
		id := l.next
		l.next++
		info := l.parsed.NativeRep().SourceInfo()
		if place, ok := info.GetOffsetRange(part.ID()); ok {
			info.SetOffsetRange(id, place)
		}
		return ast.NewExprFactory().NewCall(id, "dyn", part)
	})
}

// close removes each dyn() that open added. The types of the parts are known then.
func (l *loosened) close(checked *celgo.Ast) {
	if l.next == l.first {
		return
	}
	ast.PostOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		replaceParts(x, func(part ast.Expr) ast.Expr {
			if part.ID() >= l.first && part.Kind() == ast.CallKind {
				return part.AsCall().Args()[0]
			}
			return part
		})
	}))
}

// find returns the node of an issue; nil if it is not known.
func (l *loosened) find(issue *common.Error) (at ast.Expr) {
	ast.PreOrderVisit(l.parsed.NativeRep().Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.ID() == issue.ExprID {
			at = x
		}
	}))
	return at
}

// replaceParts replaces the parts of a node whose types a compiler compares.
func replaceParts(x ast.Expr, with func(ast.Expr) ast.Expr) {
	factory := ast.NewExprFactory()
	each := func(all []ast.Expr) (replaced []ast.Expr) {
		for _, part := range all {
			replaced = append(replaced, with(part))
		}
		return replaced
	}
	switch x.Kind() {
	case ast.CallKind:
		call := x.AsCall()
		if call.IsMemberFunction() {
			x.SetKindCase(factory.NewMemberCall(x.ID(), call.FunctionName(), with(call.Target()), each(call.Args())...))
			return
		}
		args := call.Args()
		if f := call.FunctionName(); f == operators.OptSelect || f == operators.OptIndex {
			x.SetKindCase(factory.NewCall(x.ID(), f, with(args[0]), args[1]))
			return
		}
		x.SetKindCase(factory.NewCall(x.ID(), call.FunctionName(), each(args)...))
	case ast.SelectKind:
		s := x.AsSelect()
		if s.IsTestOnly() {
			x.SetKindCase(factory.NewPresenceTest(x.ID(), with(s.Operand()), s.FieldName()))
			return
		}
		x.SetKindCase(factory.NewSelect(x.ID(), with(s.Operand()), s.FieldName()))
	case ast.ListKind:
		x.SetKindCase(factory.NewList(x.ID(), each(x.AsList().Elements()), x.AsList().OptionalIndices()))
	case ast.ComprehensionKind:
		c := x.AsComprehension()
		x.SetKindCase(factory.NewComprehensionTwoVar(x.ID(), with(c.IterRange()), c.IterVar(), c.IterVar2(), c.AccuVar(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result()))
	}
}
