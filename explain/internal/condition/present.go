// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
)

// Situation is the knowledge about the requests that expressions see.
type Situation struct {
	// Rules are the rules of the webhook or policy.
	Rules []v1.RuleWithOperations
	// Mutating reports that mutations see the requests, which is before a new object has a name and a UID.
	Mutating bool
	// Optional reports that an object may lack a field; nil where the types of objects are not known. The operand is the
	// expression before the field.
	Optional func(t *Tree, operand ast.Expr, field string) bool
	// Variables are the variables of a policy.
	Variables map[string]*Tree
	// NoParams is the reason why params may be null; empty if they never are.
	NoParams string
	// NoNamespace reports that namespaceObject is null: every object has the scope Cluster.
	NoNamespace bool
	// Needs returns the fields of the object without which an operation of a JSON patch fails. The expression is the
	// operation.
	Needs func(t *Tree, operation ast.Expr) []Need
}

// Need is a chain of fields that an object must have: /metadata/labels, say.
type Need struct {
	// From and To are the bytes of the expression that needs it.
	From, To int
	Fields   []Field
}

// Field is a field of a Need.
type Field struct {
	Name string
	// Optional reports that the object may lack it, by its type. Of metadata more is known here.
	Optional bool
	// Added reports that the mutations before add it.
	Added bool
}

// Guarded is an expression that is evaluated if all conditions are true.
type Guarded struct {
	*Tree
	// Unless is an expression that is false where this one matters: the validation of a messageExpression. It may be nil.
	Unless *Tree
}

// Absence is a read of something that a request may lack.
type Absence struct {
	*Tree
	Problem
	// Typed reports that Situation.Optional knows of the absence.
	Typed bool
	// Patched reports that it is of a Need.
	Patched bool
}

// Absences reports fields that expressions read although a request may lack them.
//
// For each operation of the rules, it evaluates the expressions without a request. The operation is known, and so is
// which of object and oldObject is null; all other values stay open. It reports an error of a part if that can be the
// error of the whole. This follows the rules of evaluation: false && and true || outweigh an error on their other side,
// and one condition that is false outweighs all others (k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions).
// A variable is evaluated where it is read. Without Situation.Optional, fields below spec and status are not judged.
func Absences(conditions []*Tree, guarded []Guarded, situation Situation) []Absence {
	var found []Absence
	at := map[Absence]int{} // of an absence without its operations
	operations := map[int][]string{}
	for _, operation := range operationsOf(situation.Rules) {
		s := state{
			Situation: situation, operation: operation, present: map[string]bool{}, keys: map[string]string{}, elements: map[string]bool{},
			known: &knowledge{map[string]outcome{}, map[string][]string{}},
		}
		for _, t := range slices.Concat(conditions, slices.Collect(maps.Values(situation.Variables))) {
			s.looksAtTexts = s.looksAtTexts || looksAtTexts(t)
		}
		var all []part
		for _, t := range conditions {
			all = append(all, parts(t, t.Expr(), operators.LogicalAnd)...)
		}
		matched := s.junction(all, true)
		lacks := matched.lacks
		if matched.yes {
			for _, p := range all {
				s = s.with(s.facts(p.Expr, true))
			}
			for _, g := range guarded {
				alone := s
				if g.Unless != nil {
					alone = s.with(s.facts(g.Unless.Expr(), false))
				}
				lacks = append(lacks, alone.evaluate(g.Tree, g.Tree.Expr()).lacks...)
			}
		}
		for _, l := range lacks {
			i, known := at[l.Absence]
			if !known {
				i = len(found)
				at[l.Absence] = i
				found = append(found, l.Absence)
			}
			if l.always && !slices.Contains(operations[i], operation) {
				operations[i] = append(operations[i], operation)
			}
		}
	}
	for i := range found {
		if len(operations[i]) > 0 {
			found[i].Message += " on " + strings.Join(operations[i], " and ")
		}
	}
	return found
}

