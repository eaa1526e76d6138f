// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// tryOut returns the steps before a rule denies.
func tryOut() []string {
	return []string{
		`bind it with validationActions: "warn;audit" first, and look at the audit annotation validation.policy.admission.k8s.io/validation_failure`,
		"look for objects in the cluster that it denies: kubectl apply --dry-run=server of them",
		`then bind it with "deny"`,
	}
}

// matchPolicies finds the policies of both states that are the same: of one kind and name.
func (s *step) matchPolicies() {
	for _, old := range s.from.Policies {
		if now := policyNamed(s.to.Policies, old.Mutating, old.Name); now != nil {
			s.policies = append(s.policies, pair[*model.Policy]{old, now})
		}
	}
}

func policyNamed(all []*model.Policy, mutating bool, name string) *model.Policy {
	i := slices.IndexFunc(all, func(p *model.Policy) bool { return p.Mutating == mutating && p.Name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// has reports whether a state has the webhook of another one: one of its kind and name.
func (s *State) has(w *model.Webhook) bool {
	return slices.ContainsFunc(s.webhooks(), func(other *Webhook) bool { return other.Mutating == w.Mutating && other.Spec.Name == w.Spec.Name })
}

// bindings returns the bindings of a pair of policies that both have, by name.
func bindings(p pair[*model.Policy]) (all []pair[*model.Binding]) {
	for _, old := range p.old.Bindings {
		i := slices.IndexFunc(p.new.Bindings, func(b *model.Binding) bool { return b.Name == old.Name })
		if i >= 0 {
			all = append(all, pair[*model.Binding]{old, p.new.Bindings[i]})
		}
	}
	return all
}

func policyGone(p *pass) {
	for _, old := range p.from.Policies {
		if policyNamed(p.to.Policies, old.Mutating, old.Name) != nil {
			continue
		}
		effect := "Requests that it denied are accepted, and objects that it would have denied stay."
		if old.Mutating {
			effect = "New objects lack the values that it filled in."
		}
		if old.InsteadOf != nil && p.to.has(old.InsteadOf) {
			p.report(Finding{Range: old.Range, InOld: true, Severity: Safe,
				Message: fmt.Sprintf("%s policy %s is gone, and webhook %s takes its place", model.KindWord(old.Mutating), old.Name, old.InsteadOf.Spec.Name),
				Effect:  fmt.Sprintf("Clusters from Kubernetes 1.%d on call the webhook again.", old.Since),
				Steps:   []string{"delete the policy and its bindings in the cluster, if the tool that applies the manifests does not prune"}})
			continue
		}
		p.report(Finding{Range: old.Range, InOld: true, Severity: Careful,
			Message: fmt.Sprintf("%s policy %s is gone", model.KindWord(old.Mutating), old.Name), Effect: effect,
			Steps: []string{"delete the policy and its bindings in the cluster, if the tool that applies the manifests does not prune"}})
	}
}

func policyStricter(p *pass) {
	for _, now := range p.to.Policies {
		if policyNamed(p.from.Policies, now.Mutating, now.Name) != nil {
			continue
		}
		f := Finding{Range: now.Range, Severity: Careful, Message: fmt.Sprintf("%s policy %s is new", model.KindWord(now.Mutating), now.Name),
			Effect: "It may deny what passed, updates of objects that exist among it.", Steps: tryOut()}
		if now.Mutating {
			f.Effect, f.Steps = "It changes objects as soon as it is applied, objects that exist with their next update.", nil
		}
		if now.InsteadOf != nil && p.from.has(now.InsteadOf) {
			f.Severity, f.Steps = Safe, nil
			f.Message = fmt.Sprintf("%s policy %s replaces webhook %s from Kubernetes 1.%d on", model.KindWord(now.Mutating), now.Name, now.InsteadOf.Spec.Name, now.Since)
			f.Effect = "It is enforced on the same requests. The generated test compares both on random objects."
		}
		p.report(f)
	}
	for _, both := range p.policies {
		for i, v := range both.new.Spec.Validations {
			if !slices.ContainsFunc(both.old.Spec.Validations, func(old admissionregistrationv1.Validation) bool { return sameText(old.Expression, v.Expression) }) {
				p.report(Finding{Range: both.new.Where(fmt.Sprintf("spec.validations[%d].expression", i)), Severity: Careful,
					Message: fmt.Sprintf("policy %s has a new or changed validation: %s", both.new.Name, oneLine(v.Expression)),
					Effect:  "It may deny what passed, updates of objects that exist among it.", Steps: tryOut()})
			}
		}
		for i, v := range both.new.Spec.Variables {
			old := slices.IndexFunc(both.old.Spec.Variables, func(old admissionregistrationv1.Variable) bool { return old.Name == v.Name })
			if old >= 0 && !sameText(both.old.Spec.Variables[old].Expression, v.Expression) {
				p.report(Finding{Range: both.new.Where(fmt.Sprintf("spec.variables[%d].expression", i)), Severity: Careful,
					Message: fmt.Sprintf("variable %s of policy %s has another expression", v.Name, both.new.Name),
					Effect:  "Every expression with variables." + v.Name + " may have another result.", Steps: tryOut()})
			}
		}
	}
}

func policyLooser(p *pass) {
	for _, both := range p.policies {
		for i, v := range both.old.Spec.Validations {
			if !slices.ContainsFunc(both.new.Spec.Validations, func(now admissionregistrationv1.Validation) bool { return sameText(now.Expression, v.Expression) }) {
				p.report(Finding{Range: both.old.Where(fmt.Sprintf("spec.validations[%d].expression", i)), InOld: true, Severity: Careful,
					Message: fmt.Sprintf("policy %s no longer has the validation %s", both.new.Name, oneLine(v.Expression)),
					Effect:  "Requests that it denied are accepted, unless a changed validation denies them."})
			}
		}
		if policyFails(both.old) && !policyFails(both.new) {
			p.report(Finding{Range: both.new.Where("spec.failurePolicy"), Severity: Careful,
				Message: fmt.Sprintf("policy %s fails open: failurePolicy Fail becomes Ignore", both.new.Name),
				Effect:  "Requests for which an expression fails pass the policy by."})
		}
		for _, b := range bindings(both) {
			lost := missing(b.old.Spec.ValidationActions, b.new.Spec.ValidationActions)
			// A denial has the message of a warning.
			if slices.Contains(b.new.Spec.ValidationActions, admissionregistrationv1.Deny) {
				lost = slices.DeleteFunc(lost, func(action string) bool { return action == string(admissionregistrationv1.Warn) })
			}
			if len(lost) > 0 {
				p.report(Finding{Range: b.new.Where("spec.validationActions"), Severity: Careful,
					Message: fmt.Sprintf("binding %s no longer has the action %s", b.new.Name, strings.Join(lost, " and ")),
					Effect:  looserEffect(lost)})
			}
		}
	}
}

func looserEffect(lost []string) string {
	if slices.Contains(lost, string(admissionregistrationv1.Deny)) {
		return "Requests that the policy denied are accepted, and objects that it would have denied stay."
	}
	return "No warning or audit entry reports the requests that the policy would deny."
}

func policyTighter(p *pass) {
	for _, both := range p.policies {
		if !policyFails(both.old) && policyFails(both.new) {
			p.report(Finding{Range: both.new.Where("spec.failurePolicy"), Severity: Careful,
				Message: fmt.Sprintf("policy %s fails closed: failurePolicy Ignore becomes Fail", both.new.Name),
				Effect:  "Requests for which an expression fails are refused: a field that is not there, a cost above the limit, missing parameters."})
		}
		for _, b := range bindings(both) {
			if slices.Contains(missing(b.new.Spec.ValidationActions, b.old.Spec.ValidationActions), string(admissionregistrationv1.Deny)) {
				p.report(Finding{Range: b.new.Where("spec.validationActions"), Severity: Careful,
					Message: fmt.Sprintf("binding %s begins to deny", b.new.Name),
					Effect:  "It denies what passed with a warning or a note in the audit log, or unseen.",
					Steps:   []string{"look at what it would deny: the audit annotation validation.policy.admission.k8s.io/validation_failure"}})
			}
		}
	}
}

func bindingGone(p *pass) {
	for _, both := range p.policies {
		for _, old := range both.old.Bindings {
			if !slices.ContainsFunc(both.new.Bindings, func(b *model.Binding) bool { return b.Name == old.Name }) {
				p.report(Finding{Range: old.Where("metadata.name"), InOld: true, Severity: Careful,
					Message: fmt.Sprintf("binding %s of policy %s is gone", old.Name, both.new.Name),
					Effect:  "Where no other binding applies the policy, its rules do not hold any more.",
					Steps:   []string{"delete the binding in the cluster, if the tool that applies the manifests does not prune"}})
			}
		}
	}
}

func policyOtherwise(p *pass) {
	report := func(at, name, what string, both pair[*model.Policy]) {
		p.report(Finding{Range: both.new.Where(at), Severity: Careful, Message: fmt.Sprintf("policy %s has other %s", name, what),
			Effect: "It holds for other requests, or gives other results."})
	}
	for _, both := range p.policies {
		old, now := both.old.Spec, both.new.Spec
		for _, part := range []struct {
			field, what string
			old, now    any
		}{
			{"spec.matchConstraints", "match constraints", plainMatch(old.MatchConstraints), plainMatch(now.MatchConstraints)},
			{"spec.matchConditions", "match conditions", emptyNil(old.MatchConditions), emptyNil(now.MatchConditions)},
			{"spec.paramKind", "parameters", old.ParamKind, now.ParamKind},
			{"spec.mutations", "mutations", emptyNil(old.Mutations), emptyNil(now.Mutations)},
			{"spec.reinvocationPolicy", "rules of reinvocation", reinvocation(old), reinvocation(now)},
		} {
			if !reflect.DeepEqual(part.old, part.now) {
				report(part.field, both.new.Name, part.what, both)
			}
		}
		for _, b := range both.new.Bindings {
			if len(both.old.Bindings) > 0 && !slices.ContainsFunc(both.old.Bindings, func(old *model.Binding) bool { return old.Name == b.Name }) {
				p.report(Finding{Range: b.Where("metadata.name"), Severity: Careful, Message: fmt.Sprintf("binding %s of policy %s is new", b.Name, both.new.Name),
					Effect: "The policy holds for further requests, or with further parameters."})
			}
		}
		for _, b := range bindings(both) {
			if !reflect.DeepEqual(plainMatch(b.old.Spec.MatchResources), plainMatch(b.new.Spec.MatchResources)) {
				p.report(Finding{Range: b.new.Where("spec.matchResources"), Severity: Careful, Message: fmt.Sprintf("binding %s has other match resources", b.new.Name),
					Effect: "Its policy holds for other requests."})
			}
			if !reflect.DeepEqual(b.old.Spec.ParamRef, b.new.Spec.ParamRef) {
				p.report(Finding{Range: b.new.Where("spec.paramRef"), Severity: Careful, Message: fmt.Sprintf("binding %s has other parameters", b.new.Name),
					Effect: "Its policy may have other results."})
			}
		}
	}
}

// sameValidations calls a function for the validations of a pair of policies that have the same expression: with the
// index in the new policy.
func sameValidations(p pair[*model.Policy], call func(i int, old, now admissionregistrationv1.Validation)) {
	for i, now := range p.new.Spec.Validations {
		old := slices.IndexFunc(p.old.Spec.Validations, func(v admissionregistrationv1.Validation) bool { return sameText(v.Expression, now.Expression) })
		if old >= 0 {
			call(i, p.old.Spec.Validations[old], now)
		}
	}
}

func otherReason(p *pass) {
	for _, both := range p.policies {
		sameValidations(both, func(i int, old, now admissionregistrationv1.Validation) {
			before, then := reason(old), reason(now)
			if before == then {
				return
			}
			p.report(Finding{Range: both.new.Where(fmt.Sprintf("spec.validations[%d].reason", i)), Severity: Careful,
				Message: fmt.Sprintf("policy %s denies with %d %s in place of %d %s: %s", both.new.Name, code(then), then, code(before), before, oneLine(now.Expression)),
				Effect:  "Clients that decide by the code or the reason of an answer behave differently: controllers that retry, scripts, tests.",
				Steps:   []string{fmt.Sprintf("look for clients that expect %s: apierrors.Is%s, metav1.StatusReason%s, the code %d", before, before, before, code(before))}})
		})
	}
}

// reason is the reason of an API server's answer.
func reason(v admissionregistrationv1.Validation) metav1.StatusReason {
	if v.Reason == nil || *v.Reason == "" {
		return metav1.StatusReasonInvalid
	}
	return *v.Reason
}

// code is the code of an API server's answer (k8s.io/apiserver/pkg/admission/plugin/policy/validating, reasonToCode).
func code(r metav1.StatusReason) int {
	switch r {
	case metav1.StatusReasonForbidden:
		return http.StatusForbidden
	case metav1.StatusReasonUnauthorized:
		return http.StatusUnauthorized
	case metav1.StatusReasonRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusUnprocessableEntity
}

func otherMessage(p *pass) {
	for _, both := range p.policies {
		sameValidations(both, func(i int, old, now admissionregistrationv1.Validation) {
			var field string
			switch {
			case strings.TrimSpace(old.Message) != strings.TrimSpace(now.Message) && now.Message != "":
				field = "message"
			case !sameText(old.MessageExpression, now.MessageExpression):
				field = "messageExpression"
			case strings.TrimSpace(old.Message) != strings.TrimSpace(now.Message):
				field = "expression"
			default:
				return
			}
			p.report(Finding{Range: both.new.Where(fmt.Sprintf("spec.validations[%d].%s", i, field)), Severity: Safe,
				Message: fmt.Sprintf("policy %s denies with another message: %s", both.new.Name, oneLine(now.Expression)),
				Effect:  "Clients, warnings and the audit log have another text. Only tests and searches for it notice."})
		})
	}
}

func otherAnnotations(p *pass) {
	for _, both := range p.policies {
		find := func(all []admissionregistrationv1.AuditAnnotation, key string) int {
			return slices.IndexFunc(all, func(a admissionregistrationv1.AuditAnnotation) bool { return a.Key == key })
		}
		old, now := both.old.Spec.AuditAnnotations, both.new.Spec.AuditAnnotations
		for i, a := range old {
			if find(now, a.Key) < 0 {
				p.report(Finding{Range: both.old.Where(fmt.Sprintf("spec.auditAnnotations[%d].key", i)), InOld: true, Severity: Careful,
					Message: fmt.Sprintf("policy %s no longer has the audit annotation %s", both.new.Name, a.Key),
					Effect:  fmt.Sprintf("Consumers of the audit log find no entry %s/%s: alerts and reports that depend on it stay silent.", both.new.Name, a.Key)})
			}
		}
		for i, a := range now {
			f := Finding{Range: both.new.Where(fmt.Sprintf("spec.auditAnnotations[%d].valueExpression", i)), Severity: Careful}
			switch before := find(old, a.Key); {
			case before < 0:
				f.Message = fmt.Sprintf("policy %s has the new audit annotation %s", both.new.Name, a.Key)
				f.Effect = fmt.Sprintf("The audit log has an entry %s/%s.", both.new.Name, a.Key)
				if !policyFails(both.new) {
					f.Severity = Safe
				} else {
					f.Effect += " Requests for which its expression fails are refused, because failurePolicy is Fail."
				}
			case !sameText(old[before].ValueExpression, a.ValueExpression):
				f.Message = fmt.Sprintf("audit annotation %s of policy %s has another expression", a.Key, both.new.Name)
				f.Effect = fmt.Sprintf("Consumers of the audit log find other values at %s/%s.", both.new.Name, a.Key)
			default:
				continue
			}
			p.report(f)
		}
	}
}

// policyFails reports whether requests are refused if an expression of a policy fails.
func policyFails(p *model.Policy) bool {
	return p.Spec.FailurePolicy == nil || *p.Spec.FailurePolicy == admissionregistrationv1.Fail
}

func reinvocation(s model.PolicySpec) admissionregistrationv1.ReinvocationPolicyType {
	if s.ReinvocationPolicy == "" {
		return admissionregistrationv1.NeverReinvocationPolicy
	}
	return s.ReinvocationPolicy
}

// plainMatch is match constraints with the defaults of API servers (SetDefaults_MatchResources, SetDefaults_Rule).
func plainMatch(m *admissionregistrationv1.MatchResources) admissionregistrationv1.MatchResources {
	if m == nil {
		m = &admissionregistrationv1.MatchResources{}
	}
	m = m.DeepCopy()
	preset(&m.MatchPolicy, admissionregistrationv1.Equivalent)
	preset(&m.NamespaceSelector, metav1.LabelSelector{})
	preset(&m.ObjectSelector, metav1.LabelSelector{})
	m.ResourceRules, m.ExcludeResourceRules = emptyNil(m.ResourceRules), emptyNil(m.ExcludeResourceRules)
	for _, rules := range [][]admissionregistrationv1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range rules {
			preset(&rules[i].Scope, admissionregistrationv1.AllScopes)
		}
	}
	return *m
}

// emptyNil makes nil of an empty list.
func emptyNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// missing returns the actions of one list that another one lacks.
func missing(from, in []admissionregistrationv1.ValidationAction) (all []string) {
	for _, a := range from {
		if !slices.Contains(in, a) {
			all = append(all, string(a))
		}
	}
	return all
}

// sameText reports whether two expressions differ in blanks alone.
func sameText(a, b string) bool { return oneLine(a) == oneLine(b) }

func oneLine(expression string) string { return strings.Join(strings.Fields(expression), " ") }
