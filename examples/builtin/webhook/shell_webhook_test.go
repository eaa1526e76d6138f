// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"net/http"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	corev1 "k8s.io/api/core/v1"
)

// newShellWebhook makes the webhook's validator or defaulter for tests, the generated ones included.
func newShellWebhook(t testing.TB) *ShellWebhook {
	t.Helper()
	return &ShellWebhook{}
}

// sampleShell is an object that the webhook allows, with edits.
func sampleShell(edit ...func(*corev1.PodExecOptions)) *corev1.PodExecOptions {
	object := &corev1.PodExecOptions{Command: []string{"ls", "-l"}}
	for _, e := range edit {
		e(object)
	}
	return object
}

func TestShellWebhook(t *testing.T) {
	admissiontest.Table[corev1.PodExecOptions]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateShellWebhookExecPath},
		Kind:     admissiontest.Kind{APIVersion: "v1", Kind: "PodExecOptions"},
		Resource: admissiontest.Resource{APIVersion: "v1", Name: "pods", SubResource: "exec"},
		Cases: []admissiontest.Case[corev1.PodExecOptions]{
			{
				Name:    "a command is put down in the audit log",
				Request: admissiontest.Connect(sampleShell()).Named("shop-prod", "web"),
				Audit:   map[string]string{"command": "ls -l"},
			},
			{
				Name:    "a terminal in production",
				Request: admissiontest.Connect(sampleShell(func(o *corev1.PodExecOptions) { o.TTY = true })).Named("shop-prod", "web"),
				Denied:  http.StatusForbidden,
				Message: "no terminals in production",
			},
			{
				Name:    "a terminal elsewhere",
				Request: admissiontest.Connect(sampleShell(func(o *corev1.PodExecOptions) { o.TTY = true })).Named("shop-test", "web"),
			},
		},
	}.Run(t)
}
