package v1

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	shopv1 "shop/api/v1"
	"shop/books"
	"shop/internal/webhook/admission"
)

type OrderWebhook struct {
	client.Client
	Clients kubernetes.Interface
	Audit   func(r *admission.CreateRequest[shopv1.Order])
}

func (w *OrderWebhook) DefaultCreate(ctx context.Context, r *admission.CreateRequest[shopv1.Order]) error { // want `OrderWebhook.DefaultCreate writes \(client.Writer.Create at books.go:18, through Enter, write\), and its webhook declares sideEffects None: set NoneOnDryRun, and do nothing where the request's DryRun is set \[W17\]`
	return retry(func() error { return books.Enter(ctx, w.Client, r.Name) })
}

func retry(f func() error) error { return f() }

// ValidateCreate looks at DryRun before it writes.
func (w *OrderWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[shopv1.Order]) error {
	if r.DryRun {
		return nil
	}
	return w.Update(ctx, r.Object)
}

func (w *OrderWebhook) ValidateUpdate(ctx context.Context, r *admission.UpdateRequest[shopv1.Order]) error { // want `OrderWebhook.ValidateUpdate writes \(client.SubResourceWriter.Update at policies.go:36\) and never looks at DryRun`
	return w.Status().Update(ctx, r.Object)
}

// ValidateQuotaUpdate reads, asks and tries.
func (w *OrderWebhook) ValidateQuotaUpdate(ctx context.Context, r *admission.UpdateRequest[shopv1.Order]) error {
	if err := books.Read(ctx, w.Client, r.Name); err != nil {
		return err
	}
	if _, err := w.Clients.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{}); err != nil {
		return err
	}
	if err := w.Create(ctx, &authorizationv1.SubjectAccessReview{}); err != nil {
		return err
	}
	return books.Try(ctx, w.Client, r.Name)
}

type CartWebhook struct{}

func (w *CartWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[shopv1.Cart]) error { // want `CartWebhook.ValidateCreate never looks at DryRun, and its webhook declares sideEffects NoneOnDryRun`
	return nil
}

type LedgerWebhook struct{ client.Client }

func (w *LedgerWebhook) ValidateCreate(ctx context.Context, r *admission.CreateRequest[shopv1.Ledger]) error {
	return books.Enter(ctx, w.Client, r.Name)
}

// Books has another name than it would be given.
type Books struct{ client.Client }

func (b Books) ValidateCreate(ctx context.Context, r *admission.CreateRequest[shopv1.Journal]) error { // want `Books.ValidateCreate writes`
	enter := books.Enter
	return enter(ctx, b.Client, r.Name)
}
