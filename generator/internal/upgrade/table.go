// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Rule is one entry of the table. Its title says what a cluster notices.
type Rule struct {
	diag.Rule
	// Severities are the possible severities of a finding, the worst first.
	Severities []Severity
	// One of the functions is set: for the step, or for what both states have.
	find       func(*pass)
	webhook    func(p *pass, old, now *Webhook)
	definition func(p *pass, old, now *Definition)
	schema     func(p *pass, old, now *schema)
	version    func(p *pass, old, now *version)
	side       func(p *pass, old, now *side)
	field      func(p *pass, old, now *fieldConversion)
	// declared says that the function for definitions also judges kinds as their Go types declare them.
	declared bool
	policy   func(p *pass, old, now *model.Policy)
}

// Rules lists the rules.
func Rules() []Rule {
	return []Rule{
		{Severities: []Severity{Breaking}, webhook: failsClosed, Rule: diag.Rule{ID: "G1", Title: "a webhook begins to fail closed"}},
		{Severities: []Severity{Careful}, webhook: failsOpen, Rule: diag.Rule{ID: "G2", Title: "a webhook begins to fail open"}},
		{Severities: []Severity{Breaking, Careful}, find: newWebhook, Rule: diag.Rule{ID: "G3", Title: "a webhook is new"}},
		{Severities: []Severity{Careful}, find: goneWebhook, Rule: diag.Rule{ID: "G4", Title: "a webhook is gone"}},
		{Severities: []Severity{Breaking, Careful}, find: pathGone, Rule: diag.Rule{ID: "G5", Title: "a path vanishes before its configuration"}},
		{Severities: []Severity{Breaking, Careful}, webhook: matchesMore, Rule: diag.Rule{ID: "G6", Title: "a webhook matches more"}},
		{Severities: []Severity{Careful}, webhook: matchesLess, Rule: diag.Rule{ID: "G7", Title: "a webhook matches less"}},
		{Severities: []Severity{Breaking, Careful}, webhook: otherVersions, Rule: diag.Rule{ID: "G8", Title: "objects arrive in another version"}},
		{Severities: []Severity{Breaking, Careful}, webhook: otherServer, Rule: diag.Rule{ID: "G9", Title: "a webhook is called elsewhere"}},
		{Severities: []Severity{Breaking, Careful}, webhook: noAuthority, Rule: diag.Rule{ID: "G10", Title: "a server is no longer trusted"}},
		{Severities: []Severity{Careful, Safe}, webhook: otherTimeout, Rule: diag.Rule{ID: "G11", Title: "a timeout changes"}},
		{Severities: []Severity{Breaking, Careful, Safe}, webhook: otherSideEffects, Rule: diag.Rule{ID: "G12", Title: "sideEffects change"}},
		{Severities: []Severity{Breaking, Careful, Safe}, webhook: otherReviews, Rule: diag.Rule{ID: "G13", Title: "AdmissionReviews are of another version"}},
		{Severities: []Severity{Breaking, Careful}, webhook: renamed, Rule: diag.Rule{ID: "G14", Title: "a webhook has another name"}},
		{Severities: []Severity{Careful}, find: configurationGone, Rule: diag.Rule{ID: "G15", Title: "a configuration is gone"}},
		{Severities: []Severity{Careful}, find: otherOrder, Rule: diag.Rule{ID: "G16", Title: "mutating webhooks are called in another order, or again"}},
		{Severities: []Severity{Breaking, Careful}, definition: versionGone, declared: true, Rule: diag.Rule{ID: "G17", Title: "a version of a kind is gone"}},
		{Severities: []Severity{Breaking}, definition: versionNotServed, declared: true, Rule: diag.Rule{ID: "G18", Title: "a version is no longer served"}},
		{Severities: []Severity{Breaking, Careful}, definition: otherStorage, declared: true, Rule: diag.Rule{ID: "G19", Title: "another version is stored"}},
		{Severities: []Severity{Breaking, Careful}, definition: versionNew, Rule: diag.Rule{ID: "G20", Title: "a version is new"}},
		{Severities: []Severity{Breaking, Careful}, definition: conversionByWebhook, Rule: diag.Rule{ID: "G21", Title: "a webhook begins or ceases to convert a kind"}},
		{Severities: []Severity{Breaking}, definition: otherConversionServer, Rule: diag.Rule{ID: "G22", Title: "a kind is converted elsewhere"}},
		{Severities: []Severity{Breaking}, find: kindGone, Rule: diag.Rule{ID: "G23", Title: "a kind is gone"}},
		{Severities: []Severity{Careful}, find: hubMoved, Rule: diag.Rule{ID: "G24", Title: "another version is the hub"}},
		{Severities: []Severity{Breaking}, version: fieldGone, Rule: diag.Rule{ID: "G25", Title: "a version loses a field, or its type changes"}},
		{Severities: []Severity{Breaking, Careful}, side: keptHasPlace, Rule: diag.Rule{ID: "G26", Title: "a version gets a field for what annotations keep"}},
		{Severities: []Severity{Breaking}, field: fieldDropped, Rule: diag.Rule{ID: "G27", Title: "a field is given up"}},
		{Severities: []Severity{Careful}, field: fieldLossy, Rule: diag.Rule{ID: "G28", Title: "a field is no longer lossless"}},
		{Severities: []Severity{Breaking, Careful}, field: fieldMoved, Rule: diag.Rule{ID: "G29", Title: "a field converts to another place, or differently"}},
		{Severities: []Severity{Breaking}, field: valueMoved, Rule: diag.Rule{ID: "G30", Title: "a value of an enum converts differently"}},
		{Severities: []Severity{Careful}, field: otherDefault, Rule: diag.Rule{ID: "G31", Title: "a conversion has another default"}},
		{Severities: []Severity{Breaking}, schema: schemaNarrower, Rule: diag.Rule{ID: "G32", Title: "a schema loses a field, or its type changes"}},
		{Severities: []Severity{Careful}, schema: otherSchemaDefault, Rule: diag.Rule{ID: "G33", Title: "a schema has another default"}},
		{Severities: []Severity{Breaking}, find: uncalled, Rule: diag.Rule{ID: "G34", Title: "a webhook is for a version or resource that does not exist"}},
		{Severities: []Severity{Careful, Safe}, find: policyGone, Rule: diag.Rule{ID: "G35", Title: "a policy is gone"}},
		{Severities: []Severity{Careful, Safe}, find: policyStricter, Rule: diag.Rule{ID: "G36", Title: "a policy, a validation or a variable is new or changed"}},
		{Severities: []Severity{Careful}, policy: policyLooser, Rule: diag.Rule{ID: "G37", Title: "a policy is loosened"}},
		{Severities: []Severity{Careful}, policy: policyTighter, Rule: diag.Rule{ID: "G38", Title: "a policy is tightened"}},
		{Severities: []Severity{Careful}, policy: bindingGone, Rule: diag.Rule{ID: "G39", Title: "a binding is gone"}},
		{Severities: []Severity{Careful}, policy: policyOtherwise, Rule: diag.Rule{ID: "G40", Title: "a policy or a binding matches or changes something else"}},
		{Severities: []Severity{Careful}, policy: otherReason, Rule: diag.Rule{ID: "G41", Title: "a denial has another reason"}},
		{Severities: []Severity{Safe}, policy: otherMessage, Rule: diag.Rule{ID: "G42", Title: "a denial has another message"}},
		{Severities: []Severity{Careful, Safe}, policy: otherAnnotations, Rule: diag.Rule{ID: "G43", Title: "a policy has other audit annotations"}},
		{Severities: []Severity{Breaking}, definition: otherKind, declared: true, Rule: diag.Rule{ID: "G44", Title: "a kind has another scope or name"}},
		{Severities: []Severity{Breaking, Careful}, definition: otherSubresources, declared: true, Rule: diag.Rule{ID: "G45", Title: "a version gets or loses a subresource"}},
		{Severities: []Severity{Breaking, Careful}, schema: otherMerge, Rule: diag.Rule{ID: "G46", Title: "a list or map is merged differently"}},
		{Severities: []Severity{Breaking, Careful}, schema: stricter, Rule: diag.Rule{ID: "G47", Title: "a schema is stricter"}},
	}
}
