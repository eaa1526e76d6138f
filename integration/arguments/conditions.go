// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Conditions has two webhooks. The first is called under conditions.
//
// +webhook:validating(for: "v1/ConfigMap", name: conditional, operations: "create", decode: none)
// +webhook:validating(for: "v1/ConfigMap", name: unconditional, operations: "create", decode: none)
// +webhook:matchCondition(webhook: "conditional", name: "named-for-it")="object.metadata.name.startsWith('matched')"
// +webhook:matchCondition(webhook: "conditional", name: "not-exempt")="!('exempt' in object.?data.orValue({}))"
type Conditions struct{ bystander }

// ValidateUnconditionalCreate allows.
func (Conditions) ValidateUnconditionalCreate(context.Context, *admission.RawRequest) error {
	return nil
}

// Unsure is called under a condition that fails where an object has no annotations.
//
// +webhook:validating(for: "v1/ConfigMap", name: unsure, operations: "create", decode: none, objectSelector: "topic=unsure")
// +webhook:matchCondition(name: "annotated")="object.metadata.annotations['a'] == 'b'"
type Unsure struct{ bystander }
