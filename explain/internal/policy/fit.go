// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/operators"
	"k8s.io/apiserver/pkg/admission/plugin/cel"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// ours ends the message about an expression that an API server accepts.
const ours = "; an API server accepts the expression, webhook-gen compares it with the Go type"

// fit compiles an expression against the types. A type error that no evaluation has is left out: expressions see
// objects as JSON, where a struct is a map, and a list has elements of any type. Its value has an open type then.
// certain are the errors of each evaluation, and doubtful are results that do not depend on the object.
func (e *typedEnvironment) fit(x expression) (checked *celgo.Ast, certain, doubtful []condition.Problem) {
	env := x.in(e)
	parsed, issues := env.Parse(x.text)
	if issues.Err() != nil {
		return nil, nil, nil // which the API server's compiler has reported
	}
	loose, opened := loosen(parsed), map[int64]bool{}
	for {
		checked, issues = env.Check(parsed)
		if issues.Err() == nil {
			loose.close(checked)
			return checked, nil, doubtful
		}
		t := condition.NewTree(parsed, x.text)
		var open []func()
		for i, p := range condition.IssueProblems(x.text, issues, "") {
			issue := issues.Errors()[i]
			at, v := loose.find(issue), fails
			if at != nil && at.ID() < loose.first && !opened[at.ID()] {
				v = e.judge(env, t, at, issue.Message)
			}
			if m := undefinedField.FindStringSubmatch(issue.Message); m != nil {
				if i := strings.Index(x.text[p.From:], m[1]); i > 0 { // the place is the bracket of has
					p.From += i
					p.To = p.From + len(m[1])
				}
				p.Message += e.nearest(env, x.text, p, m[1])
			}
			p.Message += ours
			switch v {
			case fails:
				certain = append(certain, p)
				continue
			case differs:
				doubtful = append(doubtful, p)
			}
			opened[at.ID()] = true
			open = append(open, func() {
				loose.open(at, mixedElements.MatchString(issue.Message) || notARange.MatchString(issue.Message))
			})
		}
		if len(certain) > 0 || len(open) == 0 {
			return nil, certain, doubtful
		}
		for _, do := range open {
			do()
		}
	}
}

var (
	undefinedField = regexp.MustCompile(`^undefined field '([^']*)'`)
	noOverload     = regexp.MustCompile(`^found no matching overload for '([^']*)' applied to '(.*)'`)
	notARange      = regexp.MustCompile(`^expression of type '(.*)' cannot be range of a comprehension`)
	mixedElements  = regexp.MustCompile(`^expected type '.*' but found '.*'`)
)

// nearest describes the struct that lacks a field, and proposes the field of the nearest name.
func (e *typedEnvironment) nearest(env *celgo.Env, text string, p condition.Problem, field string) string {
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return ""
	}
	t := condition.NewTree(parsed, text)
	described := ""
	e.visit(t.Expr(), nil, func(x ast.Expr, in scope) {
		if described != "" || x.Kind() != ast.SelectKind || x.AsSelect().FieldName() != field {
			return
		}
		of, ok := e.at(x.AsSelect().Operand(), in)
		if !ok || t.At(x)+len(".") != p.From && !x.AsSelect().IsTestOnly() {
			return
		}
		described = fmt.Sprintf(" in %s", strings.NewReplacer(".@idx", "[]", ".@elem", "[]").Replace(of.decl.TypeName()))
		if name := of.closest(field); name != "" {
			described += fmt.Sprintf(": did you mean %s?", name)
		}
	})
	return described
}

// closest returns the field of a struct whose name differs least from a word; empty if all differ much.
func (n node) closest(wrong string) string {
	best, distance := "", len(wrong)/2+1
	for _, name := range slices.Sorted(maps.Keys(n.decl.Fields)) {
		if d := edits(strings.ToLower(wrong), strings.ToLower(name)); d < distance {
			best, distance = name, d
		}
	}
	return best
}

// edits counts the letters to add, remove or change that make one word of another.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

