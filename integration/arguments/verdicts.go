// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Strict warns about or denies ConfigMaps that its selector matches.
//
// +webhook:validating(for: "v1/ConfigMap", name: "strict.arguments.integration.example.com", operations: "create;update;delete", objectSelector: "topic=strict")
type Strict struct{}

// ValidateCreate warns, writes into the audit log and, if the ConfigMap requests it, denies two fields.
func (Strict) ValidateCreate(_ context.Context, r *admission.CreateRequest[corev1.ConfigMap]) error {
	r.Warn("this webhook is strict", "it says so\ntwice")
	r.AuditAnnotation("seen by", r.Name)
	if r.Object.Data["deny"] == "" {
		return nil
	}
	data := field.NewPath("data")
	return field.ErrorList{
		field.Invalid(data.Key("deny"), r.Object.Data["deny"], "must be empty"),
		field.Required(data.Key("reason"), "say why"),
	}.ToAggregate()
}

// ValidateUpdate denies the removal of a reason.
func (Strict) ValidateUpdate(_ context.Context, r *admission.UpdateRequest[corev1.ConfigMap]) error {
	old, err := r.OldObject()
	if err != nil {
		return err
	}
	if old.Data["reason"] != "" && r.Object.Data["reason"] == "" {
		return field.Required(field.NewPath("data").Key("reason"), "it had one")
	}
	return nil
}

// ValidateDelete denies the deletion of a ConfigMap that is marked as precious.
func (Strict) ValidateDelete(_ context.Context, r *admission.DeleteRequest[corev1.ConfigMap]) error {
	if r.OldObject.Data["precious"] != "" {
		return field.Forbidden(field.NewPath("data").Key("precious"), "it stays")
	}
	return nil
}
