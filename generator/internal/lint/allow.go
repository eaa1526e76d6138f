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
		{ID: ruleUnknown, Title: "an allowance names a rule"},
		{ID: ruleReason, Title: "an allowance has a reason"},
		{ID: ruleUnused, Severity: diag.Warning, Title: "an allowance is needed"},
	}
}

// Apply leaves out the findings that the project allows and adds errors in its allowances. Judged reports whether the
// rule with an id was checked: an allowance of another rule is left alone.
func Apply(p *model.Project, found []Finding, judged func(id string) bool) diag.List {
	var all []*model.Allowance
	for _, w := range p.Webhooks() {
		all = append(all, w.Allowed...)
	}
	var ids []string
	for _, r := range Table() {
		ids = append(ids, r.ID)
	}
	return apply(found, all, "webhook", ids, judged, func(a *model.Allowance) diag.Diagnostic {
		d := diag.Errorf(a.RuleAt, ruleUnknown, "lint has no rule %q", a.Rule)
		switch i := slices.IndexFunc(ids, func(id string) bool { return strings.EqualFold(id, a.Rule) }); {
		case i >= 0:
			return d.WithHint("did you mean %q?", ids[i])
		case strings.HasPrefix(a.Rule, "G"):
			return d.WithHint("findings of explain upgrade are accepted in webhook-gen.yaml: upgrade.accepted")
		case strings.HasPrefix(a.Rule, "E"), strings.HasPrefix(a.Rule, "U"):
			return d.WithHint("a rule of API servers cannot be allowed")
		}
		return d.WithHint("docs/reference/rules.md has the rules")
	})
}

// ApplyToPolicies leaves out the findings that the project allows, and adds errors in the allowances of its policies.
// The policies may break the rules of this package, and the rules about expressions that are given. Judged reports
// whether the rule with an id was checked: an allowance of another rule may be needed.
func ApplyToPolicies(p *model.Project, found []Finding, expressions []string, judged func(id string) bool) diag.List {
	var all []*model.Allowance
	for _, policy := range p.Policies {
		all = append(all, policy.Allowed...)
	}
	may := slices.Concat(expressions, ofPolicies())
	return apply(found, all, "policy", may, judged, func(a *model.Allowance) diag.Diagnostic {
		return diag.Errorf(a.RuleAt, ruleUnknown, "policies may not break a rule %q", a.Rule).WithHint("they may break %s", strings.Join(may, ", "))
	})
}

// apply leaves out the findings that an owner's allowances allow, and adds errors in all allowances. The owners are
// webhooks or policies, which may break some rules; unknown is the error for an allowance of another one.
func apply(found []Finding, all []*model.Allowance, owner string, may []string, judged func(id string) bool, unknown func(*model.Allowance) diag.Diagnostic) (list diag.List) {
	used := map[*model.Allowance]bool{}
	for _, f := range found {
		i := slices.IndexFunc(f.Allowed, func(a *model.Allowance) bool { return a.Rule == f.Rule && slices.Contains(may, a.Rule) })
		if i < 0 {
			list.Add(f.Diagnostic)
			continue
		}
		used[f.Allowed[i]] = true
	}
	for i, a := range all {
		if slices.Contains(all[:i], a) {
			continue
		}
		switch {
		case !slices.Contains(may, a.Rule):
			list.Add(unknown(a))
		case !used[a] && judged(a.Rule):
			list.Add(diag.Warningf(a.Range, ruleUnused, "no %s here breaks %s", owner, a.Rule).WithHint("remove the marker"))
		}
		if strings.TrimSpace(a.Reason) == "" {
			list.Add(diag.Errorf(a.ReasonAt, ruleReason, "the allowance of %s has no reason", a.Rule).WithHint("add the reason why the %s may break it", owner))
		}
	}
	return list
}
