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
	"github.com/google/cel-go/common/operators"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// ours ends the message about an expression that an API server accepts.
const ours = "; an API server accepts the expression, webhook-gen compares it with the Go type"

// fit compiles an expression against the types. Where only the forms of JSON make it fail, which expressions can read
// without types, it returns the expression compiled without types.
func (e *typedEnvironment) fit(x expression) (*celgo.Ast, []condition.Problem) {
	env := x.in(e)
	checked, issues := env.Compile(x.text)
	if issues.Err() == nil {
		return checked, nil
	}
	var problems []condition.Problem
	for i, p := range condition.IssueProblems(x.text, issues, "") {
		message := issues.Errors()[i].Message
		if e.readsJSON(message) {
			continue
		}
		if m := undefinedField.FindStringSubmatch(message); m != nil {
			if i := strings.Index(x.text[p.From:], m[1]); i > 0 { // the place is the bracket of has
				p.From += i
				p.To = p.From + len(m[1])
			}
			p.Message += e.nearest(env, x.text, p, m[1])
		}
		p.Message += ours
		problems = append(problems, p)
	}
	if len(problems) == 0 {
		return e.checker.compileOpen(x.text), nil
	}
	return nil, problems
}

var (
	undefinedField = regexp.MustCompile(`^undefined field '([^']*)'`)
	noOverload     = regexp.MustCompile(`^found no matching overload for '([^']*)' applied to '(.*)'`)
	notARange      = regexp.MustCompile(`^expression of type '(.*)' cannot be range of a comprehension`)
	word           = regexp.MustCompile(`[\w.@]+`)
)

// readsJSON reports a type error of an expression that reads a struct as what it is in JSON, a map: by an index, with
// in, through its keys, or compared with another struct or map.
func (e *typedEnvironment) readsJSON(message string) bool {
	if m := notARange.FindStringSubmatch(message); m != nil {
		return e.structOf(m[1]) != nil
	}
	m := noOverload.FindStringSubmatch(message)
	if m == nil {
		return false
	}
	names := word.FindAllString(m[2], -1)
	if !slices.ContainsFunc(names, func(name string) bool { return e.structOf(name) != nil }) {
		return false
	}
	switch m[1] {
	case operators.Index, operators.OptIndex, operators.In, "size":
		return true
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains([]string{"int", "string", "bool", "double", "uint", "bytes", "list"}, name)
	})
}

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

// values returns the problems in a tree that the compiler does not see: quantities that are compared as texts, and the
// objects and paths of mutations.
func (e *typedEnvironment) values(x expression, t *condition.Tree) []condition.Problem {
	r := &reporter{Tree: t}
	e.visit(t.Expr(), nil, func(y ast.Expr, in scope) {
		switch y.Kind() {
		case ast.CallKind:
			e.quantities(y.AsCall(), in, r)
		case ast.StructKind:
			if x.patches() && e.object != nil {
				e.mutation(x.role, y, r)
			}
		}
	})
	return r.problems
}

// reporter collects the problems in an expression.
type reporter struct {
	*condition.Tree
	problems []condition.Problem
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
