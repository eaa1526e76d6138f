// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type objectKey struct{}

// Within returns a context that carries the object being converted.
func Within(ctx context.Context, object metav1.Object) context.Context {
	return context.WithValue(ctx, objectKey{}, object)
}

// ObjectOf returns the object that a hook converts a part of, as it was before the conversion, or nil
// outside of a conversion. It must not be changed.
func ObjectOf(ctx context.Context) metav1.Object {
	object, _ := ctx.Value(objectKey{}).(metav1.Object)
	return object
}

// Partial reports whether the object being converted is a partial one, as server-side apply
// converts it. A field that it lacks must not be filled in: the applier would become its owner.
func Partial(ctx context.Context) bool {
	object := ObjectOf(ctx)
	return object != nil && object.GetName() == "" && object.GetGenerateName() == ""
}
