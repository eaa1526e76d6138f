// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
)

// walkers are two webhooks that record their visits in an annotation of a pod. Another annotation selects what else a
// webhook does.
type walkers struct{}

var walks = []string{"stay", "visit", "visit once", "visit and remove tolerations"}

func (walkers) Register(handle func(string, http.Handler), options ...admission.Option) error {
	for _, name := range []string{"a", "b"} {
		handle("/"+name, admission.Mutating(name, admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
			pod := r.Object
			switch walk := pod.Annotations[name]; {
			case walk == "stay", walk == "visit once" && strings.Contains(pod.Annotations["visits"], name):
				return nil
			case strings.HasSuffix(walk, "remove tolerations"):
				pod.Spec.Tolerations = nil
			}
			pod.Annotations["visits"] += name
			return nil
		})).With(options...))
	}
	return nil
}

// tolerate is what the plugin DefaultTolerationSeconds of API servers does to pods.
func tolerate(pod *corev1.Pod) {
	seconds := int64(300)
	for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		if !slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool { return t.Key == key }) {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			})
		}
	}
}

// TestReinvocationInTables has an API server and admissiontest.Table call the same webhooks for the same pods: each
// combination of what the webhooks do, of their reinvocationPolicy and of their order.
func TestReinvocationInTables(t *testing.T) {
	e := onAPIServer(t)
	mux := http.NewServeMux()
	if err := (walkers{}).Register(mux.Handle); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewTLSServer(mux)
	t.Cleanup(server.Close)
	var chains [][]string // of paths; an exclamation mark means the policy IfNeeded
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "walkers"}}
	for _, chain := range []string{"/a /b", "/a! /b", "/a /b!", "/a! /b!", "/b! /a", "/a!"} {
		label := fmt.Sprintf("chain-%d", len(chains))
		chains = append(chains, strings.Fields(chain))
		for _, path := range strings.Fields(chain) {
			path, again := strings.CutSuffix(path, "!")
			configuration.Webhooks = append(configuration.Webhooks, walker(server, path, label, again))
		}
	}
	e.installFor(t, configuration)
	namespace := e.namespace(t, nil)
	send := func(chain string, annotations map[string]string) (*corev1.Pod, error) {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "one", Labels: map[string]string{"walk": chain}, Annotations: annotations},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "main"}}},
		}
		return pod, e.client.Create(t.Context(), pod, client.DryRunAll)
	}
	last := fmt.Sprintf("chain-%d", len(chains)-1)
	eventually(t, "the webhooks are called", func() bool {
		pod, err := send(last, map[string]string{"a": "visit"})
		return err == nil && pod.Annotations["visits"] != ""
	})

	compared, reinvoked := 0, 0
	for i, chain := range chains {
		for _, a := range walks {
			for _, b := range walks {
				walk := map[string]string{"a": a, "b": b}
				got, err := send(fmt.Sprintf("chain-%d", i), walk)
				if err != nil {
					t.Fatal(err)
				}
				request := got.DeepCopy()
				request.Annotations, request.Spec.Tolerations = walk, nil
				table := admissiontest.Table[corev1.Pod]{
					Webhooks: walkers{}, Kind: admissiontest.Kind{APIVersion: "v1", Kind: "Pod"}, InTree: tolerate,
					Cases: []admissiontest.Case[corev1.Pod]{{Name: fmt.Sprint(chain, a, b), Request: admissiontest.Create(request), Object: got}},
				}
				for _, path := range chain {
					path, again := strings.CutSuffix(path, "!")
					table.Paths = append(table.Paths, path)
					if again {
						table.Reinvoked = append(table.Reinvoked, path)
					}
				}
				table.Run(t)
				compared++
				if len(got.Annotations["visits"]) > len(chain) {
					reinvoked++
				}
			}
		}
	}
	if compared != len(chains)*len(walks)*len(walks) || reinvoked < 10 {
		t.Errorf("%d requests compared, %d of them with a second round", compared, reinvoked)
	}
}

// walker is the webhook at a path for pods with a label.
func walker(server *httptest.Server, path, label string, again bool) admissionregistrationv1.MutatingWebhook {
	policy, none, url := admissionregistrationv1.NeverReinvocationPolicy, admissionregistrationv1.SideEffectClassNone, server.URL+path
	if again {
		policy = admissionregistrationv1.IfNeededReinvocationPolicy
	}
	return admissionregistrationv1.MutatingWebhook{
		Name:                    label + "." + strings.Trim(path, "/") + ".walkers.example.com",
		AdmissionReviewVersions: []string{"v1"},
		ReinvocationPolicy:      &policy,
		SideEffects:             &none,
		ObjectSelector:          &metav1.LabelSelector{MatchLabels: map[string]string{"walk": label}},
		ClientConfig: admissionregistrationv1.WebhookClientConfig{
			URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		},
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
		}},
	}
}
