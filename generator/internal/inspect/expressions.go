// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"fmt"
	"slices"

	"github.com/webhook-gen/webhook-gen/explain"
	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// inCondition returns the source range of wrong bytes of a webhook's condition. If no marker contains the expression
// literally, the range is the whole expression.
func inCondition(w *model.Webhook, f explain.Finding) diag.Range {
	field := conditionField(f.Condition)
	if part := w.Expressions[field]; part != nil && f.From < f.To && f.To <= len(w.Spec.MatchConditions[f.Condition].Expression) {
		return part(f.From, f.To)
	}
	return w.Where(field)
}

// inPolicy returns the source range of wrong bytes of a policy's expression.
func inPolicy(p *model.Policy, f explain.Finding) diag.Range {
	if part := p.Expressions[f.Field]; part != nil {
		return part(f.From, f.To)
	}
	return p.Where(f.Field)
}

// refused returns the mistakes in the CEL of the project's policies and matchConditions that are not of lint.
func refused(ctx context.Context, m *load.Module, p *model.Project) diag.List {
	at, any, strict := firstExpression(p)
	if !any {
		return nil
	}
	found, ofPolicies, refused, err := readExpressions(ctx, m, p, "", nil)
	if err != nil {
		d := diag.Errorf(at, check.RuleMatchConditions, "the expressions cannot be compiled: %v", err)
		if !strict {
			d.Severity = diag.Warning
		}
		return diag.List{d}
	}
	refused.Add(lint.Stopping(found)...)
	return append(refused, lint.ApplyToPolicies(p, ofPolicies, check.AllowedToPolicies(), isOfExpressions)...)
}

// firstExpression returns the position of a project's first expression, if it has any. It is strict if an expression is
// not of a +kubebuilder marker, because controller-gen succeeds with any expression.
func firstExpression(p *model.Project) (at diag.Range, any, strict bool) {
	for _, w := range p.Webhooks() {
		if len(w.OwnConditions()) == 0 {
			continue
		}
		if !any || !w.Kubebuilder {
			at, any = w.Where("matchConditions[0].expression"), true
		}
		if !w.Kubebuilder {
			return at, true, true
		}
	}
	for _, policy := range p.Policies {
		if len(policy.Spec.Expressions()) > 0 {
			return policy.Range, true, true
		}
	}
	return at, any, false
}

// isOfExpressions reports a rule about the expressions of policies that an allowance may name.
func isOfExpressions(rule string) bool { return slices.Contains(check.AllowedToPolicies(), rule) }

// readExpressions compiles the expressions of a project as an API server of a version does; an empty version is the
// oldest that the project supports. It returns rules of lint that webhooks break, rules that policies break, and
// expressions that an API server refuses or that fail there. In files, policies have the kinds of the definitions
// there.
func readExpressions(ctx context.Context, m *load.Module, p *model.Project, kubeVersion string, files *manifest.Contents) (found, ofPolicies []lint.Finding, refused diag.List, err error) {
	described, err := describeProject(ctx, m, p, render.Delivery{})
	if err != nil {
		return nil, nil, nil, err
	}
	if files != nil {
		if err := define(described, files); err != nil {
			return nil, nil, nil, err
		}
	}
	expressions, err := explain.Check(described, kubeVersion)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, f := range expressions {
		rule := string(f.Rule)
		severity, ours := check.OfExpressions(rule)
		switch {
		case f.Policy != nil:
			policy := p.Policies[*f.Policy]
			if policy.Inherits(f.Field) {
				continue // it is reported for the webhook
			}
			if files != nil && rule == check.RuleExpensive && len(described.Policies[*f.Policy].Kinds) == 0 {
				continue // without a schema, nothing limits the objects
			}
			if policy.Deprecations && rule == check.RuleExpensive {
				continue // nobody can write it another way, and at worst it does not warn
			}
			d := diag.Diagnostic{Range: inPolicy(policy, f), Severity: severity, Rule: rule, Message: f.Message}
			d = guarded(d, f.Field, textOf(policy, f.Field), f.From)
			ofPolicies = append(ofPolicies, lint.Finding{Diagnostic: d, Allowed: policy.Allowed})
		case ours:
			w := p.Configurations[f.Configuration].Webhooks[f.Webhook]
			if rule != check.RuleMatchConditions && !slices.Contains(w.OwnConditions(), w.Spec.MatchConditions[f.Condition]) {
				continue // the condition of deleting reads objects without their types
			}
			if w.Kubebuilder {
				severity = diag.Warning
			}
			refused.Add(diag.Diagnostic{Range: inCondition(w, f), Severity: severity, Rule: rule, Message: f.Message})
		default:
			w := p.Configurations[f.Configuration].Webhooks[f.Webhook]
			broken, ok := lint.Found(w, rule, inCondition(w, f), f.Message)
			if !ok {
				return nil, nil, nil, fmt.Errorf("an expression breaks the rule %q, which lint does not know", rule)
			}
			broken.Diagnostic = guarded(broken.Diagnostic, conditionField(f.Condition), w.Spec.MatchConditions[f.Condition].Expression, f.From)
			found = append(found, broken)
		}
	}
	return found, ofPolicies, refused, nil
}
