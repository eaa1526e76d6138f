// SPDX-License-Identifier: Apache-2.0

package lint

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// table lists the rules. An error cannot work. A warning goes wrong some day or lets something by. A note is advice.
func table() []rule {
	return []rule{
		{by: Expressions, Rule: diag.Rule{ID: "W1", Title: "a match condition does not read namespaceObject",
			Doc: "An API server declares the variable and never sets it for webhooks: with failurePolicy Fail every request that matches is refused, with Ignore the webhook is never called. " +
				"Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions, matcher.Match.",
			Fix: "use namespaceSelector"}},
		{by: Expressions, Rule: diag.Rule{ID: "W2", Severity: diag.Warning, Title: "a match condition reads only what every request has",
			Doc: "`object` is null for DELETE, `oldObject` for CREATE and CONNECT. Labels, annotations and other metadata may be missing, and so may what `request` leaves out where it is empty: subResource, namespace, name, userInfo.uid and extra. A new object with a generateName gets its name, and any new one its UID and time, after mutating webhooks and before validating ones. " +
				"Reading a missing field is an error of the expression: where no other condition is false, the request is refused with failurePolicy Fail, and the webhook is not called with Ignore. " +
				"Guards are seen on either side of && and ||, in ?: and in other conditions of the webhook: comparisons with null and of request.operation, has(), in, and optional fields. Fields below spec and status are not judged.",
			Fix: "guard it: object != null, has(object.metadata.labels), has(request.subResource), or object.metadata.?labels"}},
		{configuration: neverCalled, Rule: diag.Rule{ID: "W3", Title: "a webhook has a rule",
			Doc: "An API server accepts a webhook without rules, and never calls it. Lint reports it if the configuration is complete: another webhook of it has rules, or it has a CA bundle. " +
				"Otherwise the server may fill in both by itself, as knative's webhooks do.",
			Fix: "add a rule, or remove the webhook"}},
		{webhook: overlap, Rule: diag.Rule{ID: "W4", Severity: diag.Warning, Title: "a rule's resources do not repeat each other",
			Doc: "An API server refuses a resource behind the wildcard that covers it, and accepts it before: whoever sorts the list breaks the manifest. " +
				"Upstream: k8s.io/kubernetes/pkg/apis/admissionregistration/validation, validateResources.",
			Fix: "remove what the other covers"}},
		{webhook: impossibleNames, policies: true, Rule: diag.Rule{ID: "W5", Title: "a rule names groups, versions and resources that can exist",
			Doc: "An API server checks none of the three and compares them letter by letter: core (the group without a name is \"\"), apps/v1 as a group or version, Pods, pod* or a/b/c match nothing. The rule also judges policies.",
			Fix: "write the name as kubectl api-resources prints it"}},
		{webhook: wrongResource, policies: true, Rule: diag.Rule{ID: "W6", Severity: diag.Warning, Title: "a rule names resources of Kubernetes by their plural, and evictions with the deletion of pods",
			Doc: "pod or deploymnets match nothing. And a validating webhook for DELETE on pods is not called when a pod is evicted, as by kubectl drain: that is CREATE on pods/eviction " +
				"(k8s.io/kubernetes/pkg/registry/core/pod/storage, EvictionREST; kubernetes/kubernetes#110169). The rule also judges policies.",
			Fix: "write the plural, or add a rule for pods/eviction"}},
		{configuration: untrusted, Rule: diag.Rule{ID: "W7", Severity: diag.Warning, Title: "a caBundle or an injector provides the authority of the server",
			Doc: "Without caBundle an API server trusts the CAs of its machine, and none of them signs the certificate of a Service. Lint reports it if no annotation of cert-manager or OpenShift asks for one, " +
				"and other webhooks of the configuration do have a caBundle, or the files hold the server with all its roles, and no role that would let anything write the caBundle; " +
				"and where beside that server an annotation still has kubebuilder's CERTIFICATE_NAMESPACE/CERTIFICATE_NAME. Not found is a missing caBundle in markers and in a manifest alone: an overlay, an injector or the server itself may write it later.",
			Fix: "annotate the configuration for cert-manager, or write caBundle"}},
		{project: auditKeys, Rule: diag.Rule{ID: "W8", Severity: diag.Warning, Title: "the key of an audit annotation is valid for an API server",
			Doc: "It is behind the webhook's name and a slash the name part of a qualified name: 63 letters, digits, -, _ and . at most. Others are dropped with only a line in the API server's log " +
				"(k8s.io/apiserver/pkg/admission, checkKeyFormat); generated handlers change them until they fit. It is reported of AuditAnnotation in validators and defaulters, where the key is a constant.",
			Fix: "write the key with letters, digits, -, _ and . alone"}},
		{project: warnings, Rule: diag.Rule{ID: "W9", Severity: diag.Warning, Title: "a warning is one short line",
			Doc: "An API server silently drops a warning with a line break or another control character, and truncates each at 256 characters where all of a request have more than 4096 (k8s.io/apiserver/pkg/endpoints/filters, AddWarning). Generated handlers replace the character by a blank, and truncate in the same way. " +
				"Clients print \"Warning:\" in front of each, and the documentation of AdmissionResponse advises 120 characters at most: a longer one is a note. " +
				"controller-runtime passes warnings on unchanged. It is reported of Warn in validators and defaulters, and of admission.Warnings beside +kubebuilder markers, where the text is a constant.",
			Fix: "write several warnings, each a short line"}},
		{insteadOf: "E19", webhook: serverOnlyPath, Rule: diag.Rule{ID: "W10", Title: "a path is one that controller-runtime and API servers both take",
			Doc: "controller-runtime's WithCustomPath takes capitals and underscores, API servers do not (k8s.io/apiserver/pkg/util/webhook, ValidateWebhookService).",
			Fix: "write the path in lower case, with dashes"}},
		{webhook: exact, Rule: diag.Rule{ID: "W11", Severity: diag.Warning, Title: "matchPolicy is Equivalent",
			Doc: "With Exact, the same object sent through another version that the resource is served in is not seen. Lint reports it if a rule names versions, no other webhook covers the same resources in others, and no CustomResourceDefinition beside it shows that no other version is served. Exact is the default of v1beta1.",
			Fix: "leave matchPolicy out, or set it to Equivalent"}},
		{webhook: deadlock, Rule: diag.Rule{ID: "W12", Severity: diag.Warning, Title: "a webhook does not block its own server",
			Doc: "A webhook with failurePolicy Fail and a Service, for what a pod needs to start and to be reached (creating pods, their status, tokens and bindings, leases, endpointslices, nodes), keeps its own server from coming back once that is down: " +
				"in the server's namespace, in kube-system where the network comes from, in kube-node-lease, and for nodes. It is reported if the selectors allow it for certain: unknown labels, an objectSelector and match conditions count as a way out, and so does a file of kustomize that says selectors or match conditions where the Service's namespace is still to be written (below config for markers, and in the folder of a file).",
			Fix: "exclude those namespaces with namespaceSelector"}},
		{webhook: selectorWithoutNamespace, Rule: diag.Rule{ID: "W13", Severity: diag.Warning, Title: "a namespaceSelector is not the only limit for kinds without a namespace",
			Doc: "For objects without a namespace, except Namespaces themselves, an API server ignores namespaceSelector (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/namespace, MatchNamespaceSelector). Lint reports it if the rules match nothing else, and the selector does more than exclude namespaces by name.",
			Fix: "remove it, or use objectSelector or a match condition"}},
		{webhook: reviews, Rule: diag.Rule{ID: "W14", Severity: diag.Warning, Title: "a rule does not name reviews",
			Doc: "TokenReviews, SubjectAccessReviews and the like are questions to the API server, and are not stored. From Kubernetes 1.37 on no webhook is called for them; before, one that is down takes authentication and authorization down with it (kubernetes/kubernetes#140019).",
			Fix: "remove the resource"}},
		{webhook: exempt, Rule: diag.Rule{ID: "W15", Title: "a rule does not name webhook configurations and admission policies",
			Doc: "They are never sent to webhooks, so that no webhook can prevent its own removal (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules, IsExemptAdmissionConfigurationResource).",
			Fix: "remove the resource, or protect it by RBAC"}},
		{webhook: futileOperations, Rule: diag.Rule{ID: "W16", Severity: diag.Warning, Title: "a webhook's operations can happen, and be answered",
			Doc: "On DELETE there is no object to change: a patch fails the request with code 500, whatever the failurePolicy (k8s.io/apiserver/pkg/admission/plugin/webhook/mutating, callAttrMutatingHook). " +
				"CONNECT happens only to subresources: pods/exec, not pods.",
			Fix: "use a validating webhook for DELETE, and name the subresource for CONNECT"}},
		{by: Code, Rule: diag.Rule{ID: "W17", Severity: diag.Warning, Title: "a handler has the side effects that its webhook declares",
			Doc: "A webhook with sideEffects None is called on a dry run too, and must not write. One with NoneOnDryRun has to look at dryRun.",
			Fix: "set NoneOnDryRun, and write nothing if the request's DryRun is set"}},
		{project: slow, Rule: diag.Rule{ID: "W18", Severity: diag.Warning, Title: "waiting for mutating webhooks ends before the request does",
			Doc: "They are called one after the other, and an API server gives a request 34 seconds (k8s.io/apiserver/pkg/endpoints/handlers, requestTimeoutUpperBound). Where those with failurePolicy Ignore that are called for one request may take longer together, " +
				"requests fail although each could be left out (kubernetes/kubernetes#128162). A mutating webhook's own timeoutSeconds beyond the default of 10 is reported as well: every request may wait that long. " +
				"Counted together are webhooks with the same selectors and match conditions, and those with none; whether others are ever called for one request cannot be seen, " +
				"nor what webhooks of other projects take. The default itself, though longer than Kubernetes advises, is not reported, because every webhook would be.",
			Fix: "set a smaller timeoutSeconds"}},
		{project: unvalidated, Rule: diag.Rule{ID: "W19", Severity: diag.Note, Title: "what a mutating webhook enforces on built-in kinds is validated",
			Doc: "A mutating webhook that is called later, even of another project, may undo what one did; a validating webhook sees the stored object. Lint reports mutating webhooks with failurePolicy Fail that name built-in resources which no validating webhook here sees when they are created or updated. " +
				"It does not report a project's own kinds, whose defaults nobody else changes and a schema may enforce, nor wildcards. It does not consider ValidatingAdmissionPolicies.",
			Fix: "add a validating webhook for the same resources, if the values must hold"}},
		{webhook: untestedReinvocation, Rule: diag.Rule{ID: "W20", Severity: diag.Warning, Title: "a webhook that may be called again is tested for that",
			Doc: "With reinvocationPolicy IfNeeded a webhook sees its own result. The generated tests call each handler twice, but this project has switched them off. " +
				"Only a run shows whether a handler leaves its own work alone. Lint does not check manifests or handlers of controller-runtime.",
			Fix: "add tests to outputs in webhook-gen.yaml"}},
		{webhook: staticService, Rule: diag.Rule{ID: "W21", Title: "a configuration for an API server's own disk calls webhooks by url",
			Doc: "Names that end in .static.k8s.io belong to configurations that an API server reads from files. It has no Services then (k8s.io/apiserver/pkg/admission/plugin/manifest).",
			Fix: "give the webhook a url, or the configuration another name"}},
		{webhook: oldReviews, Rule: diag.Rule{ID: "W22", Severity: diag.Warning, Title: "admissionReviewVersions has v1, and nothing unknown",
			Doc: "API servers know v1 and v1beta1. They do not check whether a v1beta1 answer belongs to the request, and ignore versions that they do not know (k8s.io/apiserver/pkg/admission/plugin/webhook/request, CreateAdmissionObjects).",
			Fix: "write v1"}},
		{webhook: optOut, Rule: diag.Rule{ID: "W23", Severity: diag.Warning, Title: "users cannot opt out of a webhook",
			Doc: "A user who may create an object may label it. A validating webhook for CREATE whose objectSelector skips objects with a label does not restrict such users.",
			Fix: "use namespaceSelector, or a match condition on the user"}},
		{webhook: unreachable, Rule: diag.Rule{ID: "W24", Severity: diag.Warning, Title: "a url can be reached from an API server",
			Doc: "localhost is the machine of the API server itself, and it cannot resolve names of the cluster's own DNS, *.svc. Files on an API server's own disk may say localhost.",
			Fix: "use service for what runs in the cluster"}},
		{insteadOf: "U2", project: sharedPath, Rule: diag.Rule{ID: "W25", Severity: diag.Warning, Title: "a path serves one kind of webhook and of object",
			Doc: "A review does not say whether a mutating or a validating webhook is asked, and a patch in the answer to a validating one is an error (k8s.io/apiserver/pkg/admission/plugin/webhook/request, VerifyAdmissionResponse). " +
				"And a path in the form of controller-runtime's builder, /validate-<group>-<version>-<kind>, decodes that one kind.",
			Fix: "give each webhook a path of its own"}},
		{by: Expressions, Rule: diag.Rule{ID: "W26", Severity: diag.Note, Title: "a match condition does not ask the authorizer",
			Doc: "Each check of `authorizer` is a SubjectAccessReview within every request that gets there; if authorization is a webhook, too, it is a call over the network.",
			Fix: "compare request.userInfo if that is enough"}},
		{by: Code, Rule: diag.Rule{ID: "W27", Severity: diag.Warning, Title: "a handler does not wait for a client's own rate limit",
			Doc: "client-go's default of 5 requests a second makes admission wait. NVIDIA/NVSentinel#1849 measured a median of 17.5 s, and 15 ms without.",
			Fix: "read from a cache, or raise the client's QPS and Burst"}},
		{webhook: undefined, policies: true, Rule: diag.Rule{ID: "W28", Severity: diag.Warning, Title: "a rule names resources and versions of the definitions",
			Doc: "An API server accepts any names, and never calls the webhook for resources and versions that it does not have. Lint compares rules with the CustomResourceDefinitions among the files or, for markers, in the files of `crds` in webhook-gen.yaml, else in config/crd and config/crd/bases. Groups without a definition there are not judged. " +
				"With matchPolicy Equivalent, a version that the definition has and does not serve is enough: objects are converted to it (k8s.io/apiextensions-apiserver/pkg/apiserver, getOrCreateServingInfoFor). The rule also judges policies.",
			Fix: "name what the definition has, or write the definitions again if they are stale"}},
		{webhook: unserved, policies: true, Rule: diag.Rule{ID: "W29", Severity: diag.Warning, Title: "a rule names versions and resources that Kubernetes serves",
			Doc: "An API server never calls a webhook for extensions/v1beta1, which no Kubernetes since 1.22 serves. Lint compares groups of Kubernetes with api/openapi-spec/swagger.json of its versions " + servedSince + " to " + servedUntil + ", alpha versions included. " +
				"Reported is each group, version and resource by which its rule matches nothing. Lint does not judge rules for further groups or for *. The rule also judges policies.",
			Fix: "remove the word"}},
		{webhook: otherScope, policies: true, Rule: diag.Rule{ID: "W30", Severity: diag.Warning, Title: "a rule's scope is the scope of its resources",
			Doc: "A rule with the scope Namespaced never matches namespaces or other resources of the cluster, and one with Cluster never matches pods (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules, Matcher.scope). Lint knows the scopes of Kubernetes' resources and of CustomResourceDefinitions, found as for W28. The rule also judges policies.",
			Fix: "remove the scope, or set the other one"}},
		{webhook: unlabelled, policies: true, Rule: diag.Rule{ID: "W31", Severity: diag.Warning, Title: "an objectSelector is for objects with labels",
			Doc: "The objects of CONNECT are options, such as PodExecOptions of pods/exec. They have no metadata, and an objectSelector that is not empty never matches them (k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/object, matchObject). The rule also judges policies.",
			Fix: "use namespaceSelector or a match condition"}},
		{webhook: patient, Rule: diag.Rule{ID: "W32", Severity: diag.Note, Title: "a validating webhook answers within the default timeout",
			Doc: "While the server hangs, every request waits for timeoutSeconds, and an API server gives a request 34 seconds in all. Validating webhooks are called side by side, so that timeouts do not add up. W18 judges mutating webhooks.",
			Fix: "set a smaller timeoutSeconds"}},
		{webhook: unreconciled, Rule: diag.Rule{ID: "W35", Severity: diag.Note, Title: "a webhook with side effects has a reconciler",
			Doc: "A later step may still reject the request after the webhook has written something. admissionregistration.k8s.io/v1 demands a reconciliation system of such a webhook (sideEffects in the API reference). Lint looks for a method Reconcile in the module, and judges markers alone.",
			Fix: "write in a reconciler, or set sideEffects: None if the handler writes nothing"}},
		{by: Code, Rule: diag.Rule{ID: "W33", Severity: diag.Warning, Title: "a handler reads the request from its parameter",
			Doc: "admission.RequestFromContext of controller-runtime finds a request only where controller-runtime or an adapter of package controllerruntime put one into the context. In a generated handler it returns an error, and code that checks permissions only if there is a request checks none.",
			Fix: "read the method's request, or adapt the validator or defaulter with package controllerruntime"}},
		{webhook: undecided, Rule: diag.Rule{ID: "W34", Severity: diag.Note, Title: "a validator says what holds for objects that are being deleted",
			Doc: "Removing a finalizer is an UPDATE. A validator that denies the object as it is, because the object is older than the rule, keeps the finalizer, and the object stays for ever. " +
				"Lint reports validators for UPDATE whose marker has no `deleting`. It does not report a method that returns no error, or that is in a file with the words DeletionTimestamp or Finalizer. " +
				"For a `+kubebuilder` marker it reads ValidateUpdate of the type below, and reports it only if the new object is checked by itself: a comparison with the old object never keeps a finalizer.",
			Fix: "set deleting: unchangedSpec, or deleting: check if the rule holds until the end"}},
	}
}
