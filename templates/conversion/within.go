package conversion

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type objectKey struct{}

// Within returns a context that knows the object that is being converted.
func Within(ctx context.Context, object metav1.Object) context.Context {
	return context.WithValue(ctx, objectKey{}, object)
}

// ObjectOf returns the object of which a hook converts a part, as it is before the conversion; nil
// outside of one. It is for reading.
func ObjectOf(ctx context.Context) metav1.Object {
	object, _ := ctx.Value(objectKey{}).(metav1.Object)
	return object
}

// Partial reports whether what is being converted is a part of an object, as server-side apply
// converts it. A field that it lacks is not missing, and must not be made up: the applier would become its owner.
func Partial(ctx context.Context) bool {
	object := ObjectOf(ctx)
	return object != nil && object.GetName() == "" && object.GetGenerateName() == ""
}
