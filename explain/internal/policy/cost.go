// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	// variables are the costs of variables without the variables that they read, which are in reads.
	variables map[string]uint64
	reads     map[string]map[string]bool
	// unbounded is the size of values whose size is not known. largest are the sizes of variables.
	unbounded uint64
	largest   map[string]uint64
	// together are the expressions that an API server evaluates together. Each of its evaluations computes a variable
	// once, if an expression reads it (k8s.io/apiserver/pkg/admission/plugin/cel, CompositedConditionEvaluator).
	together map[evaluation]*evaluated
	// unknown reports an expression without an estimate.
	unknown bool
}

// evaluation is one evaluation by an API server: of all expressions of a role, or of one mutation.
type evaluation struct {
	role
	mutation int
}

// evaluated is the expressions of an evaluation.
type evaluated struct {
	first expression
	cost  uint64
	read  map[string]bool // variables
}

func newCosts(e *typedEnvironment, unbounded uint64) *costs {
	return &costs{
		typedEnvironment: e, variables: map[string]uint64{}, reads: map[string]map[string]bool{}, together: map[evaluation]*evaluated{},
		unbounded: unbounded, largest: map[string]uint64{},
	}
}

// add estimates an expression.
func (c *costs) add(x expression, checked *celgo.Ast) {
	cost, of, ok := c.estimate(x, checked, "")
	if !ok {
		c.unknown = true
		return
	}
	if cost > celconfig.PerCallLimit {
		c.report(x, "the worst case costs about %s, and an API server stops an expression at %s%s", Number(cost), Number(celconfig.PerCallLimit), c.reason(x, checked, cost, of.used))
	}
	if x.role == variable {
		c.variables[x.name()], c.reads[x.name()], c.largest[x.name()] = cost, variablesOf(checked), of.largest
		return
	}
	in := evaluation{role: x.role}
	if x.patches() {
		in.mutation = x.index
	}
	e := c.together[in]
	if e == nil {
		e = &evaluated{first: x, read: map[string]bool{}}
		c.together[in] = e
	}
	e.cost = Sum(e.cost, cost)
	maps.Copy(e.read, variablesOf(checked))
}

func (c *costs) report(x expression, format string, args ...any) {
	c.found = append(c.found, Finding{Rule: Affordable, Field: x.field, Problem: condition.Problem{To: len(x.text), Message: fmt.Sprintf(format, args...)}})
}

// of returns the cost of an evaluation, with the variables that its expressions read, and the variables of these.
func (c *costs) of(in evaluation) uint64 {
	e := c.together[in]
	if e == nil {
		return 0
	}
	total, added := e.cost, map[string]bool{}
	var add func(names map[string]bool)
	add = func(names map[string]bool) {
		for name := range names {
			if !added[name] {
				added[name] = true
				total = Sum(total, c.variables[name])
				add(c.reads[name])
			}
		}
	}
	add(e.read)
	return total
}

// variablesOf are the variables that an expression reads.
func variablesOf(checked *celgo.Ast) map[string]bool {
	names := map[string]bool{}
	ast.PreOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.Kind() == ast.SelectKind {
			if of := x.AsSelect().Operand(); of.Kind() == ast.IdentKind && of.AsIdent() == cel.VariableVarName {
				names[x.AsSelect().FieldName()] = true
			}
		}
	}))
	return names
}

// findings returns the findings, with those about sums in which no single expression is too expensive.
func (c *costs) findings() []Finding {
	if len(c.found) > 0 {
		return c.found
	}
	check := func(what string, budget uint64, all ...evaluation) {
		var total uint64
		var first *evaluated
		for _, in := range all {
			total = Sum(total, c.of(in))
			if e := c.together[in]; first == nil {
				first = e
			}
		}
		if total > budget {
			c.report(first.first, "the worst case of %s costs about %s, and an API server allows %s", what, Number(total), Number(budget))
		}
	}
	check("all matchConditions", celconfig.RuntimeCELCostBudgetMatchConditions, evaluation{role: matchCondition})
	check("all validations with their messages and variables", celconfig.RuntimeCELCostBudget, evaluation{role: validation}, evaluation{role: message})
	check("all auditAnnotations with their variables", celconfig.RuntimeCELCostBudget, evaluation{role: auditAnnotation})
	for _, in := range slices.SortedFunc(maps.Keys(c.together), func(a, b evaluation) int { return a.mutation - b.mutation }) {
		if in.patches() {
			check("the mutation with its variables", celconfig.RuntimeCELCostBudget, in)
		}
	}
	return c.found
}