// operationsOf are the operations for which a webhook is called, CONNECT with a wildcard only where a rule has
// subresources.
func operationsOf(rules []v1.RuleWithOperations) []string {
	var all []string
	for _, r := range rules {
		for _, o := range r.Operations {
			if o != v1.OperationAll {
				all = append(all, string(o))
				continue
			}
			all = append(all, "CREATE", "UPDATE", "DELETE")
			if slices.ContainsFunc(r.Resources, func(name string) bool {
				_, sub, _ := strings.Cut(name, "/")
				return slices.Contains([]string{"*", "exec", "attach", "portforward", "proxy"}, sub)
			}) {
				all = append(all, "CONNECT")
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// state is the knowledge about a request at one place in an expression.
type state struct {
	Situation
	operation string
	present   map[string]bool // paths that are there
	// keys are the variables of loops over the keys of a map, and the map's path.
	keys map[string]string
	// elements are the variables of loops over the elements of a list or map at a path.
	elements map[string]bool
	known    *knowledge
	// looksAtTexts is true if a condition or a variable may test texts.
	looksAtTexts bool
}

// knowledge is the results of variables for an operation. Without it, the time would double with each variable that
// reads the one before it twice.
type knowledge struct {
	outcomes map[string]outcome // by the variable and the paths that are there
	facts    map[string][]string
}

// lack is an absence for one operation.
type lack struct {
	Absence
	always bool // for the operation
}

// outcome is the set of possible results of an expression.
type outcome struct {
	// yes and no report whether it can be true and false; both are set for a value other than a boolean.
	yes, no bool
	// null reports that it is null, optional that it is an optional value.
	null, optional bool
	// path is the path that it reads, beginning with a variable: object.metadata.labels. It is empty for a computed value.
	path string
	// lacks are the reasons why it can be an error.
	lacks []lack
}

func exactly(yes bool) outcome { return outcome{yes: yes, no: !yes} }

// part is an expression of a condition.
type part struct {
	*Tree
	ast.Expr
}

// parts takes a chain of && or || apart.
func parts(t *Tree, e ast.Expr, function string) []part {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != function {
		return []part{{t, e}}
	}
	var all []part
	for _, a := range e.AsCall().Args() {
		all = append(all, parts(t, a, function)...)
	}
	return all
}

// junction evaluates a chain of && or, where and is false, of ||. Parts that cannot fail guard the others, on either
// side.
func (s state) junction(all []part, and bool) outcome {
	guarded := s
	safe := make([]bool, len(all))
	for again := true; again; {
		again = false
		for i, p := range all {
			if !safe[i] && len(guarded.evaluate(p.Tree, p.Expr).lacks) == 0 {
				safe[i], again = true, true
				guarded = guarded.with(s.facts(p.Expr, and))
			}
		}
	}
	result := outcome{yes: and, no: !and}
	for i, p := range all {
		o := guarded.evaluate(p.Tree, p.Expr)
		if safe[i] && (and && !o.yes || !and && !o.no) {
			return exactly(!and)
		}
		if and {
			result.yes, result.no = result.yes && o.yes, result.no || o.no
		} else {
			result.yes, result.no = result.yes || o.yes, result.no && o.no
		}
		result.lacks = append(result.lacks, o.lacks...)
	}
	return result
}

func (s state) with(paths []string) state {
	present := maps.Clone(s.present)
	for _, p := range paths {
		// A variable is always there.
		if variable, ok := strings.CutPrefix(p, cel.VariableVarName+"."); !ok || strings.Contains(variable, ".") {
			present[p] = true
		}
	}
	s.present = present
	return s
}

// evaluate returns the possible results of an expression.
func (s state) evaluate(t *Tree, e ast.Expr) outcome {
	switch e.Kind() {
	case ast.LiteralKind:
		if e.AsLiteral().Type() == types.BoolType {
			return exactly(e.AsLiteral() == types.True)
		}
		return outcome{yes: true, no: true, null: isNull(e)}
	case ast.IdentKind:
		return outcome{yes: true, no: true, path: e.AsIdent(), null: s.isNull(e.AsIdent())}
	case ast.SelectKind:
		selected := e.AsSelect()
		return s.read(t, e, selected.Operand(), selected.FieldName(), selected.IsTestOnly())
	case ast.CallKind:
		return s.call(t, e)
	case ast.ComprehensionKind:
		return s.looping(e.AsComprehension()).computed(t, e)
	}
	o := s.computed(t, e)
	if e.Kind() == ast.StructKind && s.Needs != nil {
		for _, n := range s.Needs(t, e) {
			if l, ok := s.missing(t, n); ok {
				o.lacks = append(o.lacks, l)
			}
		}
	}
	return o
}

// computed returns the results of an expression whose value stays open, though its parts can be errors.
func (s state) computed(t *Tree, e ast.Expr) outcome {
	o := outcome{yes: true, no: true}
	for _, child := range Children(e) {
		o.lacks = append(o.lacks, s.evaluate(t, child).lacks...)
	}
	return o
}

// missing returns the first field of a need that the object may lack.
func (s state) missing(t *Tree, n Need) (lack, bool) {
	path := cel.ObjectVarName
	for _, f := range n.Fields {
		path += "." + f.Name
		if f.Added || s.present[path] {
			continue
		}
		why, always := s.absent(path)
		if isMetadata := strings.HasPrefix(path, cel.ObjectVarName+".metadata"); why == "" && f.Optional && !isMetadata {
			why = "may be missing"
		}
		if why != "" {
			return lack{Absence{Tree: t, Problem: Problem{n.From, n.To, path + " " + why}, Patched: true}, always}, true
		}
	}
	return lack{}, false
}

// looping knows that the variable of a loop over a map is one of its keys. It forgets facts about a variable of
// the same name outside the loop.
func (s state) looping(loop ast.ComprehensionExpr) state {
	elements, present := maps.Clone(s.elements), maps.Clone(s.present)
	path, ok := pathOf(loop.IterRange())
	for _, name := range []string{loop.IterVar(), loop.IterVar2()} {
		elements[name] = ok && s.isWhole(path)
		maps.DeleteFunc(present, func(path string, _ bool) bool { return strings.HasPrefix(path, name+".") })
	}
	s.elements, s.present = elements, present
	if !ok {
		return s
	}
	s.keys = maps.Clone(s.keys)
	s.keys[loop.IterVar()] = path
	return s
}

// isWhole reports whether a path leads to a value as it is in the request. A variable may be computed from it, a list
// without some elements, say.
func (s state) isWhole(path string) bool {
	root, rest, _ := strings.Cut(path, ".")
	if root != cel.VariableVarName {
		return true
	}
	name, _, _ := strings.Cut(rest, ".")
	t, ok := s.Variables[name]
	if !ok {
		return false
	}
	of, ok := pathOf(t.Expr())
	return ok && s.isWhole(of)
}

// isKey reports whether an expression is one of the keys of the map at a path.
func (s state) isKey(e ast.Expr, path string) bool {
	return e.Kind() == ast.IdentKind && s.keys[e.AsIdent()] == path
}

func (s state) call(t *Tree, e ast.Expr) outcome {
	call := e.AsCall()
	args := call.Args()
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr:
		return s.junction(parts(t, e, call.FunctionName()), call.FunctionName() == operators.LogicalAnd)
	case operators.LogicalNot:
		o := s.evaluate(t, args[0])
		return outcome{yes: o.no, no: o.yes, lacks: o.lacks}
	case operators.Conditional:
		return s.conditional(t, args[0], args[1], args[2])
	case operators.Index:
		if key, ok := Literal(args[1]); ok {
			return s.read(t, e, args[0], key, false)
		}
		operand := s.evaluate(t, args[0])
		lacks := append(operand.lacks, s.evaluate(t, args[1]).lacks...)
		path := ""
		if key, ok := position(args[1]); ok && operand.path != "" {
			path = operand.path + "." + key
		}
		if s.isMetadataMap(operand.path) && !operand.optional && len(operand.lacks) == 0 && !s.isKey(args[1], operand.path) {
			lacks = append(lacks, s.lack(t, e, "may have no such key", false))
		}
		if s.afterSplit(t, args[0], args[1]) && len(lacks) == 0 {
			lacks = append(lacks, s.lack(t, e, "fails where the text has no such part: index out of bounds", false))
		}
		return outcome{yes: true, no: true, optional: operand.optional, path: path, lacks: lacks}
	case operators.OptSelect, operators.OptIndex:
		return outcome{yes: true, no: true, optional: true, lacks: s.evaluate(t, args[0]).lacks}
	case operators.Equals, operators.NotEquals, operators.In:
		if o, ok := s.compared(call.FunctionName(), args); ok {
			return o
		}
	}
	return s.computed(t, e)
}

// afterSplit reports an index that is too large for some texts: a constant behind split. The first part is always
// there. No expression may look at lengths or at the text: it may guard the index.
func (s state) afterSplit(t *Tree, list, index ast.Expr) bool {
	if index.Kind() != ast.LiteralKind {
		return false
	}
	if i, ok := index.AsLiteral().Value().(int64); !ok || i < 1 {
		return false
	}
	if name, ok := pathOf(list); ok {
		variable, isVariable := strings.CutPrefix(name, cel.VariableVarName+".")
		of, known := s.Variables[variable]
		if !isVariable || !known {
			return false
		}
		list = of.Expr()
	}
	if list.Kind() != ast.CallKind || list.AsCall().FunctionName() != "split" || s.looksAtTexts || looksAtTexts(t) {
		return false
	}
	return true
}

// looksAtTexts reports an expression that calls a function by which authors test the length of a list or the form of a
// text.
func looksAtTexts(t *Tree) (found bool) {
	tests := []string{"size", "contains", "matches", "find", "findAll", "indexOf", "lastIndexOf", "startsWith", "endsWith"}
	ast.PreOrderVisit(t.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		found = found || e.Kind() == ast.CallKind && slices.Contains(tests, e.AsCall().FunctionName())
	}))
	return found
}

func (s state) conditional(t *Tree, condition, then, otherwise ast.Expr) outcome {
	c := s.evaluate(t, condition)
	o := outcome{lacks: c.lacks}
	if c.yes {
		branch := s.with(s.facts(condition, true)).evaluate(t, then)
		o.yes, o.no, o.lacks = branch.yes, branch.no, append(o.lacks, branch.lacks...)
	}
	if c.no {
		branch := s.with(s.facts(condition, false)).evaluate(t, otherwise)
		o.yes, o.no, o.lacks = o.yes || branch.yes, o.no || branch.no, append(o.lacks, branch.lacks...)
	}
	return o
}

// compared knows comparisons of object, oldObject and params with null, and of the operation with words.
func (s state) compared(function string, args []ast.Expr) (outcome, bool) {
	for i, other := range []ast.Expr{args[1], args[0]} {
		switch e := args[i]; {
		case function != operators.In && isNull(other) && (isObject(e) || s.NoParams != "" && isVariable(e, cel.ParamsVarName) || s.NoNamespace && isVariable(e, cel.NamespaceVarName)):
			return exactly(s.isNull(e.AsIdent()) == (function == operators.Equals)), true
		case !isOperation(e):
		case function == operators.In && i == 0 && other.Kind() == ast.ListKind:
			among := false
			for _, element := range other.AsList().Elements() {
				word, ok := Literal(element)
				if !ok {
					return outcome{}, false
				}
				among = among || word == s.operation
			}
			return exactly(among), true
		case function != operators.In:
			if word, ok := Literal(other); ok {
				return exactly((word == s.operation) == (function == operators.Equals)), true
			}
		}
	}
	return outcome{}, false
}

// read reads a field, or tests with has whether it is there.
func (s state) read(t *Tree, e, of ast.Expr, field string, test bool) outcome {
	operand := s.evaluate(t, of)
	o := outcome{yes: true, no: true, optional: operand.optional, lacks: operand.lacks}
	switch {
	case operand.optional || len(operand.lacks) > 0:
		return o
	case operand.null && test:
		return exactly(false)
	case operand.null && operand.path == cel.NamespaceVarName:
		o.lacks = append(o.lacks, s.lack(t, of, "is null for objects without a namespace", false))
		return o
	case operand.null:
		o.lacks = append(o.lacks, s.lack(t, of, "is null", true))
		return o
	case operand.path == "":
		return o
	}
	path := operand.path + "." + field
	if operand.path == cel.VariableVarName && !test {
		return s.variable(path, field)
	}
	why, always := s.absent(path)
	typed := why == "" && s.optional(t, of, operand.path, field)
	if typed {
		why = "may be missing"
	}
	switch {
	case test && s.present[path]:
		return exactly(true)
	case test && always:
		return exactly(false)
	case test:
		return o
	case why != "" && !s.present[path]:
		l := s.lack(t, e, why, always)
		l.Typed = typed
		o.lacks = append(o.lacks, l)
	}
	o.path = path
	return o
}

// optional reports whether a typed object may lack a field. Of the metadata of the request's objects, absent knows more
// than their type; and an element of a computed list is not judged, since the computation may have selected it.
func (s state) optional(t *Tree, operand ast.Expr, path, field string) bool {
	root, below, _ := strings.Cut(path, ".")
	switch root {
	case cel.ObjectVarName, cel.OldObjectVarName:
		if below == "metadata" || strings.HasPrefix(below, "metadata.") {
			return false
		}
	case cel.ParamsVarName:
	case cel.VariableVarName:
		if !s.isWhole(path) {
			return false
		}
	default:
		if !s.elements[root] {
			return false
		}
	}
	return s.Optional != nil && s.Optional(t, operand, field)
}

// variable evaluates a variable of the policy, which an API server does when an expression reads it. The lacks are in
// the expression of the variable.
func (s state) variable(path, name string) outcome {
	t, ok := s.Variables[name]
	if !ok {
		return outcome{yes: true, no: true, path: path}
	}
	key := name + " " + strings.Join(slices.Sorted(maps.Keys(s.present)), " ")
	o, known := s.known.outcomes[key]
	if !known {
		o = s.without(name).evaluate(t, t.Expr())
		o.lacks = slices.Clip(unique(o.lacks)) // callers append to it
		s.known.outcomes[key] = o
	}
	o.path = path
	return o
}

// unique returns every lack once.
func unique(lacks []lack) (all []lack) {
	seen := map[lack]bool{}
	for _, l := range lacks {
		if !seen[l] {
			seen[l] = true
			all = append(all, l)
		}
	}
	return all
}

// variableFacts are the facts of a variable's expression.
func (s state) variableFacts(name string, truth bool) []string {
	t, ok := s.Variables[name]
	if !ok {
		return nil
	}
	key := fmt.Sprint(name, truth)
	facts, known := s.known.facts[key]
	if !known {
		facts = s.without(name).facts(t.Expr(), truth)
		slices.Sort(facts)
		facts = slices.Clip(slices.Compact(facts))
		s.known.facts[key] = facts
	}
	return facts
}

// without is the state in the expression of a variable, which reads the variables before it, and never itself.
func (s state) without(variable string) state {
	s.Variables = maps.Clone(s.Variables)
	delete(s.Variables, variable)
	return s
}

// lack returns a lack whose place is the whole path, from the variable to the last field.
func (s state) lack(t *Tree, e ast.Expr, why string, always bool) lack {
	from, to := t.Span(e)
	return lack{Absence{Tree: t, Problem: Problem{from, to, t.text[from:to] + " " + why}}, always}
}

// Span returns the bytes of a whole path, from the variable to the last field.
func (t *Tree) Span(e ast.Expr) (from, to int) {
	root := e
	for root.Kind() != ast.IdentKind {
		inner := Children(root)
		if len(inner) == 0 {
			break
		}
		root = inner[0]
	}
	from, last := t.At(root), t.At(e)
	to = wordEnd(t.text, last)
	switch rest := t.text[last:]; {
	case strings.HasPrefix(rest, "."):
		to = wordEnd(t.text, last+1)
	case strings.HasPrefix(rest, "["):
		to = last + closing(rest)
	}
	if from > last || to > len(t.text) { // no place is known of one of them
		from, to = 0, len(t.text)
	}
	return from, to
}

// closing is where the bracket ends that a text begins with. One in a string counts as one, which makes the place
// longer at most.
func closing(text string) int {
	depth := 0
	for i, r := range text {
		switch r {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// isNull reports whether a variable is null for the operation.
func (s state) isNull(variable string) bool {
	switch variable {
	case cel.ObjectVarName:
		return s.operation == "DELETE"
	case cel.OldObjectVarName:
		return s.operation == "CREATE" || s.operation == "CONNECT"
	case cel.ParamsVarName:
		return s.NoParams != ""
	case cel.NamespaceVarName:
		return s.NoNamespace
	}
	return false
}

// facts are the paths that are there if an expression is true, or false.
func (s state) facts(e ast.Expr, truth bool) []string {
	switch e.Kind() {
	case ast.SelectKind:
		selected := e.AsSelect()
		if selected.IsTestOnly() && truth {
			if path, ok := pathOf(selected.Operand()); ok {
				return append(strictly(selected.Operand()), path+"."+selected.FieldName())
			}
		}
		if of := selected.Operand(); !selected.IsTestOnly() && of.Kind() == ast.IdentKind && of.AsIdent() == cel.VariableVarName {
			return append(strictly(e), s.variableFacts(selected.FieldName(), truth)...)
		}
	case ast.CallKind:
		call := e.AsCall()
		args := call.Args()
		switch call.FunctionName() {
		case operators.LogicalNot:
			return s.facts(args[0], !truth)
		case operators.LogicalAnd, operators.LogicalOr:
			a, b := s.facts(args[0], truth), s.facts(args[1], truth)
			if truth == (call.FunctionName() == operators.LogicalAnd) {
				return append(a, b...)
			}
			return slices.DeleteFunc(a, func(path string) bool { return !slices.Contains(b, path) })
		case operators.Conditional:
			return nil
		case operators.In:
			if key, ok := Literal(args[0]); ok && truth {
				if path, ok := pathOf(args[1]); ok {
					return append(strictly(e), path+"."+key)
				}
				if path, ok := orEmpty(args[1]); ok {
					return append(prefixes(path), path+"."+key)
				}
			}
		case "hasValue":
			if path, ok := optionalPath(call.Target()); ok && truth {
				return prefixes(path)
			}
		}
	}
	return strictly(e)
}

// Fails reports whether an expression fails wherever a variable is null: its evaluation always reads a field of it.
func (t *Tree) Fails(variable string) bool {
	return slices.ContainsFunc(strictly(t.Expr()), func(path string) bool { return strings.HasPrefix(path, variable+".") })
}

// strictly lists the paths that an expression must have read if it is not an error.
func strictly(e ast.Expr) []string {
	var paths []string
	switch e.Kind() {
	case ast.ComprehensionKind:
		return strictly(e.AsComprehension().IterRange())
	case ast.CallKind:
		switch e.AsCall().FunctionName() {
		case operators.LogicalAnd, operators.LogicalOr:
			return nil
		case operators.Conditional:
			return strictly(e.AsCall().Args()[0])
		}
	}
	if path, ok := pathOf(e); ok && (e.Kind() != ast.SelectKind || !e.AsSelect().IsTestOnly()) {
		paths = append(paths, path)
	}
	for _, child := range Children(e) {
		paths = append(paths, strictly(child)...)
	}
	return paths
}

// pathOf is the path of a chain of fields and of indexes that are texts.
func pathOf(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return e.AsIdent(), true
	case ast.SelectKind:
		of, ok := pathOf(e.AsSelect().Operand())
		return of + "." + e.AsSelect().FieldName(), ok
	case ast.CallKind:
		if call := e.AsCall(); call.FunctionName() == operators.Index {
			of, ok := pathOf(call.Args()[0])
			key, text := Literal(call.Args()[1])
			if !text {
				key, text = position(call.Args()[1])
			}
			return of + "." + key, ok && text
		}
	}
	return "", false
}

// position is the name in a path of an index that is a number or the variable of a loop.
func position(e ast.Expr) (string, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		return "[" + e.AsIdent() + "]", true
	case ast.LiteralKind:
		if i, ok := e.AsLiteral().Value().(int64); ok {
			return fmt.Sprintf("[%d]", i), true
		}
	}
	return "", false
}

// optionalPath is the path of a chain in which some fields are optional.
func optionalPath(e ast.Expr) (string, bool) {
	root, names := chain(e)
	if root.Kind() != ast.IdentKind {
		return "", false
	}
	return strings.Join(append([]string{root.AsIdent()}, names...), "."), true
}

// SamePath reports whether two expressions are the same chain of fields from a variable. Any field may be
// optional.
func SamePath(a, b ast.Expr) bool {
	of, ok := optionalPath(a)
	other, also := optionalPath(b)
	return ok && also && of == other
}

// chain takes all fields, and indexes that are texts, from an expression. Any of them may be optional.
func chain(e ast.Expr) (root ast.Expr, names []string) {
	of, name, ok := step(e)
	if !ok {
		return e, nil
	}
	root, names = chain(of)
	return root, append(names, name)
}

// step takes the last field, or index that is a text, from an expression. Either may be optional.
func step(e ast.Expr) (of ast.Expr, name string, ok bool) {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().Operand(), e.AsSelect().FieldName(), true
	case ast.CallKind:
		switch call := e.AsCall(); call.FunctionName() {
		case operators.Index, operators.OptIndex, operators.OptSelect:
			name, ok = Literal(call.Args()[1])
			return call.Args()[0], name, ok
		}
	}
	return nil, "", false
}

// orEmpty is the path of an optional map or list that is empty if it is absent: object.metadata.?labels.orValue({}).
func orEmpty(e ast.Expr) (string, bool) {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != "orValue" || !e.AsCall().IsMemberFunction() {
		return "", false
	}
	switch value := e.AsCall().Args()[0]; {
	case value.Kind() == ast.MapKind && len(value.AsMap().Entries()) == 0, value.Kind() == ast.ListKind && len(value.AsList().Elements()) == 0:
		return optionalPath(e.AsCall().Target())
	}
	return "", false
}

// prefixes returns a path and all its prefixes.
func prefixes(path string) []string {
	all := []string{path}
	for i := strings.LastIndexByte(path, '.'); i >= 0; i = strings.LastIndexByte(path[:i], '.') {
		all = append(all, path[:i])
	}
	return all
}

// Literal is a text that is written out.
func Literal(e ast.Expr) (string, bool) {
	if e.Kind() != ast.LiteralKind {
		return "", false
	}
	text, ok := e.AsLiteral().Value().(string)
	return text, ok
}

func isOperation(e ast.Expr) bool {
	path, ok := pathOf(e)
	return ok && path == cel.RequestVarName+".operation"
}
