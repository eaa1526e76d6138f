// SPDX-License-Identifier: Apache-2.0

package celcheck

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
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
}

func (v value) known() bool { return v.cel.root != "" || v.request || v.isField }

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

// block reads statements that run under some conditions.
func (w *walk) block(statements []ast.Stmt, under []guard) {
	for _, s := range statements {
		under = w.statement(s, under)
	}
}

// statement reads a statement, and returns the conditions for the following ones.
func (w *walk) statement(s ast.Stmt, under []guard) []guard {
	switch s := s.(type) {
	case *ast.BlockStmt:
		w.block(s.List, under)
	case *ast.IfStmt:
		return w.branch(s, under)
	case *ast.SwitchStmt:
		w.choice(s, under)
	case *ast.RangeStmt:
		w.loop(s, under)
	case *ast.ForStmt:
		w.block(s.Body.List, append(slices.Clone(under), guard{reason: "it is in a loop that CEL does not have"}))
	case *ast.AssignStmt:
		w.assign(s, under)
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok {
			for _, spec := range d.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
					for i, name := range v.Names {
						w.bind(name, w.value(v.Values[i]))
					}
				}
			}
		}
	case *ast.ExprStmt:
		w.denials(s.X, under)
	case *ast.ReturnStmt:
		for _, result := range s.Results {
			w.denials(result, under)
		}
	}
	return under
}

// bind gives a variable its value. One that is assigned twice is unknown afterwards.
func (w *walk) bind(name *ast.Ident, v value) {
	object := w.pkg.TypesInfo.Defs[name]
	if object == nil {
		if object = w.pkg.TypesInfo.Uses[name]; object == nil {
			return
		}
		v = value{}
	}
	w.values[object] = v
}

func (w *walk) assign(s *ast.AssignStmt, under []guard) {
	for _, right := range s.Rhs {
		w.denials(right, under)
	}
	if len(s.Lhs) == 0 || len(s.Rhs) == 0 {
		return
	}
	if len(s.Lhs) == len(s.Rhs) {
		for i, left := range s.Lhs {
			if name, ok := left.(*ast.Ident); ok {
				w.bind(name, w.value(s.Rhs[i]))
			}
		}
		return
	}
	// The value and an error or ok: of OldObject, of a type assertion.
	if name, ok := s.Lhs[0].(*ast.Ident); ok {
		w.bind(name, w.value(s.Rhs[0]))
	}
}

// branch reads an if. If its body always leaves the function, the rest runs only under the opposite condition.
func (w *walk) branch(s *ast.IfStmt, under []guard) []guard {
	if s.Init != nil {
		under = w.statement(s.Init, under)
	}
	c, reason := w.condition(s.Cond)
	plumbing := w.plumbing(s.Cond)
	if !plumbing {
		w.block(s.Body.List, append(slices.Clone(under), guard{condition: c, reason: reason}))
	}
	var opposite guard
	switch {
	case plumbing:
		opposite = guard{}
	case reason != "":
		opposite = guard{reason: reason}
	default:
		opposite = guard{condition: c.not()}
	}
	switch e := s.Else.(type) {
	case *ast.BlockStmt:
		w.block(e.List, append(slices.Clone(under), opposite))
	case *ast.IfStmt:
		w.branch(e, append(slices.Clone(under), opposite))
	}
	// A request that is denied here does not come further. So the rest need not repeat that, unless it relies on a
	// value that is there.
	if !plumbing && leaves(s.Body) && (!w.denies(s.Body) || reason == "" && asksPresence(s.Cond)) {
		return append(slices.Clone(under), opposite)
	}
	return under
}

// plumbing reports whether a condition is about an error of other code or the result of a type assertion. A policy has
// neither.
func (w *walk) plumbing(e ast.Expr) bool {
	e = ast.Unparen(e)
	if n, ok := e.(*ast.UnaryExpr); ok && n.Op == token.NOT {
		e = ast.Unparen(n.X)
		name, ok := e.(*ast.Ident)
		return ok && name.Name == "ok"
	}
	b, ok := e.(*ast.BinaryExpr)
	if !ok || b.Op != token.NEQ && b.Op != token.GTR {
		return false
	}
	if call, ok := ast.Unparen(b.X).(*ast.CallExpr); ok && b.Op == token.GTR && len(call.Args) == 1 { // len(errs) > 0
		return isErrors(w.pkg.TypesInfo.TypeOf(call.Args[0]))
	}
	return isErrors(w.pkg.TypesInfo.TypeOf(b.X)) && w.pkg.TypesInfo.Types[b.Y].IsNil()
}

