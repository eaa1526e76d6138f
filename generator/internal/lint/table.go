// SPDX-License-Identifier: Apache-2.0

package lint

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// Table lists the rules. An error cannot work. A warning goes wrong some day or lets something by. A note is advice.
func Table() []Rule {
	return []Rule{
		{By: Expressions, Rule: diag.Rule{ID: "W1", Title: "a match condition does not read namespaceObject", Fix: "use namespaceSelector"}},
		{By: Expressions, Rule: diag.Rule{ID: "W2", Severity: diag.Warning, Title: "a match condition reads only what every request has", Fix: "guard it: object != null, has(object.metadata.labels), has(request.subResource), or object.metadata.?labels"}},
		{configuration: neverCalled, Rule: diag.Rule{ID: "W3", Title: "a webhook has a rule", Fix: "add a rule, or remove the webhook"}},
		{webhook: overlap, Rule: diag.Rule{ID: "W4", Severity: diag.Warning, Title: "a rule's resources do not repeat each other", Fix: "remove what the other covers"}},
		{webhook: impossibleNames, policies: true, Rule: diag.Rule{ID: "W5", Title: "a rule names groups, versions and resources that can exist", Fix: "write the name as kubectl api-resources prints it"}},
		{webhook: wrongResource, policies: true, never: true, Rule: diag.Rule{ID: "W6", Severity: diag.Warning, Title: "a rule names resources of Kubernetes by their plural, and evictions with the deletion of pods", Fix: "write the plural, or add a rule for pods/eviction"}},
		{configuration: untrusted, definition: untrustedConversion, Rule: diag.Rule{ID: "W7", Severity: diag.Warning, Title: "a caBundle or an injector provides the authority of the server", Fix: "annotate the configuration for cert-manager, or write caBundle"}},
		{project: auditKeys, Rule: diag.Rule{ID: "W8", Severity: diag.Warning, Title: "the key of an audit annotation is valid for an API server", Fix: "write the key with letters, digits, -, _ and . alone"}},
		{project: warnings, Rule: diag.Rule{ID: "W9", Severity: diag.Warning, Title: "a warning is one short line", Fix: "write several warnings, each a short line"}},
		{insteadOf: "E19", webhook: serverOnlyPath, Rule: diag.Rule{ID: "W10", Title: "a path is one that controller-runtime and API servers both take", Fix: "write the path in lower case, with dashes"}},
		{webhook: exact, Rule: diag.Rule{ID: "W11", Severity: diag.Warning, Title: "matchPolicy is Equivalent", Fix: "leave matchPolicy out, or set it to Equivalent"}},
		{webhook: deadlock, Rule: diag.Rule{ID: "W12", Severity: diag.Warning, Title: "a webhook does not block its own server", Fix: "exclude those namespaces with namespaceSelector"}},
		{webhook: selectorWithoutNamespace, Rule: diag.Rule{ID: "W13", Severity: diag.Warning, Title: "a namespaceSelector is not the only limit for kinds without a namespace", Fix: "remove it, or use objectSelector or a match condition"}},
		{webhook: reviews, Rule: diag.Rule{ID: "W14", Severity: diag.Warning, Title: "a rule does not name reviews", Fix: "remove the resource"}},
		{webhook: exempt, Rule: diag.Rule{ID: "W15", Title: "a rule does not name webhook configurations and admission policies", Fix: "remove the resource, or protect it by RBAC"}},
		{webhook: futileOperations, never: true, Rule: diag.Rule{ID: "W16", Severity: diag.Warning, Title: "a webhook's operations can happen, and be answered", Fix: "use a validating webhook for DELETE, and name the subresource for CONNECT"}},
		{By: Code, Rule: diag.Rule{ID: "W17", Severity: diag.Warning, Title: "a handler has the side effects that its webhook declares", Fix: "set NoneOnDryRun, and write nothing if the request's DryRun is set"}},
		{project: slow, Rule: diag.Rule{ID: "W18", Severity: diag.Warning, Title: "waiting for mutating webhooks ends before the request does", Fix: "set a smaller timeoutSeconds"}},
		{project: unvalidated, Rule: diag.Rule{ID: "W19", Severity: diag.Note, Title: "what a mutating webhook enforces on built-in kinds is validated", Fix: "add a validating webhook for the same resources, if the values must hold"}},
		{webhook: untestedReinvocation, Rule: diag.Rule{ID: "W20", Severity: diag.Warning, Title: "a webhook that may be called again is tested for that", Fix: "add tests to outputs in webhook-gen.yaml"}},
		{webhook: staticService, Rule: diag.Rule{ID: "W21", Title: "a configuration for an API server's own disk calls webhooks by url", Fix: "give the webhook a url, or the configuration another name"}},
		{webhook: oldReviews, Rule: diag.Rule{ID: "W22", Severity: diag.Warning, Title: "admissionReviewVersions has v1, and nothing unknown", Fix: "write v1"}},
		{webhook: optOut, Rule: diag.Rule{ID: "W23", Severity: diag.Warning, Title: "users cannot opt out of a webhook", Fix: "use namespaceSelector, or a match condition on the user"}},
		{webhook: unreachable, definition: unreachableConversion, Rule: diag.Rule{ID: "W24", Severity: diag.Warning, Title: "a url can be reached from an API server", Fix: "use service for what runs in the cluster"}},
		{insteadOf: "U2", project: sharedPath, Rule: diag.Rule{ID: "W25", Severity: diag.Warning, Title: "a path serves one kind of webhook and of object", Fix: "give each webhook a path of its own"}},
		{By: Expressions, Rule: diag.Rule{ID: "W26", Severity: diag.Note, Title: "a match condition does not ask the authorizer", Fix: "compare request.userInfo if that is enough"}},
		{By: Code, Rule: diag.Rule{ID: "W27", Severity: diag.Warning, Title: "a handler does not wait for a client's own rate limit", Fix: "read from a cache, or raise the client's QPS and Burst"}},
		{webhook: undefined, policies: true, never: true, Rule: diag.Rule{ID: "W28", Severity: diag.Warning, Title: "a rule names resources and versions of the definitions", Fix: "name what the definition has, or write the definitions again if they are stale"}},
		{webhook: unserved, policies: true, never: true, Rule: diag.Rule{ID: "W29", Severity: diag.Warning, Title: "a rule names versions and resources that Kubernetes serves", Fix: "remove the word"}},
		{webhook: otherScope, policies: true, never: true, Rule: diag.Rule{ID: "W30", Severity: diag.Warning, Title: "a rule's scope is the scope of its resources", Fix: "remove the scope, or set the other one"}},
		{webhook: unlabelled, policies: true, Rule: diag.Rule{ID: "W31", Severity: diag.Warning, Title: "an objectSelector is for objects with labels", Fix: "use namespaceSelector or a match condition"}},
		{webhook: patient, Rule: diag.Rule{ID: "W32", Severity: diag.Note, Title: "a validating webhook answers within the default timeout", Fix: "set a smaller timeoutSeconds"}},
		{webhook: unreconciled, Rule: diag.Rule{ID: "W35", Severity: diag.Note, Title: "a webhook with side effects has a reconciler", Fix: "write in a reconciler, or set sideEffects: None if the handler writes nothing"}},
		{By: Code, Rule: diag.Rule{ID: "W33", Severity: diag.Warning, Title: "a handler reads the request from its parameter", Fix: "read the method's request, or adapt the validator or defaulter with package controllerruntime"}},
		{webhook: futileSubresources, policies: true, never: true, Rule: diag.Rule{ID: "W36", Severity: diag.Warning, Title: "a rule names subresources that a kind has, and operations that happen to them", Fix: "name the subresource and the operation as the API server serves them"}},
		{project: unconverted, Rule: diag.Rule{ID: "W37", Severity: diag.Warning, Title: "the versions of a kind are converted", Fix: "declare the conversion, or serve one version"}},
		{webhook: silenced, Rule: diag.Rule{ID: "W38", Severity: diag.Warning, Title: "a webhook that fails closed lets events of its own namespace pass", Fix: "remove events, exclude the namespace with namespaceSelector, or set failurePolicy to Ignore"}},
		{project: twice, Rule: diag.Rule{ID: "W39", Severity: diag.Warning, Title: "one webhook sees a request, whichever version it is sent in", Fix: "name both versions in one webhook, name only one, or set matchPolicy to Exact in both"}},
		{webhook: missesContainers, policies: true, Rule: diag.Rule{ID: "W42", Severity: diag.Warning, Title: "a rule about containers of pods sees each change of containers", Fix: "name the subresource"}},
		{webhook: missesScale, policies: true, Rule: diag.Rule{ID: "W43", Severity: diag.Warning, Title: "a rule about replicas sees the subresource scale", Fix: "name the subresource"}},
		{project: impatient, Rule: diag.Rule{ID: "W44", Severity: diag.Warning, Title: "webhooks that may be ignored answer before leases and nodes time out", Fix: "exclude kube-system and kube-node-lease with namespaceSelector, name the resources, or set a smaller timeoutSeconds"}},
		{definition: refusedConversion, Rule: diag.Rule{ID: "W45", Title: "API servers accept the conversion of a definition", Fix: "write conversionReviewVersions: [v1], and a path that begins with a slash"}},
		{webhook: missingService, definition: missingServiceOfConversion, Rule: diag.Rule{ID: "W46", Severity: diag.Warning, Title: "the Service of a webhook is in the files, with its port", Fix: "name the Service and its port"}},
		{configuration: deadAuthority, definition: deadAuthorityOfConversion, Rule: diag.Rule{ID: "W47", Severity: diag.Warning, Title: "a caBundle has a certificate that is valid", Fix: "write the certificate of the authority, or annotate the object for cert-manager"}},
		{webhook: unbundled, Rule: diag.Rule{ID: "W52", Severity: diag.Warning, Title: "OLM keeps the settings of a webhook in a bundle", Fix: "use objectSelector, or check it in the handler"}},
		{By: Expressions, Rule: diag.Rule{ID: "W53", Title: "API servers accept the validation rules of a type", Fix: "correct the rule, or bound the lists, maps and texts that it reads: +kubebuilder:validation:MaxItems, MaxProperties, MaxLength"}},
		{webhook: undecided, Rule: diag.Rule{ID: "W34", Severity: diag.Note, Title: "a validator says what holds for objects that are being deleted", Fix: "set deleting: unchangedSpec, or deleting: check if the rule holds until the end"}},
	}
}
