// SPDX-License-Identifier: Apache-2.0

package request

import (
	"cmp"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
)

// isStored reports a request whose object an API server stores.
func isStored(r admission.Attributes) bool {
	group := r.GetResource().Group
	return r.GetSubresource() == "" && group != "authentication.k8s.io" && group != "authorization.k8s.io"
}

// Validated returns the request as validating webhooks see it. Between mutating and validating webhooks, an API server
// completes a new object: a name for its generateName, a UID and a time
// (k8s.io/apiserver/pkg/registry/generic/registry, Store.Create). It does so for objects that it stores, and so neither
// for subresources nor for reviews; and for TokenRequests (k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage,
// TokenREST).
func Validated(r admission.Attributes) admission.Attributes {
	created := r.GetObject()
	if r.GetOperation() != admission.Create || created == nil || !isStored(r) && r.GetKind().Kind != "TokenRequest" {
		return r
	}
	created = created.DeepCopyObject()
	metadata, err := meta.Accessor(created)
	if err != nil {
		return r
	}
	if metadata.GetName() == "" && metadata.GetGenerateName() != "" {
		metadata.SetName(metadata.GetGenerateName() + "xxxxx")
	}
	if metadata.GetUID() == "" {
		metadata.SetUID("00000000-0000-0000-0000-000000000000")
	}
	if created := metadata.GetCreationTimestamp(); created.IsZero() {
		metadata.SetCreationTimestamp(metav1.NewTime(time.Now()))
	}
	name := cmp.Or(r.GetName(), metadata.GetName())
	return admission.NewAttributesRecord(created, r.GetOldObject(), r.GetKind(), r.GetNamespace(), name, r.GetResource(), r.GetSubresource(),
		r.GetOperation(), r.GetOperationOptions(), r.IsDryRun(), r.GetUserInfo())
}
