package v1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// +kubebuilder:webhook:path=/mutate-store-example-com-v1-box,mutating=true,failurePolicy=fail,sideEffects=None,groups=store.example.com,resources=boxes,verbs=create;update,versions=v1,name=mbox.kb.io,admissionReviewVersions=v1

// Default sets the size of a box that has none.
func (b *Box) Default() {
	if b.Size == "" {
		b.Size = "small"
	}
}

// +kubebuilder:webhook:path=/validate-store-example-com-v1-box,mutating=false,failurePolicy=fail,sideEffects=None,groups=store.example.com,resources=boxes,verbs=create;update;delete,versions=v1,name=vbox.kb.io,admissionReviewVersions=v1

// ValidateCreate warns of each box.
func (b *Box) ValidateCreate() (admission.Warnings, error) {
	return admission.Warnings{"created " + b.Name}, nil
}

// ValidateUpdate denies another size.
func (b *Box) ValidateUpdate(old runtime.Object) (admission.Warnings, error) {
	if was, ok := old.(*Box); !ok || was.Size != b.Size {
		return nil, fmt.Errorf("the size was %s", was.Size)
	}
	return nil, nil
}

// ValidateDelete denies to delete large boxes.
func (b *Box) ValidateDelete() (admission.Warnings, error) {
	if b.Size == "large" {
		return nil, fmt.Errorf("%s is large", b.Name)
	}
	return nil, nil
}

// DeepCopyObject copies the object.
func (b *Box) DeepCopyObject() runtime.Object {
	return &Box{b.TypeMeta, *b.ObjectMeta.DeepCopy(), b.Size}
}
