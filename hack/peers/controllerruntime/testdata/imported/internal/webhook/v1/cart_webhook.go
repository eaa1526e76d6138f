package v1

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	shopv1 "example.com/app/api/v1"
)

// +kubebuilder:webhook:path=/carts,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=carts,verbs=create;update,versions=v1,name=vcart-v1.kb.io,admissionReviewVersions=v1

// CartWebhook validates objects of any type that turn out to be Carts.
type CartWebhook struct{}

// ValidateCreate denies carts without a size.
func (w CartWebhook) ValidateCreate(_ context.Context, o runtime.Object) (admission.Warnings, error) {
	cart, ok := o.(*shopv1.Cart)
	if !ok {
		return nil, fmt.Errorf("%T is no Cart", o)
	}
	if cart.Size == "" {
		return nil, fmt.Errorf("%s has no size", cart.Name)
	}
	return nil, nil
}

// ValidateUpdate is ValidateCreate.
func (w CartWebhook) ValidateUpdate(ctx context.Context, _, o runtime.Object) (admission.Warnings, error) {
	return w.ValidateCreate(ctx, o)
}

// ValidateDelete allows all.
func (w CartWebhook) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}
