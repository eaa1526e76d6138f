// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"context"
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/log"
	theirs "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// ToValidator makes a validator of typed requests fit controller-runtime: a value with one or several of the methods
// ValidateCreate, ValidateUpdate and ValidateDelete that a generated interface has for T. It returns an error if v has
// none.
//
// Requests for an operation without a method are denied with 500, because the manifest must not have it. Failures deny
// with 500, because controller-runtime knows denials only. It has no way for audit annotations of validators: they are
// logged.
func ToValidator[T any, P Object[T]](v any) (theirs.Validator[P], error) {
	create, hasCreate := v.(interface {
		ValidateCreate(context.Context, *admission.CreateRequest[T]) error
	})
	update, hasUpdate := v.(interface {
		ValidateUpdate(context.Context, *admission.UpdateRequest[T]) error
	})
	remove, hasDelete := v.(interface {
		ValidateDelete(context.Context, *admission.DeleteRequest[T]) error
	})
	to := validator[T, P]{}
	if hasCreate {
		to.create = create.ValidateCreate
	}
	if hasUpdate {
		to.update = update.ValidateUpdate
	}
	if hasDelete {
		to.remove = remove.ValidateDelete
	}
	if !hasCreate && !hasUpdate && !hasDelete {
		return nil, fmt.Errorf("%T has no method ValidateCreate, ValidateUpdate or ValidateDelete for %T", v, *new(T))
	}
	return to, nil
}

// ToDefaulter makes a defaulter of typed requests fit controller-runtime: a value with one or both of the methods
// DefaultCreate and DefaultUpdate that a generated interface has for T. It returns an error if d has none. The same
// holds as for ToValidator; warnings are logged, too.
func ToDefaulter[T any, P Object[T]](d any) (theirs.Defaulter[P], error) {
	create, hasCreate := d.(interface {
		DefaultCreate(context.Context, *admission.CreateRequest[T]) error
	})
	update, hasUpdate := d.(interface {
		DefaultUpdate(context.Context, *admission.UpdateRequest[T]) error
	})
	to := defaulter[T, P]{}
	if hasCreate {
		to.create = create.DefaultCreate
	}
	if hasUpdate {
		to.update = update.DefaultUpdate
	}
	if !hasCreate && !hasUpdate {
		return nil, fmt.Errorf("%T has no method DefaultCreate or DefaultUpdate for %T", d, *new(T))
	}
	return to, nil
}

type validator[T any, P Object[T]] struct {
	create func(context.Context, *admission.CreateRequest[T]) error
	update func(context.Context, *admission.UpdateRequest[T]) error
	remove func(context.Context, *admission.DeleteRequest[T]) error
}

func (v validator[T, P]) ValidateCreate(ctx context.Context, object P) (theirs.Warnings, error) {
	return validated(ctx, v.create, func(r admission.Request, options []byte) (*admission.CreateRequest[T], *admission.Request, error) {
		typed := &admission.CreateRequest[T]{Request: r, Object: object}
		return typed, &typed.Request, decode(options, &typed.Options)
	})
}

func (v validator[T, P]) ValidateUpdate(ctx context.Context, old, object P) (theirs.Warnings, error) {
	return validated(ctx, v.update, func(r admission.Request, options []byte) (*admission.UpdateRequest[T], *admission.Request, error) {
		typed := admission.NewUpdateRequest((*T)(old), (*T)(object))
		typed.Request = r
		return typed, &typed.Request, decode(options, &typed.Options)
	})
}

func (v validator[T, P]) ValidateDelete(ctx context.Context, object P) (theirs.Warnings, error) {
	return validated(ctx, v.remove, func(r admission.Request, options []byte) (*admission.DeleteRequest[T], *admission.Request, error) {
		typed := &admission.DeleteRequest[T]{Request: r, OldObject: object}
		return typed, &typed.Request, decode(options, &typed.Options)
	})
}

// validated calls a function and loses its audit annotations.
func validated[R any](ctx context.Context, f func(context.Context, *R) error, typed func(admission.Request, []byte) (*R, *admission.Request, error)) (theirs.Warnings, error) {
	r, err := called(ctx, f, typed)
	if r == nil {
		return nil, err
	}
	return r.Warnings(), err
}

// called calls a function with the request in the context, and returns the request with what the function has added.
func called[R any](ctx context.Context, f func(context.Context, *R) error, typed func(admission.Request, []byte) (*R, *admission.Request, error)) (*admission.Request, error) {
	sent, err := theirs.RequestFromContext(ctx)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if f == nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("there is no method for the operation %s: correct the rules of the webhook", sent.Operation))
	}
	request, r, err := typed(admission.NewRequest(sent.AdmissionRequest), sent.Options.Raw)
	if err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the options of the request cannot be read: %v", err))
	}
	err = f(ctx, request)
	if lost := r.AuditAnnotations(); len(lost) > 0 {
		log.FromContext(ctx).Info("audit annotations are lost: controller-runtime has no way for them", "annotations", lost)
	}
	if err != nil {
		err = &apierrors.StatusError{ErrStatus: r.Status(err)}
	}
	return r, err
}

func decode(options []byte, into any) error {
	if len(options) == 0 {
		return nil
	}
	return json.Unmarshal(options, into)
}

type defaulter[T any, P Object[T]] struct {
	create func(context.Context, *admission.CreateRequest[T]) error
	update func(context.Context, *admission.UpdateRequest[T]) error
}

// Default calls the function for the operation. It decodes the old object of an update.
func (d defaulter[T, P]) Default(ctx context.Context, object P) error {
	sent, err := theirs.RequestFromContext(ctx)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	var r *admission.Request
	if sent.Operation == admissionv1.Update {
		r, err = called(ctx, d.update, func(r admission.Request, options []byte) (*admission.UpdateRequest[T], *admission.Request, error) {
			old := new(T)
			if err := json.Unmarshal(sent.OldObject.Raw, old); err != nil {
				return nil, nil, fmt.Errorf("old object: %w", err)
			}
			typed := admission.NewUpdateRequest(old, (*T)(object))
			typed.Request = r
			return typed, &typed.Request, decode(options, &typed.Options)
		})
	} else {
		r, err = called(ctx, d.create, func(r admission.Request, options []byte) (*admission.CreateRequest[T], *admission.Request, error) {
			typed := &admission.CreateRequest[T]{Request: r, Object: object}
			return typed, &typed.Request, decode(options, &typed.Options)
		})
	}
	if r != nil && len(r.Warnings()) > 0 {
		log.FromContext(ctx).Info("warnings are lost: controller-runtime has no way for them in defaulters", "warnings", r.Warnings())
	}
	return err
}
