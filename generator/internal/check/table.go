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

const upstream = " Upstream: k8s.io/kubernetes/pkg/apis/admissionregistration/validation, "

// table lists all rules, including the rules of arguments in the registry. The E rules have the numbers of upstream's
// checks. 5, 20, 23 and 24 are unused: an empty list of rules and any caBundle are accepted, and the others concern
// updates and defaults.
func table() []rule {
	rules := []rule{
		{Rule: diag.Rule{ID: "E1", Title: "a configuration's metadata is valid",
			Doc: "The name is a DNS subdomain; label keys and values and annotation keys follow the rules of labels and annotations." + upstream + "ValidateObjectMeta with NameIsDNSSubdomain."},
			configuration: objectMeta},
		{Rule: diag.Rule{ID: "E2", Title: "a configuration's name is not reserved for files",
			Doc: "Names that end in .static.k8s.io belong to configurations that an API server reads from its own disk." + upstream + "ValidateStaticSuffix."},
			configuration: staticSuffix},
		{Rule: diag.Rule{ID: "E3", Title: "a webhook's name is a domain of three segments or more",
			Doc: "For example quota.shop.example.com." + upstream + "IsFullyQualifiedName."},
			webhook: fullyQualifiedName},
		{Rule: diag.Rule{ID: "E4", Title: "a webhook's name is unique in its configuration",
			Doc: "Two webhooks on one type get the same derived name; give the second one a word as its `name`. v1beta1 accepts equal names, this tool does not." + upstream + "requireUniqueWebhookNames."},
			configuration: uniqueInObject},
		{Rule: diag.Rule{ID: "E6", Title: "operations are known, and * is alone",
			Doc: "CREATE, UPDATE, DELETE, CONNECT or *; at least one." + upstream + "validateRuleWithOperations."},
			webhook: ofWebhooks(operations)},
		{Rule: diag.Rule{ID: "E7", Title: "a rule has API groups, and * is alone",
			Doc: "The group without a name is written core." + upstream + "validateRule."},
			webhook: ofWebhooks(apiGroups)},
		{Rule: diag.Rule{ID: "E8", Title: "a rule has API versions, and * is alone",
			Doc: "None may be empty." + upstream + "validateRule."},
			webhook: ofWebhooks(apiVersions)},
		{Rule: diag.Rule{ID: "E9", Title: "a rule's resources do not repeat what a wildcard covers",
			Doc: "*/* is alone; * has no plain resource beside it; pods/* is not followed by pods/status, nor */status by pods/status." + upstream + "validateResources, dependence on order included."},
			webhook: ofWebhooks(resources)},
		{Rule: diag.Rule{ID: "E10", Title: "a rule's scope is Cluster, Namespaced or *",
			Doc: "It may come from +kubebuilder:resource:scope." + upstream + "validateRule."},
			webhook: ofWebhooks(scopes)},
		{Rule: diag.Rule{ID: "E15", Title: "selectors are valid label selectors",
			Doc: "Keys are qualified names, values label values, In and NotIn have values, Exists and DoesNotExist none. Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation, ValidateLabelSelector."},
			webhook: selectors},
		{Rule: diag.Rule{ID: "E17", Title: "a webhook has a service or a url, not both", Doc: "A patch can take one away or add the other." + upstream + "validateValidatingWebhook."},
			webhook: clientConfig},
		{Rule: diag.Rule{ID: "E18", Title: "a url is https, with a host and no parts that a webhook cannot use",
			Doc: "User information, query and fragment are refused. Upstream: k8s.io/apiserver/pkg/util/webhook, ValidateWebhookURL."},
			webhook: clientURL},
		{Rule: diag.Rule{ID: "E19", Title: "a service has a name, a namespace, a valid port and a valid path",
			Doc: "The path starts with a slash; each segment is a DNS-1123 subdomain, without capitals and underscores. Upstream: k8s.io/apiserver/pkg/util/webhook, ValidateWebhookService."},
			webhook: clientService},
		{Rule: diag.Rule{ID: "E21", Title: "admissionReviewVersions has a version that API servers send",
			Doc: "v1 or v1beta1, no version twice, each a DNS-1035 label; v1 requires the list." + upstream + "validateAdmissionReviewVersions."},
			only: "v1", webhook: admissionReviewVersions},
		{Rule: diag.Rule{ID: "E21b", Title: "admissionReviewVersions, where v1beta1 has it, has a version that API servers send",
			Doc: "As E21, but the list may be left out: [v1beta1] is the default. KEP 492."},
			only: "v1beta1", webhook: reviewVersionList},
		{Rule: diag.Rule{ID: RuleMatchConditions, Title: "match conditions have unique names and an expression that compiles",
			Doc: "64 at most; names are qualified names. generate, verify and lint have webhook-gen-explain check that the CEL compiles to a boolean." + upstream + "validateMatchConditions, KEP 3716."},
			only: "v1", webhook: matchConditions},
		{Rule: diag.Rule{ID: "E22b", Title: "v1beta1 has no match conditions",
			Doc: "KEP 3716 came to v1 after Kubernetes 1.22 had stopped serving v1beta1."},
			only: "v1beta1", webhook: noMatchConditions},
		{Rule: diag.Rule{ID: RuleUncompiled, Severity: diag.Warning, Title: "match conditions and policies are compiled",
			Doc: "webhook-gen-explain does that for generate, verify and lint. It is looked for beside webhook-gen and in PATH; `--companion` names another place. Where it is missing, a mistake in the CEL is not found before an API server refuses the configuration."}},
		{Rule: diag.Rule{ID: "U1", Title: "a webhook's name is unique among webhooks of its kind in the run",
			Doc: "API servers accept equal names in two configurations of one kind; metrics and audit annotations then cannot distinguish the webhooks."},
			project: uniqueNames},
		{Rule: diag.Rule{ID: "U2", Title: "a service's path has one handler",
			Doc: "A server registers one handler for a path. Two packages that claim one path would serve each other's requests. Markers of one type may share a path if both are mutating or both validating and their requests carry the same Go type: one handler has the operations of both. " +
				"Two markers for the manifest alone, such as +kubebuilder:webhook, may share a path where one handler of your own can answer both: both are mutating or both validating and, where controller-runtime's builder makes the path of a kind, for that kind."},
			project: uniquePaths},
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
