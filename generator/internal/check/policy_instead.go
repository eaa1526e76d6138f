// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// sameRequests reports arguments and members by which a policy and the webhook that it replaces would be enforced on
// different requests.
func sameRequests(p policyPass) {
	w := p.InsteadOf
	if w == nil {
		return
	}
	name := w.Spec.Name
	for _, field := range ownMatch(p.At) {
		p.at(field, "the policy replaces the webhook %s, and has the webhook's match", name).
			Hint = "remove it here; change the match of the webhook instead"
	}
	if p.Kind != w.Kind && (p.Kind == nil || w.Kind == nil || !p.Kind.Is(*w.Kind)) {
		p.at("insteadOf", "the policy is for another type than the webhook %s", name).Hint = "remove for"
	}
	if p.Spec.ParamKind != nil {
		p.at("spec.paramKind", "the policy has parameters, and the webhook %s has none", name).
			Hint = "remove params, or write a policy with parameters beside the webhook, without insteadOf"
	}
	if w.Policy != p.Policy {
		d := p.at("insteadOf", "two policies replace the webhook %s", name)
		*d = d.WithHint("write the validations or mutations of both into one policy").WithRelated(w.Policy.Where("insteadOf"), "the other is here")
	}
	replacedOptions(p, w)
	everywhere(p)
}

// ownMatch returns the fields of the match that arguments or members of the policy set: of a rule, only the rule itself
// if a member makes it.
func ownMatch(at model.Positions) (fields []string) {
	for _, field := range slices.Sorted(maps.Keys(at)) {
		below := strings.HasPrefix(field, "spec.matchConstraints.")
		if below && !slices.ContainsFunc(fields, func(f string) bool {
			return at[f] == at[field] || strings.HasPrefix(field, f+".") || strings.HasPrefix(field, f+"[")
		}) {
			fields = append(fields, field)
		}
	}
	return fields
}

// everywhere reports that no binding puts a policy that replaces a webhook into effect for all of its requests.
func everywhere(p policyPass) {
	if slices.ContainsFunc(p.Bindings, func(b *model.Binding) bool {
		return b.Spec.MatchResources == nil && (p.Mutating || slices.Contains(b.Spec.ValidationActions, admissionregistrationv1.Deny))
	}) {
		return
	}
	at := p.Range
	if len(p.Bindings) > 0 {
		at = p.Bindings[0].Range
	}
	d := p.report(at, false, Finding{}, "no binding enforces the policy %s on all requests of the webhook %s", p.Name, p.InsteadOf.Spec.Name)
	d.Hint = "remove +webhook:policy:binding, or add one without rules, operations and selectors"
	if !p.Mutating {
		d.Hint += ` and with validationActions: "deny"`
	}
}

func servedSince(p policyPass) {
	if p.InsteadOf == nil {
		return
	}
	if kind, first := kindOf(p.Policy); p.Since < first {
		p.at("since", "Kubernetes 1.%d serves no %s; 1.%d is the first that does", p.Since, kind, first).Hint = fmt.Sprintf("since: \"1.%d\"", first)
	}
}

func replacedEverywhere(p policyPass) {
	if p.InsteadOf == nil || !p.project.MinKubernetes.IsSet() || p.project.OldestKubernetes() < p.Since {
		return
	}
	d := p.at("insteadOf", "no supported cluster has the webhook %s: minKubernetesVersion is %s, and the policy replaces it since 1.%d", p.InsteadOf.Spec.Name, p.project.MinKubernetes.V, p.Since)
	*d = d.WithHint("remove the webhook and insteadOf, and write its match into the policy").
		WithRelated(p.project.MinKubernetes.At, "minKubernetesVersion is here").WithRelated(p.InsteadOf.Range, "the webhook is here")
}

// failsClosed reports a policy that admits objects on which its expressions fail, in place of a webhook that denies
// them.
func failsClosed(p policyPass) {
	if p.InsteadOf == nil || p.Spec.FailurePolicy == nil || *p.Spec.FailurePolicy != admissionregistrationv1.Ignore {
		return
	}
	p.at("spec.failurePolicy", "with failurePolicy Ignore, the policy admits objects on which its expressions fail; the webhook %s denies objects that it cannot decode", p.InsteadOf.Spec.Name).
		Hint = "remove failurePolicy here: the default is Fail"
}
