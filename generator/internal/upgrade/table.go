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
	policy     func(p *pass, old, now *model.Policy)
}

// Rules documents the table.
func Rules() []Rule { return table() }

const dispatcher = "Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating and validating, Dispatch."

const policies = "Upstream: k8s.io/apiserver/pkg/admission/plugin/policy."

func table() []Rule {
	return []Rule{
		{Severities: []Severity{Breaking}, webhook: failsClosed, Rule: diag.Rule{ID: "G1", Title: "a webhook begins to fail closed",
			Doc: "failurePolicy becomes Fail, by a marker or by its default: Fail in v1, Ignore in v1beta1. Requests passed when the webhook could not be called, and are now refused. " + dispatcher}},
		{Severities: []Severity{Careful}, webhook: failsOpen, Rule: diag.Rule{ID: "G2", Title: "a webhook begins to fail open",
			Doc: "failurePolicy becomes Ignore. A webhook that is skipped during an outage does not enforce an invariant. " + dispatcher}},
		{Severities: []Severity{Breaking, Careful}, find: newWebhook, Rule: diag.Rule{ID: "G3", Title: "a webhook is new",
			Doc: "It is called as soon as its configuration is applied. If both are applied at once, that is before its servers run. It breaks if it fails closed. " + dispatcher}},
		{Severities: []Severity{Careful}, find: goneWebhook, Rule: diag.Rule{ID: "G4", Title: "a webhook is gone",
			Doc: "Nothing runs its code any more."}},
		{Severities: []Severity{Breaking, Careful}, find: pathGone, Rule: diag.Rule{ID: "G5", Title: "a path vanishes before its configuration",
			Doc: "During a rollout the old configuration calls new servers and, if a path changes, the new configuration calls old ones. A server answers 404 to an unknown path, which is a failed call: it breaks if the webhook fails closed. The path of a +webhook marker is derived from group, version and kind unless it sets another one. " + dispatcher}},
		{Severities: []Severity{Breaking, Careful}, webhook: matchesMore, Rule: diag.Rule{ID: "G6", Title: "a webhook matches more",
			Doc: "Rules, scope, selectors, matchConditions or matchPolicy match more requests. Old servers have no code for operations and kinds that rules gain: it breaks if the webhook fails closed. Selectors are compared requirement by requirement, conditions by their text. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/generic, ShouldCallHook, and predicates/rules, Matches."}},
		{Severities: []Severity{Careful}, webhook: matchesLess, Rule: diag.Rule{ID: "G7", Title: "a webhook matches less",
			Doc: "Its code no longer runs for requests that it no longer sees. The same comparison as G6."}},
		{Severities: []Severity{Breaking, Careful}, webhook: otherVersions, Rule: diag.Rule{ID: "G8", Title: "objects arrive in another version",
			Doc: "A webhook gets objects in the versions that its rules name. Old servers may not know a new one: it breaks if the webhook fails closed. If a version is removed and matchPolicy is Equivalent, its requests are converted to one that is left. With another path, which webhook-gen gives each version, G5 covers it. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/generic, ShouldCallHook."}},
		{Severities: []Severity{Breaking, Careful}, webhook: otherServer, Rule: diag.Rule{ID: "G9", Title: "a webhook is called elsewhere",
			Doc: "Another Service, port or URL. The name in the certificate, `<name>.<namespace>.svc`, changes with the Service. It breaks if the webhook fails closed. Upstream: k8s.io/apiserver/pkg/util/webhook, HookClient."}},
		{Severities: []Severity{Breaking, Careful}, webhook: noAuthority, Rule: diag.Rule{ID: "G10", Title: "a server is no longer trusted",
			Doc: "The caBundle is removed, changes to another CA, or is no longer injected by cert-manager or OpenShift. It breaks if the webhook fails closed."}},
		{Severities: []Severity{Careful, Safe}, webhook: otherTimeout, Rule: diag.Rule{ID: "G11", Title: "a timeout changes",
			Doc: "With a shorter one, slow calls fail. A longer one is safe for validating webhooks, which are called at the same time. Upstream: requestTimeoutUpperBound of k8s.io/apiserver/pkg/endpoints/handlers is 34 seconds for all of a request."}},
		{Severities: []Severity{Breaking, Careful, Safe}, webhook: otherSideEffects, Rule: diag.Rule{ID: "G12", Title: "sideEffects change",
			Doc: "An API server refuses requests with dryRun that match a webhook with side effects, or with unknown ones. v1 does not accept such webhooks; v1beta1's default is Unknown. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/errors, NewDryRunUnsupportedErr."}},
		{Severities: []Severity{Breaking, Careful, Safe}, webhook: otherReviews, Rule: diag.Rule{ID: "G13", Title: "AdmissionReviews are of another version",
			Doc: "The first of admissionReviewVersions that the API server knows decides. It is safe if old servers declared that they read it, or were generated by webhook-gen: such handlers read v1 and v1beta1. Otherwise it breaks if the webhook fails closed. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/request, CreateAdmissionObjects."}},
		{Severities: []Severity{Breaking, Careful}, webhook: renamed, Rule: diag.Rule{ID: "G14", Title: "a webhook has another name",
			Doc: "Webhooks are matched by configuration and name, by name, or by path. The name is the key in a configuration's list: a webhook with another name is another entry, without what others wrote into the old one. It breaks if the webhook fails closed and has no caBundle of its own."}},
		{Severities: []Severity{Careful}, find: configurationGone, Rule: diag.Rule{ID: "G15", Title: "a configuration is gone",
			Doc: "Its webhooks moved to one of another name, or are gone, too. Applying manifests does not delete objects that they no longer have, unless the tool prunes, as helm does."}},
		{Severities: []Severity{Careful}, find: otherOrder, Rule: diag.Rule{ID: "G16", Title: "mutating webhooks are called in another order, or again",
			Doc: "An API server orders webhooks by the configurations' names and then by the list in each. reinvocationPolicy IfNeeded calls a webhook again when one after it changed the object. Only webhooks whose rules and selectors let both be called for one request are compared. Upstream: k8s.io/apiserver/pkg/admission/configuration, and mutating, Dispatch."}},
		{Severities: []Severity{Breaking, Careful}, definition: versionGone, Rule: diag.Rule{ID: "G17", Title: "a version of a kind is gone",
			Doc: "A definition has to have every version in which objects may be stored, which status.storedVersions lists. It is only careful if OLD is the cluster's own list (kubectl get crd -o yaml), the version is not in status.storedVersions, and it was not served. Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation, ValidateCustomResourceDefinitionStoredVersions."}},
		{Severities: []Severity{Breaking}, definition: versionNotServed, Rule: diag.Rule{ID: "G18", Title: "a version is no longer served",
			Doc: "Clients that name it get 404. Read from CustomResourceDefinitions."}},
		{Severities: []Severity{Breaking, Careful}, definition: otherStorage, Rule: diag.Rule{ID: "G19", Title: "another version is stored",
			Doc: "It breaks if the version is new, unless the conversion strategy is None: old servers cannot convert objects stored in it. Read from CustomResourceDefinitions."}},
		{Severities: []Severity{Breaking, Careful}, definition: versionNew, Rule: diag.Rule{ID: "G20", Title: "a version is new",
			Doc: "Servers have to convert it before the definition has it. If the conversion strategy is None, which a cluster always spells out, it breaks if its schema lacks fields of another version: objects written in it lose them."}},
		{Severities: []Severity{Breaking, Careful}, definition: conversionByWebhook, Rule: diag.Rule{ID: "G21", Title: "a webhook begins or ceases to convert a kind",
			Doc: "Without a webhook the strategy is None: apiVersion changes and nothing else. If a kind has several versions, stored objects are read differently after either step. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion, nopConverter."}},
		{Severities: []Severity{Breaking}, definition: otherConversionServer, Rule: diag.Rule{ID: "G22", Title: "a kind is converted elsewhere",
			Doc: "Another Service, port, path or URL, or ConversionReviews of another version. Conversions have no failurePolicy. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion, webhookConverter."}},
		{Severities: []Severity{Breaking}, find: kindGone, Rule: diag.Rule{ID: "G23", Title: "a kind is gone",
			Doc: "Deleting a definition deletes its objects. Read from CustomResourceDefinitions."}},
		{Severities: []Severity{Careful}, find: hubMoved, Rule: diag.Rule{ID: "G24", Title: "another version is the hub",
			Doc: "Its conversions are not compared any further, because each has another target."}},
		{Severities: []Severity{Breaking}, find: fieldGone, Rule: diag.Rule{ID: "G25", Title: "a version loses a field, or its type changes",
			Doc: "This compares the Go types of versions that are converted, without types of other modules. Stored objects have the field. Upstream: pruning, k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning."}},
		{Severities: []Severity{Breaking, Careful}, find: keptHasPlace, Rule: diag.Rule{ID: "G26", Title: "a version gets a field for what annotations keep",
			Doc: "An annotation of the stored object keeps the values that only one of two versions can represent. Once the other version has a field for it, servers restore it from there only if the annotation is signed (conversion.Keys), and unless the new field has another value. A default is another value, so with a default it is breaking. Nothing is reported if a CustomResourceDefinition says that the version is the stored one: then no stored object has the annotation."}},
		{Severities: []Severity{Breaking}, find: fieldDropped, Rule: diag.Rule{ID: "G27", Title: "a field is given up",
			Doc: "+webhook:conversion:drop is new on a field that was converted or kept."}},
		{Severities: []Severity{Careful}, find: fieldLossy, Rule: diag.Rule{ID: "G28", Title: "a field is no longer lossless",
			Doc: "The other version could express all of it, and no longer can: the annotation is now needed."}},
		{Severities: []Severity{Breaking, Careful}, find: fieldMoved, Rule: diag.Rule{ID: "G29", Title: "a field converts to another place, or differently",
			Doc: "Rules of the same two versions lead to another field, or convert the value by other means. Of your own code, only the fact that it is called is compared."}},
		{Severities: []Severity{Breaking}, find: valueMoved, Rule: diag.Rule{ID: "G30", Title: "a value of an enum converts differently",
			Doc: "A +webhook:conversion:enum is gone or has another value."}},
		{Severities: []Severity{Careful}, find: otherDefault, Rule: diag.Rule{ID: "G31", Title: "a conversion has another default",
			Doc: "A +webhook:conversion:default is new, gone, or has another value."}},
		{Severities: []Severity{Breaking}, find: schemaNarrower, Rule: diag.Rule{ID: "G32", Title: "a schema loses a field, or its type changes",
			Doc: "In a schema of a CustomResourceDefinition a field is gone that nothing around it keeps, its type no longer takes the old values, or x-kubernetes-preserve-unknown-fields is gone. " +
				"If the Go types of a converted kind lose the field as well, G25 reports it; if they still have it, the message contains that. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning."}},
		{Severities: []Severity{Careful}, find: otherSchemaDefault, Rule: diag.Rule{ID: "G33", Title: "a schema has another default",
			Doc: "This compares fields that both states have. Defaults are filled in before mutating webhooks are called, and when stored objects are read. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting."}},
		{Severities: []Severity{Breaking}, find: uncalled, Rule: diag.Rule{ID: "G34", Title: "a webhook is for a version or resource that does not exist",
			Doc: "Its rules name versions of a kind that the CustomResourceDefinition lacks, and none that it has; or they name a resource of a group with definitions, and none of these has it. The webhook is never called, and in the old state it was, or was missing. Objects are still converted to a version that exists and is not served. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver, getOrCreateServingInfoFor."}},
		{Severities: []Severity{Careful, Safe}, find: policyGone, Rule: diag.Rule{ID: "G35", Title: "a policy is gone",
			Doc: "Policies are matched by kind and name. Applying manifests does not delete objects that they no longer have, unless the tool prunes, as helm does."}},
		{Severities: []Severity{Careful, Safe}, find: policyStricter, Rule: diag.Rule{ID: "G36", Title: "a policy, a validation or a variable is new or changed",
			Doc: "Validations are matched by their expressions, variables by their names. " + policies}},
		{Severities: []Severity{Careful}, policy: policyLooser, Rule: diag.Rule{ID: "G37", Title: "a policy is loosened",
			Doc: "A validation is gone, failurePolicy becomes Ignore, or a binding loses an action. " + policies}},
		{Severities: []Severity{Careful}, policy: policyTighter, Rule: diag.Rule{ID: "G38", Title: "a policy is tightened",
			Doc: "failurePolicy becomes Fail, or a binding begins to deny. " + policies}},
		{Severities: []Severity{Careful}, policy: bindingGone, Rule: diag.Rule{ID: "G39", Title: "a binding is gone",
			Doc: "Bindings are matched by policy and name. A policy without a binding has no effect. " + policies}},
		{Severities: []Severity{Careful}, policy: policyOtherwise, Rule: diag.Rule{ID: "G40", Title: "a policy or a binding matches or changes something else",
			Doc: "Match constraints, match conditions, parameters, mutations or reinvocationPolicy differ, with the defaults of API servers in place, or a binding is new. " + policies}},
		{Severities: []Severity{Careful}, policy: otherReason, Rule: diag.Rule{ID: "G41", Title: "a denial has another reason",
			Doc: "The reason of a validation sets the reason and the code of the API server's answer: 401 for Unauthorized, 403 for Forbidden, 413 for RequestEntityTooLarge, and 422 for Invalid, the default. Clients that decide by one of the two behave differently, as with IsForbidden and IsInvalid of k8s.io/apimachinery/pkg/api/errors. Validations are matched by their expressions. Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/validating, reasonToCode."}},
		{Severities: []Severity{Safe}, policy: otherMessage, Rule: diag.Rule{ID: "G42", Title: "a denial has another message",
			Doc: "People read the message or messageExpression of a validation in the answer, in the warning and in the audit annotation validation.policy.admission.k8s.io/validation_failure. Without either, the message is the expression. Only tests and searches for the text notice. Validations are matched by their expressions. " + policies}},
		{Severities: []Severity{Careful, Safe}, policy: otherAnnotations, Rule: diag.Rule{ID: "G43", Title: "a policy has other audit annotations",
			Doc: "Consumers of the audit log find each under the key POLICY/KEY. It is careful if an annotation is gone or has another value, and if failurePolicy is Fail: then a valueExpression that fails denies the request. A new one with failurePolicy Ignore is safe. Annotations are matched by their keys. " + policies}},
	}
}
