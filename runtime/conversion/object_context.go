// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type objectKey struct{}

// WithObject returns a context that carries the object being converted.
func WithObject(ctx context.Context, object metav1.Object) context.Context {
	return context.WithValue(ctx, objectKey{}, object)
}

// ObjectOf returns the object that a hook converts a part of, as it was before the conversion: the spoke in functions
// to the hub, and the hub in functions from it. This includes functions that convert the result of a conversion back.
// T is a pointer to the object's Go type, or an interface such as metav1.Object. The result is nil if the object has
// another type, which happens in functions for structs of several kinds, and outside of a conversion. The object must
// not be changed.
func ObjectOf[T metav1.Object](ctx context.Context) T {
	object, _ := ctx.Value(objectKey{}).(T)
	return object
}

// seeing returns the context of another conversion of an object, if the functions of the first one see objects.
func seeing(ctx context.Context, object metav1.Object) context.Context {
	if ctx.Value(objectKey{}) == nil {
		return ctx
	}
	return WithObject(ctx, object)
}

// Partial reports whether the object being converted is a partial one, as server-side apply
// converts it. A field that it lacks must not be filled in: the applier would become its owner.
func Partial(ctx context.Context) bool {
	object := ObjectOf[metav1.Object](ctx)
	return object != nil && object.GetName() == "" && object.GetGenerateName() == ""
}
