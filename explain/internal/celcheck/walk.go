// SPDX-License-Identifier: Apache-2.0

package celcheck

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// mostCalls is how many functions deep the checks of a validator are followed.
const mostCalls = 6

// value is the value of a Go expression, as far as it is part of the object.
type value struct {
	// cel is a place in the object; without a root, the value is unknown.
	cel path
	// request is true for the request itself.
	request bool
	// field is the text of a path of package field; known with isField.
	field   string
	isField bool
	// present is true if the value was dereferenced, so that Go code has made sure that it is there.
	present bool
	// found is the place of a map's key. The value is the second result of the lookup.
	found path
	// asserted is true for the second result of a type assertion of the object, which a policy does not need.
	asserted bool
	// read is true for an error whose checks were read where it was assigned; checks are their indexes.
	read   bool
	checks []int
	// fails reads the checks of an error where it is returned.
	fails func(under []guard)
	// literal is a function literal, in the walk that has its variables.
	literal *ast.FuncLit
	in      *walk
}

// guard is a condition under which code runs, inside of the lists around it.
type guard struct {
	condition condition
	// list and element are set if the code runs for each element.
	list, element string
	// reason is why the condition is not known; empty if it is.
	reason string
}

// walk follows one method, or a function that it calls.
type walk struct {
	*reader
	name      string
	object    string // the type of the objects
	operation string
	values    map[types.Object]value
	calls     []*types.Func
}

// block reads statements that run under some conditions, and returns the conditions for what follows.
func (w *walk) block(statements []ast.Stmt, under []guard) []guard {
	for _, s := range statements {
		under = w.statement(s, under)
	}
	return under
}

// with adds a guard to conditions.
func with(under []guard, g ...guard) []guard { return append(slices.Clone(under), g...) }

// statement reads a statement, and returns the conditions for the following ones.
func (w *walk) statement(s ast.Stmt, under []guard) []guard {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return w.block(s.List, under)
	case *ast.LabeledStmt:
		return w.statement(s.Stmt, under)
	case *ast.IfStmt:
		return w.branch(s, under)
	case *ast.SwitchStmt:
		return w.choice(s, under)
	case *ast.TypeSwitchStmt:
		return w.typeChoice(s, under)
	case *ast.SelectStmt:
		for _, c := range s.Body.List {
			w.block(c.(*ast.CommClause).Body, with(under, guard{reason: "it waits for a channel"}))
		}
		return w.skipped(s.Body, under)
	case *ast.RangeStmt:
		w.loop(s, under)
		return w.skipped(s.Body, under)
	case *ast.ForStmt:
		w.block(s.Body.List, with(under, guard{reason: "it is in a loop that CEL does not have"}))
		return w.skipped(s.Body, under)
	case *ast.AssignStmt:
		w.assign(s.Lhs, s.Rhs, under)
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) > 0 {
				left := make([]ast.Expr, len(v.Names))
				for i, name := range v.Names {
					left[i] = name
				}
				w.assign(left, v.Values, under)
			}
		}
	case *ast.ExprStmt:
		w.effect(s.X, under)
	case *ast.GoStmt:
		w.effect(s.Call, with(under, guard{reason: "it is in a goroutine"}))
	case *ast.DeferStmt:
		w.effect(s.Call, with(under, guard{reason: "it is deferred"}))
	case *ast.ReturnStmt:
		w.denialsIn(s.Results, under)
	}
	return under
}

// skipped returns the conditions for the statements after one that may return before them.
func (w *walk) skipped(s ast.Node, under []guard) []guard {
	if w.passes(s) {
		return with(under, guard{reason: "an earlier return may skip it"})
	}
	return under
}

// passes reports whether a statement has a return that may allow the request.
func (w *walk) passes(s ast.Node) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.IfStmt:
			if kind, _ := w.plumbing(n.Cond); kind == failed && leaves(n.Body) && n.Else == nil {
				return false
			}
		case *ast.ReturnStmt:
			found = found || !w.denies(n)
		}
		return !found
	})
	return found
}

