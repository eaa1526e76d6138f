// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// bystander allows everything: tests only check whether it is called.
type bystander struct{}

func (bystander) ValidateCreate(context.Context, *admission.RawRequest) error  { return nil }
func (bystander) ValidateUpdate(context.Context, *admission.RawRequest) error  { return nil }
func (bystander) ValidateDelete(context.Context, *admission.RawRequest) error  { return nil }
func (bystander) ValidateConnect(context.Context, *admission.RawRequest) error { return nil }

// Everything is called for each change of a ConfigMap. It is the control of all that leave something out.
//
// +webhook:validating(for: "v1/ConfigMap", name: everything, operations: "*", decode: none)
type Everything struct{ bystander }
