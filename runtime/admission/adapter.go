// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"errors"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// ExistingValidator is a validator written for controller-runtime: admission.Validator[*T] of
// sigs.k8s.io/controller-runtime/pkg/webhook/admission, with W for its Warnings.
type ExistingValidator[T any, W ~[]string] interface {
	// An error denies the request. Warnings are shown to the user in either case.
	ValidateCreate(ctx context.Context, object *T) (W, error)
	ValidateUpdate(ctx context.Context, old, object *T) (W, error)
	ValidateDelete(ctx context.Context, object *T) (W, error)
}

// ExistingDefaulter is a defaulter written for controller-runtime: its admission.Defaulter[*T].
type ExistingDefaulter[T any] interface {
	// Default edits the object in place. An error denies the request.
	Default(ctx context.Context, object *T) error
}

// AdaptOption configures an adapter.
type AdaptOption func(*adapter)

// WithRequest derives the context that existing code gets from the request. With the following, code finds the request
// when it calls admission.RequestFromContext of controller-runtime:
//
//	admission.WithRequest(func(ctx context.Context, r admissionv1.AdmissionRequest) context.Context {
//		return cradmission.NewContextWithRequest(ctx, cradmission.Request{AdmissionRequest: r})
//	})
func WithRequest(derive func(context.Context, admissionv1.AdmissionRequest) context.Context) AdaptOption {
	return func(a *adapter) { a.derive = derive }
}

// adapter holds the options of an adapter.
type adapter struct {
	derive func(context.Context, admissionv1.AdmissionRequest) context.Context
}

func newAdapter(options []AdaptOption) adapter {
	var a adapter
	for _, option := range options {
		option(&a)
	}
	return a
}

func (a adapter) context(ctx context.Context, r *Request) context.Context {
	if a.derive == nil {
		return ctx
	}
	return a.derive(ctx, r.AdmissionRequest())
}

// settle gives an error the status that controller-runtime gives it: its own status, or else 403 Forbidden. In
// controller-runtime every error denies, even a clear failure. Code that is being migrated marks an error with
// [Failure] if it should not deny.
func settle(err error) error {
	marked := (*failure)(nil)
	if err == nil || errors.As(err, &marked) {
		return err
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return &verdict{err, status.Status()}
	}
	return &verdict{err, forbidden(err)}
}

// AdaptedValidator is an existing validator with all methods that a generated interface may ask for.
type AdaptedValidator[T any, W ~[]string] struct {
	adapter
	validator ExistingValidator[T, W]
}

// AdaptValidator makes a validator written for controller-runtime fit the generated interfaces. Its errors keep their
// meaning.
func AdaptValidator[T any, W ~[]string](v ExistingValidator[T, W], options ...AdaptOption) AdaptedValidator[T, W] {
	return AdaptedValidator[T, W]{newAdapter(options), v}
}

// ValidateCreate calls the validator's ValidateCreate.
func (a AdaptedValidator[T, W]) ValidateCreate(ctx context.Context, r *CreateRequest[T]) error {
	warnings, err := a.validator.ValidateCreate(a.context(ctx, &r.Request), r.Object)
	r.Warn(warnings...)
	return settle(err)
}

// ValidateUpdate calls the validator's ValidateUpdate, for which both objects are decoded.
func (a AdaptedValidator[T, W]) ValidateUpdate(ctx context.Context, r *UpdateRequest[T]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	warnings, err := a.validator.ValidateUpdate(a.context(ctx, &r.Request), old, r.Object)
	r.Warn(warnings...)
	return settle(err)
}

// ValidateDelete calls the validator's ValidateDelete.
func (a AdaptedValidator[T, W]) ValidateDelete(ctx context.Context, r *DeleteRequest[T]) error {
	warnings, err := a.validator.ValidateDelete(a.context(ctx, &r.Request), r.OldObject)
	r.Warn(warnings...)
	return settle(err)
}

// AdaptedDefaulter is an existing defaulter with all methods that a generated interface may ask for.
type AdaptedDefaulter[T any] struct {
	adapter
	defaulter ExistingDefaulter[T]
}

// AdaptDefaulter makes a defaulter written for controller-runtime fit the generated interfaces. Its errors keep their
// meaning.
func AdaptDefaulter[T any](d ExistingDefaulter[T], options ...AdaptOption) AdaptedDefaulter[T] {
	return AdaptedDefaulter[T]{newAdapter(options), d}
}

// DefaultCreate calls the defaulter.
func (a AdaptedDefaulter[T]) DefaultCreate(ctx context.Context, r *CreateRequest[T]) error {
	return settle(a.defaulter.Default(a.context(ctx, &r.Request), r.Object))
}

// DefaultUpdate calls the defaulter with the new object.
func (a AdaptedDefaulter[T]) DefaultUpdate(ctx context.Context, r *UpdateRequest[T]) error {
	return settle(a.defaulter.Default(a.context(ctx, &r.Request), r.Object))
}