// stops reports whether a loop may end before its last element, other than by a denial.
func (w *walk) stops(s *ast.BlockStmt) bool {
	found := w.passes(s)
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		// A break in these ends only them.
		case *ast.FuncLit, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt, *ast.ForStmt, *ast.RangeStmt:
			for n := range ast.Preorder(n) {
				b, ok := n.(*ast.BranchStmt)
				found = found || ok && b.Label != nil
			}
			return false
		case *ast.BranchStmt:
			found = found || n.Tok != token.CONTINUE || n.Label != nil
		}
		return true
	})
	return found
}

// bind gives a variable its value. One that is assigned twice is unknown afterwards, except for the checks of errors.
func (w *walk) bind(name *ast.Ident, v value) {
	object := w.pkg.TypesInfo.Defs[name]
	if object == nil {
		if object = w.pkg.TypesInfo.Uses[name]; object == nil {
			return
		}
		before := w.values[object]
		v = value{read: v.read || before.read, checks: append(before.checks, v.checks...), fails: before.fails}
	}
	w.values[object] = v
}

// assign reads an assignment or a declaration.
func (w *walk) assign(left, right []ast.Expr, under []guard) {
	if len(left) == len(right) {
		for i := range left {
			w.assignOne(left[i], right[i], under)
		}
		return
	}
	value0, second := w.value(right[0]), value{}
	from := len(w.Checks)
	switch e := ast.Unparen(right[0]).(type) {
	case *ast.IndexExpr:
		second.found = value0.cel
	case *ast.TypeAssertExpr:
		second.asserted = value0.cel.root != "" && len(value0.cel.steps) == 0
	case *ast.CallExpr:
		if results, ok := w.pkg.TypesInfo.TypeOf(e).(*types.Tuple); ok && !dropsErrors(left, results) {
			w.denials(e, under)
		}
		w.literals(e, under)
	}
	for i, l := range left {
		name, ok := l.(*ast.Ident)
		switch {
		case !ok:
		case w.isError(name):
			w.bind(name, w.readSince(from))
		case i == 0:
			w.bind(name, value0)
		default:
			w.bind(name, second)
		}
	}
}

// dropsErrors reports whether every error of a call is assigned to _.
func dropsErrors(left []ast.Expr, results *types.Tuple) bool {
	for i, l := range left {
		if name, ok := l.(*ast.Ident); isErrors(results.At(i).Type()) && (!ok || name.Name != "_") {
			return false
		}
	}
	return true
}

// readSince is an error whose checks are those since an index.
func (w *walk) readSince(from int) value {
	v := value{read: true}
	for i := from; i < len(w.Checks); i++ {
		v.checks = append(v.checks, i)
	}
	return v
}

func (w *walk) assignOne(left, right ast.Expr, under []guard) {
	name, _ := left.(*ast.Ident)
	if name != nil && name.Name == "_" {
		return
	}
	if f, ok := ast.Unparen(right).(*ast.FuncLit); ok && name != nil && w.pkg.TypesInfo.Defs[name] != nil {
		w.bind(name, value{literal: f, in: w})
		return
	}
	w.literals(right, under)
	if !w.isError(right) {
		if name != nil {
			w.bind(name, w.value(right))
		}
		return
	}
	// An error that is only made here denies where it is returned.
	if name != nil && w.pkg.TypesInfo.Defs[name] != nil && w.certain(right) && !isList(w.pkg.TypesInfo.TypeOf(right)) {
		w.bind(name, value{read: true, fails: func(under []guard) { w.denials(right, under) }})
		return
	}
	from := len(w.Checks)
	w.denials(right, under)
	if name != nil {
		v := w.readSince(from)
		if other, ok := ast.Unparen(right).(*ast.Ident); ok {
			v.checks = append(v.checks, w.values[w.pkg.TypesInfo.Uses[other]].checks...)
		}
		w.bind(name, v)
	}
}

func isList(t types.Type) bool {
	_, ok := t.Underlying().(*types.Slice)
	return ok
}

// effect reads a call whose results are not used. It may collect errors: in a variable that it closes over, or through
// a pointer.
func (w *walk) effect(e ast.Expr, under []guard) {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return
	}
	w.literals(call, under)
	if f, in := w.literal(call.Fun); f != nil {
		w.enterLiteral(f, in, call, under)
		return
	}
	if w.isError(call) {
		return
	}
	fn := w.callee(call)
	if body := w.bodies[fn]; body != nil && w.follows(fn) == "" {
		w.enter(fn, body, call, under)
		return
	}
	for _, a := range call.Args {
		address, ok := ast.Unparen(a).(*ast.UnaryExpr)
		switch {
		case ok && address.Op == token.AND && w.isError(address.X) && !isLiteral(address.X):
			w.deny(call, denial{reason: types.ExprString(call.Fun) + " is code that is not read"}, under)
		case w.isError(a):
			w.denials(a, with(under, guard{reason: types.ExprString(call.Fun) + " is code that is not read"}))
		}
	}
}

