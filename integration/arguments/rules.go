// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Wide is called for Secrets as for ConfigMaps. The first of its webhooks is called for Deployments too, but only when
// they are replaced, and for the scale of Fleets; the second one for kinds of Fleet's group that have no namespace.
//
// +webhook:validating(for: "v1/ConfigMap", name: wide, operations: "create", decode: none)
// +webhook:validating(for: "v1/ConfigMap", name: wider, operations: "create", decode: none)
// +webhook:rule(resources: "secrets")
// +webhook:rule(webhook: wide, groups: "apps", versions: "v1", resources: "deployments", operations: "update")
// +webhook:rule(webhook: wide, groups: "fleet.example.com", versions: "v1", resources: "fleets", subresource: scale, operations: "update")
// +webhook:rule(webhook: wider, groups: "fleet.example.com", versions: "v1", resources: "*", scope: Cluster)
type Wide struct{ bystander }

// ValidateWiderCreate allows.
func (Wide) ValidateWiderCreate(context.Context, *admission.RawRequest) error { return nil }
