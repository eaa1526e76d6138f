// SPDX-License-Identifier: Apache-2.0

// Package condition compiles and evaluates matchConditions with the API server's own libraries, and finds possible
// errors in them.
package condition

import (
	"context"
	"fmt"

	celgo "github.com/google/cel-go/cel"
	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Compiler compiles expressions as an API server of one version does.
type Compiler struct {
	compiler cel.Compiler
	// environment is the one of compiler, which package cel does not export. It gives access to the tree of a checked
	// expression.
	environment *environment.EnvSet
}

// Base returns the environment of a version of Kubernetes; nil is the newest that this program supports. In new
// expressions an API server accepts only the functions of the version before it, so that a cluster can go back to that.
func Base(kubernetes *version.Version) *environment.EnvSet {
	if kubernetes == nil {
		return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	}
	return environment.MustBaseEnvSet(kubernetes.SubtractMinor(1))
}

// NewCompiler makes a compiler for a version of Kubernetes, which may be nil as in Base.
func NewCompiler(kubernetes *version.Version) (*Compiler, error) {
	base := Base(kubernetes)
	options, request, namespace := Variables(celgo.DynType)
	env, err := Extend(base, options, namespace, request)
	if err != nil {
		return nil, err
	}
	return &Compiler{cel.NewCompiler(base), env}, nil
}

// Result is the result of one condition.
type Result struct {
	Name string `json:"name"`
	// Result is "true", "false" or an error.
	Result string `json:"result"`
}

// Evaluate evaluates every condition, as k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions does.
func (c *Compiler) Evaluate(ctx context.Context, conditions []v1.MatchCondition, request *admission.VersionedAttributes, authz authorizer.UnconditionalAuthorizer) []Result {
	compiled := make([]cel.CompilationResult, len(conditions))
	for i := range conditions {
		accessor := (*matchconditions.MatchCondition)(&conditions[i])
		compiled[i] = c.compiler.CompileCELExpression(accessor, variables(), environment.StoredExpressions)
	}
	review := cel.CreateAdmissionRequest(request.Attributes, metav1.GroupVersionResource(request.GetResource()), metav1.GroupVersionKind(request.VersionedKind))
	bindings := cel.OptionalVariableBindings{Authorizer: authz}
	values, _, err := cel.NewCondition(compiled).
		ForInput(ctx, request, review, bindings, nil, celconfig.RuntimeCELCostBudgetMatchConditions)
	var results []Result
	for i, m := range conditions {
		r := Result{Name: m.Name}
		switch {
		case err != nil: // the budget is spent
			r.Result = err.Error()
		case values[i].Error != nil:
			r.Result = values[i].Error.Error()
		default:
			r.Result = fmt.Sprint(values[i].EvalResult.Value())
		}
		results = append(results, r)
	}
	return results
}

// variables are the variables of matchConditions besides the variables of every expression.
func variables() cel.OptionalVariableDeclarations {
	return cel.OptionalVariableDeclarations{HasAuthorizer: true}
}
