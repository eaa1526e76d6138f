// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// review returns the review as an API server builds it, with a uid of its own
// (k8s.io/apiserver pkg/admission/plugin/webhook/request, CreateV1AdmissionReview).
func (r Review[T]) review() (*admissionv1.AdmissionReview, error) {
	object, old, err := r.parts()
	if err != nil {
		return nil, err
	}
	about := object
	if about == nil {
		about = old
	}
	var known metav1.PartialObjectMetadata
	if err := json.Unmarshal(about, &known); err != nil {
		return nil, err
	}
	kind := r.kind
	if kind.Empty() {
		kind = known.GroupVersionKind()
	}
	if kind.Kind == "" {
		return nil, errors.New("the object has no kind: say which with As")
	}
	resource := r.resource
	if resource.Empty() {
		resource, _ = meta.UnsafeGuessKindToResource(kind)
	}
	namespace, name := known.Namespace, known.Name
	if r.name != nil {
		namespace, name = *r.namespace, *r.name
	}
	options, err := rawJSON(r.options)
	if err != nil {
		return nil, err
	}

	request := &admissionv1.AdmissionRequest{
		UID:         types.UID(fmt.Sprintf("%08x-%04x-4000-8000-%012x", rand.Uint32(), rand.N(1<<16), rand.Int64N(1<<48))),
		Kind:        metav1.GroupVersionKind(kind),
		Resource:    metav1.GroupVersionResource(resource),
		SubResource: r.subResource,
		Name:        name,
		Namespace:   namespace,
		Operation:   r.operation,
		UserInfo:    r.user,
		Object:      runtime.RawExtension{Raw: withKind(object, kind)},
		OldObject:   runtime.RawExtension{Raw: withKind(old, kind)},
		DryRun:      &r.dryRun,
		Options:     runtime.RawExtension{Raw: options},
	}
	sent, sentResource := kind, resource
	if r.sentAs != nil {
		sent = *r.sentAs
		sentResource = sent.GroupVersion().WithResource(resource.Resource)
	}
	request.RequestKind = (*metav1.GroupVersionKind)(&sent)
	request.RequestResource = (*metav1.GroupVersionResource)(&sentResource)
	request.RequestSubResource = r.subResource
	return &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{Kind: "AdmissionReview", APIVersion: admissionv1.GroupName + "/" + r.version},
		Request:  request,
	}, nil
}

// parts returns the JSON of the new and of the old object; nil for a missing object.
func (r Review[T]) parts() (object, old []byte, err error) {
	if r.object != nil {
		if object, err = rawJSON(r.object); err != nil {
			return nil, nil, err
		}
	}
	if r.old != nil {
		if old, err = rawJSON(r.old); err != nil {
			return nil, nil, err
		}
	}
	if r.json != "" {
		if !json.Valid([]byte(r.json)) {
			return nil, nil, fmt.Errorf("no valid JSON: %s", r.json)
		}
		if r.operation == admissionv1.Delete {
			old = []byte(r.json)
		} else {
			object = []byte(r.json)
		}
	}
	if object == nil && old == nil {
		return nil, nil, errors.New("there is no object")
	}
	return object, old, nil
}

// rawJSON is json.Marshal, but nil for nil.
func rawJSON(value any) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	return json.Marshal(value)
}

// withKind puts apiVersion and kind, which an API server never leaves out, into
// an object that has none.
func withKind(object []byte, kind schema.GroupVersionKind) []byte {
	var known metav1.TypeMeta
	object = bytes.TrimSpace(object)
	if len(object) == 0 || json.Unmarshal(object, &known) != nil || cmp.Or(known.Kind, known.APIVersion) != "" {
		return object
	}
	head := fmt.Appendf(nil, `{"kind":%q,"apiVersion":%q`, kind.Kind, kind.GroupVersion().String())
	if rest := bytes.TrimSpace(object[1:]); !bytes.HasPrefix(rest, []byte("}")) {
		head = append(head, ',')
	}
	return append(head, object[1:]...)
}
