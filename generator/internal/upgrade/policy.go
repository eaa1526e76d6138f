// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// tryOut returns the steps before a rule denies.
func tryOut() []string {
	return []string{
		`bind it with validationActions: "warn;audit" first, and look at the audit annotation validation.policy.admission.k8s.io/validation_failure`,
		"look for objects in the cluster that it denies: kubectl apply --dry-run=server of them",
		`then bind it with "deny"`,
	}
}

// samePolicy reports two policies of one kind and name, in two states.
func samePolicy(a, b *model.Policy) bool { return a.Mutating == b.Mutating && a.Name == b.Name }

// sameBinding reports two bindings of one name, of the same policy in two states.
func sameBinding(a, b *model.Binding) bool { return a.Name == b.Name }

// has reports whether a state has the webhook of another one: one of its kind and name.
func (s *State) has(w *model.Webhook) bool {
	return slices.ContainsFunc(s.Webhooks, func(other *Webhook) bool { return other.Mutating == w.Mutating && other.Spec.Name == w.Spec.Name })
}

func policyGone(p *pass) {
	for _, old := range only(p.from.Policies, p.to.Policies, samePolicy) {
		f := Finding{Range: old.Range, InOld: true, Severity: Careful, Lost: policyLoss(old, ""),
			Message: fmt.Sprintf("%s policy %s is gone", model.KindWord(old.Mutating), old.Name), Effect: unchecked(old.Mutating),
			Steps: []string{"delete the policy and its bindings in the cluster, if the tool that applies the manifests does not prune"}}
		if old.InsteadOf != nil && p.to.has(old.InsteadOf) {
			f.Severity = Safe
			f.Message += fmt.Sprintf(", and webhook %s takes its place", old.InsteadOf.Spec.Name)
			f.Effect = fmt.Sprintf("Clusters from Kubernetes 1.%d on call the webhook again.", old.Since)
		}
		p.report(f)
	}
}

// unchecked is the effect of a webhook or policy that is gone.
func unchecked(mutating bool) string {
	if mutating {
		return "New objects lack the values that it filled in."
	}
	return "Requests that it denied are accepted, and objects that it would have denied stay."
}

func policyStricter(p *pass) {
	for _, now := range only(p.to.Policies, p.from.Policies, samePolicy) {
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
			old, ok := find(both.old.Spec.Variables, func(old admissionregistrationv1.Variable) bool { return old.Name == v.Name })
			if ok && !sameText(old.Expression, v.Expression) {
				p.report(Finding{Range: both.new.Where(fmt.Sprintf("spec.variables[%d].expression", i)), Severity: Careful,
					Message: fmt.Sprintf("variable %s of policy %s has another expression", v.Name, both.new.Name),
					Effect:  "Every expression with variables." + v.Name + " may have another result.", Steps: tryOut()})
			}
		}
	}
}

func policyLooser(p *pass, old, now *model.Policy) {
	for i, v := range old.Spec.Validations {
		if !slices.ContainsFunc(now.Spec.Validations, func(other admissionregistrationv1.Validation) bool { return sameText(other.Expression, v.Expression) }) {
			p.report(Finding{Range: old.Where(fmt.Sprintf("spec.validations[%d].expression", i)), InOld: true, Severity: Careful, Lost: policyLoss(old, "the validation "+oneLine(v.Expression)),
				Message: fmt.Sprintf("policy %s no longer has the validation %s", now.Name, oneLine(v.Expression)),
				Effect:  "Requests that it denied are accepted, unless a changed validation denies them."})
		}
	}
	if policyFails(old) && !policyFails(now) {
		p.report(Finding{Range: now.Where("spec.failurePolicy"), Severity: Careful, Lost: policyLoss(now, "failurePolicy Fail becomes Ignore"),
			Message: fmt.Sprintf("policy %s fails open: failurePolicy Fail becomes Ignore", now.Name),
			Effect:  "Requests for which an expression fails pass the policy by."})
	}
	for _, b := range pairs(old.Bindings, now.Bindings, sameBinding) {
		then := b.new.Spec.ValidationActions
		var lost []string
		for _, action := range b.old.Spec.ValidationActions {
			// A denial has the message of a warning.
			isTold := action == admissionregistrationv1.Warn && slices.Contains(then, admissionregistrationv1.Deny)
			if !isTold && !slices.Contains(then, action) {
				lost = append(lost, string(action))
			}
		}
		effect := "No warning or audit entry reports the requests that the policy would deny."
		if slices.Contains(lost, string(admissionregistrationv1.Deny)) {
			effect = "Requests that the policy denied are accepted, and objects that it would have denied stay."
		}
		if len(lost) > 0 {
			p.report(Finding{Range: b.new.Where("spec.validationActions"), Severity: Careful,
				Lost:    bindingLoss(b.new, now, "no longer "+strings.Join(lost, " and ")),
				Message: fmt.Sprintf("binding %s no longer has the action %s", b.new.Name, strings.Join(lost, " and ")),
				Effect:  effect})
		}
	}
}

