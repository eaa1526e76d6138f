// SPDX-License-Identifier: Apache-2.0

package configuration

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// defaults returns the values that an API server sets for absent fields of a webhook in a version. They are taken from
// k8s.io/kubernetes/pkg/apis/admissionregistration/{v1,v1beta1}/defaults.go, which cannot be imported.
func defaults(version string) map[string]any {
	all := map[string]any{
		"failurePolicy": "Fail", "matchPolicy": "Equivalent", "timeoutSeconds": int64(10),
		"namespaceSelector": map[string]any{}, "objectSelector": map[string]any{},
		"reinvocationPolicy": "Never", // the type of validating webhooks drops it
	}
	if version == "v1beta1" {
		maps.Copy(all, map[string]any{
			"failurePolicy": "Ignore", "matchPolicy": "Exact", "timeoutSeconds": int64(30),
			"sideEffects": "Unknown", "admissionReviewVersions": []any{"v1beta1"}, // v1 requires both
		})
	}
	return all
}

// withDefaults returns a copy of a webhook configuration with the defaults of its version.
func withDefaults(o *unstructured.Unstructured) *unstructured.Unstructured {
	o = o.DeepCopy()
	for _, webhook := range objects(o.Object["webhooks"]) {
		fill(webhook, defaults(o.GroupVersionKind().Version))
		for _, rule := range objects(webhook["rules"]) {
			fill(rule, map[string]any{"scope": "*"})
		}
	}
	return o
}

// objects returns the objects in a list. A list with other values cannot be decoded later.
func objects(list any) (all []map[string]any) {
	values, _ := list.([]any)
	for _, v := range values {
		if o, ok := v.(map[string]any); ok {
			all = append(all, o)
		}
	}
	return all
}

// fill sets the fields of an object that are absent, null or an empty list.
func fill(object, defaults map[string]any) {
	for name, value := range defaults {
		if list, ok := object[name].([]any); object[name] == nil || ok && len(list) == 0 {
			object[name] = value
		}
	}
}
