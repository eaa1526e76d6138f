// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// table lists all rules, including the rules of arguments in the registry. The E rules have the numbers of upstream's
// checks. 5, 20, 23 and 24 are unused: an empty list of rules and any caBundle are accepted, and the others concern
// updates and defaults.
func table() []rule {
	rules := []rule{
		{Rule: diag.Rule{ID: "E1", Title: "a configuration's metadata is valid"}, configuration: objectMeta},
		{Rule: diag.Rule{ID: "E2", Title: "a configuration's name is not reserved for files"}, configuration: staticSuffix},
		{Rule: diag.Rule{ID: "E3", Title: "a webhook's name is a domain of three segments or more"}, webhook: fullyQualifiedName},
		{Rule: diag.Rule{ID: "E4", Title: "a webhook's name is unique in its configuration"}, configuration: uniqueInObject},
		{Rule: diag.Rule{ID: "E6", Title: "operations are known, and * is alone"}, webhook: ofWebhooks(operations)},
		{Rule: diag.Rule{ID: "E7", Title: "a rule has API groups, and * is alone"}, webhook: ofWebhooks(apiGroups)},
		{Rule: diag.Rule{ID: "E8", Title: "a rule has API versions, and * is alone"}, webhook: ofWebhooks(apiVersions)},
		{Rule: diag.Rule{ID: "E9", Title: "a rule's resources do not repeat what a wildcard covers"}, webhook: ofWebhooks(resources)},
		{Rule: diag.Rule{ID: "E10", Title: "a rule's scope is Cluster, Namespaced or *"}, webhook: ofWebhooks(scopes)},
		{Rule: diag.Rule{ID: "E15", Title: "selectors are valid label selectors"}, webhook: selectors},
		{Rule: diag.Rule{ID: "E17", Title: "a webhook has a service or a url, not both"}, webhook: clientConfig},
		{Rule: diag.Rule{ID: "E18", Title: "a url is https, with a host and no parts that a webhook cannot use"}, webhook: clientURL},
		{Rule: diag.Rule{ID: "E19", Title: "a service has a name, a namespace, a valid port and a valid path"}, webhook: clientService},
		{Rule: diag.Rule{ID: "E21", Title: "admissionReviewVersions has a version that API servers send"}, only: "v1", webhook: admissionReviewVersions},
		{Rule: diag.Rule{ID: "E21b", Title: "admissionReviewVersions, where v1beta1 has it, has a version that API servers send"}, only: "v1beta1", webhook: reviewVersionList},
		{Rule: diag.Rule{ID: RuleMatchConditions, Title: "match conditions have unique names and an expression that compiles"}, only: "v1", webhook: matchConditions},
		{Rule: diag.Rule{ID: "E22b", Title: "v1beta1 has no match conditions"}, only: "v1beta1", webhook: noMatchConditions},
		{Rule: diag.Rule{ID: "U1", Title: "a webhook's name is unique among webhooks of its kind in the run"}, project: uniqueNames},
		{Rule: diag.Rule{ID: "U2", Title: "a service's path has one handler"}, project: uniquePaths},
	}
	rules = append(rules, policyRules()...)
	for _, a := range registry.Arguments() {
		for _, r := range a.Rules {
			rules = append(rules, rule{Rule: r.Rule, only: r.Only, webhook: func(p webhookPass) { fieldOf(p, a, r) }})
		}
	}
	slices.SortStableFunc(rules, func(a, b rule) int { return strings.Compare(order(a.ID), order(b.ID)) })
	return rules
}

// order pads the number of an id, so that E9 comes before E10 and E13b after E13.
func order(id string) string {
	number := strings.TrimRightFunc(id[1:], unicode.IsLetter)
	return fmt.Sprintf("%c%3s%s", id[0], number, id[1+len(number):])
}
