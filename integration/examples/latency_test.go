// SPDX-License-Identifier: Apache-2.0

package examples

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	v1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var latency = flag.Bool("latency", false, "measure what a rule adds to a request; docs/guides/policies.md has the figures")

// TestLatency measures a dry-run CREATE in turns: of an Order without rules, of one with a policy for its quantity, and
// of one with the validating webhook of examples/orders in a process of its own on this machine; and of a kind whose
// definition has no rule, or has one. In a cluster, the network adds to the webhook alone.
func TestLatency(t *testing.T) {
	if !*latency {
		t.Skip("-latency measures")
	}
	s := onAPIServer(t)
	s.namespace(t, "latency", nil)
	order := func(rule string, quantity int64) client.Object {
		o := shopObject("v1", "Order", "latency", "probe", map[string]any{"sku": "tea", "quantity": quantity, "priority": "low"})
		o.SetLabels(map[string]string{"rule": rule})
		return o
	}
	only := func(rule string) *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"rule": rule}}
	}

	policy := &v1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "latency.example.com"}, Spec: v1.ValidatingAdmissionPolicySpec{
		MatchConstraints: &v1.MatchResources{ObjectSelector: only("policy"), ResourceRules: []v1.NamedRuleWithOperations{{RuleWithOperations: v1.RuleWithOperations{
			Operations: []v1.OperationType{v1.Create, v1.Update},
			Rule:       v1.Rule{APIGroups: []string{"shop.example.com"}, APIVersions: []string{"v1"}, Resources: []string{"orders"}},
		}}}},
		Validations: []v1.Validation{{Expression: "object.spec.quantity <= 100"}},
	}}
	binding := &v1.ValidatingAdmissionPolicyBinding{ObjectMeta: policy.ObjectMeta, Spec: v1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: policy.Name, ValidationActions: []v1.ValidationAction{v1.Deny},
	}}
	for _, o := range []client.Object{policy, binding} {
		if err := s.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.client.Delete(context.Background(), o) })
	}
	o := s.prepare(t, "../../examples/orders/config/webhook/manifests.yaml")
	o.MutatingWebhooks = nil
	for _, c := range o.ValidatingWebhooks {
		for i := range c.Webhooks {
			c.Webhooks[i].ObjectSelector = only("webhook")
		}
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, s.kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, "../../examples/orders/cmd/manager", "-kubeconfig", kubeconfig, "-cert-dir", o.LocalServingCertDir, "-drain", "0s",
		"-webhook-port", strconv.Itoa(o.LocalServingPort), "-metrics-address", freeAddress(t), "-health-address", freeAddress(t))
	if err := o.Install(s.config); err != nil {
		t.Fatal(err)
	}
	kind := func(name string) client.Object {
		c := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "latency.example.com/v1", "kind": name, "spec": map[string]any{"quantity": int64(1)}}}
		c.SetNamespace("latency")
		c.SetName("probe")
		return c
	}
	s.define(t, "Ruled", []any{map[string]any{"rule": "self.quantity <= 100"}})
	s.define(t, "Unruled", nil)
	for _, rule := range []string{"policy", "webhook"} {
		eventually(t, func() error {
			if err := s.client.Create(t.Context(), order(rule, 101), client.DryRunAll); !apierrors.IsInvalid(err) {
				return errors.Join(errors.New("no rule yet"), err)
			}
			return nil
		})
	}
	eventually(t, func() error {
		return errors.Join(s.client.Create(t.Context(), kind("Ruled"), client.DryRunAll), s.client.Create(t.Context(), kind("Unruled"), client.DryRunAll))
	})

	objects := map[string]func() client.Object{
		"Ruled": func() client.Object { return kind("Ruled") }, "Unruled": func() client.Object { return kind("Unruled") },
	}
	for _, rule := range []string{"none", "policy", "webhook"} {
		objects[rule] = func() client.Object { return order(rule, 1) }
	}
	all := map[string][]time.Duration{}
	for range 2000 {
		for name, object := range objects { // in another order each time
			o := object()
			begin := time.Now()
			if err := s.client.Create(t.Context(), o, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			all[name] = append(all[name], time.Since(begin))
		}
	}
	median := func(name string) time.Duration {
		slices.Sort(all[name])
		return all[name][len(all[name])/2].Round(time.Microsecond)
	}
	t.Logf("an Order: %v, with a policy: %v, with a webhook: %v; a kind: %v, with a rule of its definition: %v",
		median("none"), median("policy"), median("webhook"), median("Unruled"), median("Ruled"))
}

// define creates a definition with rules for spec.
func (s *apiServer) define(t *testing.T, kind string, rules []any) {
	t.Helper()
	spec := map[string]any{"type": "object", "properties": map[string]any{"quantity": map[string]any{"type": "integer"}}}
	if rules != nil {
		spec["x-kubernetes-validations"] = rules
	}
	plural := map[string]string{"Ruled": "ruleds", "Unruled": "unruleds"}[kind]
	crd := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": plural + ".latency.example.com"},
		"spec": map[string]any{
			"group": "latency.example.com", "names": map[string]any{"kind": kind, "plural": plural}, "scope": "Namespaced",
			"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}}}},
		},
	}}
	if err := s.client.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.client.Delete(context.Background(), crd) })
}
