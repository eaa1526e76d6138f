// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"net/http"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	corev1 "k8s.io/api/core/v1"
)

// newShellPolicy makes the policy for tests, the generated ones included.
func newShellPolicy(t testing.TB) *ShellPolicy {
	t.Helper()
	return &ShellPolicy{}
}

// sampleShellPolicy is an object that the policy has nothing against, with edits.
func sampleShellPolicy(edit ...func(*corev1.PodExecOptions)) *corev1.PodExecOptions {
	object := &corev1.PodExecOptions{Command: []string{"ls", "-l"}}
	for _, e := range edit {
		e(object)
	}
	return object
}

func TestShellPolicy(t *testing.T) {
	admissiontest.Table[corev1.PodExecOptions]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateShellPolicyExecPath},
		Kind:     admissiontest.Kind{APIVersion: "v1", Kind: "PodExecOptions"},
		Resource: admissiontest.Resource{APIVersion: "v1", Name: "pods", SubResource: "exec"},
		Cases: []admissiontest.Case[corev1.PodExecOptions]{
			{
				Name:    "a command is put down in the audit log",
				Request: admissiontest.Connect(sampleShellPolicy()).Named("shop-prod", "web"),
				Audit:   map[string]string{"command": "ls -l"},
			},
			{
				Name:    "a terminal in production",
				Request: admissiontest.Connect(sampleShellPolicy(func(o *corev1.PodExecOptions) { o.TTY = true })).Named("shop-prod", "web"),
				Denied:  http.StatusForbidden,
				Message: "no terminals in production",
			},
			{
				Name:    "a terminal elsewhere",
				Request: admissiontest.Connect(sampleShellPolicy(func(o *corev1.PodExecOptions) { o.TTY = true })).Named("shop-test", "web"),
			},
		},
	}.Run(t)
}
