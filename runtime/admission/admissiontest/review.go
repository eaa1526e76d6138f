// SPDX-License-Identifier: Apache-2.0

// Package admissiontest sends admission reviews to a webhook's handler as an API server does, and checks the answers:
//
//	order := &shopv1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "first"}}
//	admissiontest.Create(order).As("shop.example.com/v1", "Order").By("alice").
//		Send(t, handler).
//		Allowed().
//		Warned("spec.note is deprecated, use spec.notes").
//		Becomes(want).
//		Again().Unchanged()
//
// Each answer is checked by the rules by which an API server accepts or refuses it, and patches are applied, so that a
// test compares objects and not patches.
package admissiontest

import (
	"slices"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// Review is the review that an API server sends to a webhook about an object of type T. It is a value: each method
// returns a changed copy, so that tests can share a common base.
type Review[T any] struct {
	operation   admissionv1.Operation
	object, old *T
	json        string // in place of the object that the operation is about

	version     string
	kind        schema.GroupVersionKind
	resource    schema.GroupVersionResource
	subResource string
	sentAs      *schema.GroupVersionKind
	namespace   *string
	name        *string
	user        authenticationv1.UserInfo
	dryRun      bool
	options     any
	timeout     time.Duration
	made        []uintptr // the calls of the function that made the review
}

// Create is a request to create an object.
func Create[T any](object *T) Review[T] {
	return newReview(admissionv1.Create, object, nil, &metav1.CreateOptions{TypeMeta: optionsType("CreateOptions")})
}

// Update is a request to replace an object.
func Update[T any](old, object *T) Review[T] {
	return newReview(admissionv1.Update, object, old, &metav1.UpdateOptions{TypeMeta: optionsType("UpdateOptions")})
}

// Delete is a request to delete an object.
func Delete[T any](old *T) Review[T] {
	return newReview(admissionv1.Delete, nil, old, &metav1.DeleteOptions{TypeMeta: optionsType("DeleteOptions")})
}

// Connect is a request to connect to an object, such as by exec to a pod; T is
// the type of its options, such as corev1.PodExecOptions. Resource and Named say
// which object.
func Connect[T any](options *T) Review[T] {
	return newReview(admissionv1.Connect, options, nil, nil)
}

func newReview[T any](operation admissionv1.Operation, object, old *T, options any) Review[T] {
	return Review[T]{
		operation: operation, object: object, old: old, options: options,
		version: "v1",
		user:    authenticationv1.UserInfo{Username: "admissiontest", Groups: []string{"system:authenticated"}},
		timeout: 10 * time.Second,
		made:    failure.Calls(1),
	}
}

func optionsType(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{Kind: kind, APIVersion: "meta.k8s.io/v1"}
}

// As sets the kind of the object. An object with an apiVersion and a kind needs
// none.
func (r Review[T]) As(apiVersion, kind string) Review[T] {
	r.kind = schema.FromAPIVersionAndKind(apiVersion, kind)
	return r
}

// Resource sets the resource and, if not empty, the subresource of the request. The default is the plural of the kind,
// as k8s.io/apimachinery/pkg/api/meta.UnsafeGuessKindToResource forms it.
func (r Review[T]) Resource(apiVersion, resource, subResource string) Review[T] {
	r.resource = schema.FromAPIVersionAndKind(apiVersion, "").GroupVersion().WithResource(resource)
	r.subResource = subResource
	return r
}

// SentAs says that the user's request named another version or kind, which the
// API server converted because of matchPolicy: Equivalent.
func (r Review[T]) SentAs(apiVersion, kind string) Review[T] {
	sent := schema.FromAPIVersionAndKind(apiVersion, kind)
	r.sentAs = &sent
	return r
}

// Named sets the namespace and name of the request. Without it, the request has the
// namespace and name in the object's metadata.
func (r Review[T]) Named(namespace, name string) Review[T] {
	r.namespace, r.name = &namespace, &name
	return r
}

// By sets the user of the request. Without it, that is "admissiontest".
func (r Review[T]) By(user string, groups ...string) Review[T] {
	return r.ByUser(authenticationv1.UserInfo{Username: user, Groups: groups})
}

// ByUser is By with all that an API server can know of a user.
func (r Review[T]) ByUser(user authenticationv1.UserInfo) Review[T] {
	r.user = user
	r.user.Groups = slices.Clone(user.Groups)
	return r
}

// DryRun says that nothing will be stored.
func (r Review[T]) DryRun() Review[T] {
	r.dryRun = true
	return r
}

// Options replaces the options of the user's request, for example by a
// *metav1.CreateOptions with a field manager.
func (r Review[T]) Options(options any) Review[T] {
	r.options = options
	return r
}

// Timeout sets how long the API server waits. Without it, that is 10 seconds.
func (r Review[T]) Timeout(timeout time.Duration) Review[T] {
	r.timeout = timeout
	return r
}

// V1beta1 sends the review in the older version, admission.k8s.io/v1beta1.
func (r Review[T]) V1beta1() Review[T] {
	r.version = "v1beta1"
	return r
}

// JSON replaces the object that the request is about, which for a DELETE is the
// old one, so that there can be fields in it that T does not know.
func (r Review[T]) JSON(object string) Review[T] {
	r.json = object
	return r
}
