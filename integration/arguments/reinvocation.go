// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Again is called once more when a later webhook has changed the object.
//
// +webhook:mutating(for: "v1/ConfigMap", name: again, operations: "create", objectSelector: "topic=reinvocation", order: -2, reinvocationPolicy: IfNeeded)
type Again struct{}

// DefaultCreate records the changes of the later webhook.
func (Again) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	saw(r, "again")
	return nil
}

// Once is called a single time.
//
// +webhook:mutating(for: "v1/ConfigMap", name: once, operations: "create", objectSelector: "topic=reinvocation", order: -1, reinvocationPolicy: Never)
type Once struct{}

// DefaultCreate records the changes of the later webhook.
func (Once) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	saw(r, "once")
	return nil
}

// Later changes the objects that the others have seen.
//
// +webhook:mutating(for: "v1/ConfigMap", name: later, operations: "create", objectSelector: "topic=reinvocation")
type Later struct{}

// DefaultCreate leaves something to be seen.
func (Later) DefaultCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	r.Object.Data["later"] = "was here"
	return nil
}

func saw(r *admission.CreateRequest[corev1.ConfigMap], name string) {
	if r.Object.Data == nil {
		r.Object.Data = map[string]string{}
	}
	r.Object.Data["seen-by-"+name] = r.Object.Data["later"]
}