func policyTighter(p *pass, old, now *model.Policy) {
	if !policyFails(old) && policyFails(now) {
		p.report(Finding{Range: now.Where("spec.failurePolicy"), Severity: Careful,
			Message: fmt.Sprintf("policy %s fails closed: failurePolicy Ignore becomes Fail", now.Name),
			Effect:  "Requests for which an expression fails are refused: a field that is not there, a cost above the limit, missing parameters."})
	}
	for _, b := range pairs(old.Bindings, now.Bindings, sameBinding) {
		if slices.Contains(b.new.Spec.ValidationActions, admissionregistrationv1.Deny) && !slices.Contains(b.old.Spec.ValidationActions, admissionregistrationv1.Deny) {
			p.report(Finding{Range: b.new.Where("spec.validationActions"), Severity: Careful,
				Message: fmt.Sprintf("binding %s begins to deny", b.new.Name),
				Effect:  "It denies what passed with a warning or a note in the audit log, or unseen.",
				Steps:   []string{"look at what it would deny: the audit annotation validation.policy.admission.k8s.io/validation_failure"}})
		}
	}
}

func bindingGone(p *pass, old, now *model.Policy) {
	for _, gone := range only(old.Bindings, now.Bindings, sameBinding) {
		p.report(Finding{Range: gone.Where("metadata.name"), InOld: true, Severity: Careful, Lost: bindingLoss(gone, old, ""),
			Message: fmt.Sprintf("binding %s of policy %s is gone", gone.Name, now.Name),
			Effect:  "Where no other binding applies the policy, its rules do not hold any more.",
			Steps:   []string{"delete the binding in the cluster, if the tool that applies the manifests does not prune"}})
	}
}

func policyOtherwise(p *pass, old, now *model.Policy) {
	const never = admissionregistrationv1.NeverReinvocationPolicy
	before, then := old.Spec, now.Spec
	var added, removed []string
	for _, c := range only(then.MatchConditions, before.MatchConditions, sameCondition) {
		added = append(added, fmt.Sprintf("the condition %q was added", c.Name))
	}
	for _, m := range only(before.Mutations, then.Mutations, func(a, b admissionregistrationv1.Mutation) bool { return equality.Semantic.DeepEqual(a, b) }) {
		removed = append(removed, "the mutation "+oneLine(mutationText(m)))
	}
	for _, part := range []struct {
		field, what  string
		before, then any
		lost         string
	}{
		{"spec.matchConstraints", "match constraints", spec.DefaultedMatch(before.MatchConstraints), spec.DefaultedMatch(then.MatchConstraints), p.matchesFewer(before.MatchConstraints, then.MatchConstraints)},
		{"spec.matchConditions", "match conditions", before.MatchConditions, then.MatchConditions, strings.Join(added, "; ")},
		{"spec.paramKind", "parameters", before.ParamKind, then.ParamKind, ""},
		{"spec.mutations", "mutations", before.Mutations, then.Mutations, strings.Join(removed, "; ")},
		{"spec.reinvocationPolicy", "rules of reinvocation", cmp.Or(before.ReinvocationPolicy, never), cmp.Or(then.ReinvocationPolicy, never), ""},
	} {
		if !equality.Semantic.DeepEqual(part.before, part.then) {
			f := Finding{Range: now.Where(part.field), Severity: Careful, Message: fmt.Sprintf("policy %s has other %s", now.Name, part.what),
				Effect: "It holds for other requests, or gives other results."}
			if part.lost != "" {
				f.Lost = policyLoss(now, part.lost)
			}
			p.report(f)
		}
	}
	for _, b := range only(now.Bindings, old.Bindings, sameBinding) {
		if len(old.Bindings) > 0 {
			p.report(Finding{Range: b.Where("metadata.name"), Severity: Careful, Message: fmt.Sprintf("binding %s of policy %s is new", b.Name, now.Name),
				Effect: "The policy holds for further requests, or with further parameters."})
		}
	}
	for _, b := range pairs(old.Bindings, now.Bindings, sameBinding) {
		if !equality.Semantic.DeepEqual(spec.DefaultedMatch(b.old.Spec.MatchResources), spec.DefaultedMatch(b.new.Spec.MatchResources)) {
			f := Finding{Range: b.new.Where("spec.matchResources"), Severity: Careful, Message: fmt.Sprintf("binding %s has other match resources", b.new.Name),
				Effect: "Its policy holds for other requests."}
			if fewer := p.matchesFewer(b.old.Spec.MatchResources, b.new.Spec.MatchResources); fewer != "" {
				f.Lost = bindingLoss(b.new, now, fewer)
			}
			p.report(f)
		}
		if !equality.Semantic.DeepEqual(b.old.Spec.ParamRef, b.new.Spec.ParamRef) {
			p.report(Finding{Range: b.new.Where("spec.paramRef"), Severity: Careful, Message: fmt.Sprintf("binding %s has other parameters", b.new.Name),
				Effect: "Its policy may have other results."})
		}
	}
}

