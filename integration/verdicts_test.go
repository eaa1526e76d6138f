// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/webhook-gen/webhook-gen/integration/arguments"
)

// TestDenial checks that a user gets the webhook, the reason and the fields of a denial, with each operation.
func TestDenial(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	strict := map[string]string{"topic": "strict"}
	denied := configMap(namespace, "denied", strict)
	denied.Data = map[string]string{"deny": "yes"}
	wantDenial(t, e.client.Create(t.Context(), denied),
		`admission webhook "strict.arguments.integration.example.com" denied the request: ConfigMap "denied" is invalid: [data[deny]: Invalid value: "yes": must be empty, `+
			`data[reason]: Required value: say why]`,
		"data[deny]", "data[reason]")

	allowed := configMap(namespace, "allowed", strict)
	allowed.Data = map[string]string{"reason": "good", "precious": "very"}
	e.create(t, allowed)
	delete(allowed.Data, "reason")
	wantDenial(t, e.client.Update(t.Context(), allowed),
		`admission webhook "strict.arguments.integration.example.com" denied the request: ConfigMap "allowed" is invalid: data[reason]: Required value: it had one`,
		"data[reason]")
	wantDenial(t, e.client.Delete(t.Context(), allowed),
		`admission webhook "strict.arguments.integration.example.com" denied the request: ConfigMap "allowed" is invalid: data[precious]: Forbidden: it stays`,
		"data[precious]")
	e.calls.want(t, arguments.ValidateStrictPath, namespace, "CREATE allowed", "CREATE denied", "UPDATE allowed", "DELETE allowed")
}

// wantDenial checks for 422 with a message and with a cause for each field.
func wantDenial(t *testing.T, err error, message string, fields ...string) {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) {
		t.Fatalf("got %v", err)
	}
	var got []string
	for _, cause := range status.Status().Details.Causes {
		got = append(got, cause.Field)
	}
	if diff := cmp.Diff(fields, got); diff != "" || err.Error() != message {
		t.Errorf("got %v\n%s", err, diff)
	}
}

// warnings collects the warnings that a client gets.
type warnings struct {
	mu   sync.Mutex
	text []string
}

func (w *warnings) HandleWarningHeaderWithContext(_ context.Context, code int, _, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text)
}

// TestWarnings checks that a user gets a webhook's warnings, whether the request is allowed or denied, and nobody else
// gets them.
func TestWarnings(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	denied := configMap(namespace, "denied", map[string]string{"topic": "strict"})
	denied.Data = map[string]string{"deny": "yes"}
	for _, test := range []struct {
		object client.Object
		want   []string
	}{
		{configMap(namespace, "allowed", map[string]string{"topic": "strict"}), []string{"this webhook is strict", "it says so twice"}},
		{denied, []string{"this webhook is strict", "it says so twice"}},
		{configMap(namespace, "other", nil), nil},
	} {
		var heard warnings
		config := rest.CopyConfig(e.config)
		config.WarningHandlerWithContext = &heard
		user, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := user.Create(t.Context(), test.object); (err != nil) != (test.object == denied) {
			t.Error(err)
		}
		if diff := cmp.Diff(test.want, heard.text); diff != "" {
			t.Errorf("%s (- want, + got):\n%s", test.object.GetName(), diff)
		}
	}
}

// TestAuditAnnotations has the API server write a webhook's annotations into its audit log, under the webhook's name.
func TestAuditAnnotations(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	e.create(t, configMap(namespace, "seen", map[string]string{"topic": "strict"}))
	e.create(t, configMap(namespace, "unseen", nil))
	const key = "strict.arguments.integration.example.com/seen-by"
	if got := e.auditAnnotations(t, namespace, "seen")[key]; got != "seen" {
		t.Errorf("got %q", got)
	}
	if got, ok := e.auditAnnotations(t, namespace, "unseen")[key]; ok {
		t.Errorf("got %q without a call", got)
	}
}
