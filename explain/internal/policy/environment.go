// SPDX-License-Identifier: Apache-2.0

package policy

import (
	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/ast"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/mutation"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
)

// newVariables returns the type of the variable "variables", without fields.
func newVariables() *apiservercel.DeclType {
	return apiservercel.NewObjectType("kubernetes.variables", map[string]*apiservercel.DeclField{})
}

// signature names the types of an environment. The zero value of a kind leaves the type open.
type signature struct {
	object, params schema.GroupVersionKind
	hasParams      bool
}

// typedEnvironment compiles expressions against the types of objects and params.
type typedEnvironment struct {
	plain *celgo.Env
	// patch compiles mutations; nil before withPatch.
	patch     *celgo.Env
	set       *environment.EnvSet
	object    *objectType // nil if the type is not known
	params    *objectType // nil if the type is not known
	roots     map[string]node
	variables node // of a policy
}

// typed returns the environment of a signature without variables of a policy, for mutations too if there are patches.
func (c *Checker) typed(s signature, patches bool) (*typedEnvironment, error) {
	if known, ok := c.environments[s]; ok {
		clear(known.variables.decl.Fields)
		clear(known.variables.schema.Properties)
		return known, known.withPatch(patches)
	}
	e := &typedEnvironment{
		object: c.types[s.object], roots: map[string]node{},
		variables: node{newVariables(), &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{}}},
	}
	var declared []*apiservercel.DeclType
	objectType, paramsType := celgo.DynType, celgo.DynType
	if e.object != nil {
		objectType = e.object.root.decl.CelType()
		declared = append(declared, e.object.root.decl)
		e.roots[cel.ObjectVarName], e.roots[cel.OldObjectVarName] = e.object.root, e.object.root
	}
	options, request, namespace := condition.Variables(objectType)
	options = append(options, celgo.CostEstimatorOptions(checker.OverloadCostEstimate("list_flatten", flattened), checker.OverloadCostEstimate("list_flatten_int", flattened)))
	if s.hasParams {
		if t, ok := c.types[s.params]; ok {
			e.params = t
			if s.params == s.object { // one type has one name
				e.params = e.object
			} else {
				declared = append(declared, t.root.decl)
			}
			paramsType = e.params.root.decl.CelType()
			e.roots[cel.ParamsVarName] = e.params.root
		}
		options = append(options, celgo.Variable(cel.ParamsVarName, paramsType))
	}
	e.roots[cel.RequestVarName], e.roots[cel.NamespaceVarName], e.roots[cel.VariableVarName] = node{decl: request}, node{decl: namespace}, e.variables
	variables := e.variables.decl
	options, declared = append(options, celgo.Variable(cel.VariableVarName, variables.CelType())), append(declared, namespace, request, variables)
	set, err := condition.Extend(c.base, options, declared...)
	if err != nil {
		return nil, err
	}
	e.plain = set.NewExpressionsEnv()
	e.set = set
	c.environments[s] = e
	return e, e.withPatch(patches)
}

// withPatch sets the environment of mutations, which few policies have, if it is needed.
func (e *typedEnvironment) withPatch(needed bool) error {
	if !needed || e.patch != nil {
		return nil
	}
	set, err := condition.Extend(e.set, patchOptions())
	if err != nil {
		return err
	}
	e.patch = set.NewExpressionsEnv()
	return nil
}

// patchOptions declares what mutations make: objects and JSON patches.
func patchOptions() []celgo.EnvOption {
	return []celgo.EnvOption{common.ResolverEnvOption(&mutation.DynamicTypeResolver{}), environment.UnversionedLib(library.JSONPatch)}
}

// declare adds a variable of a policy. It has the type of the place that it names, with its sizes, or the type of what
// it computes.
func (e *typedEnvironment) declare(name string, checked *celgo.Ast) {
	alias := node{decl: apiservercel.DynType}
	if checked != nil {
		if at, ok := e.at(checked.NativeRep().Expr(), nil); ok {
			alias = at
		} else {
			alias.decl = declType(checked.OutputType(), e.roots)
			if over := checked.NativeRep().Expr(); alias.decl.IsList() && over.Kind() == ast.ComprehensionKind {
				if at, ok := e.at(over.AsComprehension().IterRange(), nil); ok && at.decl.MaxElements > 0 {
					alias.decl = apiservercel.NewListType(alias.decl.ElemType, at.decl.MaxElements) // of map and filter
				}
			}
		}
	}
	if alias.schema != nil {
		e.variables.schema.Properties[name] = *alias.schema
	}
	e.variables.decl.Fields[name] = apiservercel.NewDeclField(name, alias.decl, true, nil, nil)
}

// declType returns the declaration of a type in expressions, which may be nil. Computed lists, maps and texts have no
// size. It finds structs in the roots. Without roots, it declares a variable as an API server does
// (k8s.io/apiserver/pkg/admission/plugin/cel, convertCelTypeToDeclType).
func declType(t *celgo.Type, roots map[string]node) *apiservercel.DeclType {
	switch parameters := t.Parameters(); {
	case t.Kind() == celgo.ListKind && len(parameters) == 1:
		return apiservercel.NewListType(declType(parameters[0], roots), computed)
	case t.Kind() == celgo.MapKind && len(parameters) == 2:
		return apiservercel.NewMapType(declType(parameters[0], roots), declType(parameters[1], roots), computed)
	case t.Kind() == celgo.StructKind:
		for _, root := range roots {
			if found := find(root.decl, t.TypeName()); found != nil {
				return found
			}
		}
		return apiservercel.DynType
	}
	for _, d := range []*apiservercel.DeclType{
		apiservercel.AnyType, apiservercel.BoolType, apiservercel.BytesType, apiservercel.DoubleType, apiservercel.DurationType, apiservercel.IntType,
		apiservercel.NullType, apiservercel.StringType, apiservercel.TimestampType, apiservercel.UintType,
	} {
		if d.CelType() == t {
			return d
		}
	}
	return apiservercel.DynType
}

// computed is the size of a computed list, map or text: it is not estimated.
const computed = -1

// find returns the declaration of a struct in a type, by its name.
func find(d *apiservercel.DeclType, name string) *apiservercel.DeclType {
	switch {
	case d == nil:
	case d.IsObject():
		if d.TypeName() == name {
			return d
		}
		for _, f := range d.Fields {
			if found := find(f.Type, name); found != nil {
				return found
			}
		}
	default:
		return find(d.ElemType, name)
	}
	return nil
}