// Estimate is the cost of the expressions of a policy in the worst case.
type Estimate struct {
	// Conditions is the cost of the matchConditions.
	Conditions uint64
	// Validations is the cost of the validations, messages and auditAnnotations, with their variables.
	Validations uint64
	// Mutations is the cost of each mutation, with its variables.
	Mutations []uint64
}

// Estimate estimates a policy for objects of a kind. It returns nil if the type of the kind is not known, or if an
// expression does not compile.
func (c *Checker) Estimate(policy *unstructured.Unstructured, kind schema.GroupVersionKind) (*Estimate, error) {
	s, err := readSpec(policy)
	if err != nil || c.types[kind] == nil {
		return nil, err
	}
	e, err := c.typed(s.signature(kind), s.mutating)
	if err != nil {
		return nil, err
	}
	costs := newCosts(e, math.MaxUint64)
	for _, x := range s.expressions() {
		checked, _, _ := e.fit(x)
		if x.role == variable {
			e.declare(x.name(), checked)
		}
		if checked == nil {
			return nil, nil
		}
		costs.add(x, checked)
	}
	if costs.unknown {
		return nil, nil
	}
	all := &Estimate{Conditions: costs.of(evaluation{role: matchCondition})}
	for _, r := range []role{validation, message, auditAnnotation} {
		all.Validations = Sum(all.Validations, costs.of(evaluation{role: r}))
	}
	for i := range s.mutations {
		all.Mutations = append(all.Mutations, Sum(costs.of(evaluation{applyConfiguration, i}), costs.of(evaluation{jsonPatch, i})))
	}
	return all, nil
}

// estimate returns the cost of the worst case. A path, if there is one, is taken to have one element. It also
// returns the sizes in the estimate.
func (c *costs) estimate(x expression, checked *celgo.Ast, small string) (cost uint64, _ *sizes, ok bool) {
	s := &sizes{costs: c, small: small, used: map[string]int64{}}
	restore := selectedMaps(checked.NativeRep())
	estimate, err := x.in(c.typedEnvironment).EstimateCost(checked, estimator{&library.CostEstimator{SizeEstimator: s}, s})
	restore()
	cost = estimate.Max
	if readsComputed(checked.NativeRep()) {
		// An API server counts one more for each computed value of which an expression reads a field or an element.
		// With the read, the value costs at least 2.
		cost = Sum(cost, cost/2)
	}
	if cost > unlimited {
		cost = math.MaxUint64
	}
	return cost, s, err == nil
}

// unlimited is the least cost of a value of an unknown size: cel-go takes a tenth for each character.
const unlimited = math.MaxUint64 / 20

// readsComputed reports an expression that reads a field or an element of a computed value.
func readsComputed(checked *ast.AST) (found bool) {
	isComputed := func(x ast.Expr) bool {
		switch x.Kind() {
		case ast.IdentKind, ast.SelectKind:
			return false
		case ast.CallKind:
			return x.AsCall().FunctionName() != operators.Index
		}
		return true
	}
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		switch {
		case x.Kind() == ast.SelectKind:
			found = found || isComputed(x.AsSelect().Operand())
		case x.Kind() == ast.CallKind && x.AsCall().FunctionName() == operators.Index:
			found = found || isComputed(x.AsCall().Args()[0])
		}
	}))
	return found
}

