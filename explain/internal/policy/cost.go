// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"math"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// costs estimates the worst case of the expressions of one policy or webhook.
type costs struct {
	*typedEnvironment
	found []Finding
	// variables are the costs of variables, which are computed once in each of the three runs below where they are read.
	variables map[string]uint64
	runs      [3]run
}

// run is the expressions that share one budget of an API server: the matchConditions; the validations with their
// messages; the auditAnnotations. A mutation has a budget of its own.
type run struct {
	first expression
	cost  uint64
	read  map[string]bool // variables
}

func newCosts(e *typedEnvironment) *costs {
	return &costs{typedEnvironment: e, variables: map[string]uint64{}}
}

// add estimates an expression.
func (c *costs) add(x expression, checked *celgo.Ast) {
	cost, sizes, ok := c.estimate(x, checked, "")
	if !ok {
		return
	}
	if cost > celconfig.PerCallLimit {
		c.found = append(c.found, Finding{Rule: Affordable, Field: x.field, To: len(x.text),
			Message: fmt.Sprintf("the worst case costs about %s, and an API server stops an expression at %s%s", number(cost), number(celconfig.PerCallLimit), c.reason(x, checked, cost, sizes))})
		return
	}
	switch x.role {
	case variable:
		c.variables[x.name] = cost
	case matchCondition:
		c.runs[0].add(x, checked, cost)
	case validation, message:
		c.runs[1].add(x, checked, cost)
	case auditAnnotation:
		c.runs[2].add(x, checked, cost)
	}
}

func (r *run) add(x expression, checked *celgo.Ast, cost uint64) {
	if r.read == nil {
		r.first, r.read = x, map[string]bool{}
	}
	r.cost = sum(r.cost, cost)
	for name := range variablesOf(checked) {
		r.read[name] = true
	}
}

// variablesOf are the variables that an expression reads.
func variablesOf(checked *celgo.Ast) map[string]bool {
	names := map[string]bool{}
	t := checked.NativeRep()
	var visit func(x ast.Expr)
	visit = func(x ast.Expr) {
		if x.Kind() == ast.SelectKind {
			if of := x.AsSelect().Operand(); of.Kind() == ast.IdentKind && of.AsIdent() == cel.VariableVarName {
				names[x.AsSelect().FieldName()] = true
			}
		}
		for _, child := range condition.Children(x) {
			visit(child)
		}
	}
	visit(t.Expr())
	return names
}

// findings returns the findings, with those about the sums of runs in which no single expression is too expensive.
func (c *costs) findings() []Finding {
	if len(c.found) > 0 {
		return c.found
	}
	for i, budget := range []uint64{celconfig.RuntimeCELCostBudgetMatchConditions, celconfig.RuntimeCELCostBudget, celconfig.RuntimeCELCostBudget} {
		r := c.runs[i]
		total := r.cost
		for name := range r.read {
			total = sum(total, c.variables[name])
		}
		if total > budget {
			what := []string{"matchConditions", "validations with their messages and variables", "auditAnnotations with their variables"}[i]
			c.found = append(c.found, Finding{Rule: Affordable, Field: r.first.field, To: len(r.first.text),
				Message: fmt.Sprintf("the worst case of all %s costs about %s, and an API server allows them %s", what, number(total), number(budget))})
		}
	}
	return c.found
}

// estimate returns the cost of the worst case. A path, if there is one, is taken to have one element. It also
// returns the sizes of all paths in the estimate.
func (c *costs) estimate(x expression, checked *celgo.Ast, small string) (cost uint64, _ map[string]int64, ok bool) {
	s := &sizes{roots: c.roots, aliases: c.aliases, small: small, used: map[string]int64{}}
	estimate, err := x.in(c.typedEnvironment).EstimateCost(checked, &library.CostEstimator{SizeEstimator: s})
	return estimate.Max, s.used, err == nil
}

