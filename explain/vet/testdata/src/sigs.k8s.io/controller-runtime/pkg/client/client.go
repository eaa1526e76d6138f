// Package client has the signatures of controller-runtime's that the rules know.
package client

import "context"

type Object interface{ GetName() string }

type (
	CreateOption interface{ ApplyToCreate() }
	UpdateOption interface{ ApplyToUpdate() }
	DeleteOption interface{ ApplyToDelete() }
	GetOption    interface{ ApplyToGet() }
)

type dryRunAll struct{}

func (dryRunAll) ApplyToCreate() {}
func (dryRunAll) ApplyToUpdate() {}

var DryRunAll = dryRunAll{}

type Reader interface {
	Get(ctx context.Context, key string, object Object, options ...GetOption) error
}

type Writer interface {
	Create(ctx context.Context, object Object, options ...CreateOption) error
	Update(ctx context.Context, object Object, options ...UpdateOption) error
	Delete(ctx context.Context, object Object, options ...DeleteOption) error
}

type SubResourceWriter interface {
	Update(ctx context.Context, object Object, options ...UpdateOption) error
}

type Client interface {
	Reader
	Writer
	Status() SubResourceWriter
}
