// SPDX-License-Identifier: Apache-2.0

// Package registry declares every marker and argument in one place.
package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Prefix is the first word of every marker of this tool.
const Prefix = "webhook"

// Webhook is the marker +webhook:mutating or +webhook:validating.
type Webhook struct {
	Subject
	Path, URL, Decode diag.Sourced[string]
	Order             diag.Sourced[int]
	model.Options     // only of validating webhooks
	Settings
}

// Subject is the type or kind of a webhook or policy, its name and its resources.
type Subject struct {
	Mutating bool
	For      diag.Sourced[Target]
	Name     diag.Sourced[string]
	Matched
}

// Matched holds the resources that a rule matches.
type Matched struct {
	Groups, Versions, Resources, Subresource diag.Sourced[[]string]
	Scope                                    diag.Sourced[string]
}

// Rule is the marker +webhook:rule.
type Rule struct {
	Webhook    diag.Sourced[string]
	Operations diag.Sourced[[]string]
	Matched
}

// MatchCondition is the marker +webhook:matchCondition.
type MatchCondition struct{ Webhook, Name, Expression diag.Sourced[string] }

// Patch is the marker +webhook:patch.
type Patch struct{ Webhook, JSON diag.Sourced[string] }

// Allow is the marker +webhook:allow.
type Allow struct{ Webhook, Policy, Rule, Reason diag.Sourced[string] }

// Deprecated is the marker +webhook:deprecated.
type Deprecated struct{ Message diag.Sourced[string] }

// Defaults is the marker +webhook:defaults.
type Defaults struct{ Settings }

// Service is the marker +webhook:service.
type Service struct {
	Name, Namespace diag.Sourced[string]
	Port            diag.Sourced[int]
}

// Configuration is the marker +webhook:configuration.
type Configuration struct {
	Kind, Name          diag.Sourced[string]
	Labels, Annotations diag.Sourced[map[string]string]
}

// Holds reports whether the configuration can contain mutating, or validating, webhooks.
func (c *Configuration) Holds(mutating bool) bool {
	return !c.Kind.IsSet() || (c.Kind.V == "mutating") == mutating
}

// Allowance returns the allowed rule and the reason. at is the marker's position.
func (a *Allow) Allowance(at diag.Range) *model.Allowance {
	return &model.Allowance{Range: at, Rule: a.Rule.V, Reason: a.Reason.V, RuleAt: a.Rule.At, ReasonAt: a.Reason.At}
}

// Markers returns the definitions of all markers. The documentation of markers is generated from them alone.
func Markers() marker.Registry {
	return slices.Concat(webhookDefinitions(), policyDefinitions(), conversionDefinitions())
}

