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
)

// Rules documents them.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleGroupVersion, Title: "a type's API group and version are known", Doc: "They are read from +groupName and +versionName comments of the package, from its schema.GroupVersion variable, and for the version from the package's name. Where comment and variable both stand they must agree. `groups` and `versions` say them in the marker."},
		{ID: RulePlural, Title: "a type's plural is known", Doc: "controller-gen and client-gen make different plurals of some words, and a rule with the wrong one never matches. +kubebuilder:resource:path, +resourceName or the argument `resources` decides."},
		{ID: RuleTarget, Title: "what `for` names can be found", Doc: "A Go type is looked for in the module, its workspace, vendor folder and module cache. group/version/Kind needs no source."},
		{ID: RuleBelongs, Title: "a rule, condition, patch or allowance belongs to a webhook", Doc: "+webhook:rule, +webhook:matchCondition, +webhook:patch and +webhook:allow stand on a declaration with a webhook; `webhook` names one of that declaration."},
		{ID: RuleConfiguration, Title: "a webhook's configuration object is known", Doc: "Where a package declares several objects of one kind, each webhook says which with `configuration`. Packages that declare the same object agree on its labels and annotations."},
		{ID: RuleExclusive, Title: "arguments that exclude each other are not both given", Doc: "path and url; url and service."},
		{ID: RulePatch, Title: "a patch is a strategic merge patch of a webhook", Doc: "Decoded strictly: unknown or miscased fields and unknown directives are errors."},
		{ID: RuleDomain, Title: "the name of a webhook on somebody else's type ends in the project's domain", Doc: "Set `domain` in webhook-gen.yaml, or give the webhook its `name` in full."},
		{ID: RuleTwice, Title: "a package says its defaults and its service once", Doc: "+webhook:defaults and +webhook:service stand once in a package, whatever the file."},
		{ID: RuleNeeds, Title: "what cannot be derived is said", Doc: "`operations` is given by the webhook or by +webhook:defaults. A webhook on a package gives name, path or url, groups, versions and resources."},
		{ID: RuleHandler, Title: "a handler can be generated for the type", Doc: "The type is exported, and not generic: an alias with type arguments can be marked."},
		{ID: RuleMethod, Severity: diag.Warning, Title: "a policy's methods are those that its markers ask for", Doc: "A method such as ValidateDelete is called only while the marker names the operation. One that no marker asks for is left over from an operation that the marker lost, or is misspelt."},
		{ID: RuleHub, Title: "a spoke has one hub", Doc: "One version of a kind is marked +webhook:conversion:hub, or named by the spoke's argument `hub`. All others are its spokes: a chain from version to version would lose on the way what one of them cannot say."},
		{ID: RuleConvertible, Title: "a kind can have the methods of controller-runtime's Convertible and Hub", Doc: "Go declares methods in the package of their type: spoke and hub are of this module, their packages do not import each other in a circle, and no method of that name stands there already, but for the hub's. A method has no place to hold what converts fields by your own code. controller-runtime's IsConvertible refuses a kind of which only some versions have methods."},
		{ID: RuleProgram, Title: "the program has a name for each package of webhooks", Doc: "zz_generated.webhooks.go has one field for each, called as the folder below the folder of handlers, or in the module without `internal` and `pkg`: V1, ShopV1, Policy. It depends on nothing else, so that it stays when other packages come; so two folders that come to the same name cannot stand side by side."},
	}
}
