// SPDX-License-Identifier: Apache-2.0

package condition

import (
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
)

// absent explains why the value at a path may be absent. always reports that it is never there for the operation. The
// text is empty if the value is always there, or if nothing is known.
func (s state) absent(path string) (why string, always bool) {
	variable, field, _ := strings.Cut(path, ".")
	switch variable {
	case cel.ObjectVarName, cel.OldObjectVarName:
		return s.absentInObject(variable, field)
	case cel.RequestVarName:
		return s.absentInRequest(field), false
	case cel.NamespaceVarName:
		if s.Optional != nil { // of a policy: the rule about webhooks that read it is another one
			return absentInNamespace(field), false
		}
	}
	return "", false
}

// absentInNamespace explains why a field of a Namespace may be left out. API servers set the label with its name.
func absentInNamespace(field string) string {
	field, ok := strings.CutPrefix(field, "metadata.")
	if !ok {
		return ""
	}
	switch first, key, _ := strings.Cut(field, "."); first {
	case "annotations", "finalizers", "generateName", "deletionTimestamp", "deletionGracePeriodSeconds":
		return "may be missing"
	case "labels":
		if key != "" && key != corev1.LabelMetadataName {
			return "may be missing"
		}
	}
	return ""
}

func (s state) absentInObject(variable, field string) (why string, always bool) {
	if s.operation == "CONNECT" && (field == "metadata" || strings.HasPrefix(field, "metadata.")) {
		return "is missing", true
	}
	field, ok := strings.CutPrefix(field, "metadata.")
	if !ok {
		return "", false
	}
	created := s.unnamed() && variable == cel.ObjectVarName
	switch field {
	case "labels", "annotations", "ownerReferences", "finalizers", "generateName", "deletionTimestamp", "deletionGracePeriodSeconds":
		return "may be missing", false
	case "name":
		if created {
			return "is missing where generateName is given", false
		}
	case "namespace":
		if s.mayBeClusterScoped() {
			return "is missing in objects without a namespace", false
		}
	case "uid", "creationTimestamp", "resourceVersion":
		if created {
			return "is missing", true
		}
	}
	if first, _, more := strings.Cut(field, "."); more && (first == "labels" || first == "annotations") {
		return "may be missing", false
	}
	return "", false
}

// absentInRequest explains why a field of the request may be left out; the text is empty for a field that never is.
func (s state) absentInRequest(field string) string {
	switch field {
	case "subResource", "requestSubResource":
		if s.matchesMain() {
			return "is missing where the request is not for a subresource"
		}
	case "namespace":
		if s.mayBeClusterScoped() {
			return "is missing for objects without a namespace"
		}
	case "name":
		if s.unnamed() {
			return "is missing where generateName is given"
		}
		if s.operation == "DELETE" {
			return "is missing where a whole collection is deleted"
		}
	case "userInfo.uid", "userInfo.extra":
		return "may be missing"
	}
	return ""
}

// unnamed reports whether the object is a new one, before it gets its name and its UID: mutating webhooks are called
// before that, validating ones after it (k8s.io/apiserver/pkg/registry/generic/registry, Store.Create).
func (s state) unnamed() bool { return s.operation == "CREATE" && s.Mutating }

// matchesMain reports whether a rule matches resources themselves.
func (s state) matchesMain() bool {
	return slices.ContainsFunc(s.Rules, func(r v1.RuleWithOperations) bool {
		return slices.ContainsFunc(r.Resources, func(name string) bool {
			return !strings.Contains(name, "/") || strings.HasSuffix(name, "/*")
		})
	})
}

// mayBeClusterScoped reports whether a rule may match objects without a namespace: by its scope, or because it matches
// every resource.
func (s state) mayBeClusterScoped() bool {
	return slices.ContainsFunc(s.Rules, func(r v1.RuleWithOperations) bool {
		if r.Scope != nil && *r.Scope != v1.AllScopes {
			return *r.Scope == v1.ClusterScope
		}
		return slices.ContainsFunc(r.Resources, func(name string) bool { return strings.HasPrefix(name, "*") })
	})
}

// isMetadataMap reports whether a path names a map whose keys users choose.
func (s state) isMetadataMap(path string) bool {
	variable, field, _ := strings.Cut(path, ".")
	return (variable == cel.ObjectVarName || variable == cel.OldObjectVarName || variable == cel.NamespaceVarName && s.Optional != nil) && (field == "metadata.labels" || field == "metadata.annotations")
}
