// Package selector converts the two selectors of a Scale in apps/v1beta1 and v1beta2: text, and labels where those
// can say it.
package selector

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Text is the selector as text: as it stands, or else of the labels.
func Text(text string, set map[string]string) string {
	if text != "" || set == nil {
		return text
	}
	return labels.SelectorFromSet(set).String()
}

// Labels are those that a selector asks for; nil if it asks for anything else, or cannot be read.
func Labels(text string) map[string]string {
	selector, err := metav1.ParseToLabelSelector(text)
	if err != nil || len(selector.MatchExpressions) > 0 {
		return nil
	}
	return selector.MatchLabels
}