func isLiteral(e ast.Expr) bool {
	_, ok := ast.Unparen(e).(*ast.CompositeLit)
	return ok
}

// literals reads the function literals in an expression that other code calls.
func (w *walk) literals(e ast.Expr, under []guard) {
	under = with(under, guard{reason: "it is in a function that other code calls"})
	called := map[ast.Expr]bool{}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			if fn := w.callee(n); fn != nil && w.bodies[fn] != nil {
				for _, a := range n.Args { // which are read where the function calls them
					called[ast.Unparen(a)] = true
				}
			}
		case *ast.FuncLit:
			if !called[n] {
				w.block(n.Body.List, under)
			}
			return false
		case *ast.Ident:
			if v := w.values[w.pkg.TypesInfo.Uses[n]]; v.literal != nil && !called[n] {
				v.in.block(v.literal.Body.List, under)
			}
		}
		return true
	})
}

// branch reads an if. If its body always leaves the function, the rest runs only under the opposite condition.
func (w *walk) branch(s *ast.IfStmt, under []guard) []guard {
	if s.Init != nil {
		under = w.statement(s.Init, under)
	}
	w.literals(s.Cond, under)
	then, opposite := w.consequence(s.Cond, s.Body, under)
	if s.Else != nil {
		w.statement(s.Else, with(under, opposite))
		if e, ok := s.Else.(*ast.BlockStmt); ok && leaves(e) && !w.ends(e) {
			return with(w.skipped(s.Body, under), then)
		}
		under = w.skipped(s.Else, under)
	}
	kind, _ := w.plumbing(s.Cond)
	switch {
	case kind == succeeded && leaves(s.Body):
		return with(under, guard{reason: w.strange(s.Cond)})
	case kind == failed && !w.straight(s.Body):
		return w.skipped(s.Body, under)
	case kind != other && kind != always:
		return under
	}
	// A request that is denied here does not come further. So the rest need not repeat that, unless it relies on a
	// value that is there.
	if leaves(s.Body) {
		if !w.ends(s.Body) || opposite.reason == "" && asksPresence(s.Cond) {
			return with(under, opposite)
		}
		return under
	}
	return w.skipped(s.Body, under)
}

// consequence reads the statements after a condition, and returns the guards of the condition and of its opposite.
func (w *walk) consequence(e ast.Expr, body *ast.BlockStmt, under []guard) (then, opposite guard) {
	kind, about := w.plumbing(e)
	switch kind {
	case never:
		return guard{}, guard{}
	case always:
		w.block(body.List, under)
		return guard{}, guard{reason: w.strange(e)}
	case succeeded:
		if !leaves(body) || w.ends(body) { // so that an error need not deny afterwards
			w.spoil(w.errorOf(about).checks, w.strange(e))
		}
		w.block(body.List, with(under, guard{reason: w.strange(e)}))
		return guard{}, guard{reason: w.strange(e)}
	case failed:
		from := len(w.Checks)
		w.denials(about, under)
		v, called := w.errorOf(about), w.readSince(from)
		v.read, v.checks = v.read || len(called.checks) > 0, append(v.checks, called.checks...)
		switch unread := with(under, guard{reason: "it depends on code that is not read"}); {
		case !v.read && v.fails == nil:
			w.block(body.List, unread)
		case !w.straight(body):
			w.spoil(v.checks, "its error does not always deny")
			w.block(body.List, unread)
		}
		return guard{}, guard{}
	}
	then, opposite = anyOf([]ast.Expr{e}, w.condition)
	if then.reason != "" {
		for n := range ast.Preorder(e) {
			if name, ok := n.(*ast.Ident); ok {
				w.spoil(w.values[w.pkg.TypesInfo.Uses[name]].checks, then.reason)
			}
		}
	}
	w.block(body.List, with(under, then))
	return then, opposite
}

