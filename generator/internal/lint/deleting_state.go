// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"go/ast"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// judgesState reports a method for updates that checks the new object by itself, and not only changes, which the
// removal of a finalizer is not. Such a method ignores the old object, or calls a check that the method for new objects
// calls, too. A check that gets the old object has a field error that does not depend on it.
func judgesState(pkg *load.Package, validator string, update *ast.FuncDecl) bool {
	parameters := parameterNames(update.Type.Params)
	if len(parameters) == 0 || update.Body == nil {
		return false
	}
	old := []string{parameters[max(0, len(parameters)-2)]} // a method of the new object has one parameter
	if !mentions(update.Body, old) {
		return true
	}
	create, _ := methodOf(pkg, validator, "ValidateCreate")
	if create == nil || create.Body == nil {
		return false
	}
	shared := map[string]bool{}
	for n := range ast.Preorder(create.Body) {
		if call, ok := n.(*ast.CallExpr); ok {
			shared[load.TypeName(call.Fun)] = true
		}
	}
	for n := range ast.Preorder(update.Body) {
		switch n := n.(type) {
		case *ast.AssignStmt: // such as oldOrder, ok := old.(*Order)
			if id, ok := n.Lhs[0].(*ast.Ident); ok && slices.ContainsFunc(n.Rhs, func(e ast.Expr) bool { return aliases(e, old) }) {
				old = append(old, id.Name)
			}
		case *ast.CallExpr:
			if shared[load.TypeName(n.Fun)] && checksState(pkg, update, n, old) {
				return true
			}
		}
	}
	return false
}

// checksState reports the call of a check that may find an error in the new object alone.
func checksState(pkg *load.Package, update *ast.FuncDecl, call *ast.CallExpr, old []string) bool {
	name, own := load.TypeName(call.Fun), false
	if s, ok := call.Fun.(*ast.SelectorExpr); ok { // a method of the validator has the same receiver
		own = isNamed(s.X, parameterNames(update.Recv))
	}
	for _, fn := range pkg.Functions(name) {
		if fn.Name.Name != name || own && load.Receiver(fn) != load.Receiver(update) || fn.Body == nil || !onlyErrors(fn.Type.Results) || hasErrors(fn.Type.Params) {
			continue
		}
		passed := slices.IndexFunc(call.Args, func(e ast.Expr) bool { return mentions(e, old) })
		if parameters := parameterNames(fn.Type.Params); passed < 0 || passed < len(parameters) && requires(fn, parameters[passed]) {
			return true
		}
	}
	return false
}

// requires reports a function with a field error that no condition on the old object guards.
func requires(fn *ast.FuncDecl, old string) bool {
	found := false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			return !mentions(n.Cond, []string{old})
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && isNamed(s.X, []string{"field"}) {
				found = found || slices.Contains([]string{"Required", "Invalid", "Forbidden", "NotSupported", "Duplicate", "NotFound", "TypeInvalid", "TooLong", "TooMany"}, s.Sel.Name)
			}
			return !slices.ContainsFunc(n.Args, func(e ast.Expr) bool { return mentions(e, []string{old}) })
		}
		return true
	})
	return found
}

// aliases reports an expression that is the old object, perhaps of another type.
func aliases(e ast.Expr, old []string) bool {
	if t, ok := e.(*ast.TypeAssertExpr); ok {
		e = t.X
	}
	return isNamed(e, old)
}

func mentions(n ast.Node, names []string) bool {
	for n := range ast.Preorder(n) {
		if e, ok := n.(ast.Expr); ok && isNamed(e, names) {
			return true
		}
	}
	return false
}

// parameterNames returns the names of parameters.
func parameterNames(list *ast.FieldList) (all []string) {
	for _, field := range list.List {
		for _, id := range field.Names {
			all = append(all, id.Name)
		}
	}
	return all
}

// onlyErrors reports results that are errors, perhaps with warnings, and nothing else.
func onlyErrors(results *ast.FieldList) bool {
	return results != nil && !slices.ContainsFunc(results.List, func(r *ast.Field) bool { return !isError(r.Type) && baseName(r.Type) != "Warnings" })
}

// hasErrors reports parameters among which are errors: the function puts them together.
func hasErrors(parameters *ast.FieldList) bool {
	return slices.ContainsFunc(parameters.List, func(p *ast.Field) bool { return isError(p.Type) })
}

// isError reports an error, or a list of errors.
func isError(t ast.Expr) bool {
	return slices.Contains([]string{"error", "Error", "ErrorList"}, baseName(t))
}

// baseName is the name of a type without its package. A list has the name of its element.
func baseName(t ast.Expr) string {
	if list, ok := t.(*ast.ArrayType); ok {
		t = list.Elt
	}
	return load.TypeName(t)
}
