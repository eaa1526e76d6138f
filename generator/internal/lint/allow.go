// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// The ids under which allowances are reported.
const (
	ruleUnknown = "S1"
	ruleReason  = "S2"
	ruleUnused  = "S3"
)

func allowanceRules() []diag.Rule {
	return []diag.Rule{
		{ID: ruleUnknown, Title: "an allowance names a rule", Doc: "+webhook:allow names a rule of lint by its id: W12."},
		{ID: ruleReason, Title: "an allowance has a reason", Doc: "Readers of the marker need it, and so does whoever wants to remove it."},
		{ID: ruleUnused, Severity: diag.Warning, Title: "an allowance is needed", Doc: "A webhook that does not break the rule, or no longer does, needs no allowance. Allowances of rules that were not checked are not reported."},
	}
}

// Apply leaves out the findings that the project allows and adds errors in its allowances. Judged reports whether the
// rule with an id was checked: an allowance of another rule is left alone.
func Apply(p *model.Project, found []Finding, judged func(id string) bool) diag.List {
	var list diag.List
	used := map[*model.Allowance]bool{}
	for _, f := range found {
		if a := allowance(f); a != nil {
			used[a] = true
			continue
		}
		list.Add(f.Diagnostic)
	}
	seen := map[*model.Allowance]bool{}
	for _, w := range p.Webhooks() {
		for _, a := range w.Allowed {
			if !seen[a] {
				seen[a] = true
				list.Add(inspect(a, used[a], judged)...)
			}
		}
	}
	return list
}

// PolicyFinding is a rule that a policy breaks.
type PolicyFinding struct {
	diag.Diagnostic
	Policy *model.Policy
}

// ApplyToPolicies leaves out the findings that the project allows, and adds errors in the allowances of its policies.
// The policies may break the rules of this package, and the rules about expressions that are given. Judged reports
// whether the rule with an id was checked: an allowance of another rule may be needed.
func ApplyToPolicies(p *model.Project, found []PolicyFinding, expressions []string, judged func(id string) bool) (list diag.List) {
	may := slices.Concat(expressions, ofPolicies())
	used := map[*model.Allowance]bool{}
	for _, f := range found {
		i := slices.IndexFunc(f.Policy.Allowed, func(a *model.Allowance) bool { return a.Rule == f.Rule && slices.Contains(may, a.Rule) })
		if i < 0 {
			list.Add(f.Diagnostic)
			continue
		}
		used[f.Policy.Allowed[i]] = true
	}
	seen := map[*model.Allowance]bool{}
	for _, policy := range p.Policies {
		for _, a := range policy.Allowed {
			if seen[a] {
				continue
			}
			seen[a] = true
			switch {
			case !slices.Contains(may, a.Rule):
				list.Add(diag.Errorf(a.RuleAt, ruleUnknown, "policies may not break a rule %q", a.Rule).WithHint("they may break %s", strings.Join(may, ", ")))
			case !used[a] && judged(a.Rule):
				list.Add(diag.Warningf(a.Range, ruleUnused, "no policy here breaks %s", a.Rule).WithHint("remove the marker"))
			}
			if strings.TrimSpace(a.Reason) == "" {
				list.Add(diag.Errorf(a.ReasonAt, ruleReason, "the allowance of %s has no reason", a.Rule).WithHint("add the reason why the policy may break it"))
			}
		}
	}
	return list
}

// allowance is what allows a finding; nil if nothing does.
func allowance(f Finding) *model.Allowance {
	if f.Webhook == nil {
		return nil
	}
	i := slices.IndexFunc(f.Webhook.Allowed, func(a *model.Allowance) bool { return a.Rule == f.Rule })
	if i < 0 {
		return nil
	}
	return f.Webhook.Allowed[i]
}

func inspect(a *model.Allowance, used bool, judged func(id string) bool) (list diag.List) {
	var ids []string
	for _, r := range table() {
		ids = append(ids, r.ID)
	}
	switch {
	case !slices.Contains(ids, a.Rule):
		d := diag.Errorf(a.RuleAt, ruleUnknown, "lint has no rule %q", a.Rule).WithHint("docs/reference/rules.md has the rules")
		if strings.HasPrefix(a.Rule, "G") {
			d.Hint = "what explain upgrade finds is accepted in webhook-gen.yaml: upgrade.accepted"
		}
		if strings.HasPrefix(a.Rule, "E") || strings.HasPrefix(a.Rule, "U") {
			d.Hint = "what an API server refuses cannot be allowed"
		}
		if i := slices.IndexFunc(ids, func(id string) bool { return strings.EqualFold(id, a.Rule) }); i >= 0 {
			d = d.WithHint("did you mean %q?", ids[i])
		}
		list.Add(d)
	case !used && judged(a.Rule):
		list.Add(diag.Warningf(a.Range, ruleUnused, "no webhook here breaks %s", a.Rule).WithHint("remove the marker"))
	}
	if strings.TrimSpace(a.Reason) == "" {
		list.Add(diag.Errorf(a.ReasonAt, ruleReason, "the allowance of %s has no reason", a.Rule).WithHint("add the reason why the webhook may break it"))
	}
	return list
}