// anyOf returns the guard that one of the conditions holds that some expressions are, and its opposite.
func anyOf(all []ast.Expr, is func(ast.Expr) (condition, string)) (then, opposite guard) {
	var any []condition
	for _, e := range all {
		one, reason := is(e)
		then.reason = cmp.Or(then.reason, reason)
		any = append(any, one)
	}
	if then.reason != "" {
		return then, then
	}
	then.condition = join(false, any...)
	return then, guard{condition: then.condition.not()}
}

// errorOf is the value of an error, or of the variable whose part it is.
func (w *walk) errorOf(e ast.Expr) value {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return w.values[w.pkg.TypesInfo.Uses[e]]
	case *ast.IndexExpr:
		return w.errorOf(e.X)
	case *ast.SliceExpr:
		return w.errorOf(e.X)
	case *ast.TypeAssertExpr:
		return w.errorOf(e.X)
	case *ast.StarExpr:
		return w.errorOf(e.X)
	}
	return value{}
}

// straight reports whether a block always denies, with an error that it returns or collects.
func (w *walk) straight(b *ast.BlockStmt) bool {
	denies := false
	for _, s := range b.List {
		switch s := s.(type) {
		case *ast.ReturnStmt:
			denies = denies || len(s.Results) == 0 || slices.ContainsFunc(s.Results, w.isError)
		case *ast.AssignStmt:
			denies = denies || slices.ContainsFunc(s.Lhs, w.isError)
		case *ast.ExprStmt, *ast.DeclStmt:
		case *ast.BranchStmt:
			if s.Tok != token.CONTINUE {
				return false
			}
		default:
			return false
		}
	}
	return denies
}

// spoil gives checks a reason why they are not understood.
func (w *walk) spoil(checks []int, reason string) {
	for _, i := range checks {
		w.Checks[i].Expression, w.Checks[i].Reason = "", cmp.Or(w.Checks[i].Reason, reason)
	}
}

// plumbing are conditions that a policy does not have.
type plumbing int

const (
	other     plumbing = iota // not plumbing
	never                     // the object is not of its type
	always                    // it is
	failed                    // there is an error
	succeeded                 // there is no error
)

// plumbing returns what a condition is, and the error that it is about.
func (w *walk) plumbing(e ast.Expr) (plumbing, ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if w.values[w.pkg.TypesInfo.Uses[e]].asserted {
			return always, nil
		}
	case *ast.UnaryExpr:
		if kind, _ := w.plumbing(e.X); kind == always && e.Op == token.NOT {
			return never, nil
		}
	case *ast.BinaryExpr:
		about, isZero := e.X, w.pkg.TypesInfo.Types[e.Y].IsNil()
		if of := measured(about); of != nil {
			about, isZero = of, w.isZero(e.Y)
		}
		if !isZero || !w.isError(about) {
			return other, nil
		}
		switch e.Op {
		case token.NEQ, token.GTR:
			return failed, about
		case token.EQL:
			return succeeded, about
		}
	}
	return other, nil
}

func asksPresence(e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		if name, ok := n.(*ast.Ident); ok && name.Name == "nil" {
			return true
		}
	}
	return false
}

// ends reports whether a block ends with the return of an error that is made there.
func (w *walk) ends(b *ast.BlockStmt) bool {
	last, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	return ok && w.denies(last)
}

// denies reports whether a return has an error that is made there.
func (w *walk) denies(s *ast.ReturnStmt) bool { return slices.ContainsFunc(s.Results, w.certain) }

// certain reports whether an expression contains an error that is made there.
func (w *walk) certain(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			_, made := w.made(n)
			found = found || made || w.converts(n)
		case *ast.CompositeLit:
			t := w.pkg.TypesInfo.TypeOf(n)
			found = found || isErrors(t) && !isList(t)
		case *ast.Ident:
			_, made := w.sentinel(n)
			found = found || made || w.values[w.pkg.TypesInfo.Uses[n]].fails != nil
		}
		return !found
	})
	return found
}

// converts reports whether a call makes an error of another value: Text("wrong").
func (w *walk) converts(call *ast.CallExpr) bool {
	if !w.pkg.TypesInfo.Types[call.Fun].IsType() || !w.isError(call) {
		return false
	}
	a := w.pkg.TypesInfo.Types[call.Args[0]]
	return a.Value != nil || !a.IsNil() && !isErrors(a.Type)
}

