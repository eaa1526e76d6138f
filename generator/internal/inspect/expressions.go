// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"fmt"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
)

// ExpressionReader reports mistakes in the matchConditions of a project. The caller provides it, because reading them
// as an API server does takes the API server's code. This module does not depend on that code.
type ExpressionReader func(Description) ([]ExpressionFinding, error)

// ExpressionFinding is a mistake in a matchCondition.
type ExpressionFinding struct {
	// Rule is E22 or a lint rule that only programs that read CEL check.
	Rule string `json:"rule"`
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

// Refused returns the errors in the CEL of the project's matchConditions.
// If they cannot be read, it returns a warning at the first of them.
func Refused(p *model.Project, read ExpressionReader) diag.List {
	var at diag.Range
	count := 0
	for _, w := range p.Webhooks() {
		if count == 0 {
			at = w.Where("matchConditions[0].expression")
		}
		count += len(w.OwnConditions())
	}
	if count == 0 {
		return nil
	}
	_, refused, err := readExpressions(p, read)
	if err != nil {
		reason, install, _ := strings.Cut(err.Error(), ". To install it:\n  ")
		return diag.List{diag.Warningf(at, check.RuleUncompiled, "%d match condition(s) not compiled: %s", count, reason).WithHint("%s", install)}
	}
	return refused
}

// readExpressions returns the reader's findings: broken lint rules, and expressions that an API server refuses.
func readExpressions(p *model.Project, read ExpressionReader) (found []lint.Finding, refused diag.List, err error) {
	expressions, err := read(describeProject(p, render.Delivery{}))
	if err != nil {
		return nil, nil, err
	}
	for _, e := range expressions {
		w, at, err := e.in(p)
		if err != nil {
			return nil, nil, err
		}
		if e.Rule == check.RuleMatchConditions {
			refused.Add(diag.Errorf(at, e.Rule, "%s", e.Message))
			continue
		}
		f, ok := lint.Found(w, e.Rule, at, e.Message)
		if !ok {
			return nil, nil, fmt.Errorf("a finding about matchConditions breaks the rule %q, which lint does not know", e.Rule)
		}
		found = append(found, f)
	}
	return found, refused, nil
}
