// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"fmt"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// Extend adds variables and other options to an environment, with the types that they have.
func Extend(base *environment.EnvSet, options []celgo.EnvOption, types ...*apiservercel.DeclType) (*environment.EnvSet, error) {
	set, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0), // which every environment includes
		EnvOptions:        options,
		DeclTypes:         types,
	})
	if err != nil {
		return nil, fmt.Errorf("set up CEL: %w", err)
	}
	return set, nil
}

// Variables declares the variables of matchConditions. It takes the type of object and oldObject, and also returns the
// types of request and namespaceObject.
func Variables(object *celgo.Type) (variables []celgo.EnvOption, request, namespace *apiservercel.DeclType) {
	request, namespace = cel.BuildRequestType(), cel.BuildNamespaceType()
	return []celgo.EnvOption{
		celgo.Variable(cel.ObjectVarName, object),
		celgo.Variable(cel.OldObjectVarName, object),
		celgo.Variable(cel.NamespaceVarName, namespace.CelType()),
		celgo.Variable(cel.RequestVarName, request.CelType()),
		celgo.Variable(cel.AuthorizerVarName, library.AuthorizerType),
		celgo.Variable(cel.RequestResourceAuthorizerVarName, library.ResourceCheckType),
	}, request, namespace
}

func isObject(e ast.Expr) bool {
	return e.Kind() == ast.IdentKind && (e.AsIdent() == cel.ObjectVarName || e.AsIdent() == cel.OldObjectVarName)
}

func isVariable(e ast.Expr, name string) bool {
	return e.Kind() == ast.IdentKind && e.AsIdent() == name
}

func isNull(e ast.Expr) bool {
	return e.Kind() == ast.LiteralKind && e.AsLiteral().Type() == celgo.NullType
}

// Children are the expressions directly in another.
func Children(e ast.Expr) (all []ast.Expr) {
	for _, child := range ast.NavigateExpr(nil, e).Children() {
		all = append(all, child)
	}
	return all
}
