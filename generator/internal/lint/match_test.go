// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// TestMatches goes through what k8s.io/apiserver's Matcher tells apart.
func TestMatches(t *testing.T) {
	namespaced, cluster := admissionregistrationv1.NamespacedScope, admissionregistrationv1.ClusterScope
	rule := func(operation, group string, scope *admissionregistrationv1.ScopeType, resources ...string) admissionregistrationv1.RuleWithOperations {
		return admissionregistrationv1.RuleWithOperations{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationType(operation)},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{group}, Resources: resources, Scope: scope},
		}
	}
	pods, status, nodes := request{"CREATE", "", "pods", true}, request{"CREATE", "", "pods/status", true}, request{"CREATE", "", "nodes", false}
	for _, c := range []struct {
		name string
		rule admissionregistrationv1.RuleWithOperations
		request
		want bool
	}{
		{"the resource", rule("CREATE", "", nil, "pods"), pods, true},
		{"another operation", rule("UPDATE", "", nil, "pods"), pods, false},
		{"any operation", rule("*", "", nil, "pods"), pods, true},
		{"another group", rule("*", "apps", nil, "pods"), pods, false},
		{"any group", rule("*", "*", nil, "pods"), pods, true},
		{"a resource is not its subresources", rule("*", "", nil, "pods"), status, false},
		{"nor are all resources", rule("*", "", nil, "*"), status, false},
		{"all of everything", rule("*", "", nil, "*/*"), status, true},
		{"all of everything is the resource too", rule("*", "", nil, "*/*"), pods, true},
		{"all subresources of one", rule("*", "", nil, "pods/*"), status, true},
		{"one subresource of all", rule("*", "", nil, "*/status"), status, true},
		{"another subresource of all", rule("*", "", nil, "*/scale"), status, false},
		{"one of several", rule("*", "", nil, "nodes", "pods/status"), status, true},
		{"namespaced", rule("*", "", &namespaced, "*"), pods, true},
		{"not namespaced", rule("*", "", &namespaced, "*"), nodes, false},
		{"cluster", rule("*", "", &cluster, "*"), nodes, true},
		{"not cluster", rule("*", "", &cluster, "*"), pods, false},
	} {
		if got := c.matchedBy(c.rule); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
