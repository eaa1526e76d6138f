// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// rule reads "CREATE,UPDATE group/version/resource;resource/subresource Scope".
func rule(text string) admissionregistrationv1.RuleWithOperations {
	words := strings.Fields(text)
	subject := strings.SplitN(words[1], "/", 3)
	r := admissionregistrationv1.RuleWithOperations{Rule: admissionregistrationv1.Rule{
		APIGroups: strings.Split(subject[0], ","), APIVersions: strings.Split(subject[1], ","), Resources: strings.Split(subject[2], ";")}}
	for o := range strings.SplitSeq(words[0], ",") {
		r.Operations = append(r.Operations, admissionregistrationv1.OperationType(o))
	}
	scope := admissionregistrationv1.AllScopes
	if len(words) > 2 {
		scope = admissionregistrationv1.ScopeType(words[2])
	}
	r.Scope = &scope
	return r
}

func hookOf(rules []string) *Webhook {
	w := &Webhook{Webhook: &model.Webhook{}}
	for _, r := range rules {
		w.Spec.Rules = append(w.Spec.Rules, rule(r))
	}
	return w
}

func TestCovered(t *testing.T) {
	shop := &State{Definitions: []*Definition{{Definition: &manifest.Definition{Group: "shop", Plural: "orders", Scope: "Namespaced"}}}}
	for _, tc := range []struct {
		name         string
		before, then []string
		lost, gained string
		anyVersion   bool
	}{
		{"the same, said otherwise", []string{"CREATE,UPDATE shop/v1/carts"}, []string{"CREATE shop/v1/carts", "UPDATE shop/v1/carts"}, "", "", false},
		{"an operation", []string{"CREATE shop/v1/carts"}, []string{"CREATE,DELETE shop/v1/carts"}, "", "DELETE of carts.shop/v1", false},
		{"all operations", []string{"* shop/v1/carts"}, []string{"CREATE,UPDATE,DELETE shop/v1/carts"}, "CONNECT of carts.shop/v1", "", false},
		{"a version that nobody asks about", []string{"CREATE shop/v1/carts"}, []string{"CREATE shop/v2/carts"}, "", "", true},
		{"a version", []string{"CREATE shop/v1/carts"}, []string{"CREATE shop/v2/carts"}, "CREATE of carts.shop/v1", "CREATE of carts.shop/v2", false},
		{"any version, of one", []string{"CREATE shop/v1/carts"}, []string{"CREATE shop/*/carts"}, "", "CREATE of carts.shop/*", false},
		{"all of a group covers one", []string{"CREATE shop/*/*"}, []string{"CREATE shop/v1/carts", "CREATE shop/*/*"}, "", "", false},
		{"all resources but no subresource", []string{"UPDATE shop/v1/*"}, []string{"UPDATE shop/v1/*/*"}, "", "UPDATE of resources/*.shop/v1", false},
		{"every subresource of one covers it too", []string{"UPDATE shop/v1/carts;carts/status"}, []string{"UPDATE shop/v1/carts/*"}, "", "UPDATE of carts/*.shop/v1", false},
		{"the status of all", []string{"UPDATE shop/v1/*/status"}, []string{"UPDATE shop/v1/carts/status"}, "UPDATE of resources/status.shop/v1", "", false},
		{"a scope", []string{"CREATE shop/v1/carts"}, []string{"CREATE shop/v1/carts Namespaced"}, "CREATE of cluster-scoped carts.shop/v1", "", false},
		{"a scope that the kind has anyway", []string{"CREATE shop/v1/orders"}, []string{"CREATE shop/v1/orders Namespaced"}, "", "", false},
		{"a scope of everything", []string{"CREATE */*/*"}, []string{"CREATE */*/* Cluster"}, "CREATE of namespaced resources", "", true},
		{"no rules any more", []string{"CREATE /v1/pods;configmaps"}, nil, "CREATE of configmaps/v1, pods/v1", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := step{from: &State{}, to: shop}
			lost, gained := s.covered(hookOf(tc.before), hookOf(tc.then), tc.anyVersion)
			if got := describe(lost); got != tc.lost {
				t.Errorf("lost %q, want %q", got, tc.lost)
			}
			if got := describe(gained); got != tc.gained {
				t.Errorf("gained %q, want %q", got, tc.gained)
			}
		})
	}
}
