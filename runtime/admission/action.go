// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// action is what a handler does for one operation: a function of the user's without its types.
type action struct {
	// objectType and optionsType are the types of the object and of the options; nil if the function gets none.
	objectType, optionsType reflect.Type
	// run decodes the parts that the function needs and calls it. It returns the address of the object or of the
	// options if the function may have edited them, else the zero Value.
	run func(ctx context.Context, c *call) (edited reflect.Value, err error)
	// ratchet makes errors warnings if the stored object has them. It is for UPDATE.
	ratchet bool
	// object and options are the shapes of the types.
	object, options *wire.Shape
}

// OnCreate registers f to decide on requests to create an object of type T, or to edit it if the webhook is mutating.
//
// T is the Go type of the objects, or a projection of it: a struct with only the members that the function reads, under
// the same JSON names. Other members are not decoded, and stay as they are if T is edited.
func OnCreate[T any](f func(context.Context, *CreateRequest[T]) error) Option {
	return on(Create, &action{
		objectType:  reflect.TypeFor[T](),
		optionsType: reflect.TypeFor[metav1.CreateOptions](),
		run: func(ctx context.Context, c *call) (edited reflect.Value, err error) {
			r := &CreateRequest[T]{Request: c.head, Object: new(T)}
			if err := c.fill(&r.Request, objectPart, reflect.ValueOf(r.Object), reflect.ValueOf(&r.Options)); err != nil {
				return edited, err
			}
			err = f(ctx, r)
			return reflect.ValueOf(r.Object), err
		},
	})
}

// OnUpdate registers f to decide on requests to replace an object of type T, or to edit the new object if the webhook
// is mutating. T is as for [OnCreate].
func OnUpdate[T any](f func(context.Context, *UpdateRequest[T]) error) Option {
	return on(Update, &action{
		objectType:  reflect.TypeFor[T](),
		optionsType: reflect.TypeFor[metav1.UpdateOptions](),
		run: func(ctx context.Context, c *call) (edited reflect.Value, err error) {
			r := &UpdateRequest[T]{Request: c.head, Object: new(T), shape: c.action.object}
			if err := c.fill(&r.Request, objectPart, reflect.ValueOf(r.Object), reflect.ValueOf(&r.Options)); err != nil {
				return edited, err
			}
			err = f(ctx, r)
			if c.action.ratchet {
				err = ratcheted(ctx, c, r, f, err)
			}
			return reflect.ValueOf(r.Object), err
		},
	})
}

// OnDelete registers f to decide on requests to delete an object of type T. Deleting a collection is one request for
// each of its objects.
func OnDelete[T any](f func(context.Context, *DeleteRequest[T]) error) Option {
	return on(Delete, &action{
		objectType:  reflect.TypeFor[T](),
		optionsType: reflect.TypeFor[metav1.DeleteOptions](),
		run: func(ctx context.Context, c *call) (edited reflect.Value, err error) {
			r := &DeleteRequest[T]{Request: c.head, OldObject: new(T)}
			if err := c.fill(&r.Request, oldObjectPart, reflect.ValueOf(r.OldObject), reflect.ValueOf(&r.Options)); err != nil {
				return edited, err
			}
			return edited, f(ctx, r)
		},
	})
}

// OnConnect registers f to decide on requests to connect to an object, such as to pods/exec. O is the type of the
// options.
func OnConnect[O any](f func(context.Context, *ConnectRequest[O]) error) Option {
	return on(Connect, &action{
		objectType: reflect.TypeFor[O](),
		run: func(ctx context.Context, c *call) (edited reflect.Value, err error) {
			r := &ConnectRequest[O]{Request: c.head, Options: new(O)}
			if err := c.fill(&r.Request, objectPart, reflect.ValueOf(r.Options), reflect.Value{}); err != nil {
				return edited, err
			}
			err = f(ctx, r)
			return reflect.ValueOf(r.Options), err
		},
	})
}

// On registers f to decide on requests of an operation without decoding any object. It is for rules about users and
// operations, and for webhooks whose rules match several kinds. It cannot edit the object.
func On(operation Operation, f func(context.Context, *RawRequest) error) Option {
	return on(operation, &action{
		run: func(ctx context.Context, c *call) (edited reflect.Value, err error) {
			r := &RawRequest{c.head}
			c.request = &r.Request
			return edited, f(ctx, r)
		},
	})
}

func on(operation Operation, a *action) Option {
	return func(h *Handler) { h.actions[operation] = a }
}
