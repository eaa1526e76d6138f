// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"context"
	"errors"
	"net/http"
	"runtime/debug"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/log"
	theirs "sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Object is a pointer to a struct that is a Kubernetes object. Type inference finds it from T.
type Object[T any] interface {
	*T
	runtime.Object
}

// Option configures FromValidator, FromDefaulter and their kin.
type Option func(*settings)

// WithLogConstructor sets the function that makes the logger of a request, as the method of controller-runtime's
// builder does. The default is admission.DefaultLogConstructor of controller-runtime. Unlike there, the request is
// never nil.
func WithLogConstructor(construct func(base logr.Logger, r *theirs.Request) logr.Logger) Option {
	return func(s *settings) { s.construct = construct }
}

// WithLogger sets the logger that the logger of a request derives from. The default is controller-runtime's log.Log,
// named admission.
func WithLogger(base logr.Logger) Option {
	return func(s *settings) { s.base = base }
}

type settings struct {
	construct func(logr.Logger, *theirs.Request) logr.Logger
	base      logr.Logger
}

func newSettings(options []Option) settings {
	s := settings{theirs.DefaultLogConstructor, log.Log.WithName("admission")}
	for _, option := range options {
		option(&s)
	}
	return s
}

// context returns the context that existing code relies on.
func (s settings) context(ctx context.Context, r *admission.Request) context.Context {
	request := theirs.Request{AdmissionRequest: r.AdmissionRequest()}
	return theirs.NewContextWithRequest(log.IntoContext(ctx, s.construct(s.base, &request)), request)
}

// Validator has the methods that a generated interface may ask for, and calls a validator of controller-runtime.
type Validator[T any] struct {
	settings
	create, remove func(context.Context, *T) (theirs.Warnings, error)
	update         func(ctx context.Context, old, object *T) (theirs.Warnings, error)
}

// FromValidator makes a validator of controller-runtime fit the generated interfaces. A nil validator denies everything
// with 500.
func FromValidator[T any, P Object[T]](v theirs.Validator[P], options ...Option) Validator[T] {
	if v == nil {
		v = missing[P]{}
	}
	return Validator[T]{newSettings(options),
		func(ctx context.Context, object *T) (theirs.Warnings, error) { return v.ValidateCreate(ctx, object) },
		func(ctx context.Context, object *T) (theirs.Warnings, error) { return v.ValidateDelete(ctx, object) },
		func(ctx context.Context, old, object *T) (theirs.Warnings, error) {
			return v.ValidateUpdate(ctx, old, object)
		}}
}

// FromCustomValidator is FromValidator for a validator that takes any object, and is registered for T:
// FromCustomValidator[batchv1.Job](v).
func FromCustomValidator[T any, P Object[T]](v theirs.Validator[runtime.Object], options ...Option) Validator[T] {
	if v == nil {
		v = missing[runtime.Object]{}
	}
	return Validator[T]{newSettings(options),
		func(ctx context.Context, object *T) (theirs.Warnings, error) { return v.ValidateCreate(ctx, P(object)) },
		func(ctx context.Context, object *T) (theirs.Warnings, error) { return v.ValidateDelete(ctx, P(object)) },
		func(ctx context.Context, old, object *T) (theirs.Warnings, error) {
			return v.ValidateUpdate(ctx, P(old), P(object))
		}}
}

// ValidateCreate calls the validator's ValidateCreate.
func (v Validator[T]) ValidateCreate(ctx context.Context, r *admission.CreateRequest[T]) error {
	return recovered(func() error {
		warnings, err := v.create(v.context(ctx, &r.Request), r.Object)
		r.Warn(warnings...)
		return denied(err)
	})
}

// ValidateUpdate calls the validator's ValidateUpdate.
func (v Validator[T]) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[T]) error {
	return recovered(func() error {
		old, err := r.OldObject()
		if err != nil {
			return err
		}
		warnings, err := v.update(v.context(ctx, &r.Request), old, r.Object)
		r.Warn(warnings...)
		return denied(err)
	})
}

// ValidateDelete calls the validator's ValidateDelete.
func (v Validator[T]) ValidateDelete(ctx context.Context, r *admission.DeleteRequest[T]) error {
	return recovered(func() error {
		warnings, err := v.remove(v.context(ctx, &r.Request), r.OldObject)
		r.Warn(warnings...)
		return denied(err)
	})
}

// Defaulter has the methods that a generated interface may ask for, and calls a defaulter of controller-runtime.
type Defaulter[T any] struct {
	settings
	set func(context.Context, *T) error
}

// FromDefaulter makes a defaulter of controller-runtime fit the generated interfaces. A nil defaulter denies everything
// with 500.
func FromDefaulter[T any, P Object[T]](d theirs.Defaulter[P], options ...Option) Defaulter[T] {
	if d == nil {
		d = missing[P]{}
	}
	return Defaulter[T]{newSettings(options), func(ctx context.Context, object *T) error { return d.Default(ctx, object) }}
}

// FromCustomDefaulter is FromDefaulter for a defaulter that takes any object, and is registered for T:
// FromCustomDefaulter[batchv1.Job](d).
func FromCustomDefaulter[T any, P Object[T]](d theirs.Defaulter[runtime.Object], options ...Option) Defaulter[T] {
	if d == nil {
		d = missing[runtime.Object]{}
	}
	return Defaulter[T]{newSettings(options), func(ctx context.Context, object *T) error { return d.Default(ctx, P(object)) }}
}

// DefaultCreate calls the defaulter.
func (d Defaulter[T]) DefaultCreate(ctx context.Context, r *admission.CreateRequest[T]) error {
	return recovered(func() error {
		return denied(d.set(d.context(ctx, &r.Request), r.Object))
	})
}

// DefaultUpdate calls the defaulter with the new object.
func (d Defaulter[T]) DefaultUpdate(ctx context.Context, r *admission.UpdateRequest[T]) error {
	return recovered(func() error {
		return denied(d.set(d.context(ctx, &r.Request), r.Object))
	})
}

// denied gives an error the status that controller-runtime gives it: its own, or else 403 Forbidden. There, every error
// denies, even one of infrastructure.
func denied(err error) error {
	if err == nil {
		return nil
	}
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		return admission.Deny(err, status.Status())
	}
	return admission.Deny(err, metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: err.Error(),
	})
}

// recovered calls a function, and answers a panic as controller-runtime does. The handler logs it with its stack.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p := &admission.PanicError{Value: v, Stack: debug.Stack()}
			err = admission.Deny(p, metav1.Status{
				Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Message: p.Error() + " [recovered]",
			})
		}
	}()
	return f()
}

// missing denies everything, in place of a validator or defaulter that is nil.
type missing[P runtime.Object] struct{}

func (missing[P]) deny() error {
	return apierrors.NewInternalError(errors.New("there is no validator or defaulter: set the one that FromValidator or FromDefaulter gets"))
}

func (m missing[P]) ValidateCreate(context.Context, P) (theirs.Warnings, error) { return nil, m.deny() }
func (m missing[P]) ValidateUpdate(context.Context, P, P) (theirs.Warnings, error) {
	return nil, m.deny()
}
func (m missing[P]) ValidateDelete(context.Context, P) (theirs.Warnings, error) { return nil, m.deny() }
func (m missing[P]) Default(context.Context, P) error                           { return m.deny() }
