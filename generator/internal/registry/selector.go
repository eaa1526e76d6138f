// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// parseSelector reads kubectl's selector syntax: "a=b, c in (d, e), f, !g, h!=i". metav1.ParseToLabelSelector rejects
// the != operator, which becomes NotIn with one value here.
func parseSelector(text string) (*metav1.LabelSelector, error) {
	requirements, err := labels.ParseToRequirements(text)
	if err != nil {
		return nil, fmt.Errorf("not a label selector such as \"environment=production, tier in (a, b)\": %w", err)
	}
	operators := map[selection.Operator]metav1.LabelSelectorOperator{
		selection.In: metav1.LabelSelectorOpIn, selection.NotIn: metav1.LabelSelectorOpNotIn, selection.NotEquals: metav1.LabelSelectorOpNotIn,
		selection.Exists: metav1.LabelSelectorOpExists, selection.DoesNotExist: metav1.LabelSelectorOpDoesNotExist,
	}
	selector := &metav1.LabelSelector{}
	for _, r := range requirements {
		values := r.Values().List()
		operator, isExpression := operators[r.Operator()]
		other, twice := selector.MatchLabels[r.Key()]
		switch {
		case isExpression:
			selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.Key(), Operator: operator, Values: values})
		case r.Operator() != selection.Equals && r.Operator() != selection.DoubleEquals:
			return nil, fmt.Errorf("label selectors of webhooks cannot compare numbers: %s", r.String())
		case twice:
			return nil, fmt.Errorf("label %q cannot be both %q and %q", r.Key(), other, values[0])
		default:
			metav1.AddLabelToSelector(selector, r.Key(), values[0])
		}
	}
	return selector, nil
}

// valuesAsLabels finds bare labels behind a requirement that were probably meant as its values, such as staging in
// environment=prod,staging. API servers read them as labels that must exist.
func valuesAsLabels(text string) (doubts []marker.Doubt) {
	var key, operator string // of the last requirement with = or !=
	var values []string
	var first, from, inside int
	report := func(end int) {
		if len(values) < 2 {
			return
		}
		labels := strings.Join(values[1:], ", ")
		doubts = append(doubts, marker.Doubt{
			Begin: first, End: end,
			Message: fmt.Sprintf("%s after the comma is a label that objects need, not a value of %s", labels, key),
			Hint:    fmt.Sprintf("for values, write %s %s (%s); for labels, write them first: %s, %s", key, operator, strings.Join(values, ", "), labels, key+sign(operator)+values[0]),
		})
	}
	end := 0
	for piece := range strings.SplitSeq(text, ",") {
		begin := from
		from += len(piece) + len(",")
		inside += strings.Count(piece, "(") - strings.Count(piece, ")")
		word := strings.TrimSpace(piece)
		isBare := inside == 0 && word != "" && !strings.ContainsAny(word, "=!<>() \t") && len(validation.IsValidLabelValue(word)) == 0
		if isBare && key != "" {
			if begin += strings.Index(piece, word); len(values) == 1 {
				first = begin
			}
			values, end = append(values, word), begin+len(word)
			continue
		}
		report(end)
		key, values = "", nil
		if name, value, ok := strings.Cut(word, "="); ok && !strings.ContainsAny(word, "()") {
			key, operator = strings.TrimSpace(name), "in"
			if before, negated := strings.CutSuffix(key, "!"); negated {
				key, operator = strings.TrimSpace(before), "notin"
			}
			values = []string{strings.TrimSpace(strings.TrimPrefix(value, "="))}
		}
	}
	report(end)
	return doubts
}

// sign returns the operator for a single value.
func sign(operator string) string {
	if operator == "notin" {
		return "!="
	}
	return "="
}
