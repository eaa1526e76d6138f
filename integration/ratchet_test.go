// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRatchet updates an object that is older than a rule, and that the rule denies. With ratchet, an error that the
// stored object has is a warning. Without it, no update is possible.
func TestRatchet(t *testing.T) {
	e := onAPIServer(t)
	const (
		before   = `as before: data[a]: Invalid value: "Big": must be lower case`
		unedited = `{"metadata":{"annotations":{"edited":"yes"}}}`
	)
	for _, test := range []struct {
		rule, name, patch string
		denied            bool
		want              []string
	}{
		{"ratchet", "the labels change", unedited, false, []string{before}},
		{"ratchet", "another entry comes", `{"data":{"b":"small"}}`, false, []string{before}},
		{"ratchet", "the value changes", `{"data":{"a":"Bigger"}}`, true, nil},
		{"ratchet", "an error more", `{"data":{"b":"Large"}}`, true, []string{before}},
		{"ratchet", "the error goes", `{"data":{"a":"small"}}`, false, nil},
		{"rigid", "the labels change", unedited, true, nil},
		{"rigid", "the error goes", `{"data":{"a":"small"}}`, false, nil},
	} {
		t.Run(test.rule+": "+test.name, func(t *testing.T) {
			namespace := e.namespace(t, nil)
			old, bad := configMap(namespace, "old", nil), configMap(namespace, "bad", nil)
			old.Data, bad.Data = map[string]string{"a": "Big"}, map[string]string{"a": "Big"}
			e.create(t, old)
			e.begin(t, bad, "lowercase", test.rule)
			var heard warnings
			config := rest.CopyConfig(e.config)
			config.WarningHandlerWithContext = &heard
			user, err := client.New(config, client.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := merge(t, user, old, test.patch); apierrors.IsInvalid(err) != test.denied || !test.denied && err != nil {
				t.Errorf("got %v, want it denied: %v", err, test.denied)
			}
			if diff := cmp.Diff(test.want, heard.text); diff != "" {
				t.Errorf("warnings (- want, + got):\n%s", diff)
			}
		})
	}
}