// constantText is the text of a constant; empty for other expressions.
func (w *walk) constantText(e ast.Expr) string {
	if v := w.pkg.TypesInfo.Types[e].Value; v != nil && v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return ""
}

// sentinel returns the message of a variable of the package that has an error from its beginning.
func (w *walk) sentinel(name *ast.Ident) (denial, bool) {
	v, ok := w.pkg.TypesInfo.Uses[name].(*types.Var)
	if !ok || v.Parent() != w.pkg.Types.Scope() || !isErrors(v.Type()) {
		return denial{}, false
	}
	if call := w.initial(v); call != nil {
		return w.made(call)
	}
	return denial{}, false
}

// initial is the call whose result a variable of the package has from its beginning; nil for other variables.
func (w *walk) initial(v types.Object) *ast.CallExpr {
	for _, i := range w.pkg.TypesInfo.InitOrder {
		if len(i.Lhs) == 1 && i.Lhs[0] == v {
			call, _ := ast.Unparen(i.Rhs).(*ast.CallExpr)
			return call
		}
	}
	return nil
}

// leaves reports whether a block ends with a return, or with the next turn of a loop.
func leaves(b *ast.BlockStmt) bool {
	if len(b.List) == 0 {
		return false
	}
	switch last := b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return last.Tok == token.CONTINUE
	}
	return false
}

// choice reads a switch with a value or with conditions.
func (w *walk) choice(s *ast.SwitchStmt, under []guard) []guard {
	if s.Init != nil {
		under = w.statement(s.Init, under)
	}
	if s.Tag != nil {
		w.literals(s.Tag, under)
	}
	if falls(s) {
		for _, stmt := range s.Body.List {
			w.block(stmt.(*ast.CaseClause).Body, with(under, guard{reason: "it is in a switch with fallthrough"}))
		}
		return w.skipped(s.Body, under)
	}
	is := w.condition
	if s.Tag != nil {
		is = func(e ast.Expr) (condition, string) { return w.compare(s.Tag, token.EQL, e) }
	}
	var before, after []guard
	var otherwise *ast.CaseClause
	for _, stmt := range s.Body.List {
		c := stmt.(*ast.CaseClause)
		if c.List == nil {
			otherwise = c
			continue
		}
		body := &ast.BlockStmt{List: c.Body}
		var then, opposite guard
		if s.Tag == nil && len(c.List) == 1 {
			_, opposite = w.consequence(c.List[0], body, with(under, before...))
		} else {
			then, opposite = anyOf(c.List, is)
			w.block(c.Body, with(with(under, before...), then))
		}
		before = append(before, opposite)
		after = w.following(after, body, opposite)
	}
	if otherwise != nil {
		body := &ast.BlockStmt{List: otherwise.Body}
		if set, ok := w.set(s); ok {
			before = []guard{{condition: set.not()}}
		}
		w.block(otherwise.Body, with(under, before...))
		opposite := guard{reason: "an earlier return may skip it"}
		if len(before) == 1 && before[0].reason == "" && before[0].condition != nil {
			opposite = guard{condition: before[0].condition.not()}
		}
		after = w.following(after, body, opposite)
	}
	return with(under, after...)
}

// following adds the guards of the statements after a switch, of whose clauses one is the body.
func (w *walk) following(after []guard, body *ast.BlockStmt, opposite guard) []guard {
	switch {
	case !w.passes(body):
		return after
	case leaves(body):
		return append(after, opposite)
	}
	return append(after, guard{reason: "an earlier return may skip it"})
}

// falls reports whether a clause of a switch goes on in the next one.
func falls(s *ast.SwitchStmt) bool {
	return slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool {
		body := c.(*ast.CaseClause).Body
		if len(body) == 0 {
			return false
		}
		b, ok := body[len(body)-1].(*ast.BranchStmt)
		return ok && b.Tok == token.FALLTHROUGH
	})
}

