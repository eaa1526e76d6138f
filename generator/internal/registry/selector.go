// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// parseSelector reads kubectl's selector syntax: "a=b, c in (d, e), f, !g, h!=i".
// metav1.ParseToLabelSelector reads all of it but !=, which is NotIn with one value.
func parseSelector(text string) (*metav1.LabelSelector, error) {
	requirements, err := labels.ParseToRequirements(text)
	if err != nil {
		return nil, fmt.Errorf("not a label selector: %w", err)
	}
	selector := &metav1.LabelSelector{}
	for _, r := range requirements {
		values := r.Values().List()
		var operator metav1.LabelSelectorOperator
		switch r.Operator() {
		case selection.Equals, selection.DoubleEquals:
			if other, twice := selector.MatchLabels[r.Key()]; twice {
				return nil, fmt.Errorf("label %q cannot be both %q and %q", r.Key(), other, values[0])
			}
			if selector.MatchLabels == nil {
				selector.MatchLabels = map[string]string{}
			}
			selector.MatchLabels[r.Key()] = values[0]
			continue
		case selection.In:
			operator = metav1.LabelSelectorOpIn
		case selection.NotIn, selection.NotEquals:
			operator = metav1.LabelSelectorOpNotIn
		case selection.Exists:
			operator = metav1.LabelSelectorOpExists
		case selection.DoesNotExist:
			operator = metav1.LabelSelectorOpDoesNotExist
		default:
			return nil, fmt.Errorf("label selectors of webhooks cannot compare numbers: %s", r.String())
		}
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: r.Key(), Operator: operator, Values: values,
		})
	}
	return selector, nil
}
