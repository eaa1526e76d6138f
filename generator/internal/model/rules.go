// SPDX-License-Identifier: Apache-2.0

package model

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// The ids under which this package reports.
const (
	RuleGroupVersion  = "D1"
	RulePlural        = "D2"
	RuleTarget        = "D3"
	RuleBelongs       = "D4"
	RuleConfiguration = "D5"
	RuleExclusive     = "D6"
	RulePatch         = "D7"
	RuleDomain        = "D8"
	RuleTwice         = "D9"
	RuleNeeds         = "D10"
	RuleHandler       = "D11"
	RuleMethod        = "D12"
	RuleHub           = "D13"
	RuleConvertible   = "D14"
	RuleProgram       = "D15"
	RuleRuntime       = "D16"
	RuleServed        = "D17"
	RuleDeleting      = "D18"
	RuleRatchet       = "D19"
	RuleEnforcement   = "D20"
	RuleListed        = "D21"
)

// Rules documents them.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleGroupVersion, Title: "a type's API group and version are known", Doc: "They are read from +groupName and +versionName comments of the package, from its schema.GroupVersion variable, and for the version from the package's name. If there are both comment and variable, they must agree. `groups` and `versions` set them in the marker. A +groupGoName comment names the group in generated Go code."},
		{ID: RulePlural, Title: "a type's plural is known", Doc: "controller-gen and client-gen derive different plurals of some words, and a rule with the wrong one never matches. +kubebuilder:resource:path, +resourceName or the argument `resources` decides."},
		{ID: RuleTarget, Title: "the type that `for` or `params` names can be found", Doc: "A Go type is looked for in the module, its workspace, vendor folder and module cache. group/version/Kind needs no source. In a group of Kubernetes itself, the kind must be one of its resources, or a type of the k8s.io/api that the module requires."},
		{ID: RuleBelongs, Title: "a rule, condition, patch or allowance belongs to a webhook, a member of a policy to a policy", Doc: "+webhook:rule, +webhook:matchCondition, +webhook:patch and +webhook:allow need a webhook on the same declaration; `webhook` names one of them. The other markers of policies need a +webhook:policy:mutating or +webhook:policy:validating there that can have what they add; `policy` names one of them."},
		{ID: RuleConfiguration, Title: "a webhook's configuration object is known", Doc: "If a package declares several objects of one kind, each webhook chooses one with `configuration`. Packages that declare the same object agree on its labels and annotations."},
		{ID: RuleExclusive, Title: "arguments that exclude each other are not both given", Doc: "path and url; url and service; params with a name and paramSelector."},
		{ID: RulePatch, Title: "a patch is a strategic merge patch of a webhook", Doc: "Decoded strictly: unknown or miscased fields and unknown directives are errors."},
		{ID: RuleDomain, Title: "the name of a webhook on a type of another module ends in the project's domain", Doc: "Set `domain` in webhook-gen.yaml, or give the webhook its `name` in full."},
		{ID: RuleTwice, Title: "a package sets its defaults and its service once", Doc: "+webhook:defaults and +webhook:service may be given once in a package, in any file."},
		{ID: RuleNeeds, Title: "arguments that cannot be derived are given", Doc: "`operations` is required on the webhook or in +webhook:defaults. A webhook on a package needs name, path or url, groups, versions and resources."},
		{ID: RuleHandler, Title: "a handler can be generated for the type", Doc: "The type must be exported and not generic. Mark an alias with type arguments instead."},
		{ID: RuleMethod, Severity: diag.Warning, Title: "the markers name every method of a validator or defaulter", Doc: "A method such as ValidateDelete is called only while the marker names the operation. A method without such a marker is a leftover of a removed operation, or misspelt, unless a +kubebuilder:webhook marker names its operation. While a marker has an error, methods are not checked."},
		{ID: RuleHub, Title: "a spoke has one hub", Doc: "One version of a kind is marked +webhook:conversion:hub, or named by the spoke's argument `hub`. All others are its spokes: a chain from version to version would lose whatever one of them cannot express."},
		{ID: RuleConvertible, Title: "a kind can have the methods of controller-runtime's Convertible and Hub", Doc: "Go declares methods in the package of their type: spoke and hub are of this module, their packages do not import each other in a circle, and only the hub may already have a method of that name. A method cannot hold your own conversions of fields. controller-runtime's IsConvertible refuses a kind if only some versions have methods."},
		{ID: RuleProgram, Title: "the program has a name for each package of webhooks", Doc: "zz_generated.webhooks.go has one field for each, named after the folder below the folder of handlers, or in the module without `internal` and `pkg`: V1, ShopV1, External. The name depends on nothing else, so it stays the same when other packages are added, and two folders must not lead to the same name."},
		{ID: RuleRuntime, Title: "the project's own files import the runtime under the path that handlers.runtime sets", Doc: "The runtime is the module github.com/webhook-gen/webhook-gen/runtime, or with `handlers.runtime: vendor` in webhook-gen.yaml the project's own copy. Generated code and your own files must use the same one, because Go treats the types of the two as different. `webhook-gen runtime import` and `webhook-gen runtime vendor` rewrite the import paths in your files."},
		{ID: RuleServed, Severity: diag.Warning, Title: "hand-written conversions are served", Doc: "controller-runtime's builder registers /convert for a type with Hub or ConvertTo (sigs.k8s.io/controller-runtime/pkg/builder, registerConversionWebhook). It is reported where generated handlers are, and no code of the module names NewWebhookManagedBy or NewWebhookHandler."},
		{ID: RuleDeleting, Title: "deleting suits its webhook", Doc: "It is about updates of objects with metadata, and needs a generated handler: the webhook is called for UPDATE of a resource, or of a subresource such as status whose requests carry the object itself. An update of status leaves the spec as it is, so that unchangedSpec would be skip. Webhooks with one path have one handler, and the same `deleting`. No other match condition has the name webhook-gen/deleting."},
		{ID: RuleRatchet, Title: "ratchet suits its webhook", Doc: "It compares the errors of the new object with the errors of the stored one: the webhook is called for UPDATE, and has a generated handler that decodes the object. Webhooks with one path have one handler, and the same `ratchet`."},
		{ID: RuleEnforcement, Title: "enforcement suits its webhook", Doc: "A generated handler turns denials into warnings and audit annotations. Webhooks with one path have one handler, and the same `enforcement`."},
		{ID: RuleListed, Severity: diag.Warning, Title: "the user's kustomization.yaml beside the manifest lists the policies", Doc: "Policies have a file of their own, policies.yaml. A kustomization.yaml there that webhook-gen generates lists it. One of yours, such as kubebuilder's, has to."},
	}
}