// values returns the problems in a tree that the compiler does not see: quantities that are compared as texts, fields
// and functions of numbers and texts, and the objects and paths of mutations. Of variables, it takes those before it.
func (e *typedEnvironment) values(x expression, t *condition.Tree, variables map[string]*condition.Tree) []condition.Problem {
	r := &reporter{Tree: t, variables: variables}
	e.visit(t.Expr(), nil, func(y ast.Expr, in scope) {
		switch y.Kind() {
		case ast.CallKind:
			e.quantities(y.AsCall(), in, r)
			e.members(x.in(e), y, in, r)
		case ast.SelectKind:
			if n, ok := e.at(y.AsSelect().Operand(), in); ok && n.schema != nil && n.schema.XIntOrString && !y.AsSelect().IsTestOnly() {
				r.at(y, "%s has no fields in JSON: use type(x) == int or type(x) == string", describeScalar(n))
			}
		case ast.StructKind:
			if x.patches() && e.object != nil {
				e.mutation(x.role, y, r)
			}
		}
	})
	return r.problems
}

// members reports a function of a value that is a number or a text in JSON, and that is for neither.
func (e *typedEnvironment) members(env *celgo.Env, x ast.Expr, in scope, r *reporter) {
	call := x.AsCall()
	if !call.IsMemberFunction() {
		return
	}
	n, ok := e.at(call.Target(), in)
	if !ok || n.schema == nil || !n.schema.XIntOrString {
		return
	}
	function := env.Functions()[call.FunctionName()]
	if function == nil || slices.ContainsFunc(function.OverloadDecls(), func(o *decls.OverloadDecl) bool {
		return o.IsMemberFunction() && slices.Contains([]string{"", "number", "string"}, kindOfType(o.ArgTypes()[0]))
	}) {
		return
	}
	hint := ""
	if isQuantity(n.schema) {
		hint = ": use quantity(x)." + call.FunctionName()
	}
	r.at(call.Target(), "%s has no function %s%s", describeScalar(n), call.FunctionName(), hint)
}

// describeScalar describes a value that is a number or a text.
func describeScalar(n node) string {
	if isQuantity(n.schema) {
		return "a quantity is a text or a number, which"
	}
	return "the value is a text or a number, which"
}

// reporter collects the problems in an expression.
type reporter struct {
	*condition.Tree
	variables map[string]*condition.Tree
	problems  []condition.Problem
}

// variable returns the expression of a variable that another expression reads; nil for other expressions.
func (r *reporter) variable(x ast.Expr) *condition.Tree {
	if x.Kind() != ast.SelectKind || x.AsSelect().IsTestOnly() {
		return nil
	}
	of := x.AsSelect().Operand()
	if of.Kind() != ast.IdentKind || of.AsIdent() != cel.VariableVarName {
		return nil
	}
	return r.variables[x.AsSelect().FieldName()]
}

func (r *reporter) report(from, to int, format string, args ...any) {
	r.problems = append(r.problems, condition.Problem{From: from, To: to, Message: fmt.Sprintf(format, args...) + ours})
}

// at reports a problem of a part of the expression.
func (r *reporter) at(part ast.Expr, format string, args ...any) {
	from, to := r.span(part)
	r.report(from, to, format, args...)
}

// span returns the bytes of a part of the expression.
func (r *reporter) span(part ast.Expr) (from, to int) {
	text := r.Text()
	from, to = r.Span(part)
	switch {
	case part.Kind() == ast.ListKind || part.Kind() == ast.MapKind:
		from = r.At(part)
		to = from + 1
	case part.Kind() == ast.StructKind:
		to = r.At(part) // the place of an object is its bracket
		from = max(0, strings.LastIndex(text[:to], part.AsStruct().TypeName()))
	case from < len(text) && (text[from] == '\'' || text[from] == '"'):
		if end := strings.IndexByte(text[from+1:], text[from]); end >= 0 {
			to = from + 1 + end + 1
		}
	}
	return from, to
}

// field reports a problem of a field in an object that the expression makes.
func (r *reporter) field(f ast.EntryExpr, format string, args ...any) {
	from, to := r.Field(f)
	r.report(from, to, format, args...)
}

// quantities reports a quantity that an operator takes for a number or a text.
func (e *typedEnvironment) quantities(call ast.CallExpr, in scope, r *reporter) {
	ofNumbers := []string{operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.Add, operators.Subtract}
	if !slices.Contains(ofNumbers, call.FunctionName()) {
		return
	}
	for _, a := range call.Args() {
		if n, ok := e.at(a, in); ok && isQuantity(n.schema) {
			r.at(a, "a quantity is a text such as 500m or 1Gi, which operators do not compare: use quantity(x).compareTo(y), isLessThan or isGreaterThan")
		}
	}
}
