package upgrade

// Rule is one entry of the table.
type Rule struct {
	// ID is short and never reused.
	ID string
	// Title says what a cluster notices.
	Title string
	// Severities are those that a finding can have, the worst first.
	Severities []Severity
	// Doc explains the rule; where it comes from Kubernetes it names the upstream function.
	Doc  string
	find func(*pass)
}

// Rules documents the table.
func Rules() []Rule { return table() }

const dispatcher = "Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/mutating and validating, Dispatch."

func table() []Rule {
	return []Rule{
		{ID: "G1", Title: "a webhook begins to fail closed", Severities: []Severity{Breaking}, find: failsClosed,
			Doc: "failurePolicy becomes Fail, by a marker or by its default: Fail in v1, Ignore in v1beta1. What could not be called was let through, and now is refused. " + dispatcher},
		{ID: "G2", Title: "a webhook begins to fail open", Severities: []Severity{Careful}, find: failsOpen,
			Doc: "failurePolicy becomes Ignore. What a webhook holds only while it can be called is no invariant. " + dispatcher},
		{ID: "G3", Title: "a webhook is new", Severities: []Severity{Breaking, Careful}, find: newWebhook,
			Doc: "It is called from the moment that its configuration is applied, which is before its servers run where both are applied at once. It breaks if it fails closed. " + dispatcher},
		{ID: "G4", Title: "a webhook is gone", Severities: []Severity{Careful}, find: goneWebhook,
			Doc: "Nothing holds any more what it held."},
		{ID: "G5", Title: "a path vanishes before its configuration", Severities: []Severity{Breaking, Careful}, find: pathGone,
			Doc: "During a rollout the old configuration calls new servers, and where a path changes, the new configuration calls old ones. A server answers 404 to a path that it does not have, which is a failed call: it breaks if the webhook fails closed. The path of a +webhook marker is made of group, version and kind unless it says another one. " + dispatcher},
		{ID: "G6", Title: "a webhook matches more", Severities: []Severity{Breaking, Careful}, find: matchesMore,
			Doc: "Rules, scope, selectors, matchConditions or matchPolicy let more through to it. Old servers have no code for operations and kinds that rules gain: it breaks if the webhook fails closed. Selectors are compared requirement by requirement, conditions by their text. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/generic, ShouldCallHook, and predicates/rules, Matches."},
		{ID: "G7", Title: "a webhook matches less", Severities: []Severity{Careful}, find: matchesLess,
			Doc: "What it held no longer holds for what it no longer sees. The same comparison as G6."},
		{ID: "G8", Title: "objects arrive in another version", Severities: []Severity{Breaking, Careful}, find: otherVersions,
			Doc: "The versions that rules name are those that a webhook gets. Old servers may not know a new one: it breaks if the webhook fails closed. Where a version goes and matchPolicy is Equivalent, its requests are converted to one that is left. With another path, as webhook-gen gives each version, G5 says it all. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/generic, ShouldCallHook."},
		{ID: "G9", Title: "a webhook is called elsewhere", Severities: []Severity{Breaking, Careful}, find: otherServer,
			Doc: "Another Service, port or URL. The name that the certificate has to have changes with a Service, `<name>.<namespace>.svc`. It breaks if the webhook fails closed. Upstream: k8s.io/apiserver/pkg/util/webhook, HookClient."},
		{ID: "G10", Title: "a server is no longer trusted", Severities: []Severity{Breaking, Careful}, find: noAuthority,
			Doc: "The caBundle goes, becomes one of another authority, or is no longer injected by cert-manager or OpenShift. It breaks if the webhook fails closed."},
		{ID: "G11", Title: "a timeout changes", Severities: []Severity{Careful, Safe}, find: otherTimeout,
			Doc: "A shorter one makes failures of slow calls. A longer one is safe for a validating webhook: these are called at the same time. Upstream: requestTimeoutUpperBound of k8s.io/apiserver/pkg/endpoints/handlers is 34 seconds for all of a request."},
		{ID: "G12", Title: "sideEffects change", Severities: []Severity{Breaking, Careful, Safe}, find: otherSideEffects,
			Doc: "An API server refuses requests with dryRun that match a webhook with side effects, or of which it is not known. v1 does not accept such webhooks; v1beta1's default is Unknown. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/errors, NewDryRunUnsupportedErr."},
		{ID: "G13", Title: "AdmissionReviews are of another version", Severities: []Severity{Breaking, Careful, Safe}, find: otherReviews,
			Doc: "The first of admissionReviewVersions that the API server knows decides. It is safe where old servers said that they read it, and where webhook-gen generated them: such handlers read v1 and v1beta1. Otherwise it breaks if the webhook fails closed. Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/request, CreateAdmissionObjects."},
		{ID: "G14", Title: "a webhook has another name", Severities: []Severity{Breaking, Careful}, find: renamed,
			Doc: "Webhooks are the same if their configuration and name, their name, or their path is. The name is the key of a configuration's list: one with another name is another entry, and what others wrote into the old one is not in it. It breaks if the webhook fails closed and says no caBundle of its own."},
		{ID: "G15", Title: "a configuration is gone", Severities: []Severity{Careful}, find: configurationGone,
			Doc: "Its webhooks moved to one of another name, or are gone too. What applies manifests does not delete what they no longer have, unless it prunes as helm does."},
		{ID: "G16", Title: "mutating webhooks are called in another order, or again", Severities: []Severity{Careful}, find: otherOrder,
			Doc: "The order is that of the configurations' names and, in each, of its list. reinvocationPolicy IfNeeded calls a webhook again when one after it changed the object. Upstream: k8s.io/apiserver/pkg/admission/configuration, and mutating, Dispatch."},
		{ID: "G17", Title: "a version of a kind is gone", Severities: []Severity{Breaking, Careful}, find: versionGone,
			Doc: "A definition has to have every version in which objects may be stored, which status.storedVersions lists. Where a cluster's own list is given as OLD (kubectl get crd -o yaml) and the version is not in it and was not served, care is enough. Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation, ValidateCustomResourceDefinitionStoredVersions."},
		{ID: "G18", Title: "a version is no longer served", Severities: []Severity{Breaking}, find: versionNotServed,
			Doc: "Clients that name it get 404. Read from CustomResourceDefinitions."},
		{ID: "G19", Title: "another version is stored", Severities: []Severity{Breaking, Careful}, find: otherStorage,
			Doc: "It breaks if the version is new, unless the strategy of conversions is said to be None: while old servers run they cannot convert what is stored in it. Read from CustomResourceDefinitions."},
		{ID: "G20", Title: "a version is new", Severities: []Severity{Breaking, Careful}, find: versionNew,
			Doc: "Servers have to convert it before the definition has it. Where the strategy of conversions is said to be None, as a cluster always says it, it breaks if its schema lacks fields of another version: what is written in it loses them."},
		{ID: "G21", Title: "a webhook begins or ceases to convert a kind", Severities: []Severity{Breaking, Careful}, find: conversionByWebhook,
			Doc: "Without a webhook the strategy is None: apiVersion changes and nothing else. Where a kind has several versions, either step reads stored objects otherwise. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion, nopConverter."},
		{ID: "G22", Title: "a kind is converted elsewhere", Severities: []Severity{Breaking}, find: otherConversionServer,
			Doc: "Another Service, port, path or URL, or ConversionReviews of another version. Conversions have no failurePolicy. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion, webhookConverter."},
		{ID: "G23", Title: "a kind is gone", Severities: []Severity{Breaking}, find: kindGone,
			Doc: "Deleting a definition deletes its objects. Read from CustomResourceDefinitions."},
		{ID: "G24", Title: "another version is the hub", Severities: []Severity{Careful}, find: hubMoved,
			Doc: "Its conversions are compared no further: each of them leads elsewhere."},
		{ID: "G25", Title: "a version loses a field, or its type changes", Severities: []Severity{Breaking}, find: fieldGone,
			Doc: "Of the Go types of versions that are converted; types of other modules are not looked into. Stored objects have the field. Upstream: pruning, k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning."},
		{ID: "G26", Title: "a version can say what annotations keep", Severities: []Severity{Breaking, Careful}, find: keptHasPlace,
			Doc: "What a version says and another one cannot is in an annotation of the stored object. Servers whose versions have a place for it restore it as long as it is there, unless that place says something else, which a default does: with one, it breaks. Nothing is reported where the version is the stored one, as far as a CustomResourceDefinition says so: then no stored object has the annotation."},
		{ID: "G27", Title: "a field is given up", Severities: []Severity{Breaking}, find: fieldDropped,
			Doc: "+webhook:conversion:drop is new on a field that was converted or kept."},
		{ID: "G28", Title: "a field is no longer lossless", Severities: []Severity{Careful}, find: fieldLossy,
			Doc: "The other version could say all of it, and no longer can: the annotation is needed where it was not."},
		{ID: "G29", Title: "a field converts to another place, or otherwise", Severities: []Severity{Breaking, Careful}, find: fieldMoved,
			Doc: "Rules of the same two versions lead to another field, or convert the value by other means. Your own code is compared by nothing but that it is called."},
		{ID: "G30", Title: "a value of an enum converts otherwise", Severities: []Severity{Breaking}, find: valueMoved,
			Doc: "A +webhook:conversion:enum is gone or says another value."},
		{ID: "G31", Title: "a conversion has another default", Severities: []Severity{Careful}, find: otherDefault,
			Doc: "A +webhook:conversion:default is new, gone, or says another value."},
		{ID: "G32", Title: "a schema loses a field, or its type changes", Severities: []Severity{Breaking}, find: schemaNarrower,
			Doc: "Of the schemas in CustomResourceDefinitions: a field is gone that nothing around it keeps, its type is another one that does not take the old one's values, or x-kubernetes-preserve-unknown-fields is. " +
				"Where the Go types of a converted kind lose the field as well, G25 tells it; where they still have it, that is said. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning."},
		{ID: "G33", Title: "a schema has another default", Severities: []Severity{Careful}, find: otherSchemaDefault,
			Doc: "Of fields that both states have. Defaults are filled in before mutating webhooks are called, and when stored objects are read. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting."},
		{ID: "G34", Title: "a webhook is for a version that is gone", Severities: []Severity{Careful}, find: versionsGone,
			Doc: "Its rules name versions of a kind that a CustomResourceDefinition no longer has, and none that it has. One that is only not served is converted to as before. Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver, getOrCreateServingInfoFor."},
	}
}
