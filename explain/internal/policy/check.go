// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	celgo "github.com/google/cel-go/cel"
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/webhook-gen/webhook-gen/explain/internal/condition"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// Rules of webhook-gen, which documents them.
const (
	// Compiles is broken by an expression of a policy that an API server refuses.
	Compiles condition.Rule = "P20"
	// Fits is broken by an expression that does not fit the type of an object, though an API server accepts it.
	Fits condition.Rule = "P21"
	// Varies is broken by an expression whose result does not depend on the object, by the object's type.
	Varies condition.Rule = "P33"
	// Present is broken by a read of a field that an object may lack.
	Present condition.Rule = "P22"
	// Affordable is broken by an expression whose worst case costs more than an API server allows.
	Affordable condition.Rule = "P23"
	// Patchable is broken by an operation of a JSON patch for which an object may lack a field.
	Patchable condition.Rule = "P32"
)

// Finding is something wrong with an expression.
type Finding = condition.Finding

// Checker finds problems in the expressions of policies and webhooks.
type Checker struct {
	base *environment.EnvSet
	// conditions compiles matchConditions, which see no variables when they are validated; compiler all others. The
	// first call makes it.
	conditions, compiler func() cel.Compiler
	variables            *apiservercel.DeclType // of compiler
	types                map[schema.GroupVersionKind]*objectType
	environments         map[signature]*typedEnvironment
}

// NewChecker makes a checker for a version of Kubernetes, which may be nil as in condition.Base.
func NewChecker(kubernetes *version.Version, types []project.Type) (*Checker, error) {
	base := condition.Base(kubernetes)
	// Fields that are added later to the type of the variable "variables" are seen by the compiler, as in
	// k8s.io/apiserver/pkg/admission/plugin/cel, NewCompositedCompiler.
	variables := newVariables()
	set, err := condition.Extend(base, []celgo.EnvOption{celgo.Variable(cel.VariableVarName, variables.CelType())}, variables)
	if err != nil {
		return nil, err
	}
	c := &Checker{
		base: base, variables: variables,
		conditions: sync.OnceValue(func() cel.Compiler { return cel.NewCompiler(base) }),
		compiler:   sync.OnceValue(func() cel.Compiler { return cel.NewCompiler(set) }),
		types:      map[schema.GroupVersionKind]*objectType{}, environments: map[signature]*typedEnvironment{},
	}
	for _, t := range types {
		c.types[schema.GroupVersionKind(t.GroupVersionKind)] = newObjectType(t)
	}
	return c, nil
}

// Policy returns the problems in the expressions of a policy.
func (c *Checker) Policy(p project.Policy) ([]Finding, error) {
	s, err := readSpec(&p.Object)
	if err != nil {
		return nil, err
	}
	return c.check(s, p.Kinds, bindingWithoutParams(p.Bindings))
}

// Validation returns the problems in the expression of a validation, in a policy with one rule.
func (c *Checker) Validation(expression string, rule v1.RuleWithOperations, kinds []project.GroupVersionKind) ([]Finding, error) {
	return c.check(&spec{rules: []v1.RuleWithOperations{rule}, validations: []v1.Validation{{Expression: expression}}}, kinds, "")
}

// check returns the problems in the expressions of a policy. noParams is as in seen.
func (c *Checker) check(s *spec, kinds []project.GroupVersionKind, noParams string) ([]Finding, error) {
	found, accepted := c.compile(s.expressions(), s.paramKind != nil)
	typed, err := c.typedFindings(accepted, seen{spec: s, kinds: kinds, noParams: noParams})
	return append(found, typed...), err
}

// MatchConditions returns the problems that the types show in the matchConditions of a webhook. Package condition finds
// the others.
func (c *Checker) MatchConditions(conditions []v1.MatchCondition, rules []v1.RuleWithOperations, mutating bool, kinds []project.GroupVersionKind) ([]Finding, error) {
	s := &spec{rules: rules, mutating: mutating, matchConditions: conditions}
	_, accepted := c.compile(s.expressions(), false)
	found, err := c.typedFindings(accepted, seen{spec: s, kinds: kinds, webhook: true})
	for i, f := range found {
		of := slices.IndexFunc(accepted, func(e expression) bool { return e.field == f.Field })
		found[i].Condition, found[i].Field = accepted[of].index, ""
	}
	return found, err
}