// selectedMaps gives values of a dynamic type the type of a map where an expression reads their fields. Only then does
// cel-go count the reads that an API server counts. It returns a function that restores the types.
func selectedMaps(checked *ast.AST) (restore func()) {
	types := map[int64]*celgo.Type{}
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(x ast.Expr) {
		if x.Kind() != ast.SelectKind {
			return
		}
		of := x.AsSelect().Operand().ID()
		if t := checked.GetType(of); t != nil && (t.Kind() == celgo.DynKind || t.Kind() == celgo.AnyKind) {
			types[of] = t
			checked.SetType(of, celgo.MapType(celgo.DynType, celgo.DynType))
		}
	}))
	return func() {
		for id, t := range types {
			checked.SetType(id, t)
		}
	}
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
	var of, limit string
	var set *int64
	switch n := c.find(strings.Split(best, "/")); {
	case n.decl == nil:
		return fmt.Sprintf("; %s can be long", readable(best))
	case n.schema == nil:
		return fmt.Sprintf("; %s has up to %s items", readable(best), Number(uint64(used[best])))
	case n.decl.IsList() || n.schema.Type == "array":
		of, limit, set = "items", "Items", n.schema.MaxItems
	case n.decl.IsMap() || n.schema.AdditionalProperties != nil:
		of, limit, set = "entries", "Properties", n.schema.MaxProperties
	default:
		of, limit, set = "bytes", "Length", n.schema.MaxLength
	}
	assumed := "by the size of a request"
	if set != nil {
		assumed = "by its max" + limit
	}
	return fmt.Sprintf("; %s can have %s %s, %s: bound it, in your own types with +kubebuilder:validation:Max%s, or read less of it", readable(best), Number(uint64(used[best])), of, assumed, limit)
}

func readable(path string) string {
	return strings.NewReplacer("/@items", "[]", "/@values", "[]", "/@keys", " (its keys)", "/", ".").Replace(path)
}

// sizes tells an estimator the sizes of what expressions read, as for the rules of CustomResourceDefinitions
// (k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel, sizeEstimator).
type sizes struct {
	*costs
	small string
	used  map[string]int64
	// largest is the largest size so far. Elements of a computed list are parts of something that is not larger.
	largest uint64
}

// estimator is an API server's estimator that remembers the sizes of results.
type estimator struct {
	*library.CostEstimator
	*sizes
}

func (e estimator) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	return e.sizes.EstimateSize(element)
}

func (e estimator) EstimateCallCost(function, overload string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	of := e.CostEstimator.EstimateCallCost(function, overload, target, args)
	if function == "split" && of != nil && of.ResultSize != nil { // the empty text has one part, and the estimate none
		of.ResultSize.Max = Sum(of.ResultSize.Max, 1)
	}
	switch {
	case function == "format" && target != nil: // of values that may hold everything
		e.sizes.largest = math.MaxUint64
	case function == operators.Add && len(args) == 2 && !accumulates(args[0]):
		e.sizes.largest = max(e.sizes.largest, Sum(e.size(args[0]), e.size(args[1])))
	case of != nil && of.ResultSize != nil:
		e.sizes.largest = max(e.sizes.largest, of.ResultSize.Max)
	}
	return of
}

// accumulates reports the result of a loop so far, to which the loop adds an element.
func accumulates(x checker.AstNode) bool {
	return x.Expr().Kind() == ast.IdentKind && strings.HasPrefix(x.Expr().AsIdent(), "@")
}

// size is the largest size of a part of an expression.
func (e estimator) size(x checker.AstNode) uint64 {
	if computed := x.ComputedSize(); computed != nil {
		return computed.Max
	}
	return e.EstimateSize(x).Max
}