func webhookDefinitions() marker.Registry {
	return marker.Registry{
		webhookDefinition(true),
		webhookDefinition(false),
		repeated("webhook:rule", "Further requests that the same webhook is called for. The webhook's own rule supplies arguments that are left out. "+
			"It applies to every webhook of its declaration, unless `webhook` names one.",
			`+webhook:rule(resources: "orders/status", operations: "update")`,
			func(m *Rule) []marker.Parameter {
				return append([]marker.Parameter{
					webhookParameter(&m.Webhook),
					{Name: "operations", Elsewhere: Of("operations").Elsewhere, Type: marker.List(&m.Operations, model.Operations()...), Default: "the webhook's", Doc: "The operations on the object."},
				}, m.Matched.parameters()...)
			}),
		repeated("webhook:matchCondition", "A CEL expression that must be true for the webhook to be called, with the variables object, oldObject, request and authorizer. "+
			"It applies to every webhook of its declaration, unless `webhook` names one.",
			"+webhook:matchCondition(name: \"not-the-gc\")=\"request.userInfo.username != 'system:serviceaccount:kube-system:gc'\"",
			func(m *MatchCondition) []marker.Parameter {
				return []marker.Parameter{
					webhookParameter(&m.Webhook),
					{Name: "name", Type: marker.String(&m.Name), Required: true, Doc: "Names the condition in errors and metrics; unique in the webhook."},
					{Name: "", Type: marker.String(&m.Expression), Required: true, Doc: "The expression."},
				}
			}),
		repeated("webhook:patch", "A strategic merge patch for the finished webhook, for what no argument covers. Unknown fields are errors. "+
			"It applies to every webhook of its declaration, unless `webhook` names one.",
			"+webhook:patch=`{\"timeoutSeconds\": 3}`",
			func(m *Patch) []marker.Parameter {
				return []marker.Parameter{
					webhookParameter(&m.Webhook),
					{Name: "", Type: marker.String(&m.JSON), Required: true, Doc: "The patch, as JSON."},
				}
			}),
		repeated("webhook:allow", "A rule of `webhook-gen lint` that a webhook may break, and why; or P22, P23, P32 or P33, which expressions of policies may break. It covers every webhook whose marker, +webhook or +kubebuilder:webhook, is in the same "+
			"comment, unless `webhook` names one; in the comment of the package, that can be any webhook of the package. In a manifest, write it in a comment above the webhook.",
			`+webhook:allow(rule: "W12")="the server runs outside of the cluster"`,
			func(m *Allow) []marker.Parameter {
				return []marker.Parameter{
					webhookParameter(&m.Webhook),
					{Name: "policy", Type: marker.String(&m.Policy), Default: "every policy of the declaration, for P22, P23, P32 and P33",
						Doc: "The policy that the marker applies to: its name, or `mutating` or `validating` for all of that kind."},
					{Name: "rule", Type: marker.String(&m.Rule), Required: true, Doc: "The rule's id."},
					{Name: "", Type: marker.String(&m.Reason), Required: true, Doc: "The reason, for those who read the marker."},
				}
			}),
		{
			Name: "webhook:deprecated", On: marker.OnField | marker.OnConstant,
			Doc: "A deprecated field, or a deprecated value of a string type. The validating webhook of the kind warns of requests that set it, and not of updates that leave it alone. " +
				"If no validating webhook is called for each creation and update, a policy warns. For a whole version, use +kubebuilder:deprecatedversion.",
			Example: `+webhook:deprecated="use spec.notes"`,
			New: func() (any, []marker.Parameter) {
				m := &Deprecated{}
				return m, []marker.Parameter{
					{Name: "", Type: marker.String(&m.Message), Required: true, Doc: "What to do instead. Users read it after \"spec.note is deprecated: \"."},
				}
			},
		},
		{
			Name: "webhook:defaults", On: marker.OnPackage,
			Doc:     "Defaults for the package's webhooks, not for its policies. An argument of the webhook itself takes precedence.",
			Example: `+webhook:defaults(failurePolicy: Fail, timeoutSeconds: 5, namespaceSelector: "kubernetes.io/metadata.name notin (kube-system)")`,
			New: func() (any, []marker.Parameter) {
				m := &Defaults{}
				return m, m.Settings.parameters(true)
			},
		},
		{
			Name: "webhook:service", On: marker.OnPackage,
			Doc:     "The Service that serves the package's webhooks.",
			Example: `+webhook:service(name: "webhook-service", namespace: "system", port: 443)`,
			New: func() (any, []marker.Parameter) {
				m := &Service{}
				return m, []marker.Parameter{
					{Name: "name", Type: marker.String(&m.Name), Default: model.DefaultServiceName, Doc: "The Service's name."},
					{Name: "namespace", Type: marker.String(&m.Namespace), Default: model.PlaceholderNamespace, Doc: "The Service's namespace."},
					{Name: "port", Type: marker.Int(&m.Port, 1, 65535), Default: "443", Doc: "The Service's port."},
				}
			},
		},
		{
			Name: "webhook:configuration", On: marker.OnPackage, Repeatable: true,
			Doc: "The object that holds the package's webhooks. If a package declares several of one kind, each webhook chooses one with its argument `configuration`. " +
				"Packages that declare the same object must agree.",
			Example: `+webhook:configuration(kind: validating, name: "shop-webhooks", annotations: "cert-manager.io/inject-ca-from=system/serving-cert")`,
			New: func() (any, []marker.Parameter) {
				m := &Configuration{}
				return m, []marker.Parameter{
					{Name: "kind", Type: marker.Enum(&m.Kind, "mutating", "validating"), Default: "both kinds", Doc: "Whether the object holds mutating or validating webhooks."},
					{Name: "name", Type: marker.String(&m.Name), Default: "mutating-webhook-configuration, validating-webhook-configuration", Doc: "The object's name."},
					{Name: "labels", Type: marker.Func(&m.Labels, "key=value;key=value", parsePairs), Doc: "The object's labels."},
					{Name: "annotations", Type: marker.Func(&m.Annotations, "key=value;key=value", parsePairs), Doc: "The object's annotations."},
				}
			},
		},
	}
}

