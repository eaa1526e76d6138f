// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"net/http"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newNamespacePolicy makes the policy for tests, the generated ones included.
func newNamespacePolicy(t testing.TB) *NamespacePolicy {
	t.Helper()
	return &NamespacePolicy{Administrators: "platform-admins"}
}

// sampleNamespacePolicy is an object that the policy has nothing against, with edits.
func sampleNamespacePolicy(edit ...func(*metav1.PartialObjectMetadata)) *metav1.PartialObjectMetadata {
	object := &metav1.PartialObjectMetadata{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "sample"},
	}
	for _, e := range edit {
		e(object)
	}
	return object
}

func production(o *metav1.PartialObjectMetadata) { o.Name = "shop-prod" }

func TestNamespacePolicy(t *testing.T) {
	admissiontest.Table[metav1.PartialObjectMetadata]{
		Webhooks: newWebhooks(t),
		Paths:    []string{ValidateNamespacePolicyPath},
		Kind:     admissiontest.Kind{APIVersion: "v1", Kind: "Namespace"},
		Cases: []admissiontest.Case[metav1.PartialObjectMetadata]{
			{
				Name:    "nobody's namespace",
				Request: admissiontest.Delete(sampleNamespacePolicy()),
			},
			{
				Name:    "production by anybody",
				Request: admissiontest.Delete(sampleNamespacePolicy(production)).By("alice"),
				Denied:  http.StatusForbidden,
				Message: "only the group platform-admins may delete it",
			},
			{
				Name:    "production by an administrator",
				Request: admissiontest.Delete(sampleNamespacePolicy(production)).By("bob", "platform-admins"),
			},
		},
	}.Run(t)
}