// bindingWithoutParams returns why params may be null; empty if every binding has params.
func bindingWithoutParams(bindings []unstructured.Unstructured) string {
	for _, b := range bindings {
		if ref, ok, _ := unstructured.NestedMap(b.Object, "spec", "paramRef"); !ok || len(ref) == 0 {
			return fmt.Sprintf("the binding %s has no paramRef", b.GetName())
		}
	}
	return ""
}

// compile returns an API server's errors about new expressions, and the expressions without errors.
func (c *Checker) compile(expressions []expression, hasParams bool) (found []Finding, accepted []expression) {
	clear(c.variables.Fields)
	for _, e := range expressions {
		compiler := c.compiler
		if e.role == matchCondition {
			compiler = c.conditions
		}
		result := compiler().CompileCELExpression(e.accessor, e.declared(hasParams), environment.NewExpressions)
		if e.role == variable {
			c.variables.Fields[e.name()] = apiservercel.NewDeclField(e.name(), declType(result.OutputType, nil), true, nil, nil)
		}
		if result.Error == nil {
			accepted = append(accepted, e)
			continue
		}
		for _, p := range condition.Problems(e.text, result.Error) {
			found = append(found, Finding{Rule: Compiles, Field: e.field, Problem: p})
		}
	}
	return found, accepted
}

// seen is what the expressions of a policy or webhook see.
type seen struct {
	*spec
	webhook  bool
	kinds    []project.GroupVersionKind
	noParams string // why params may be null; empty if every binding has params
}

// typedFindings compares expressions with the types of all kinds that they see. Without a known kind, the objects are
// of any type.
func (c *Checker) typedFindings(expressions []expression, sees seen) ([]Finding, error) {
	var kinds []schema.GroupVersionKind
	unknown := sees.matchesAnything()
	for _, k := range sees.kinds {
		if kind := schema.GroupVersionKind(k); c.types[kind] != nil {
			kinds = append(kinds, kind)
		} else {
			unknown = true
		}
	}
	if len(kinds) == 0 {
		kinds, unknown = []schema.GroupVersionKind{{}}, true
	}
	var found []Finding
	var misfits [][]Finding // by kind
	for _, kind := range kinds {
		e, err := c.typed(sees.signature(kind), slices.ContainsFunc(expressions, expression.patches))
		if err != nil {
			return nil, err
		}
		unfit, others := c.examine(e, expressions, sees)
		misfits = append(misfits, unfit)
		for _, f := range others {
			if !slices.Contains(found, f) {
				found = append(found, f)
			}
		}
	}
	// An expression that distinguishes kinds need only fit one of them.
	fitsOther := func(f Finding) bool {
		return unknown || slices.ContainsFunc(misfits, func(of []Finding) bool {
			return !slices.ContainsFunc(of, func(o Finding) bool { return o.Field == f.Field && o.From == f.From })
		})
	}
	var wrong []Finding
	all := slices.Concat(misfits...)
	for _, e := range expressions {
		for _, f := range all {
			if f.Field == e.field && !slices.Contains(wrong, f) && !(distinguishes(e.text) && fitsOther(f)) {
				wrong = append(wrong, f)
			}
		}
	}
	return append(wrong, found...), nil
}

// matchesAnything reports whether the rules match resources of unknown kinds.
func (s seen) matchesAnything() bool {
	return slices.ContainsFunc(s.rules, func(r v1.RuleWithOperations) bool {
		return slices.Contains(r.APIGroups, "*") || slices.ContainsFunc(r.Resources, func(name string) bool { return strings.HasPrefix(name, "*") })
	})
}

