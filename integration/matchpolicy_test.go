// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"encoding/json"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	fleetv1 "github.com/webhook-gen/webhook-gen/integration/api/v1"
	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestMatchPolicy sends Fleets in three versions. A webhook for v1 gets all of them: the generated conversions convert
// them to v1, and requestKind has the version that was sent. A webhook with matchPolicy Exact gets the Fleets in the
// versions of its rules.
func TestMatchPolicy(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	for version, replicas := range map[string]string{"v1": "replicas", "v1beta1": "replicas", "v1alpha1": "size"} {
		e.create(t, newFleet(version, namespace, version, map[string]any{replicas: int64(7)}))
	}
	e.calls.want(t, arguments.ValidateEquivalentPath, namespace, "CREATE v1", "CREATE v1beta1", "CREATE v1alpha1")
	e.calls.want(t, arguments.ValidateExactPath, namespace, "CREATE v1", "CREATE v1beta1")
	e.calls.want(t, arguments.ValidateOlderPath, namespace, "CREATE v1beta1")

	for _, call := range e.calls.about(arguments.ValidateEquivalentPath, namespace) {
		if want := (metav1.GroupVersionKind{Group: "fleet.example.com", Version: "v1", Kind: "Fleet"}); call.request.Kind != want {
			t.Errorf("%s: got kind %v", call.request.Name, call.request.Kind)
		}
		if sent := call.request.RequestKind; sent.Version != call.request.Name {
			t.Errorf("%s: got requestKind %v", call.request.Name, sent)
		}
		var fleet fleetv1.Fleet
		if err := json.Unmarshal(call.request.Object.Raw, &fleet); err != nil {
			t.Fatal(err)
		}
		if n := fleet.Spec.Replicas; fleet.APIVersion != "fleet.example.com/v1" || n == nil || *n != 7 {
			t.Errorf("%s: got %s", call.request.Name, call.request.Object.Raw)
		}
	}
	for _, call := range e.calls.about(arguments.ValidateExactPath, namespace) {
		if call.request.Kind.Version != call.request.Name {
			t.Errorf("%s: got kind %v", call.request.Name, call.request.Kind)
		}
	}
}

// TestMatchPolicyDenies has a Fleet denied by a field that its own version has under another name.
func TestMatchPolicyDenies(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	err := e.client.Create(t.Context(), newFleet("v1alpha1", namespace, "armada", map[string]any{"size": int64(101)}))
	if !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "spec.replicas: Invalid value: 101: must be 100 at most") {
		t.Errorf("got %v", err)
	}
}
