// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// The following rules are our own: API servers accept what they report.

// bindingEffect reports a binding whose rules have nothing in common with its policy's. Groups and versions may differ:
// the same object can be sent in several.
func bindingEffect(p bindingPass) {
	own, policy := p.Spec.MatchResources, p.policy.Spec.MatchConstraints
	if own == nil || policy == nil || len(own.ResourceRules) == 0 {
		return
	}
	for _, a := range own.ResourceRules {
		for _, b := range policy.ResourceRules {
			if spec.Meet(a.Operations, b.Operations) && spec.ResourcesMeet(a.Resources, b.Resources) &&
				(len(a.ResourceNames) == 0 || len(b.ResourceNames) == 0 || spec.Intersect(a.ResourceNames, b.ResourceNames)) {
				return
			}
		}
	}
	p.at("spec.matchResources.resourceRules[0]", "the binding matches nothing of the policy %s", p.policy.Name).
		Hint = "a binding narrows its policy: name operations, resources and names that the policy has"
}

func bindingParameters(p bindingPass) {
	switch spec := p.policy.Spec; {
	case spec.ParamKind == nil && p.Spec.ParamRef != nil:
		p.at("spec.paramRef", "the policy %s has no kind of parameters, and API servers ignore these", p.policy.Name).
			Hint = `add params: "group/version/Kind" to the policy`
	case spec.ParamKind != nil && p.Spec.ParamRef == nil && !comparesParams(spec):
		p.at("spec.paramRef", "the policy %s has parameters, and the binding names none", p.policy.Name).
			Hint = `add params: "namespace/name" or paramSelector to +webhook:policy:binding, or compare params with null first`
	}
}

// comparesParams reports whether an expression of a policy distinguishes a binding without parameters. Expressions of
// messages and audit annotations do not count.
func comparesParams(s model.PolicySpec) bool {
	return slices.ContainsFunc(s.Expressions(), func(e model.Expression) bool {
		text := strings.Join(strings.Fields(e.Text), "")
		return strings.HasSuffix(e.Field, ".expression") && (strings.Contains(text, "params==null") || strings.Contains(text, "params!=null"))
	})
}

// kindOf returns the kind of a policy, and the minor version of Kubernetes 1 that first serves it.
func kindOf(p *model.Policy) (kind string, first int) {
	if p.Mutating {
		return "MutatingAdmissionPolicy", model.ServesMutatingBeta
	}
	return "ValidatingAdmissionPolicy", model.ServesValidating
}

// servedPolicy reports a policy that the oldest supported API server does not serve.
func servedPolicy(p policyPass) {
	if !p.project.MinKubernetes.IsSet() || p.InsteadOf != nil {
		return
	}
	oldest := p.project.OldestKubernetes()
	kind, first := kindOf(p.Policy)
	report := func(format string, args ...any) *diag.Diagnostic {
		d := p.report(p.project.MinKubernetes.At, false, Finding{}, format, args...)
		*d = d.WithRelated(p.Range, "the policy is here")
		return d
	}
	switch {
	case oldest < first:
		report("Kubernetes 1.%d serves no %s; 1.%d is the first that does", oldest, kind, first)
	case p.Mutating && oldest < model.ServesMutating:
		d := report("Kubernetes 1.%d serves %s as v1beta1, if that API is turned on, and policies.yaml has v1", oldest, kind)
		d.Severity = diag.Warning
		d.Hint = "the chart, and the component config/policies-v1beta1, write v1beta1 there"
	}
}

func uniqueVariables(p policyPass) {
	for i, v := range p.Spec.Variables {
		first := slices.IndexFunc(p.Spec.Variables, func(other admissionregistrationv1.Variable) bool { return other.Name == v.Name })
		if first < i {
			d := p.at(fmt.Sprintf("spec.variables[%d].name", i), "the policy has two variables called %q", v.Name)
			*d = d.WithRelated(p.Where(fmt.Sprintf("spec.variables[%d].name", first)), "the first is here")
		}
	}
}

func policyQuotes(p policyPass) {
	for _, e := range p.Spec.Expressions() {
		quotes(p.at, e.Field, e.Text)
	}
}

func webhookQuotes(p webhookPass) {
	for i, c := range p.Spec.MatchConditions {
		quotes(p.at, fmt.Sprintf("matchConditions[%d].expression", i), c.Expression)
	}
}

// quotes reports an expression that has, outside of its texts, what gofmt makes of two quotes.
func quotes(report reporter, field, expression string) {
	if slices.ContainsFunc(celWord.FindAllString(expression, -1), func(word string) bool { return word == "”" || word == "“" }) {
		report(field, "the expression has a quotation mark that CEL does not know").
			Hint = "gofmt makes ” of two single quotes: write \"\" for an empty text, and the expression in backquotes"
	}
}

// repeatedRule reports a validation that says what a rule of the definition says.
func repeatedRule(p policyPass) {
	for i, v := range p.Spec.Validations {
		own := words(v.Expression, nil)
		for _, r := range p.DefinitionRules {
			if slices.Equal(own, words(r.Expression, r.Path)) {
				d := p.at(fmt.Sprintf("spec.validations[%d].expression", i), "the definition has the same rule")
				*d = d.WithHint("keep one of them: docs/guides/policies.md compares them").WithRelated(r.At, "the rule of the definition is here")
			}
		}
	}
}

var celWord = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|\S`)

// words splits an expression into its words. In a rule of a definition, self and oldSelf become the part of the object
// and the old object at a path.
func words(expression string, path []string) []string {
	var all []string
	for _, word := range celWord.FindAllString(expression, -1) {
		object := map[string]string{"self": "object", "oldSelf": "oldObject"}[word]
		if object == "" || len(all) > 0 && all[len(all)-1] == "." {
			all = append(all, strings.ReplaceAll(word, `"`, "'"))
			continue
		}
		all = append(all, object)
		for _, name := range path {
			all = append(all, ".", name)
		}
	}
	return all
}
