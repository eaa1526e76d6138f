// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// sealed denies ConfigMaps without a seal.
type sealed struct{}

func (sealed) ValidateCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	return hasSeal(r.Object)
}

func (sealed) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[corev1.ConfigMap]) error {
	return hasSeal(r.Object)
}

func hasSeal(c *corev1.ConfigMap) error {
	if c.Data["seal"] == "" {
		return field.Required(field.NewPath("data").Key("seal"), "a rule requires it")
	}
	return nil
}

// DeletingCheck checks objects until they are gone.
//
// +webhook:validating(for: "v1/ConfigMap", name: deletingcheck, operations: "create;update", namespaceSelector: "seals=check", deleting: check)
type DeletingCheck struct{ sealed }

// DeletingSkip does not check objects that are being deleted.
//
// +webhook:validating(for: "v1/ConfigMap", name: deletingskip, operations: "create;update", namespaceSelector: "seals=skip", deleting: skip)
type DeletingSkip struct{ sealed }

// DeletingUnchanged checks objects that are being deleted if their data changes.
//
// +webhook:validating(for: "v1/ConfigMap", name: deletingunchanged, operations: "create;update", namespaceSelector: "seals=unchanged", deleting: unchangedSpec)
type DeletingUnchanged struct{ sealed }

// DeletingGuarded is DeletingUnchanged without its match condition, as API servers before 1.28 store it: they drop the
// condition, and call the handler.
//
// +webhook:validating(for: "v1/ConfigMap", name: deletingguarded, operations: "create;update", namespaceSelector: "seals=guarded", deleting: unchangedSpec)
// +webhook:patch(webhook: deletingguarded)=`{"matchConditions": [{"$patch": "delete", "name": "webhook-gen/deleting"}]}`
type DeletingGuarded struct{ sealed }
