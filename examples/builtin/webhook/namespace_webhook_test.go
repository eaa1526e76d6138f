// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"net/http"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newNamespaceWebhook makes the webhook's validator or defaulter for tests, the generated ones included.
func newNamespaceWebhook(t testing.TB) *NamespaceWebhook {
	t.Helper()
	return &NamespaceWebhook{Administrators: "platform-admins"}
}

// sampleNamespace is an object that the webhook allows, with edits.
func sampleNamespace(edit ...func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "sample"},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func production(o *metav1.PartialObjectMetadata) { o.Name = "shop-prod" }

func TestNamespaceWebhook(t *testing.T) {
	admissiontest.Table[metav1.PartialObjectMetadata]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateNamespaceWebhookPath},
		Kind:     admissiontest.Kind{APIVersion: "v1", Kind: "Namespace"},
		Cases: []admissiontest.Case[metav1.PartialObjectMetadata]{
			{
				Name:    "nobody's namespace",
				Request: admissiontest.Delete(sampleNamespace()),
			},
			{
				Name:    "production by anybody",
				Request: admissiontest.Delete(sampleNamespace(production)).By("alice"),
				Denied:  http.StatusForbidden,
				Message: "only the group platform-admins may delete it",
			},
			{
				Name:    "production by an administrator",
				Request: admissiontest.Delete(sampleNamespace(production)).By("bob", "platform-admins"),
			},
		},
	}.Run(t)
}
