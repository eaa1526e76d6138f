// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestEnforcement has three validators deny an object. One denies it, one warns, and one only writes into the audit
// log.
func TestEnforcement(t *testing.T) {
	e := onAPIServer(t)
	namespace := e.namespace(t, nil)
	for _, test := range []struct {
		trial    string
		denied   bool
		warnings []string
		audited  string
	}{
		{"deny", true, nil, ""},
		{"warn", false, []string{"would be denied: not here"}, "not here"},
		{"audit", false, nil, "not here"},
	} {
		var heard warnings
		config := rest.CopyConfig(e.config)
		config.WarningHandlerWithContext = &heard
		user, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
		object := configMap(namespace, test.trial, map[string]string{"trial": test.trial})
		if err := user.Create(t.Context(), object); apierrors.IsForbidden(err) != test.denied || !test.denied && err != nil {
			t.Errorf("%s: got %v", test.trial, err)
		}
		if diff := cmp.Diff(test.warnings, heard.text); diff != "" {
			t.Errorf("%s: warnings (- want, + got):\n%s", test.trial, diff)
		}
		key := "enforcement" + test.trial + ".validate.configmaps.v1.integration.example.com/would-deny"
		if got := e.auditAnnotations(t, namespace, test.trial)[key]; got != test.audited {
			t.Errorf("%s: the audit log has %q, want %q", test.trial, got, test.audited)
		}
	}
}