// clusterScoped reports whether all objects have the scope Cluster. It is false if the scope of some is not known. The
// type may be nil.
func (s seen) clusterScoped(of *objectType) bool {
	if of != nil && of.scope != "" {
		return of.scope == string(v1.ClusterScope)
	}
	return len(s.rules) > 0 && !slices.ContainsFunc(s.rules, func(r v1.RuleWithOperations) bool {
		if r.Scope != nil && *r.Scope != v1.AllScopes {
			return *r.Scope != v1.ClusterScope
		}
		return len(r.Resources) == 0 || len(r.APIGroups) == 0 || slices.ContainsFunc(r.APIGroups, func(group string) bool {
			return slices.ContainsFunc(r.Resources, func(name string) bool {
				resource, _, _ := strings.Cut(name, "/")
				return !served.ClusterScoped(group, resource)
			})
		})
	})
}

// distinguishes reports whether an expression may treat kinds differently.
func distinguishes(text string) bool {
	return slices.ContainsFunc([]string{"has(", ".kind", ".?", ".resource", "requestResource", "requestKind", ".apiVersion", " in object"},
		func(mark string) bool { return strings.Contains(text, mark) })
}

// examine compares expressions with one kind of objects. misfits are problems that other kinds may not have.
func (c *Checker) examine(e *typedEnvironment, expressions []expression, sees seen) (misfits, others []Finding) {
	trees := map[string]*condition.Tree{} // by field
	fields := map[*condition.Tree]string{}
	variables := map[string]*condition.Tree{}
	var conditions []*condition.Tree
	var guarded []condition.Guarded
	mutations := &patches{typedEnvironment: e}
	cost := newCosts(e, other)
	for _, x := range expressions {
		unfit := func(rule condition.Rule, problems []condition.Problem) {
			for _, p := range problems {
				misfits = append(misfits, Finding{Rule: rule, Field: x.field, Problem: p})
			}
		}
		checked, certain, doubtful := e.fit(x)
		unfit(Fits, certain)
		unfit(Varies, doubtful)
		if x.role == variable {
			e.declare(x.name(), checked)
		}
		if checked == nil {
			continue
		}
		t := condition.NewTree(checked, x.text)
		unfit(Fits, e.values(x, t, variables))
		trees[x.field], fields[t] = t, x.field
		cost.add(x, checked)
		switch x.role {
		case variable:
			variables[x.name()] = t
		case matchCondition:
			conditions = append(conditions, t)
		case message:
			guarded = append(guarded, condition.Guarded{Tree: t, Unless: trees[fmt.Sprintf("spec.validations[%d].expression", x.index)]})
		default:
			guarded = append(guarded, condition.Guarded{Tree: t})
			if x.patches() {
				mutations.trees = append(mutations.trees, t)
			}
		}
	}
	situation := condition.Situation{Rules: sees.rules, Mutating: sees.mutating, Optional: e.optional, Variables: variables, Needs: mutations.needs, NoNamespace: !sees.webhook && sees.clusterScoped(e.object)}
	absences := condition.Absences(conditions, guarded, situation)
	if sees.paramKind != nil && sees.noParams != "" {
		situation.NoParams = sees.noParams
		for _, a := range condition.Absences(conditions, guarded, situation) {
			if !slices.Contains(absences, a) {
				absences = append(absences, a)
			}
		}
	}
	for _, a := range absences {
		if sees.webhook && !a.Typed {
			continue // which package condition reports
		}
		f := Finding{Rule: Present, Field: fields[a.Tree], Problem: a.Problem}
		switch {
		case strings.HasPrefix(f.Message, cel.NamespaceVarName+" is null") && a.Fails(cel.NamespaceVarName):
			f.Rule = Fits
		case a.Patched:
			f.Rule = Patchable
			f.Message += ", and the patch then fails: test it with has(), add it by an operation before this one, or use an apply configuration"
		case strings.HasPrefix(f.Message, cel.ParamsVarName+" is null"):
			f.Message = fmt.Sprintf("%s is null: %s", cel.ParamsVarName, sees.noParams)
		}
		others = append(others, f)
	}
	return misfits, append(others, cost.findings()...)
}
