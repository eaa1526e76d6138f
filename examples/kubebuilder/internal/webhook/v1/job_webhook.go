// SPDX-License-Identifier: Apache-2.0

// Package v1 holds the webhooks of batch.example.com/v1, with markers as kubebuilder writes them.
package v1

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	batchv1 "example.com/kubebuilder/api/v1"
)

// SetupJobWebhookWithManager registers the webhook for Job in the manager.
func SetupJobWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &batchv1.Job{}).
		WithDefaulter(&JobCustomDefaulter{}).
		WithValidator(&JobCustomValidator{}).
		Complete()
}

// +kubebuilder:webhook:path=/mutate-batch-example-com-v1-job,mutating=true,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=jobs,verbs=create;update,versions=v1,name=mjob-v1.kb.io,admissionReviewVersions=v1

// JobCustomDefaulter sets what a user left out.
type JobCustomDefaulter struct{}

// Default implements admission.Defaulter.
func (d *JobCustomDefaulter) Default(ctx context.Context, job *batchv1.Job) error {
	if job.Spec.Suspend == nil {
		job.Spec.Suspend = new(bool)
	}
	return nil
}

// +kubebuilder:webhook:path=/validate-batch-example-com-v1-job,mutating=false,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=jobs,verbs=create;update;delete,versions=v1,name=vjob-v1.kb.io,admissionReviewVersions=v1,timeoutSeconds=5,patch=`{"namespaceSelector":{"matchLabels":{"batch":"enabled"}}}`

// JobCustomValidator refuses impossible schedules, and deletions of jobs that are not suspended.
type JobCustomValidator struct{}

// ValidateCreate implements admission.Validator.
func (v *JobCustomValidator) ValidateCreate(ctx context.Context, job *batchv1.Job) (admission.Warnings, error) {
	return nil, v.check(job)
}

// ValidateUpdate implements admission.Validator.
func (v *JobCustomValidator) ValidateUpdate(ctx context.Context, old, job *batchv1.Job) (admission.Warnings, error) {
	var warnings admission.Warnings
	if old.Spec.Schedule != job.Spec.Schedule {
		warnings = append(warnings, "the new schedule counts from the next run on")
	}
	return warnings, v.check(job)
}

// ValidateDelete implements admission.Validator.
func (v *JobCustomValidator) ValidateDelete(ctx context.Context, job *batchv1.Job) (admission.Warnings, error) {
	if job.Spec.Suspend == nil || !*job.Spec.Suspend {
		return nil, errors.New("suspend the job first")
	}
	return nil, nil
}

// check returns the error that the API server's own validation would: controller-runtime takes field errors for a
// plain denial.
func (v *JobCustomValidator) check(job *batchv1.Job) error {
	schedules := []string{"@hourly", "@daily", "@weekly"}
	if slices.Contains(schedules, job.Spec.Schedule) {
		return nil
	}
	return apierrors.NewInvalid(batchv1.GroupVersion.WithKind("Job").GroupKind(), job.Name, field.ErrorList{
		field.NotSupported(field.NewPath("spec", "schedule"), job.Spec.Schedule, schedules),
	})
}
