// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Patched has two webhooks. A patch gives the first one a timeout.
//
// +webhook:validating(for: "v1/ConfigMap", name: patched, operations: "create", decode: none)
// +webhook:validating(for: "v1/ConfigMap", name: unpatched, operations: "create", decode: none)
// +webhook:patch(webhook: patched)=`{"timeoutSeconds": 13}`
type Patched struct{ bystander }

// ValidateUnpatchedCreate allows.
func (Patched) ValidateUnpatchedCreate(context.Context, *admission.RawRequest) error { return nil }