// typeChoice reads a switch over types. The clause with the type of the object is the one that runs.
func (w *walk) typeChoice(s *ast.TypeSwitchStmt, under []guard) []guard {
	if s.Init != nil {
		under = w.statement(s.Init, under)
	}
	var asserted ast.Expr
	switch a := s.Assign.(type) {
	case *ast.AssignStmt:
		asserted = a.Rhs[0]
	case *ast.ExprStmt:
		asserted = a.X
	}
	v := w.value(asserted)
	whole := v.cel.root != "" && len(v.cel.steps) == 0
	for _, stmt := range s.Body.List {
		c := stmt.(*ast.CaseClause)
		if !whole {
			w.block(c.Body, with(under, guard{reason: "it depends on the type of a value"}))
			continue
		}
		if len(c.List) == 1 {
			if w.isKind(namedOf(w.pkg.TypesInfo.TypeOf(c.List[0]))) {
				if object := w.pkg.TypesInfo.Implicits[c]; object != nil {
					w.values[object] = v
				}
				w.block(c.Body, under)
			}
		}
	}
	return w.skipped(s.Body, under)
}

// set is the condition that a switch has a case for its value, as a list of values.
func (w *walk) set(s *ast.SwitchStmt) (condition, bool) {
	if s.Tag == nil {
		return nil, false
	}
	v, ok := w.read(s.Tag)
	if !ok {
		return nil, false
	}
	var values []string
	for _, stmt := range s.Body.List {
		for _, e := range stmt.(*ast.CaseClause).List {
			text, ok := w.read(e)
			if !ok {
				return nil, false
			}
			values = append(values, text)
		}
	}
	return among(v, "["+strings.Join(values, ", ")+"]"), true
}

// loop reads a range over a list.
func (w *walk) loop(s *ast.RangeStmt, under []guard) {
	if w.isError(s.X) {
		w.denials(s.X, under)
	}
	w.literals(s.X, under)
	g := guard{reason: "it is in a loop over something other than a list of the object"}
	v := w.value(s.X)
	if isList(w.pkg.TypesInfo.TypeOf(s.X)) && v.cel.root != "" {
		element := "e"
		if name, ok := s.Value.(*ast.Ident); ok && name.Name != "_" {
			element = name.Name
		}
		g = guard{list: v.cel.read("[]", v.present), element: element}
		if name, ok := s.Value.(*ast.Ident); ok {
			w.bind(name, value{cel: path{root: element}})
		} else if name, ok := s.Key.(*ast.Ident); ok && s.Value == nil && name.Name != "_" {
			g = guard{reason: "it reads the elements of a list by their index"}
		}
	}
	if w.stops(s.Body) {
		g = guard{reason: "it is in a loop that ends early"}
	}
	w.block(s.Body.List, with(under, g))
}

// denialsIn finds what in expressions denies.
func (w *walk) denialsIn(all []ast.Expr, under []guard) {
	for _, e := range all {
		w.denials(e, under)
	}
}

// denials finds what in an expression denies: an error that is made, and calls of functions that return errors. An
// error that is neither is reported, except for a variable, which was read where it was assigned.
func (w *walk) denials(e ast.Expr, under []guard) {
	e = ast.Unparen(e)
	t := w.pkg.TypesInfo.TypeOf(e)
	if !isErrors(t) {
		return
	}
	switch e := e.(type) {
	case *ast.Ident:
		object, ok := w.pkg.TypesInfo.Uses[e].(*types.Var)
		if !ok {
			return
		}
		if v := w.values[object]; v.fails != nil {
			v.fails(under)
			return
		}
		if kind := object.Kind(); kind == types.LocalVar || kind == types.ResultVar || w.values[object].read {
			return
		}
		if d, ok := w.sentinel(e); ok {
			w.deny(e, d, under)
			return
		}
	case *ast.CompositeLit:
		if !isList(t) {
			w.deny(e, denial{}, under)
			return
		}
		for _, element := range e.Elts {
			if pair, ok := element.(*ast.KeyValueExpr); ok {
				element = pair.Value
			}
			w.denials(element, under)
		}
		return
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			w.denials(e.X, under)
			return
		}
	case *ast.CallExpr:
		w.call(e, under)
		return
	case *ast.IndexExpr, *ast.SliceExpr, *ast.TypeAssertExpr, *ast.StarExpr:
		if w.errorOf(e).read {
			return
		}
	}
	w.deny(e, denial{reason: "it returns " + types.ExprString(e)}, under)
}