func asksPresence(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok && name.Name == "nil" {
			found = true
		}
		return true
	})
	return found
}

// denies reports whether a block ends with the return of an error that is made there.
func (w *walk) denies(b *ast.BlockStmt) bool {
	last, ok := b.List[len(b.List)-1].(*ast.ReturnStmt)
	if !ok {
		return false
	}
	found := false
	for _, result := range last.Results {
		ast.Inspect(result, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if fn := w.callee(call); fn != nil {
					_, made := w.made(fn, call)
					found = found || made
				}
			}
			return !found
		})
	}
	return found
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
func (w *walk) choice(s *ast.SwitchStmt, under []guard) {
	if s.Init != nil {
		under = w.statement(s.Init, under)
	}
	var before []guard
	var otherwise *ast.CaseClause
	for _, stmt := range s.Body.List {
		c := stmt.(*ast.CaseClause)
		if c.List == nil {
			otherwise = c
			continue
		}
		var any []condition
		var why string
		for _, e := range c.List {
			var one condition
			var reason string
			if s.Tag == nil {
				one, reason = w.condition(e)
			} else {
				one, reason = w.compare(s.Tag, token.EQL, e)
			}
			why = firstOf(why, reason)
			any = append(any, one)
		}
		g := guard{reason: why}
		opposite := guard{reason: why}
		if why == "" {
			g.condition = join(false, any...)
			opposite.condition = g.condition.not()
		}
		w.block(c.Body, append(append(slices.Clone(under), before...), g))
		before = append(before, opposite)
	}
	if otherwise != nil {
		if set, ok := w.set(s); ok {
			before = []guard{{condition: set.not()}}
		}
		w.block(otherwise.Body, append(slices.Clone(under), before...))
	}
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
	list := "[" + strings.Join(values, ", ") + "]"
	return atom{v + " in " + list, "!(" + v + " in " + list + ")", 3, 4}, true
}

// loop reads a range over a list.
func (w *walk) loop(s *ast.RangeStmt, under []guard) {
	g := guard{reason: "it is in a loop over something other than a list of the object"}
	v := w.value(s.X)
	if _, isList := w.pkg.TypesInfo.TypeOf(s.X).Underlying().(*types.Slice); isList && v.cel.root != "" {
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
	w.block(s.Body.List, append(slices.Clone(under), g))
}

// denials finds what in an expression denies: an error that is made, and calls of functions that return errors.
func (w *walk) denials(e ast.Expr, under []guard) {
	e = ast.Unparen(e)
	if list, ok := e.(*ast.CompositeLit); ok && isErrors(w.pkg.TypesInfo.TypeOf(list)) {
		for _, element := range list.Elts {
			w.denials(element, under)
		}
		return
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return
	}
	if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "append" && len(call.Args) > 0 {
		for _, a := range call.Args[1:] {
			w.denials(a, under)
		}
		return
	}
	t := w.pkg.TypesInfo.TypeOf(call)
	if t == nil || !isErrors(t) {
		return
	}
	fn := w.callee(call)
	if fn == nil {
		return
	}
	if d, ok := w.made(fn, call); ok {
		w.deny(call, d, under)
		return
	}
	if body := w.bodies[fn]; body != nil && len(w.calls) < mostCalls && !slices.Contains(w.calls, fn) {
		w.enter(fn, body, call, under)
		return
	}
	if passes(fn) {
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok && fn.Signature().Recv() != nil {
			w.denials(selector.X, under)
		}
		for _, a := range call.Args {
			w.denials(a, under)
		}
		return
	}
	if touches := slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return w.value(a).cel.root != "" }); touches {
		w.deny(call, denial{reason: fn.Name() + " is code of another package"}, under)
	}
}

// passes reports whether a function only forms errors that its arguments are: ToAggregate, NewInvalid, errors.Join.
func passes(fn *types.Func) bool {
	return slices.Contains([]string{"ToAggregate", "NewInvalid", "NewAggregate", "Join", "Failure"}, fn.Name())
}

// enter reads a function of the same package with its arguments.
func (w *walk) enter(fn *types.Func, body *ast.FuncDecl, call *ast.CallExpr, under []guard) {
	inner := walk{reader: w.reader, name: w.name, object: w.object, operation: w.operation, values: map[types.Object]value{}, calls: append(slices.Clone(w.calls), fn)}
	if selector, ok := call.Fun.(*ast.SelectorExpr); ok && body.Recv != nil && len(body.Recv.List) > 0 {
		for _, name := range body.Recv.List[0].Names {
			inner.bind(name, w.value(selector.X))
		}
	}
	i := 0
	for _, f := range body.Type.Params.List {
		for _, name := range f.Names {
			if i < len(call.Args) {
				inner.bind(name, w.value(call.Args[i]))
			}
			i++
		}
	}
	inner.block(body.Body.List, under)
}

