package admission

import (
	"encoding/json"
	"errors"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/webhook-gen/webhook-gen/templates/wire"
)

// Operation is what a request wants to do with the object.
type Operation = admissionv1.Operation

// The operations there are. Deletion of a collection is one DELETE for each of its objects.
const (
	Create  Operation = admissionv1.Create
	Update  Operation = admissionv1.Update
	Delete  Operation = admissionv1.Delete
	Connect Operation = admissionv1.Connect
)

// Request is what the requests of all operations have in common: who wants to do what with which object. It is
// embedded in them. A request, like its object, belongs to one goroutine at a time.
type Request struct {
	// UID identifies this call. It is another one each time that the API server calls.
	UID types.UID
	// Operation is what the request wants to do.
	Operation Operation

	// Kind, Resource and SubResource are what the object has been sent as.
	Kind        metav1.GroupVersionKind
	Resource    metav1.GroupVersionResource
	SubResource string
	// RequestKind, RequestResource and RequestSubResource are what the user's request names. They differ from the above
	// where matchPolicy: Equivalent has converted the object to a version or resource that the webhook's rules match.
	RequestKind        metav1.GroupVersionKind
	RequestResource    metav1.GroupVersionResource
	RequestSubResource string

	// Name is the object's name. It is empty where the API server is still to generate it.
	Name string
	// Namespace is the object's namespace, and empty for a cluster-scoped object, except that a Namespace stands in itself.
	Namespace string
	// UserInfo is who asks.
	UserInfo authenticationv1.UserInfo
	// DryRun says that nothing will be stored: a policy must have no side effects then.
	DryRun bool

	warnings    []string
	annotations map[string]string
	envelope    *envelope // until the policy has returned
}

// AdmissionRequest returns the request as the API server has sent it, with copies of the objects in it.
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
	request.Object = runtime.RawExtension{Raw: r.part(objectPart)}
	request.OldObject = runtime.RawExtension{Raw: r.part(oldObjectPart)}
	request.Options = runtime.RawExtension{Raw: r.part(optionsPart)}
	return request
}

// part returns a copy of a part of the review, for the body's memory serves another request soon.
func (r *Request) part(p part) []byte {
	if r.envelope == nil {
		return nil
	}
	return append([]byte(nil), r.envelope.raw(p)...)
}

// CreateRequest wants an object to be created.
type CreateRequest[T any] struct {
	Request
	// Object is what shall be created. A mutating webhook's function edits it in place.
	Object *T
	// Options are those of the user's request.
	Options metav1.CreateOptions
}

// UpdateRequest wants an object to be replaced.
type UpdateRequest[T any] struct {
	Request
	// Object is what shall be there. A mutating webhook's function edits it in place.
	Object *T
	// Options are those of the user's request. A patch comes as an update, too.
	Options metav1.UpdateOptions

	old    *T
	oldErr error
	shape  *wire.Shape
}

// NewUpdateRequest returns a request as a test of a policy needs it: old is to be replaced by object.
func NewUpdateRequest[T any](old, object *T) *UpdateRequest[T] {
	return &UpdateRequest[T]{Request: Request{Operation: Update}, Object: object, old: old}
}

// OldObject returns the object that is there now. It is decoded when it is first asked for, and only while the policy
// runs: a policy that does not need it does not pay for it. If it cannot be decoded, the error is a [Failure], which
// the policy returns as it is.
func (r *UpdateRequest[T]) OldObject() (*T, error) {
	if r.old == nil && r.oldErr == nil {
		r.old, r.oldErr = r.decodeOld()
	}
	return r.old, r.oldErr
}

func (r *UpdateRequest[T]) decodeOld() (*T, error) {
	if r.envelope == nil {
		return nil, Failure(errors.New("there is no old object: it can be read only while the policy runs"))
	}
	old := new(T)
	if err := r.envelope.decode(oldObjectPart, r.shape, reflect.ValueOf(old)); err != nil {
		return nil, Failure(err)
	}
	return old, nil
}

// DeleteRequest wants an object to be deleted. There is nothing to be edited: what a mutating webhook's function does
// to the object is lost, for the API server allows no patch here.
type DeleteRequest[T any] struct {
	Request
	// OldObject is what shall be deleted.
	OldObject *T
	// Options are those of the user's request.
	Options metav1.DeleteOptions
}

// ConnectRequest wants to open a connection, such as `kubectl exec` does to a pod. O is the type of its options, for
// example corev1.PodExecOptions; the object that is connected to is known by its Name and Namespace only.
type ConnectRequest[O any] struct {
	Request
	// Options are those of the connection. A mutating webhook's function edits them in place.
	Options *O
}

// RawRequest is a request of any operation on objects of any kind. Nothing but what all requests have in common has
// been decoded, which makes it by far the cheapest one.
type RawRequest struct {
	Request
}

// Object returns the JSON of the object, and of the options where the operation is CONNECT; nil for a DELETE.
func (r *RawRequest) Object() json.RawMessage { return r.part(objectPart) }

// OldObject returns the JSON of the object that is there now; nil for CREATE and CONNECT.
func (r *RawRequest) OldObject() json.RawMessage { return r.part(oldObjectPart) }

// Options returns the JSON of the options of the user's request, such as metav1.CreateOptions.
func (r *RawRequest) Options() json.RawMessage { return r.part(optionsPart) }
