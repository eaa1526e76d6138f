// Package v1 has the webhooks as kubebuilder scaffolds them.
package v1

import (
	"context"
	"fmt"
	"strings"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	shopv1 "example.com/app/api/v1"
)

// SetupWithManager registers the webhooks in the manager.
func SetupWithManager(mgr ctrl.Manager) error {
	if err := ctrl.NewWebhookManagedBy(mgr, &shopv1.Sound{}).WithValidator(&SoundValidator{}).WithDefaulter(&SoundDefaulter{}).Complete(); err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(mgr, &shopv1.Panicking{}).WithValidator(&PanickingValidator{}).Complete(); err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(mgr, &shopv1.Unordered{}).WithValidator(&UnorderedValidator{}).Complete(); err != nil {
		return err
	}
	if err := ctrl.NewWebhookManagedBy(mgr, &shopv1.Growing{}).WithDefaulter(&GrowingDefaulter{}).Complete(); err != nil {
		return err
	}
	return ctrl.NewWebhookManagedBy(mgr, &shopv1.Stuck{}).WithValidator(&StuckValidator{}).Complete()
}

// allowing allows every deletion.
type allowing[T any] struct{}

func (allowing[T]) ValidateDelete(context.Context, T) (admission.Warnings, error) { return nil, nil }

// +kubebuilder:webhook:path=/mutate-shop-example-com-v1-sound,mutating=true,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=sounds,verbs=create;update,versions=v1,name=msound-v1.kb.io,admissionReviewVersions=v1

// SoundDefaulter sets the size and the name of each item.
type SoundDefaulter struct{}

func (d *SoundDefaulter) Default(_ context.Context, o *shopv1.Sound) error {
	if o.Spec.Size == "" {
		o.Spec.Size = "small"
	}
	for i := range o.Spec.Items {
		if o.Spec.Items[i].Note == "" {
			o.Spec.Items[i].Note = "none"
		}
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-shop-example-com-v1-sound,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=sounds,verbs=create;update;delete,versions=v1,name=vsound-v1.kb.io,admissionReviewVersions=v1

// SoundValidator denies large counts, but not for objects that are being deleted.
type SoundValidator struct{ allowing[*shopv1.Sound] }

func (v *SoundValidator) ValidateCreate(_ context.Context, o *shopv1.Sound) (admission.Warnings, error) {
	if o.Spec.Count > 50 {
		return admission.Warnings{"the most is 50"}, fmt.Errorf("spec.count is %d", o.Spec.Count)
	}
	return nil, nil
}

func (v *SoundValidator) ValidateUpdate(ctx context.Context, _, o *shopv1.Sound) (admission.Warnings, error) {
	if o.DeletionTimestamp != nil {
		return nil, nil
	}
	return v.ValidateCreate(ctx, o)
}

// +kubebuilder:webhook:path=/validate-shop-example-com-v1-panicking,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=panickings,verbs=create;update,versions=v1,name=vpanicking-v1.kb.io,admissionReviewVersions=v1

// PanickingValidator forgets that spec.limits.most is optional.
type PanickingValidator struct{ allowing[*shopv1.Panicking] }

func (v *PanickingValidator) ValidateCreate(_ context.Context, o *shopv1.Panicking) (admission.Warnings, error) {
	if o.Spec.Limits != nil && o.Spec.Count > *o.Spec.Limits.Most {
		return admission.Warnings{"spec.count is above spec.limits.most"}, nil
	}
	return nil, nil
}

func (v *PanickingValidator) ValidateUpdate(context.Context, *shopv1.Panicking, *shopv1.Panicking) (admission.Warnings, error) {
	return nil, nil
}

// +kubebuilder:webhook:path=/validate-shop-example-com-v1-unordered,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=unordereds,verbs=create,versions=v1,name=vunordered-v1.kb.io,admissionReviewVersions=v1

// UnorderedValidator denies labels.
type UnorderedValidator struct{ allowing[*shopv1.Unordered] }

func (v *UnorderedValidator) ValidateCreate(_ context.Context, o *shopv1.Unordered) (admission.Warnings, error) {
	var wrong []string
	for name := range o.Spec.Labels {
		wrong = append(wrong, name)
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("no such labels: %s", strings.Join(wrong, ", "))
	}
	return nil, nil
}

func (v *UnorderedValidator) ValidateUpdate(context.Context, *shopv1.Unordered, *shopv1.Unordered) (admission.Warnings, error) {
	return nil, nil
}

// +kubebuilder:webhook:path=/mutate-shop-example-com-v1-growing,mutating=true,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=growings,verbs=create,versions=v1,name=mgrowing-v1.kb.io,admissionReviewVersions=v1

// GrowingDefaulter adds an item, although it may be there.
type GrowingDefaulter struct{}

func (d *GrowingDefaulter) Default(_ context.Context, o *shopv1.Growing) error {
	o.Spec.Items = append(o.Spec.Items, shopv1.Item{Name: "added"})
	return nil
}

// +kubebuilder:webhook:path=/validate-shop-example-com-v1-stuck,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=stucks,verbs=create;update,versions=v1,name=vstuck-v1.kb.io,admissionReviewVersions=v1

// StuckValidator denies updates of objects with items.
type StuckValidator struct{ allowing[*shopv1.Stuck] }

func (v *StuckValidator) ValidateCreate(context.Context, *shopv1.Stuck) (admission.Warnings, error) {
	return nil, nil
}

func (v *StuckValidator) ValidateUpdate(_ context.Context, old, _ *shopv1.Stuck) (admission.Warnings, error) {
	if len(old.Spec.Items) > 0 {
		return nil, fmt.Errorf("the object is in use")
	}
	return nil, nil
}
