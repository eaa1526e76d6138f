// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"context"

	upstream "k8s.io/apiserver/pkg/authorization/authorizer"
)

// Answer is what an authorizer says to matchConditions.
type Answer string

const (
	// Unknown leaves undecided what asks the authorizer.
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
