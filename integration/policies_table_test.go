// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
)

// relabelling is a webhook for ConfigMaps. Their data selects what it does with labels that policies set.
type relabelling struct{}

var relabels = []string{"nothing", "remove later", "count", "remove again"}

func (relabelling) Register(handle func(string, http.Handler), options ...admission.Option) error {
	handle("/relabel", admission.Mutating("relabel", admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
		labels := r.Object.Labels
		delete(labels, "once") // which depends on the order of policies, and API servers have no certain one
		switch r.Object.Data["do"] {
		case "remove later":
			delete(labels, "later")
		case "remove again":
			delete(labels, "again")
		case "count":
			labels["count"] += "x"
		}
		return nil
	})).With(options...))
	return nil
}

// TestPoliciesInTables has an API server and admissiontest.Table run the mutating policies of [policies.Changes] around
// a webhook that changes their labels: for each change and each reinvocationPolicy of the webhook.
func TestPoliciesInTables(t *testing.T) {
	e := withPolicies(t)
	if !e.policies.mutating {
		t.Skip("this API server does not serve admissionregistration.k8s.io/v1 MutatingAdmissionPolicy")
	}
	mux := http.NewServeMux()
	if err := (relabelling{}).Register(mux.Handle); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{}
	configuration.Name = "relabelling"
	for _, again := range []bool{false, true} {
		w := walker(server, "/relabel", fmt.Sprint("again-", again), again)
		w.Rules[0].Resources = []string{"configmaps"}
		configuration.Webhooks = append(configuration.Webhooks, w)
	}
	e.installFor(t, configuration)
	namespaceLabels := map[string]string{"policies": "changes"}
	namespace := e.namespace(t, namespaceLabels)
	send := func(again bool, do string) (*corev1.ConfigMap, error) {
		object := configMap(namespace, "relabelled", map[string]string{"walk": fmt.Sprint("again-", again)})
		object.Data = map[string]string{"do": do}
		return object, e.client.Create(t.Context(), object, client.DryRunAll)
	}
	eventually(t, "policies and webhooks are called", func() bool {
		got, err := send(true, "count")
		return err == nil && got.Labels["count"] != "" && got.Labels["later"] != ""
	})
	results := map[string]bool{}
	for _, again := range []bool{false, true} {
		table := admissiontest.Table[corev1.ConfigMap]{
			Webhooks: relabelling{}, Paths: []string{"/relabel"}, Kind: admissiontest.Kind{APIVersion: "v1", Kind: "ConfigMap"},
			Policies: &admissiontest.Cluster{NamespaceLabels: namespaceLabels},
		}
		if again {
			table.Reinvoked = table.Paths
		}
		for _, do := range relabels {
			if again && do == "count" {
				continue // the number of calls depends on the order of policies, too
			}
			got, err := send(again, do)
			if err != nil {
				t.Fatal(err)
			}
			results[fmt.Sprint(got.Labels)] = true
			request := got.DeepCopy()
			request.Labels = map[string]string{"walk": fmt.Sprint("again-", again)}
			table.Cases = append(table.Cases, admissiontest.Case[corev1.ConfigMap]{Name: fmt.Sprint(do, again), Request: admissiontest.Create(request), Object: got})
		}
		table.Run(t)
	}
	if len(results) < 5 {
		t.Errorf("only %d different results: %v", len(results), results)
	}
}
