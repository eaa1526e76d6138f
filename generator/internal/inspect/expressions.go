// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// ExpressionReader reports mistakes in the CEL expressions of a project. The caller provides it, because reading them
// as an API server does takes the API server's code. This module does not depend on that code.
type ExpressionReader func(Description) ([]ExpressionFinding, error)

// ExpressionFinding is a mistake in an expression.
type ExpressionFinding struct {
	// Rule is E22, one of P20 to P23, or a lint rule that only programs that read CEL check.
	Rule string `json:"rule"`
	// Policy is an index into a Description, and Field the path of the policy's expression. Without them, the mistake is
	// in a match condition of a webhook.
	Policy *int   `json:"policy,omitempty"`
	Field  string `json:"field,omitempty"`
	// Configuration and Webhook are indexes into a Description. Condition is an index into the webhook's
	// matchConditions.
	Configuration int `json:"configuration"`
	Webhook       int `json:"webhook"`
	Condition     int `json:"condition"`
	// From and To delimit the wrong bytes of the expression.
	From int `json:"from"`
	To   int `json:"to"`
	// Message describes the mistake.
	Message string `json:"message"`
}

// in returns the webhook and the source range of the bytes. If no marker contains the expression literally, the range
// is the whole expression.
func (f ExpressionFinding) in(p *model.Project) (*model.Webhook, diag.Range, error) {
	if f.Configuration < 0 || f.Configuration >= len(p.Configurations) ||
		f.Webhook < 0 || f.Webhook >= len(p.Configurations[f.Configuration].Webhooks) {
		return nil, diag.Range{}, fmt.Errorf("a finding about matchConditions is of a webhook that is not there: %+v", f)
	}
	w := p.Configurations[f.Configuration].Webhooks[f.Webhook]
	field := fmt.Sprintf("matchConditions[%d].expression", f.Condition)
	part := w.Expressions[field]
	if f.Condition < 0 || f.Condition >= len(w.Spec.MatchConditions) || part == nil ||
		f.From < 0 || f.From >= f.To || f.To > len(w.Spec.MatchConditions[f.Condition].Expression) {
		return w, w.Where(field), nil
	}
	return w, part(f.From, f.To), nil
}

// inPolicy returns the source range of the bytes of a policy's expression.
func (f ExpressionFinding) inPolicy(p *model.Project) (diag.Range, error) {
	if *f.Policy < 0 || *f.Policy >= len(p.Policies) {
		return diag.Range{}, fmt.Errorf("a finding about policies is of a policy that is not there: %+v", f)
	}
	policy := p.Policies[*f.Policy]
	if part := policy.Expressions[f.Field]; part != nil {
		return part(f.From, f.To), nil
	}
	return policy.Where(f.Field), nil
}

// isOwn reports whether a finding is in a condition that the user wrote.
func (f ExpressionFinding) isOwn(w *model.Webhook) bool {
	return f.Condition < 0 || f.Condition >= len(w.Spec.MatchConditions) || slices.Contains(w.OwnConditions(), w.Spec.MatchConditions[f.Condition])
}

// Refused returns the mistakes in the CEL of the project's policies and matchConditions that are not of lint.
// If they cannot be read, it returns a warning at the first of them.
func Refused(ctx context.Context, m *load.Module, p *model.Project, read ExpressionReader) diag.List {
	at, what, count := unread(p)
	if count == 0 {
		return nil
	}
	_, ofPolicies, refused, err := readExpressions(ctx, m, p, read)
	if err != nil {
		reason, install, _ := strings.Cut(err.Error(), ". To install it:\n  ")
		return diag.List{diag.Warningf(at, check.RuleUncompiled, "%d %s not compiled: %s", count, what, reason).WithHint("%s", install)}
	}
	return append(refused, lint.ApplyToPolicies(p, ofPolicies, check.AllowedToPolicies(), isOfExpressions)...)
}

// unread returns the position of the project's first expression, and what the expressions are.
func unread(p *model.Project) (at diag.Range, what string, count int) {
	what = "match condition(s)"
	for _, w := range p.Webhooks() {
		if count == 0 {
			at = w.Where("matchConditions[0].expression")
		}
		count += len(w.OwnConditions())
	}
	for _, policy := range p.Policies {
		if count == 0 {
			at = policy.Range
		}
		if n := len(policy.Spec.Expressions()); n > 0 {
			what, count = "expression(s)", count+n
		}
	}
	return at, what, count
}

// isOfExpressions reports a rule about the expressions of policies that an allowance may name.
func isOfExpressions(rule string) bool { return slices.Contains(check.AllowedToPolicies(), rule) }

// readExpressions returns the reader's findings: rules of lint that webhooks break, rules that policies break, and
// expressions that an API server refuses or that fail there.
func readExpressions(ctx context.Context, m *load.Module, p *model.Project, read ExpressionReader) (found, ofPolicies []lint.Finding, refused diag.List, err error) {
	expressions, err := read(describeProject(ctx, m, p, render.Delivery{}))
	if err != nil {
		return nil, nil, nil, err
	}
	for _, e := range expressions {
		severity, ours := check.OfExpressions(e.Rule)
		if e.Policy != nil {
			at, err := e.inPolicy(p)
			if err != nil {
				return nil, nil, nil, err
			}
			if !ours {
				return nil, nil, nil, fmt.Errorf("a finding about policies breaks the rule %q, which does not exist", e.Rule)
			}
			if p.Policies[*e.Policy].Inherits(e.Field) { // it is reported for the webhook
				continue
			}
			d := diag.Diagnostic{Range: at, Severity: severity, Rule: e.Rule, Message: e.Message}
			ofPolicies = append(ofPolicies, lint.Finding{Diagnostic: d, Allowed: p.Policies[*e.Policy].Allowed})
			continue
		}
		w, at, err := e.in(p)
		if err != nil {
			return nil, nil, nil, err
		}
		if ours && e.Rule != check.RuleMatchConditions && !e.isOwn(w) {
			continue // the condition of deleting reads objects without their types
		}
		if ours {
			refused.Add(diag.Diagnostic{Range: at, Severity: severity, Rule: e.Rule, Message: e.Message})
			continue
		}
		f, ok := lint.Found(w, e.Rule, at, e.Message)
		if !ok {
			return nil, nil, nil, fmt.Errorf("a finding about matchConditions breaks the rule %q, which lint does not know", e.Rule)
		}
		found = append(found, f)
	}
	return found, ofPolicies, refused, nil
}
