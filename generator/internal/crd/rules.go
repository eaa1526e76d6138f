// SPDX-License-Identifier: Apache-2.0

package crd

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// The ids under which this package reports.
const (
	RuleMissing  = "R1"
	RuleVersions = "R2"
	RuleByHand   = "R3"
	RuleText     = "R4"
)

// Rules documents the rules.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleMissing, Title: "a kind with a conversion has its definition in the files of crds"},
		{ID: RuleVersions, Title: "a definition has the versions that are converted, and serves no other"},
		{ID: RuleByHand, Title: "a hand-written spec.conversion agrees with the markers"},
		{ID: RuleText, Title: "a definition can be read and changed"},
	}
}
