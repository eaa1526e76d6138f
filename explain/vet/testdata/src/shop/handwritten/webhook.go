package handwritten

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// +kubebuilder:webhook:path=/validate,mutating=false,failurePolicy=fail,sideEffects=None,groups="",resources=configmaps,verbs=create;update,versions=v1,name=v.kb.io,admissionReviewVersions=v1

// Validator validates.
type Validator struct{ client.Client }

func (v *Validator) ValidateCreate(ctx context.Context, object *corev1.ConfigMap) (admission.Warnings, error) { // want `Validator.ValidateCreate writes \(client.Writer.Update at webhook.go:17\), and its webhook declares sideEffects None`
	return nil, v.Update(ctx, object)
}

func (v *Validator) ValidateUpdate(ctx context.Context, old, object *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, v.Get(ctx, object.Name, object)
}

// Helper is no part of the webhook.
func (v *Validator) Helper(ctx context.Context, object *corev1.ConfigMap) error {
	return v.Create(ctx, object)
}

type Defaulter struct{ client.Client }

// +kubebuilder:webhook:path=/mutate,mutating=true,failurePolicy=fail,sideEffects=NoneOnDryRun,groups="",resources=configmaps,verbs=create,versions=v1,name=m.kb.io,admissionReviewVersions=v1

var _ interface{} = &Defaulter{}

func (d *Defaulter) Default(ctx context.Context, object *corev1.ConfigMap) error {
	request, err := admission.RequestFromContext(ctx)
	if err != nil || request.DryRun != nil && *request.DryRun {
		return err
	}
	return d.Create(ctx, object)
}

// +kubebuilder:webhook:path=/raw,mutating=true,failurePolicy=fail,sideEffects=NoneOnDryRun,groups="",resources=configmaps,verbs=create,versions=v1,name=r.kb.io,admissionReviewVersions=v1
type Raw struct{ client.Client }

func (w *Raw) Handle(ctx context.Context, r admission.Request) admission.Response { // want `Raw.Handle writes \(client.Writer.Create at webhook.go:47\) and never looks at DryRun`
	_ = w.Create(ctx, &corev1.ConfigMap{Name: r.Name})
	return admission.Allowed("")
}

type Late struct{ client.Client }

// Handle writes.
//
// +kubebuilder:webhook:path=/late,mutating=false,failurePolicy=fail,sideEffects=None,groups="",resources=configmaps,verbs=create,versions=v1,name=l.kb.io,admissionReviewVersions=v1
func (w *Late) Handle(ctx context.Context, r admission.Request) admission.Response { // want `Late.Handle writes`
	_ = w.Create(ctx, &corev1.ConfigMap{Name: r.Name})
	return admission.Allowed("")
}