// reason names the field whose bound would lower the cost most.
func (c *costs) reason(x expression, checked *celgo.Ast, cost uint64, used map[string]int64) string {
	best, lowest := "", cost
	for path := range used {
		if lower, _, ok := c.estimate(x, checked, path); ok && (lower < lowest || lower == lowest && best != "" && path < best) {
			best, lowest = path, lower
		}
	}
	if best == "" {
		return ""
	}
	of, assumed, marker := "items", "by the size of a request", "+kubebuilder:validation:MaxItems"
	switch n := c.along(strings.Split(best, "/")); {
	case n.decl == nil:
		return fmt.Sprintf("; %s can be long", readable(best))
	case n.schema == nil:
		return fmt.Sprintf("; %s has up to %s items", readable(best), number(uint64(used[best])))
	case n.decl.IsList():
		if n.schema.MaxItems != nil {
			assumed = "by its maxItems"
		}
	case n.decl.IsMap():
		of, marker = "entries", "+kubebuilder:validation:MaxProperties"
		if n.schema.MaxProperties != nil {
			assumed = "by its maxProperties"
		}
	default:
		of, marker = "bytes", "+kubebuilder:validation:MaxLength"
		if n.schema.MaxLength != nil {
			assumed = "by its maxLength"
		}
	}
	return fmt.Sprintf("; %s can have %s %s, %s: bound it, in your own types with %s, or read less of it", readable(best), number(uint64(used[best])), of, assumed, marker)
}

func readable(path string) string {
	return strings.NewReplacer("/@items", "[]", "/@values", "[]", "/@keys", " (its keys)", "/", ".").Replace(path)
}

// along returns the place at the end of a path.
func (c *costs) along(path []string) node {
	s := sizes{roots: c.roots, aliases: c.aliases}
	return s.find(path)
}

// sizes tells an estimator the sizes of what expressions read, as for the rules of CustomResourceDefinitions
// (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel, sizeEstimator).
type sizes struct {
	roots, aliases map[string]node
	small          string
	used           map[string]int64
}

// other is the assumed size of lists, maps and texts without a schema: in the request itself and its namespace, and
// computed ones.
const other = 1024

func (s *sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return &checker.SizeEstimate{Max: other}
	}
	path := strings.Join(element.Path(), "/")
	if path == s.small {
		return &checker.SizeEstimate{Max: 1}
	}
	n := s.find(element.Path())
	size := int64(other)
	if n.decl != nil && (n.decl.MaxElements > 0 || n.decl.MaxElements == 0 && n.schema != nil) {
		size = n.decl.MaxElements
	}
	s.used[path] = size
	return &checker.SizeEstimate{Max: uint64(size)}
}

func (s *sizes) find(path []string) node {
	n, ok := s.roots[path[0]]
	path = path[1:]
	if n.decl != nil && n.decl.TypeName() == variablesType && len(path) > 0 {
		n, ok = s.aliases[path[0]]
		path = path[1:]
	}
	for _, name := range path {
		if !ok {
			return node{}
		}
		switch name {
		case "@items", "@values":
			n, ok = n.element()
		case "@keys":
			if n.decl == nil || n.decl.KeyType == nil {
				return node{}
			}
			key := apiservercel.NewSimpleTypeWithMinSize("string", celgo.StringType, nil, 2)
			key.MaxElements = keySize
			n = node{key, nil}
		default:
			n, ok = n.field(name)
		}
	}
	if !ok {
		return node{}
	}
	return n
}

// keySize is the assumed length of the keys of maps: the longest key of a label.
const keySize = 317

func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

func sum(a, b uint64) uint64 {
	if a > math.MaxUint64-b {
		return math.MaxUint64
	}
	return a + b
}

// number writes a number for people.
func number(n uint64) string {
	switch {
	case n == math.MaxUint64:
		return "an unlimited number"
	case n < 10_000_000:
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1e", float64(n))
}
