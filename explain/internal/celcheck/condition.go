// SPDX-License-Identifier: Apache-2.0

package celcheck

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// condition writes a Go condition in CEL. Without one, the reason explains why.
func (w *walk) condition(e ast.Expr) (c condition, reason string) {
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			left, why := w.condition(e.X)
			right, also := w.condition(e.Y)
			if why = cmp.Or(why, also); why != "" {
				return nil, why
			}
			return join(e.Op == token.LAND, left, right), ""
		}
		return w.compare(e.X, e.Op, e.Y)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			c, why := w.condition(e.X)
			if why != "" {
				return nil, why
			}
			return c.not(), ""
		}
	case *ast.CallExpr:
		return w.asked(e)
	case *ast.Ident:
		switch v := w.values[w.pkg.TypesInfo.Uses[e]]; {
		case v.found.root != "":
			return v.found.isThere(), ""
		case v.asserted:
			return atom{"true", "false", 4, 4}, ""
		}
	}
	if text, ok := w.read(e); ok && isBasic(w.pkg.TypesInfo.TypeOf(e), types.IsBoolean) {
		return truth(text), ""
	}
	return nil, w.strange(e)
}

// strange is the reason for an expression that is not understood.
func (w *walk) strange(e ast.Expr) string {
	return "it depends on " + types.ExprString(e)
}

// compare writes a comparison.
func (w *walk) compare(x ast.Expr, operator token.Token, y ast.Expr) (condition, string) {
	switch operator {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
	default:
		return nil, w.strange(x)
	}
	if w.pkg.TypesInfo.Types[x].IsNil() {
		x, y = y, x
	}
	if w.pkg.TypesInfo.Types[y].IsNil() {
		v := w.value(x)
		switch {
		case len(v.cel.steps) == 0:
			return nil, w.strange(x)
		case operator == token.EQL:
			return v.cel.isThere().not(), ""
		}
		return v.cel.isThere(), ""
	}
	if text := measured(x); text != nil && isBasic(w.pkg.TypesInfo.TypeOf(text), types.IsString) && w.isZero(y) && operator != token.LSS && operator != token.GEQ {
		cel, ok := w.read(text)
		switch {
		case !ok:
			return nil, w.strange(text)
		case operator == token.EQL || operator == token.LEQ:
			return comparison(cel, "==", `""`), ""
		}
		return comparison(cel, "!=", `""`), ""
	}
	for _, e := range []ast.Expr{x, y} {
		if t := w.pkg.TypesInfo.TypeOf(e); t != nil && !comparable(t) {
			return nil, w.strange(e)
		}
	}
	a, ok := w.read(x)
	if !ok {
		return nil, w.strange(x)
	}
	b, ok := w.read(y)
	if !ok {
		return nil, w.strange(y)
	}
	return comparison(a, operator.String(), b), ""
}

// comparable reports whether CEL compares values of a type as Go does. It does not for pointers: Go compares addresses.
func comparable(t types.Type) bool {
	_, basic := t.Underlying().(*types.Basic)
	return basic
}

// asked writes a call that returns a bool.
func (w *walk) asked(call *ast.CallExpr) (condition, string) {
	fn := w.callee(call)
	if fn == nil || fn.Pkg() == nil {
		return nil, w.strange(call)
	}
	args := make([]string, len(call.Args))
	for i, a := range call.Args {
		text, ok := w.read(a)
		if !ok && !(fn.Name() == "DeepEqual" && w.value(a).cel.root != "") {
			return nil, w.strange(a)
		}
		args[i] = text
	}
	switch pkg := fn.Pkg().Path(); {
	case pkg == "strings" && len(args) == 2:
		if method := map[string]string{"HasPrefix": "startsWith", "HasSuffix": "endsWith", "Contains": "contains"}[fn.Name()]; method != "" {
			return truth(args[0] + "." + method + "(" + args[1] + ")"), ""
		}
	case pkg == "slices" && fn.Name() == "Contains" && len(args) == 2:
		return among(args[1], args[0]), ""
	case (pkg == "slices" || pkg == "maps") && fn.Name() == "Equal" && len(args) == 2:
		return comparison(args[0], "==", args[1]), ""
	case fn.Name() == "DeepEqual" && len(args) == 2:
		return w.equal(call.Args[0], call.Args[1])
	case pkg == "regexp" && fn.Name() == "MatchString":
		if selector, ok := call.Fun.(*ast.SelectorExpr); ok && len(args) == 1 {
			if pattern, ok := w.pattern(selector.X); ok {
				return truth(args[0] + ".matches(" + pattern + ")"), ""
			}
		}
	}
	return nil, w.strange(call)
}

// equal compares two places in objects, absent ones included.
func (w *walk) equal(x, y ast.Expr) (condition, string) {
	a, b := w.value(x), w.value(y)
	if a.cel.root == "" || b.cel.root == "" {
		return nil, w.strange(x)
	}
	left, _ := a.cel.write(false) // optional values are equal if both are absent
	right, _ := b.cel.write(false)
	return comparison(left, "==", right), ""
}

// pattern is the constant that a variable of the package was compiled from.
func (w *walk) pattern(e ast.Expr) (string, bool) {
	name, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return "", false
	}
	call := w.initial(w.pkg.TypesInfo.Uses[name])
	if call == nil || len(call.Args) != 1 {
		return "", false
	}
	fn, c := w.callee(call), w.pkg.TypesInfo.Types[call.Args[0]].Value
	if fn == nil || fn.Name() != "MustCompile" || c == nil || c.Kind() != constant.String {
		return "", false
	}
	return quotePattern(constant.StringVal(c)), true
}

// quotePattern writes a pattern without escapes where it can.
func quotePattern(text string) string {
	if strings.Contains(text, `\`) && !strings.Contains(text, "'") {
		return "r'" + text + "'"
	}
	return quote(text)
}