func webhookDefinition(mutating bool) marker.Definition {
	name, elsewhere, example := "webhook:validating", "mutating=false", `+webhook:validating(operations: "create;update", timeoutSeconds: 5, deleting: unchangedSpec)`
	if mutating {
		name, elsewhere, example = "webhook:mutating", "mutating=true", `+webhook:mutating(operations: "create")`
	}
	doc := "A " + model.KindWord(mutating) + " webhook for its type, or for the type that `for` names. On a package it needs groups, versions and resources, " +
		"and is an entry of the manifest without a handler."
	definition := repeated(name, doc, example, func(m *Webhook) []marker.Parameter {
		m.Mutating = mutating
		p := []marker.Parameter{
			{Name: "for", Type: marker.Func(&m.For, "import/path.Type | group/version/Kind", parseTarget), Default: "the marked type",
				Doc: "The type that the webhook is for, if it is another: a core type, one of another module, or the kind that this type is a part of."},
			{Name: "name", Type: marker.String(&m.Name), Default: "mutate. or validate.<plural>.<version>.<group>",
				Doc: "The webhook's name: a domain of three segments or more, or one word that distinguishes a second webhook on the same type from the first."},
			{Name: "path", Type: marker.String(&m.Path), Default: "/mutate- or /validate-<group>-<version>-<kind>", Doc: "The path at which the Service serves the webhook."},
			{Name: "url", Type: marker.String(&m.URL), Doc: "The URL of the webhook, instead of a Service. Only https."},
			{Name: "order", Type: marker.Int(&m.Order, -1000, 1000), Default: "0",
				Doc: "The webhooks of one configuration are written, and mutating ones called, by ascending order and then by name."},
			{Name: "decode", Type: marker.Enum(&m.Decode, "object", "none"), Default: "object",
				Doc: "The part of a request that the handler decodes: the object, or with `none` only the fields that all requests have, which is by far the fastest."},
		}
		if !mutating {
			p = append(p, optionParameters(&m.Options)...)
		}
		p = append(p, m.Matched.parameters()...)
		return append(p, m.Settings.parameters(mutating)...)
	})
	definition.Elsewhere = elsewhere
	return definition
}

// repeated declares a repeatable marker of types and packages that is decoded into a T.
func repeated[T any](name, doc, example string, parameters func(*T) []marker.Parameter) marker.Definition {
	return marker.Definition{
		Name: name, On: marker.OnType | marker.OnPackage, Repeatable: true, Doc: doc, Example: example,
		New: func() (any, []marker.Parameter) {
			m := new(T)
			return m, parameters(m)
		},
	}
}

func (m *Matched) parameters() []marker.Parameter {
	return []marker.Parameter{
		{Name: "groups", Elsewhere: []string{"group", "apiGroups", "apiGroup"}, Type: groups(&m.Groups), Default: "the type's", Doc: "API groups; `core` is the group without a name."},
		{Name: "versions", Elsewhere: []string{"version", "apiVersions", "apiVersion"}, Type: marker.List(&m.Versions), Default: "the type's", Doc: "API versions."},
		{Name: "resources", Elsewhere: []string{"resource", "plural"}, Type: resources(&m.Resources), Default: "the type's plural", Doc: "Plural names, `pods/status` for a subresource."},
		{Name: "subresource", Elsewhere: []string{"subresources"}, Type: subresources(&m.Subresource), Doc: "Subresources of each resource that are matched instead of the resource itself: `status`, `scale`, `exec`."},
		{Name: "scope", Type: marker.Enum(&m.Scope, "Cluster", "Namespaced", "*"), Default: "the type's, if a marker sets it and `resources` is not set", Doc: "Whether cluster-scoped or namespaced objects are matched."},
	}
}

// groups decodes a list of API groups. The group without a name is written `core`.
func groups(f *diag.Sourced[[]string]) marker.Type {
	return marker.List(f).WithEmpty(CoreGroup)
}

// resources decodes a list of resources, each with an optional subresource.
func resources(f *diag.Sourced[[]string]) marker.Type {
	return marker.Elements(f, func(element string) (problem, remedy string) {
		if sub, ok := strings.CutPrefix(element, "/"); ok {
			return fmt.Sprintf("%q has no resource before its slash", element), fmt.Sprintf("write subresource: %q, for each resource", sub)
		}
		return "", ""
	})
}

// subresources decodes a list of subresources without their resources.
func subresources(f *diag.Sourced[[]string]) marker.Type {
	return marker.Elements(f, func(element string) (problem, remedy string) {
		if at := strings.LastIndexByte(element, '/'); at >= 0 {
			return fmt.Sprintf("%q has a slash: a subresource is the word behind it", element), fmt.Sprintf("write subresource: %q", element[at+1:])
		}
		return "", ""
	})
}

func webhookParameter(f *diag.Sourced[string]) marker.Parameter {
	return marker.Parameter{Name: "webhook", Type: marker.String(f), Default: "every webhook of the declaration",
		Doc: "The webhook that the marker applies to: its name, or `mutating` or `validating` for all of that kind."}
}

// parsePairs reads "key=value;key=value". A value with a semicolon needs a JSON object instead.
func parsePairs(text string) (map[string]string, error) {
	pairs := map[string]string{}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if err := json.Unmarshal([]byte(text), &pairs); err != nil {
			return nil, fmt.Errorf("not a JSON object of strings: %w", err)
		}
		return pairs, nil
	}
	for _, piece := range strings.Split(text, ";") {
		key, value, ok := strings.Cut(piece, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if !ok || key == "" {
			return nil, fmt.Errorf("%q is not key=value", strings.TrimSpace(piece))
		}
		if _, twice := pairs[key]; twice {
			return nil, fmt.Errorf("key %q is given twice", key)
		}
		pairs[key] = value
	}
	return pairs, nil
}
