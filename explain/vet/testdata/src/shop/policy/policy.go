package policy

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"shop/books"
	"shop/internal/webhook/admission"
)

type base struct {
	client.Client
	clients kubernetes.Interface
	notify  func(r *admission.RawRequest) error
}

func (b base) ValidateCreate(ctx context.Context, r *admission.RawRequest) error { // want `Pure.ValidateCreate writes .client.Writer.Create at books.go:18, through Enter, write., and its webhook declares sideEffects None`
	return books.Enter(ctx, b.Client, r.Name)
}

// Pure has its method of base, which other types have too.
//
// +webhook:validating(for: "v1/ConfigMap", operations: "create", decode: none)
type Pure struct{ base }

// Careful gives the request to a function that is not known here, and waits for a client.
//
// +webhook:validating(for: "v1/ConfigMap", name: careful, operations: "create", decode: none, sideEffects: NoneOnDryRun)
type Careful struct{ base }

func (c *Careful) ValidateCreate(ctx context.Context, r *admission.RawRequest) error {
	if err := books.Limit(ctx, c.clients); err != nil {
		return err
	}
	return c.notify(r)
}
