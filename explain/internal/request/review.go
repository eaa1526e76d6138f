// SPDX-License-Identifier: Apache-2.0

package request

import (
	"errors"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"

	"github.com/webhook-gen/webhook-gen/explain/internal/object"
)

func isReview(o *unstructured.Unstructured) bool {
	kind := o.GroupVersionKind()
	return kind.Group == admissionv1.GroupName && kind.Kind == "AdmissionReview"
}

// fromReview turns an AdmissionReview, in v1 or v1beta1, into the request that made the API server send it. The API
// server may have converted its objects to a version that the webhook selects.
func fromReview(o Options) (*Request, error) {
	if o.Old != nil || o.Operation != "" || o.Resource != "" || o.Subresource != "" || o.Namespace != "" || o.Name != "" || o.User.Name != "" || len(o.User.Groups) > 0 {
		return nil, errors.New("an AdmissionReview contains the whole request: remove the other flags about it")
	}
	var review admissionv1.AdmissionReview // v1beta1 has the same fields
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object.Object, &review); err != nil {
		return nil, fmt.Errorf("the AdmissionReview: %w", err)
	}
	sent := review.Request
	if sent == nil {
		return nil, errors.New("the AdmissionReview has no request")
	}
	kind, resource, subresource := sent.Kind, sent.Resource, sent.SubResource
	if sent.RequestKind != nil {
		kind = *sent.RequestKind
	}
	if sent.RequestResource != nil {
		resource, subresource = *sent.RequestResource, sent.RequestSubResource
	}
	now, err := raw(o.Object, "object")
	if err != nil {
		return nil, err
	}
	old, err := raw(o.Object, "oldObject")
	if err != nil {
		return nil, err
	}
	dryRun := sent.DryRun != nil && *sent.DryRun || o.DryRun
	chosen, err := raw(o.Object, "options")
	if err != nil {
		return nil, err
	}
	return &Request{Defaulted: true, Attributes: admission.NewAttributesRecord(now, old, schema.GroupVersionKind(kind), sent.Namespace, sent.Name,
		schema.GroupVersionResource(resource), subresource, admission.Operation(sent.Operation), chosen, dryRun,
		UserInfo(sent.UserInfo))}, nil
}

// raw returns an object of the review; nil if the review lacks it.
func raw(review *unstructured.Unstructured, field string) (runtime.Object, error) {
	if value, _, _ := unstructured.NestedFieldNoCopy(review.Object, "request", field); value == nil {
		return nil, nil
	}
	content, _, err := unstructured.NestedMap(review.Object, "request", field)
	if err != nil {
		return nil, err
	}
	o := &unstructured.Unstructured{Object: content}
	if o.GroupVersionKind().Group == metav1.GroupName {
		return o, nil
	}
	return object.Typed(o)
}
