// Package v1 has the webhooks as kubebuilder scaffolds them.
package v1

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	shopv1 "example.com/app/api/v1"
)

// SetupOrderWebhookWithManager registers the webhook for Order in the manager.
func SetupOrderWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &shopv1.Order{}).
		WithValidator(&OrderCustomValidator{Most: "large"}).
		WithDefaulter(&OrderCustomDefaulter{}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-shop-example-com-v1-order,mutating=true,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=orders,verbs=create;update,versions=v1,name=morder-v1.kb.io,admissionReviewVersions=v1

// OrderCustomDefaulter sets the size.
type OrderCustomDefaulter struct{}

// Default sets the size of an order that has none.
func (d *OrderCustomDefaulter) Default(_ context.Context, order *shopv1.Order) error {
	if order.Size == "" {
		order.Size = "small"
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-shop-example-com-v1-order,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=orders,verbs=create;update;delete,versions=v1,name=vorder-v1.kb.io,admissionReviewVersions=v1

// OrderCustomValidator denies an order of another user than jane.
type OrderCustomValidator struct{ Most string }

func (v *OrderCustomValidator) user(ctx context.Context) error {
	r, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	if r.UserInfo.Username != "jane" {
		return fmt.Errorf("%s may not %s orders", r.UserInfo.Username, r.Operation)
	}
	return nil
}

// ValidateCreate denies another user.
func (v *OrderCustomValidator) ValidateCreate(ctx context.Context, order *shopv1.Order) (admission.Warnings, error) {
	return admission.Warnings{"created " + order.Name}, v.user(ctx)
}

// ValidateUpdate denies another size.
func (v *OrderCustomValidator) ValidateUpdate(ctx context.Context, old, order *shopv1.Order) (admission.Warnings, error) {
	if old.Size != order.Size {
		return nil, fmt.Errorf("the size was %s", old.Size)
	}
	return nil, v.user(ctx)
}

// ValidateDelete denies another user.
func (v *OrderCustomValidator) ValidateDelete(ctx context.Context, order *shopv1.Order) (admission.Warnings, error) {
	return admission.Warnings{"deleted " + order.Name}, v.user(ctx)
}
