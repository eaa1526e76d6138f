// SPDX-License-Identifier: Apache-2.0

package check

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// PoliciesInFiles reports the mistakes in policies that files contain, in place of markers: what an API server refuses,
// and policies and bindings without effect. Unbound are the bindings whose policies are not in the files.
func PoliciesInFiles(p *model.Project, unbound []*model.Binding) (list diag.List) {
	for _, f := range Findings(p) {
		if f.Policy == nil && f.Binding == nil {
			continue
		}
		d := f.Diagnostic
		d.Hint = "" // it is about markers
		list.Add(d)
	}
	for _, b := range unbound {
		list.Add(diag.Warningf(b.Where("spec.policyName"), ruleNoPolicy, "there is no policy %q of this kind in the files, and without it the binding %q has no effect", b.Spec.PolicyName, b.Name).
			WithHint("correct policyName, or lint the file of the policy, too"))
	}
	for _, policy := range p.Policies {
		if len(policy.Bindings) > 0 {
			continue
		}
		kind, _ := kindOf(policy)
		list.Add(diag.Warningf(policy.Where("metadata.name"), ruleNoBinding, "no binding in the files names the policy %q, and without one it has no effect", policy.Name).
			WithHint("add a %sBinding with policyName: %s, or lint its file, too", kind, policy.Name))
	}
	return list
}

// RefusedPolicies reports the policies and bindings that an API server refuses for another reason than an expression.
func RefusedPolicies(p *model.Project) []Finding {
	return slices.DeleteFunc(Findings(p), func(f Finding) bool {
		// P16 is the first rule that is not upstream's.
		own := slices.IndexFunc(policyRules(), func(r rule) bool { return r.ID == "P16" })
		upstreams := slices.ContainsFunc(policyRules()[:own], func(r rule) bool { return r.ID == f.Rule })
		return f.Policy == nil && f.Binding == nil || f.Severity != diag.Error || !upstreams
	})
}
