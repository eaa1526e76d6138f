// SPDX-License-Identifier: Apache-2.0

package model

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// Allowance is a +webhook:allow: a rule of lint that webhooks may break.
type Allowance struct {
	// Range is the marker.
	diag.Range
	// Rule is the rule's id, and Reason why it may be broken.
	Rule, Reason string
	// RuleAt and ReasonAt are where they stand.
	RuleAt, ReasonAt diag.Range
}
