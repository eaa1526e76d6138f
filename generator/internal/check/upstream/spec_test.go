// SPDX-License-Identifier: Apache-2.0

package upstream

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1beta1 "k8s.io/api/admissionregistration/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"

	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// TestRandomSpecs compares the defaults of random webhooks, in both versions, with those of the API server's scheme.
func TestRandomSpecs(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	changed := 0
	for range 2000 {
		w := randomWebhook(r, true).Spec
		for api, list := range map[string]runtime.Object{
			"v1":      &admissionregistrationv1.MutatingWebhookConfiguration{},
			"v1beta1": &admissionregistrationv1beta1.MutatingWebhookConfiguration{},
		} {
			copied(t, admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{w}}, list)
			legacyscheme.Scheme.Default(list)
			var want admissionregistrationv1.MutatingWebhookConfiguration
			copied(t, list, &want)
			got := spec.Defaulted(w, api)
			if diff := cmp.Diff(encoded(t, want.Webhooks[0]), encoded(t, got)); diff != "" {
				t.Fatalf("%s (-upstream +spec)\n%s", api, diff)
			}
			if encoded(t, got) != encoded(t, w) {
				changed++
			}
		}
	}
	if changed < 1000 {
		t.Errorf("only %d webhooks had defaults", changed)
	}
}

// TestRandomOutputs has the API server's scheme set the defaults of generated manifests: there are none to add.
func TestRandomOutputs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		p := randomPolicy(r)
		if p.Spec.MatchConstraints == nil {
			p.Spec.MatchConstraints = &admissionregistrationv1.MatchResources{} // every policy of generate has some
		}
		for _, object := range append(render.BindingObjects(p), render.PolicyObject(p)) {
			want := encoded(t, object)
			legacyscheme.Scheme.Default(object.(runtime.Object))
			if diff := cmp.Diff(want, encoded(t, object)); diff != "" {
				t.Fatalf("%T (-ours +upstream)\n%s", object, diff)
			}
		}
	}
}

// copied copies a value to one of another version through JSON.
func copied(t *testing.T, from, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(encoded(t, from)), to); err != nil {
		t.Fatal(err)
	}
}

func encoded(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
