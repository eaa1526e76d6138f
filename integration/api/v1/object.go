package v1

import "k8s.io/apimachinery/pkg/runtime"

// DeepCopyObject makes a Fleet what controller-runtime can register.
func (f *Fleet) DeepCopyObject() runtime.Object {
	copied := *f
	f.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}
