// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Options are the arguments of a validating webhook that configure its generated handler.
type Options struct {
	// Deleting is the argument `deleting`: check, skip or unchangedSpec.
	Deleting diag.Sourced[string]
	// Ratchet is the argument `ratchet`.
	Ratchet diag.Sourced[bool]
	// Enforcement is the argument `enforcement`: deny, warn or audit.
	Enforcement diag.Sourced[string]
}

// The ids of the rules about options.
const (
	RuleDeleting    = "D18"
	RuleRatchet     = "D19"
	RuleEnforcement = "D20"
)

// optionRules documents the rules about options.
func optionRules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleDeleting, Title: "deleting suits its webhook"},
		{ID: RuleRatchet, Title: "ratchet suits its webhook"},
		{ID: RuleEnforcement, Title: "enforcement suits its webhook"},
	}
}

// HandlerOptions are the options of a generated handler. The zero value is the default.
type HandlerOptions struct {
	// Deleting is skip or unchangedSpec if the handler allows updates of objects that are being deleted.
	Deleting string
	// Ratchet is true if errors that the stored object already has are warnings on UPDATE.
	Ratchet bool
	// Enforcement is warn or audit if the handler allows requests that the validator denies.
	Enforcement string
}

// HandlerOptions returns the options of the webhook's handler.
func (w *Webhook) HandlerOptions() HandlerOptions {
	return HandlerOptions{Deleting: w.SkipsDeleting(), Ratchet: w.Ratchet.V, Enforcement: strings.TrimPrefix(w.Enforcement.V, EnforceDeny)}
}

// Or returns the options of a handler that two webhooks share. A webhook without updates does not set Deleting and
// Ratchet.
func (o HandlerOptions) Or(other HandlerOptions) HandlerOptions {
	return HandlerOptions{Deleting: cmp.Or(o.Deleting, other.Deleting), Ratchet: o.Ratchet || other.Ratchet, Enforcement: o.Enforcement}
}

// The values of the argument `enforcement`.
const (
	EnforceDeny  = "deny"
	EnforceWarn  = "warn"
	EnforceAudit = "audit"
)

// The values of the argument `deleting`.
const (
	DeletingCheck     = "check"
	DeletingSkip      = "skip"
	DeletingUnchanged = "unchangedSpec"
)

// DeletingCondition is the name of the match condition for `deleting`.
const DeletingCondition = "webhook-gen/deleting"

// DeletingExpression returns the CEL of that match condition, or "" for `check`. It compares all members except
// metadata and status, because kinds such as ConfigMap and Role have no spec.
//
// It reads the old object, because users can set the new one's deletionTimestamp.
func DeletingExpression(deleting string) string {
	const live = "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)"
	switch deleting {
	case DeletingSkip:
		return live
	case DeletingUnchanged:
		return live + " || object.exists(k, !(k in ['metadata', 'status']) && !(k in oldObject && object[k] == oldObject[k]))" +
			" || oldObject.exists(k, !(k in ['metadata', 'status']) && !(k in object))"
	}
	return ""
}

// OwnConditions returns the match conditions without that of `deleting`. Every API server compiles that condition,
// and it only affects objects that are being deleted.
func (w *Webhook) OwnConditions() []admissionregistrationv1.MatchCondition {
	return slices.DeleteFunc(slices.Clone(w.Spec.MatchConditions), func(c admissionregistrationv1.MatchCondition) bool {
		return c.Name == DeletingCondition && (c.Expression == DeletingExpression(DeletingSkip) || c.Expression == DeletingExpression(DeletingUnchanged))
	})
}

// SkipsDeleting returns the handler's treatment of updates to objects that are being deleted: skip, unchangedSpec, or
// "" if it checks them or receives no updates.
func (w *Webhook) SkipsDeleting() string {
	if w.Deleting.V == DeletingCheck || len(w.UpdatedResources()) == 0 {
		return ""
	}
	return w.Deleting.V
}

// UpdatedResources returns the resources of the rules for UPDATE.
func (w *Webhook) UpdatedResources() (all []string) {
	for _, rule := range w.Spec.Rules {
		if slices.Contains(rule.Operations, "UPDATE") || slices.Contains(rule.Operations, "*") {
			all = append(all, rule.Resources...)
		}
	}
	return all
}
