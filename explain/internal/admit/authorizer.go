// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"context"

	upstream "k8s.io/apiserver/pkg/authorization/authorizer"
)

// Answer is an authorizer's answer to matchConditions.
type Answer string

const (
	// Unknown leaves matchConditions undecided that call the authorizer.
	Unknown Answer = ""
	// Allow is yes to everything.
	Allow Answer = "allow"
	// Deny is no to everything.
	Deny Answer = "deny"
)

// authorizer answers every question alike, and remembers that there was one.
type authorizer struct {
	answer Answer
	asked  bool
}

func (a *authorizer) Authorize(context.Context, upstream.Attributes) (upstream.Decision, string, error) {
	a.asked = true
	if a.answer == Allow {
		return upstream.DecisionAllow, "", nil
	}
	return upstream.DecisionNoOpinion, "", nil
}
