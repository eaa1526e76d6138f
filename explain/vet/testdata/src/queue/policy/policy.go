package policy // want package:`Patient.ValidateCreate \(v1.ConfigMapInterface.Get at policy.go:25, through limit\)`

import (
	"context"

	"k8s.io/client-go/kubernetes"

	"queue/internal/webhook/admission"
)

// Patient waits for a client.
//
// +webhook:validating(for: "v1/ConfigMap", operations: "create", decode: none)
type Patient struct{ Clients kubernetes.Interface }

func (p *Patient) ValidateCreate(ctx context.Context, r *admission.RawRequest) error {
	return limit(ctx, p.Clients)
}

func unused(clients kubernetes.Interface) {
	_, _ = clients.CoreV1().ConfigMaps("shop").Update(context.Background(), nil)
}

func limit(ctx context.Context, clients kubernetes.Interface) error {
	_, err := clients.CoreV1().ConfigMaps("shop").Get(ctx, "limit")
	return err
}

// Allowed waits too.
//
// +webhook:validating(for: "v1/ConfigMap", name: allowed, operations: "create", decode: none)
// +webhook:allow(rule: "W27")="a limit is looked up once a day"
type Allowed struct{ Clients kubernetes.Interface }

func (p *Allowed) ValidateCreate(ctx context.Context, r *admission.RawRequest) error {
	return limit(ctx, p.Clients)
}