// sameCondition reports two match conditions with one expression. A name decides nothing.
func sameCondition(a, b admissionregistrationv1.MatchCondition) bool {
	return sameText(a.Expression, b.Expression)
}

// mutationText returns the expression of a mutation.
func mutationText(m admissionregistrationv1.Mutation) string {
	switch {
	case m.ApplyConfiguration != nil:
		return m.ApplyConfiguration.Expression
	case m.JSONPatch != nil:
		return m.JSONPatch.Expression
	}
	return string(m.PatchType)
}

// bindingLoss is the loss of a policy's binding, or a part of it.
func bindingLoss(b *model.Binding, of *model.Policy, what string) *Loss {
	l := policyLoss(of, what)
	l.Object = Object{Binding, b.Name}
	return l
}

// sameValidations calls a function for the validations of two policies that have the same expression: with the index in
// the new policy.
func sameValidations(old, now *model.Policy, call func(i int, before, then admissionregistrationv1.Validation)) {
	for i, then := range now.Spec.Validations {
		if before, ok := find(old.Spec.Validations, func(v admissionregistrationv1.Validation) bool { return sameText(v.Expression, then.Expression) }); ok {
			call(i, before, then)
		}
	}
}

func otherReason(p *pass, old, now *model.Policy) {
	sameValidations(old, now, func(i int, before, then admissionregistrationv1.Validation) {
		was, is := reason(before), reason(then)
		if was == is {
			return
		}
		p.report(Finding{Range: now.Where(fmt.Sprintf("spec.validations[%d].reason", i)), Severity: Careful,
			Message: fmt.Sprintf("policy %s denies with %d %s in place of %d %s: %s", now.Name, code(is), is, code(was), was, oneLine(then.Expression)),
			Effect:  "Clients that decide by the code or the reason of an answer behave differently: controllers that retry, scripts, tests.",
			Steps:   []string{fmt.Sprintf("look for clients that expect %s: apierrors.Is%s, metav1.StatusReason%s, the code %d", was, was, was, code(was))}})
	})
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

func otherMessage(p *pass, old, now *model.Policy) {
	sameValidations(old, now, func(i int, before, then admissionregistrationv1.Validation) {
		var field string
		switch {
		case strings.TrimSpace(before.Message) != strings.TrimSpace(then.Message) && then.Message != "":
			field = "message"
		case !sameText(before.MessageExpression, then.MessageExpression):
			field = "messageExpression"
		case strings.TrimSpace(before.Message) != strings.TrimSpace(then.Message):
			field = "expression"
		default:
			return
		}
		p.report(Finding{Range: now.Where(fmt.Sprintf("spec.validations[%d].%s", i, field)), Severity: Safe,
			Message: fmt.Sprintf("policy %s denies with another message: %s", now.Name, oneLine(then.Expression)),
			Effect:  "Clients, warnings and the audit log have another text. Only tests and searches for it notice."})
	})
}

func otherAnnotations(p *pass, old, now *model.Policy) {
	in := func(all []admissionregistrationv1.AuditAnnotation, key string) (admissionregistrationv1.AuditAnnotation, bool) {
		return find(all, func(a admissionregistrationv1.AuditAnnotation) bool { return a.Key == key })
	}
	before, then := old.Spec.AuditAnnotations, now.Spec.AuditAnnotations
	for i, a := range before {
		if _, ok := in(then, a.Key); !ok {
			p.report(Finding{Range: old.Where(fmt.Sprintf("spec.auditAnnotations[%d].key", i)), InOld: true, Severity: Careful,
				Message: fmt.Sprintf("policy %s no longer has the audit annotation %s", now.Name, a.Key),
				Effect:  fmt.Sprintf("Consumers of the audit log find no entry %s/%s: alerts and reports that depend on it stay silent.", now.Name, a.Key)})
		}
	}
	for i, a := range then {
		f := Finding{Range: now.Where(fmt.Sprintf("spec.auditAnnotations[%d].valueExpression", i)), Severity: Careful}
		switch was, ok := in(before, a.Key); {
		case !ok:
			f.Message = fmt.Sprintf("policy %s has the new audit annotation %s", now.Name, a.Key)
			f.Effect = fmt.Sprintf("The audit log has an entry %s/%s.", now.Name, a.Key)
			if !policyFails(now) {
				f.Severity = Safe
			} else {
				f.Effect += " Requests for which its expression fails are refused, because failurePolicy is Fail."
			}
		case !sameText(was.ValueExpression, a.ValueExpression):
			f.Message = fmt.Sprintf("audit annotation %s of policy %s has another expression", a.Key, now.Name)
			f.Effect = fmt.Sprintf("Consumers of the audit log find other values at %s/%s.", now.Name, a.Key)
		default:
			continue
		}
		p.report(f)
	}
}

// policyFails reports whether requests are refused if an expression of a policy fails.
func policyFails(p *model.Policy) bool {
	return p.Spec.FailurePolicy == nil || *p.Spec.FailurePolicy == admissionregistrationv1.Fail
}
