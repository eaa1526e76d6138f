package v1

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	shopv1 "example.com/app/api/v1"
)

// SetupBackupWebhookWithManager registers the webhook for Backup. A function wraps the validator.
func SetupBackupWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &shopv1.Backup{}).
		WithValidator(newAuthorising[*shopv1.Backup](&BackupCustomValidator{})).
		WithDefaulter(&BackupCustomDefaulter{}).
		WithLogConstructor(backupLogger).
		RecoverPanic(false).
		Complete()
}

// NewBackupValidator returns the validator as SetupBackupWebhookWithManager has it.
func NewBackupValidator() admission.Validator[*shopv1.Backup] {
	return newAuthorising[*shopv1.Backup](&BackupCustomValidator{})
}

// backupLogger returns the logger of a request.
func backupLogger(base logr.Logger, _ *admission.Request) logr.Logger {
	return base.WithName("backups")
}

// +kubebuilder:webhook:path=/mutate-shop-example-com-v1-backup,mutating=true,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=backups,verbs=create;update,versions=v1,name=mbackup-v1.kb.io,admissionReviewVersions=v1

// BackupCustomDefaulter sets nothing.
type BackupCustomDefaulter struct{}

// Default sets nothing.
func (d *BackupCustomDefaulter) Default(context.Context, *shopv1.Backup) error { return nil }

// +kubebuilder:webhook:path=/validate-shop-example-com-v1-backup,mutating=false,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=backups,verbs=create;update;delete,versions=v1,name=vbackup-v1.kb.io,admissionReviewVersions=v1

// BackupCustomValidator validates Backups, and knows no users.
type BackupCustomValidator struct{}

// ValidateCreate allows all.
func (v *BackupCustomValidator) ValidateCreate(context.Context, *shopv1.Backup) (admission.Warnings, error) {
	return nil, nil
}

// ValidateUpdate allows all.
func (v *BackupCustomValidator) ValidateUpdate(context.Context, *shopv1.Backup, *shopv1.Backup) (admission.Warnings, error) {
	return nil, nil
}

// ValidateDelete allows all.
func (v *BackupCustomValidator) ValidateDelete(context.Context, *shopv1.Backup) (admission.Warnings, error) {
	return nil, nil
}

// authorising denies other users than jane, and asks a validator about the rest.
type authorising[T runtime.Object] struct{ validator admission.Validator[T] }

func newAuthorising[T runtime.Object](v admission.Validator[T]) *authorising[T] {
	return &authorising[T]{v}
}

func (a *authorising[T]) user(ctx context.Context) error {
	r, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	if r.UserInfo.Username != "jane" {
		return fmt.Errorf("%s may not %s backups", r.UserInfo.Username, r.Operation)
	}
	return nil
}

// ValidateCreate denies another user.
func (a *authorising[T]) ValidateCreate(ctx context.Context, o T) (admission.Warnings, error) {
	if err := a.user(ctx); err != nil {
		return nil, err
	}
	return a.validator.ValidateCreate(ctx, o)
}

// ValidateUpdate denies another user.
func (a *authorising[T]) ValidateUpdate(ctx context.Context, old, o T) (admission.Warnings, error) {
	if err := a.user(ctx); err != nil {
		return nil, err
	}
	return a.validator.ValidateUpdate(ctx, old, o)
}

// ValidateDelete denies another user.
func (a *authorising[T]) ValidateDelete(ctx context.Context, o T) (admission.Warnings, error) {
	if err := a.user(ctx); err != nil {
		return nil, err
	}
	return a.validator.ValidateDelete(ctx, o)
}