// callee is the function or method that a call names; nil if that is known only when it runs.
func (w *walk) callee(call *ast.CallExpr) *types.Func {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		fn, _ := w.pkg.TypesInfo.Uses[f].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := w.pkg.TypesInfo.Uses[f.Sel].(*types.Func)
		return fn
	}
	return nil
}

// isErrors reports whether a type is an error, a field error, or a list of them; of results, whether one is.
func isErrors(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Tuple:
		for i := range t.Len() {
			if isErrors(t.At(i).Type()) {
				return true
			}
		}
		return false
	case *types.Slice:
		return isErrors(t.Elem())
	case *types.Pointer:
		return isErrors(t.Elem())
	case *types.Named:
		switch t.Obj().Name() {
		case "error", "Aggregate", "ErrorList":
			return true
		case "Error":
			return t.Obj().Pkg() != nil && strings.HasSuffix(t.Obj().Pkg().Path(), "/field")
		}
		if s, ok := t.Underlying().(*types.Slice); ok {
			return isErrors(s.Elem())
		}
		return t.Obj().Name() == "StatusError"
	}
	return false
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// deny records a denial under conditions.
func (w *walk) deny(at ast.Node, d denial, under []guard) {
	c := Check{Position: w.pkg.Fset.Position(at.Pos()), Validator: w.name, Type: w.object, Operations: []string{w.operation}, Message: d.message, Reason: d.reason}
	for _, g := range under {
		c.Reason = firstOf(c.Reason, g.reason)
	}
	if c.Reason == "" {
		denies := nest(under)
		switch {
		case denies == nil:
			c.Reason = "it denies every " + strings.ToLower(w.operation)
		default:
			c.Expression, _ = denies.not().text()
		}
	}
	w.checks = append(w.checks, c)
}

// nest is the condition under which code runs.
func nest(under []guard) condition {
	if len(under) == 0 {
		return nil
	}
	g := under[0]
	if g.list == "" {
		return join(true, g.condition, nest(under[1:]))
	}
	body := nest(under[1:])
	if body == nil {
		return comparison("size("+g.list+")", ">", "0")
	}
	return some{list: g.list, element: g.element, body: body}
}

// denial is an error that denies.
type denial struct{ message, reason string }

// made reports whether a call makes an error, and its message.
func (w *walk) made(fn *types.Func, call *ast.CallExpr) (denial, bool) {
	if fn.Pkg() == nil {
		return denial{}, false
	}
	constantAt := func(i int) string {
		if i >= len(call.Args) {
			return ""
		}
		if v := w.pkg.TypesInfo.Types[call.Args[i]].Value; v != nil && v.Kind() == constant.String {
			return constant.StringVal(v)
		}
		return ""
	}
	switch pkg := fn.Pkg().Path(); {
	case strings.HasSuffix(pkg, "/validation/field") && fn.Signature().Recv() == nil && len(call.Args) > 0:
		last := constantAt(len(call.Args) - 1)
		switch fn.Name() {
		case "NotSupported":
			last = "unsupported value"
		case "Duplicate":
			last = "duplicate value"
		case "NotFound":
			last = "not found"
		case "TooMany":
			last = "too many elements"
		}
		at := ""
		if v := w.value(call.Args[0]); v.isField {
			at = v.field
		}
		switch {
		case at != "" && last != "":
			return denial{message: at + ": " + last}, true
		case at != "":
			return denial{message: at + " is invalid"}, true
		}
		return denial{message: last}, true
	case pkg == "errors" && fn.Name() == "New":
		return denial{message: constantAt(0)}, true
	case pkg == "fmt" && fn.Name() == "Errorf":
		if slices.ContainsFunc(call.Args[1:], func(a ast.Expr) bool { return isErrors(w.pkg.TypesInfo.TypeOf(a)) }) {
			return denial{reason: "it passes on the error of other code"}, true
		}
		text := constantAt(0)
		if strings.Contains(text, "%") {
			text = ""
		}
		return denial{message: text}, true
	case strings.HasSuffix(pkg, "/api/errors") && strings.HasPrefix(fn.Name(), "New") && fn.Name() != "NewInvalid":
		return denial{message: constantAt(0)}, true
	}
	return denial{}, false
}
