// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"maps"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// implies reports whether every object that one selector selects is selected by the other, as far as each requirement
// by itself tells.
func implies(one, another *metav1.LabelSelector) bool {
	given := requirements(one)
	return !slices.ContainsFunc(requirements(another), func(wanted metav1.LabelSelectorRequirement) bool {
		return !slices.ContainsFunc(given, func(r metav1.LabelSelectorRequirement) bool { return requirementImplies(r, wanted) })
	})
}

// requirements are the requirements of a selector, including matchLabels.
func requirements(s *metav1.LabelSelector) []metav1.LabelSelectorRequirement {
	all := slices.Clone(s.MatchExpressions)
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		all = append(all, metav1.LabelSelectorRequirement{Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{s.MatchLabels[key]}})
	}
	return all
}

func requirementImplies(r, wanted metav1.LabelSelectorRequirement) bool {
	if r.Key != wanted.Key {
		return false
	}
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(v string) bool { return !slices.Contains(b, v) })
	}
	switch r.Operator {
	case metav1.LabelSelectorOpIn:
		return wanted.Operator == metav1.LabelSelectorOpExists ||
			wanted.Operator == metav1.LabelSelectorOpIn && within(r.Values, wanted.Values) ||
			wanted.Operator == metav1.LabelSelectorOpNotIn && !spec.Intersect(r.Values, wanted.Values)
	case metav1.LabelSelectorOpNotIn:
		return wanted.Operator == metav1.LabelSelectorOpNotIn && within(wanted.Values, r.Values)
	case metav1.LabelSelectorOpExists:
		return wanted.Operator == metav1.LabelSelectorOpExists
	}
	return wanted.Operator == metav1.LabelSelectorOpDoesNotExist || wanted.Operator == metav1.LabelSelectorOpNotIn
}

// change is a way in which a webhook matches more or less than before.
type change struct{ field, text string }

// selection compares what besides its rules decides whether a webhook is called.
func selection(old, now *Webhook) (more, less []change) {
	for _, s := range []struct {
		field        string
		before, then *metav1.LabelSelector
	}{
		{"namespaceSelector", old.Spec.NamespaceSelector, now.Spec.NamespaceSelector},
		{"objectSelector", old.Spec.ObjectSelector, now.Spec.ObjectSelector},
	} {
		text := fmt.Sprintf("%s is %s in place of %s", s.field, selectorText(s.then), selectorText(s.before))
		if !implies(s.then, s.before) {
			more = append(more, change{s.field, text})
		}
		if !implies(s.before, s.then) {
			less = append(less, change{s.field, text})
		}
	}
	// A name decides nothing.
	same := func(a, b admissionregistrationv1.MatchCondition) bool { return a.Expression == b.Expression }
	for _, c := range only(old.Spec.MatchConditions, now.Spec.MatchConditions, same) {
		more = append(more, change{"matchConditions", fmt.Sprintf("the condition %q was removed", c.Name)})
	}
	for _, c := range only(now.Spec.MatchConditions, old.Spec.MatchConditions, same) {
		i := slices.Index(now.Spec.MatchConditions, c)
		less = append(less, change{fmt.Sprintf("matchConditions[%d]", i), fmt.Sprintf("the condition %q was added", c.Name)})
	}
	switch before, then := *old.Spec.MatchPolicy, *now.Spec.MatchPolicy; {
	case before == then:
	case then == admissionregistrationv1.Equivalent:
		more = append(more, change{"matchPolicy", "matchPolicy is Equivalent in place of Exact"})
	default:
		less = append(less, change{"matchPolicy", "matchPolicy is Exact in place of Equivalent"})
	}
	return more, less
}

func selectorText(s *metav1.LabelSelector) string {
	if len(requirements(s)) == 0 {
		return "empty"
	}
	return fmt.Sprintf("%q", metav1.FormatLabelSelector(s))
}
