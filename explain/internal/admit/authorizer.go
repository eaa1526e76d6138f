// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"
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

// Authorizer answers every question alike, and remembers that there was one.
type Authorizer struct {
	Answer Answer
	asked  bool
}

// Authorize implements k8s.io/apiserver's authorizer.
func (a *Authorizer) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	a.asked = true
	if a.Answer == Allow {
		return authorizer.DecisionAllow, "", nil
	}
	return authorizer.DecisionNoOpinion, "", nil
}

// Unanswered reports that there was a question, and that its answer is not known.
func (a *Authorizer) Unanswered() bool { return a.asked && a.Answer == Unknown }
