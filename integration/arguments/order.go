// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// visit adds a name to those in a ConfigMap.
func visit(r *admission.CreateRequest[corev1.ConfigMap], name string) {
	if r.Object.Data == nil {
		r.Object.Data = map[string]string{}
	}
	r.Object.Data["visited"] += name + " "
}

// Avocet comes last, though not by its name.
//
// +webhook:mutating(for: "v1/ConfigMap", name: avocet, operations: "create", objectSelector: "topic=order", order: 10)
type Avocet struct{}

// DefaultCreate visits.
func (Avocet) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	visit(r, "avocet")
	return nil
}

// Bittern comes in between, without an order.
//
// +webhook:mutating(for: "v1/ConfigMap", name: bittern, operations: "create", objectSelector: "topic=order")
type Bittern struct{}

// DefaultCreate visits.
func (Bittern) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	visit(r, "bittern")
	return nil
}

// Curlew comes first.
//
// +webhook:mutating(for: "v1/ConfigMap", name: curlew, operations: "create", objectSelector: "topic=order", order: -10)
type Curlew struct{}

// DefaultCreate visits.
func (Curlew) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	visit(r, "curlew")
	return nil
}