// flattened estimates flatten. The estimator of cel-go takes the result for as long as the list of lists.
func flattened(of checker.CostEstimator, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	e, ok := of.(estimator)
	if !ok || target == nil {
		return nil
	}
	outer := checker.UnknownSizeEstimate()
	if computed := (*target).ComputedSize(); computed != nil {
		outer = *computed
	} else if known := e.EstimateSize(*target); known != nil {
		outer = *known
	}
	depth := uint64(1)
	if len(args) == 1 {
		depth = math.MaxUint64
		if literal := args[0].Expr().AsLiteral(); literal != nil {
			if n, ok := literal.Value().(int64); ok && n >= 0 {
				depth = uint64(n)
			}
		}
	}
	result := checker.SizeEstimate{Max: outer.Max}
	for range min(depth, 8) {
		result = result.Multiply(checker.SizeEstimate{Max: max(e.sizes.largest, other)})
	}
	cost := outer.MultiplyByCostFactor(float64(depth)).Add(checker.FixedCostEstimate(1 + common.ListCreateBaseCost))
	e.sizes.largest = max(e.sizes.largest, result.Max)
	return &checker.CallEstimate{CostEstimate: cost, ResultSize: &result}
}

// other is the assumed size of computed lists, maps and texts, if nothing in the expression is larger: that of the
// texts of numbers and times, say. Findings take it for values whose size is not known, too.
const other = 1024

func (s *sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return &checker.SizeEstimate{Max: max(s.largest, other)}
	}
	path := strings.Join(element.Path(), "/")
	if path == s.small {
		return &checker.SizeEstimate{Max: 1}
	}
	size := s.unbounded
	switch n := s.find(element.Path()); {
	case element.Path()[0] == cel.RequestVarName && requestSizes()[path] > 0:
		size = requestSizes()[path]
	case n.decl == nil:
	case n.decl.IsObject():
		size = uint64(len(n.decl.Fields))
	case n.decl.MaxElements > 0 || n.decl.MaxElements == 0 && n.schema != nil:
		size = uint64(n.decl.MaxElements)
	case element.Path()[0] == cel.VariableVarName:
		size = max(s.costs.largest[element.Path()[1]], other)
	}
	s.used[path] = int64(min(size, math.MaxInt64))
	s.largest = max(s.largest, size)
	return &checker.SizeEstimate{Max: size}
}

// requestSizes are the largest sizes of fields of a request, by path: of words, and of names that an API server checks
// before admission (k8s.io/apimachinery/pkg/util/validation).
func requestSizes() map[string]uint64 {
	all := map[string]uint64{"request/operation": 7, "request/uid": 36, "request/subResource": 253, "request/requestSubResource": 253}
	for _, of := range []string{"kind", "resource", "requestKind", "requestResource"} {
		for _, field := range []string{"group", "version", "kind", "resource"} {
			all["request/"+of+"/"+field] = 253
		}
	}
	return all
}

// find returns the place at the end of a path of an estimator; the zero node if it is not known.
func (e *typedEnvironment) find(path []string) node {
	n := e.roots[path[0]]
	if e.object != nil && len(path) > 1 && path[0] == cel.NamespaceVarName && path[1] == "metadata" {
		n = e.object.root // all metadata is alike
	}
	for _, name := range path[1:] {
		switch name {
		case "@items", "@values":
			n, _ = n.element()
		case "@keys":
			if n.decl == nil || n.decl.KeyType == nil {
				return node{}
			}
			key := apiservercel.NewSimpleTypeWithMinSize("string", celgo.StringType, nil, 2)
			key.MaxElements = keySize
			n = node{key, nil}
		default:
			n, _ = n.field(name)
		}
	}
	return n
}

// keySize is the assumed length of the keys of maps: the longest key of a label.
const keySize = 317

func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// Sum adds costs. The largest number is an unlimited cost.
func Sum(costs ...uint64) (total uint64) {
	for _, c := range costs {
		if c > math.MaxUint64-total {
			return math.MaxUint64
		}
		total += c
	}
	return total
}

// Number writes a number for people.
func Number(n uint64) string {
	switch {
	case n == math.MaxUint64:
		return "an unlimited number"
	case n < 10_000_000:
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.1e", float64(n))
}
