// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"slices"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
)

// Reads lists the inputs of an expression, apart from an API server's data about every request.
type Reads struct {
	// Fields are the fields of the object or the old object that it reads, each as the names on its path. The object as a
	// whole has no names. apiVersion, kind, metadata, and the presence of an object are left out: they are the same in
	// every version.
	Fields [][]string
	// Authorizer reports that the expression may call the authorizer.
	Authorizer bool
}

// Reads returns the inputs of an expression. An expression that does not compile counts as reading everything.
func (c *Compiler) Reads(expression string) Reads {
	tree, issues := c.environment.StoredExpressionsEnv().Compile(expression)
	if issues.Err() != nil {
		return Reads{Fields: [][]string{nil}, Authorizer: true}
	}
	var r Reads
	r.add(tree.NativeRep().Expr())
	return r
}

func (r *Reads) add(e ast.Expr) {
	if path, ok := fieldPath(e); ok {
		same := len(path) > 0 && (path[0] == "metadata" || path[0] == "kind" || path[0] == "apiVersion")
		if !same && !slices.ContainsFunc(r.Fields, func(f []string) bool { return slices.Equal(f, path) }) {
			r.Fields = append(r.Fields, path)
		}
		return
	}
	switch e.Kind() {
	case ast.IdentKind:
		r.Authorizer = r.Authorizer || e.AsIdent() == cel.AuthorizerVarName || e.AsIdent() == cel.RequestResourceAuthorizerVarName
	case ast.CallKind:
		call := e.AsCall()
		if (call.FunctionName() == operators.Equals || call.FunctionName() == operators.NotEquals) && (isNull(call.Args()[0]) || isNull(call.Args()[1])) {
			for _, a := range call.Args() {
				if !isObject(a) {
					r.add(a)
				}
			}
			return
		}
	}
	for _, child := range Children(e) {
		r.add(child)
	}
}

// fieldPath are the names on the way to a field of the object, or of the old one: object.spec.replicas,
// object.?spec.?replicas, object["spec"]. Not ok is any other expression.
func fieldPath(e ast.Expr) (path []string, ok bool) {
	root, path := chain(e)
	return path, isObject(root)
}
