// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Operation is the operation of a request: CREATE, UPDATE, DELETE or CONNECT.
type Operation = admissionv1.Operation

// The operations. Deleting a collection is one DELETE for each of its objects.
const (
	Create  Operation = admissionv1.Create
	Update  Operation = admissionv1.Update
	Delete  Operation = admissionv1.Delete
	Connect Operation = admissionv1.Connect
)

// Request holds the fields that the requests of all operations share. It is embedded in them. A request, like its
// object, belongs to one goroutine at a time.
type Request struct {
	// UID identifies this call. It differs for each call of the API server.
	UID types.UID
	// Operation is the operation of the request.
	Operation Operation

	// Kind, Resource and SubResource are the kind, resource and subresource in which the object was sent.
	Kind        metav1.GroupVersionKind
	Resource    metav1.GroupVersionResource
	SubResource string
	// RequestKind, RequestResource and RequestSubResource are the values of the user's request. They differ from the
	// fields above if matchPolicy: Equivalent has converted the object to a version or resource of the webhook's rules.
	RequestKind        metav1.GroupVersionKind
	RequestResource    metav1.GroupVersionResource
	RequestSubResource string

	// Name is the object's name. It is empty if the API server has yet to generate it.
	Name string
	// Namespace is the object's namespace. It is empty for cluster-scoped objects, except that a Namespace is in
	// itself.
	Namespace string
	// UserInfo is the user who made the request.
	UserInfo authenticationv1.UserInfo
	// DryRun reports that nothing will be stored. A validator or defaulter must then have no side effects.
	DryRun bool

	warnings    []string
	annotations map[string]string
	envelope    *envelope                     // until the function has returned
	sent        *admissionv1.AdmissionRequest // of NewRequest
}

// NewRequest returns the request of a review that another program has decoded.
func NewRequest(r admissionv1.AdmissionRequest) Request {
	request := Request{
		UID: r.UID, Operation: r.Operation,
		Kind: r.Kind, Resource: r.Resource, SubResource: r.SubResource,
		RequestKind: r.Kind, RequestResource: r.Resource, RequestSubResource: r.RequestSubResource,
		Name: r.Name, Namespace: r.Namespace, UserInfo: r.UserInfo,
		DryRun: r.DryRun != nil && *r.DryRun, sent: &r,
	}
	if r.RequestKind != nil {
		request.RequestKind = *r.RequestKind
	}
	if r.RequestResource != nil {
		request.RequestResource = *r.RequestResource
	}
	return request
}

// Status returns the answer to a user whose request err denies, as a Handler gives it. If err is a failure, it is the
// status with which a Handler fails: 500 InternalError.
func (r *Request) Status(err error) metav1.Status {
	if isFailure(err) {
		return *serving.InternalError(err).Status()
	}
	return denial(err, r.Kind, r.Name, false)
}

// AdmissionRequest returns the request as the API server sent it, with copies of its objects.
func (r *Request) AdmissionRequest() admissionv1.AdmissionRequest {
	request := admissionv1.AdmissionRequest{
		UID:                r.UID,
		Kind:               r.Kind,
		Resource:           r.Resource,
		SubResource:        r.SubResource,
		RequestKind:        &r.RequestKind,
		RequestResource:    &r.RequestResource,
		RequestSubResource: r.RequestSubResource,
		Name:               r.Name,
		Namespace:          r.Namespace,
		Operation:          r.Operation,
		UserInfo:           r.UserInfo,
		DryRun:             &r.DryRun,
	}
	if r.sent != nil {
		request.Object, request.OldObject, request.Options = r.sent.Object, r.sent.OldObject, r.sent.Options
		return request
	}
	request.Object = runtime.RawExtension{Raw: r.part(objectPart)}
	request.OldObject = runtime.RawExtension{Raw: r.part(oldObjectPart)}
	request.Options = runtime.RawExtension{Raw: r.part(optionsPart)}
	return request
}

// part returns a copy of a part of the review: the memory of the body is soon reused for another request.
func (r *Request) part(p part) []byte {
	if r.envelope == nil {
		return nil
	}
	return append([]byte(nil), r.envelope.raw(p)...)
}

// CreateRequest is a request to create an object.
type CreateRequest[T any] struct {
	Request
	// Object is the object to create. A mutating webhook's function edits it in place.
	Object *T
	// Options are the options of the user's request.
	Options metav1.CreateOptions
}

// UpdateRequest is a request to replace an object.
type UpdateRequest[T any] struct {
	Request
	// Object is the new object. A mutating webhook's function edits it in place.
	Object *T
	// Options are the options of the user's request. A patch is an update, too.
	Options metav1.UpdateOptions

	old    *T
	oldErr error
	shape  *wire.Shape
}

// NewUpdateRequest returns a request to replace old by object, for the test of a validator or defaulter.
func NewUpdateRequest[T any](old, object *T) *UpdateRequest[T] {
	return &UpdateRequest[T]{Request: Request{Operation: Update}, Object: object, old: old}
}

// OldObject returns the object as it is stored. It is decoded on the first call, and only while the function runs: a
// function that does not need it does not pay for it.
//
// If the object cannot be decoded, the error has the code 400 and a message on how to repair or delete the object.
// Return the error: it denies the request. It also denies if the function marks it, or any other error, as a [Failure].
func (r *UpdateRequest[T]) OldObject() (*T, error) {
	if r.old == nil && r.oldErr == nil {
		r.old, r.oldErr = r.decodeOld()
	}
	return r.old, r.oldErr
}

func (r *UpdateRequest[T]) decodeOld() (*T, error) {
	if r.envelope == nil {
		return nil, Failure(errors.New("there is no old object: it can be read only while the validator or defaulter runs"))
	}
	old := new(T)
	if r.envelope.found[oldObjectPart].Absent() {
		return nil, Failure(fmt.Errorf("the request has no %s", oldObjectPart))
	}
	if err := r.envelope.content(oldObjectPart, r.shape, reflect.ValueOf(old)); err != nil {
		return nil, err
	}
	return old, nil
}

// DeleteRequest is a request to delete an object. It cannot be edited: edits by a mutating webhook's function are lost,
// because the API server allows no patch here.
type DeleteRequest[T any] struct {
	Request
	// OldObject is the object to delete.
	OldObject *T
	// Options are the options of the user's request.
	Options metav1.DeleteOptions
}

// ConnectRequest is a request to open a connection, as `kubectl exec` does to a pod. O is the type of its options, for
// example corev1.PodExecOptions. Of the object that it connects to, only Name and Namespace are known.
type ConnectRequest[O any] struct {
	Request
	// Options are the options of the connection. A mutating webhook's function edits them in place.
	Options *O
}

// RawRequest is a request of any operation on objects of any kind. Only the fields that all requests share are decoded,
// so it is by far the cheapest.
type RawRequest struct {
	Request
}

// Object returns the JSON of the object, or of the options if the operation is CONNECT; nil for DELETE.
func (r *RawRequest) Object() json.RawMessage { return r.part(objectPart) }

// OldObject returns the JSON of the stored object; nil for CREATE and CONNECT.
func (r *RawRequest) OldObject() json.RawMessage { return r.part(oldObjectPart) }

// Options returns the JSON of the options of the user's request, such as metav1.CreateOptions.
func (r *RawRequest) Options() json.RawMessage { return r.part(optionsPart) }