// call reads a call that returns an error.
func (w *walk) call(call *ast.CallExpr, under []guard) {
	if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "append" {
		w.denialsIn(call.Args, under)
		return
	}
	if w.pkg.TypesInfo.Types[call.Fun].IsType() {
		switch {
		case w.converts(call):
			w.deny(call, denial{message: w.constantText(call.Args[0])}, under)
		case !w.pkg.TypesInfo.Types[call.Args[0]].IsNil():
			w.denials(call.Args[0], under)
		}
		return
	}
	if f, in := w.literal(call.Fun); f != nil {
		w.enterLiteral(f, in, call, under)
		return
	}
	fn := w.callee(call)
	if fn == nil {
		w.deny(call, denial{reason: types.ExprString(call.Fun) + " is a function value"}, under)
		return
	}
	if formats(fn) && slices.ContainsFunc(call.Args, w.isError) { // which it wraps
		w.denialsIn(call.Args, under)
		return
	}
	if d, ok := w.made(call); ok {
		w.deny(call, d, under)
		return
	}
	reason := fn.Name() + " is code of another package"
	if body := w.bodies[fn]; body != nil {
		if reason = w.follows(fn); reason == "" {
			w.enter(fn, body, call, under)
			return
		}
	}
	selector, _ := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	method := selector != nil && fn.Signature().Recv() != nil
	if method && w.isError(selector.X) {
		w.denials(selector.X, under)
		return
	}
	if forms(fn) {
		w.denialsIn(call.Args, under)
		return
	}
	if decodes(fn) {
		return
	}
	if method && types.IsInterface(fn.Signature().Recv().Type()) && fn.Pkg() == w.pkg.Types {
		reason = fn.Name() + " is a method of an interface"
	}
	w.deny(call, denial{reason: reason}, under)
}

func formats(fn *types.Func) bool {
	return fn.Pkg() != nil && fn.Pkg().Path() == "fmt" && fn.Name() == "Errorf"
}

// forms reports whether a function only forms errors that its arguments are: NewInvalid, errors.Join.
func forms(fn *types.Func) bool {
	return slices.Contains([]string{"NewInvalid", "NewAggregate", "Join", "Failure", "Deny"}, fn.Name())
}

// decodes reports whether a function fails only if an object is not of its type. A policy has the object.
func decodes(fn *types.Func) bool {
	return fn.Name() == "OldObject" || strings.HasPrefix(fn.Name(), "Decode") || strings.HasPrefix(fn.Name(), "Unmarshal")
}

// follows returns why the body of a function of the package is not read; empty if it is.
func (w *walk) follows(fn *types.Func) string {
	switch {
	case slices.Contains(w.calls, fn):
		return fn.Name() + " calls itself"
	case len(w.calls) >= mostCalls:
		return fn.Name() + " is called too deep"
	}
	return ""
}

// literal is the function literal of an expression, or of the variable in it; nil for other expressions.
func (w *walk) literal(e ast.Expr) (*ast.FuncLit, *walk) {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return e, w
	case *ast.Ident:
		v := w.values[w.pkg.TypesInfo.Uses[e]]
		return v.literal, v.in
	}
	return nil, nil
}

// enter reads a function of the same package with its arguments.
func (w *walk) enter(fn *types.Func, body *ast.FuncDecl, call *ast.CallExpr, under []guard) {
	inner := &walk{reader: w.reader, name: w.name, object: w.object, operation: w.operation, values: map[types.Object]value{}, calls: append(slices.Clone(w.calls), fn)}
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok && body.Recv != nil && len(body.Recv.List) > 0 {
		for _, name := range body.Recv.List[0].Names {
			inner.bind(name, w.value(selector.X))
		}
	}
	w.arguments(inner, body.Type, call)
	inner.block(body.Body.List, under)
}

// enterLiteral reads a function literal with its arguments, in the walk that has its variables.
func (w *walk) enterLiteral(f *ast.FuncLit, in *walk, call *ast.CallExpr, under []guard) {
	w.arguments(in, f.Type, call)
	in.block(f.Body.List, under)
}

// arguments gives parameters their values.
func (w *walk) arguments(inner *walk, of *ast.FuncType, call *ast.CallExpr) {
	rest := call.Args
	for _, f := range of.Params.List {
		_, variadic := f.Type.(*ast.Ellipsis)
		for _, name := range f.Names {
			own := rest[:min(1, len(rest))]
			if variadic {
				own = rest
			}
			rest = rest[len(own):]
			inner.bind(name, w.argument(own, variadic && !call.Ellipsis.IsValid()))
		}
	}
}

// argument is the value of a parameter, of several arguments if they are a list.
func (w *walk) argument(of []ast.Expr, list bool) value {
	switch {
	case slices.ContainsFunc(of, w.isError):
		return value{read: true, fails: func(under []guard) { w.denialsIn(of, under) }}
	case list || len(of) != 1:
		return value{}
	}
	if literal, in := w.literal(of[0]); literal != nil {
		return value{literal: literal, in: in}
	}
	return w.value(of[0])
}

// callee is the function or method that a call names; nil if that is known only when it runs.
func (r *reader) callee(call *ast.CallExpr) *types.Func {
	if fn, ok := typeutil.Callee(r.pkg.TypesInfo, call).(*types.Func); ok {
		return fn.Origin()
	}
	return nil
}

// isError reports whether an expression is an error, or a list of them; of a call with several results, whether one is.
func (w *walk) isError(e ast.Expr) bool { return isErrors(w.pkg.TypesInfo.TypeOf(e)) }

// isErrors reports whether a type is an error, or a list of them; of results, whether one is.
func isErrors(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t := types.Unalias(t).(type) {
	case *types.Tuple:
		return slices.ContainsFunc(slices.Collect(t.Variables()), func(v *types.Var) bool { return isErrors(v.Type()) })
	case *types.Pointer:
		return isErrors(t.Elem())
	}
	if s, ok := t.Underlying().(*types.Slice); ok && isErrors(s.Elem()) {
		return true
	}
	isError := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return types.Implements(t, isError) || types.Implements(types.NewPointer(t), isError)
}

// deny records a denial under conditions.
func (w *walk) deny(at ast.Node, d denial, under []guard) {
	c := Check{Position: w.pkg.Fset.Position(at.Pos()), Validator: w.name, Type: w.object, Operations: []string{w.operation}, Message: d.message, Reason: d.reason}
	for _, g := range under {
		c.Reason = cmp.Or(c.Reason, g.reason)
	}
	if c.Reason == "" {
		if denies := nest(under); denies != nil {
			c.Expression, _ = denies.not().text()
		} else {
			c.Reason = "it denies every " + strings.ToLower(w.operation)
		}
	}
	w.Checks = append(w.Checks, c)
}

// nest is the condition under which code runs.
func nest(under []guard) condition {
	if len(under) == 0 {
		return nil
	}
	g, body := under[0], nest(under[1:])
	if g.list == "" {
		return join(true, g.condition, body)
	}
	if body == nil {
		return comparison("size("+g.list+")", ">", "0")
	}
	return some{list: g.list, element: g.element, body: body}
}

// denial is an error that denies.
type denial struct{ message, reason string }

// made reports whether a call makes an error, and its message.
func (w *walk) made(call *ast.CallExpr) (denial, bool) {
	fn := w.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return denial{}, false
	}
	first := ""
	if len(call.Args) > 0 {
		first = w.constantText(call.Args[0])
	}
	switch pkg := fn.Pkg().Path(); {
	case strings.HasSuffix(pkg, "/validation/field") && fn.Signature().Recv() == nil && len(call.Args) > 0:
		what := map[string]string{
			"NotSupported": "unsupported value", "Duplicate": "duplicate value", "NotFound": "not found", "TooMany": "too many elements",
		}[fn.Name()]
		what = cmp.Or(what, w.constantText(call.Args[len(call.Args)-1]))
		switch at := w.value(call.Args[0]).field; {
		case at != "" && what != "":
			return denial{message: at + ": " + what}, true
		case at != "":
			return denial{message: at + " is invalid"}, true
		}
		return denial{message: what}, true
	case pkg == "errors" && fn.Name() == "New":
		return denial{message: first}, true
	case formats(fn):
		if slices.ContainsFunc(call.Args[1:], w.isError) {
			return denial{reason: "it passes on the error of other code"}, true
		}
		if strings.Contains(first, "%") {
			first = ""
		}
		return denial{message: first}, true
	case strings.HasSuffix(pkg, "/api/errors") && strings.HasPrefix(fn.Name(), "New") && fn.Name() != "NewInvalid":
		return denial{message: first}, true
	}
	return denial{}, false
}
