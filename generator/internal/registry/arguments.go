// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Argument describes an argument of +webhook:mutating, +webhook:validating and +webhook:defaults. A new argument
// needs only an entry in Arguments.
type Argument struct {
	Name string
	// Elsewhere lists the argument's names in controller-gen's markers and in manifests.
	Elsewhere []string
	value
	// Default is the value without the argument, or a description of the behaviour.
	Default, Doc string
	// Example is a value in a marker's syntax.
	Example string
	// Field is the path of the webhook's field that the argument sets.
	Field string
	// Policy documents the argument for policies and, if Binding is set, for bindings. If it is empty, policies do
	// not accept the argument.
	Policy  string
	Binding bool
	// Mutating is true if only mutating webhooks accept the argument.
	Mutating bool
	// V1 sets a default in v1, if v1 requires the field.
	V1 func(*Spec)
	// Rules are the API server's requirements on the field.
	Rules []FieldRule
}

// Spec is a webhook of either kind.
type Spec = admissionregistrationv1.MutatingWebhook

// FieldRule is an API server's requirement on a field.
type FieldRule struct {
	diag.Rule
	// Only is the API version that has the rule; empty for both versions.
	Only string
	// Words are the field's valid values; if empty, the argument's words.
	Words []string
	// Required is true if the API server rejects a webhook without the field.
	Required bool
}

// Arguments returns all arguments in the order of the documentation.
func Arguments() []Argument {
	const upstream = " Upstream: k8s.io/kubernetes/pkg/apis/admissionregistration/validation, "
	return []Argument{
		{Name: "operations", Elsewhere: []string{"verbs", "verb", "operation"}, value: setting(func(s *Settings) marker.Type {
			return marker.List(&s.Operations, model.Operations()...)
		}), Example: `"create;update"`,
			Doc:    "The operations on the object that the webhook is called for. Required here or in +webhook:defaults.",
			Policy: "The operations on the object that the policy is for. Required. A mutating policy changes objects on create, update and connect."},
		{Name: "failurePolicy", value: word(func(w *Spec) **admissionregistrationv1.FailurePolicyType { return &w.FailurePolicy }, "Fail", "Ignore"), Default: "Fail (v1beta1: Ignore)",
			Doc: "The API server's answer when it cannot reach the webhook.", Example: "Ignore", Field: "failurePolicy",
			Policy: "The API server's answer when an expression fails, parameters of the wrong kind are bound or the policy is not valid: it denies the request, or allows it.",
			Rules:  []FieldRule{{Rule: diag.Rule{ID: "E11", Title: "failurePolicy is Fail or Ignore", Doc: "Manifests are case-sensitive." + upstream + "supportedFailurePolicies."}}}},
		{Name: "matchPolicy", value: word(func(w *Spec) **admissionregistrationv1.MatchPolicyType { return &w.MatchPolicy }, "Equivalent", "Exact"), Default: "Equivalent (v1beta1: Exact)",
			Doc: "Whether the rules also match the same object sent through another group or version.", Example: "Exact", Field: "matchPolicy",
			Policy: "Whether the rules also match the same object sent through another group or version.", Binding: true,
			Rules: []FieldRule{{Rule: diag.Rule{ID: "E12", Title: "matchPolicy is Exact or Equivalent", Doc: "Manifests are case-sensitive." + upstream + "supportedMatchPolicies."}, Words: []string{"Exact", "Equivalent"}}}},
		{Name: "sideEffects", value: word(func(w *Spec) **admissionregistrationv1.SideEffectClass { return &w.SideEffects }, "None", "NoneOnDryRun", "Some", "Unknown"), Default: "None (v1beta1: Unknown)",
			Doc: "Whether a call changes anything besides its answer. v1 accepts only None and NoneOnDryRun.", Example: "NoneOnDryRun", Field: "sideEffects",
			V1: func(w *Spec) { w.SideEffects = new(admissionregistrationv1.SideEffectClassNone) },
			Rules: []FieldRule{
				{Rule: diag.Rule{ID: "E13", Title: "sideEffects is None or NoneOnDryRun", Doc: "v1 requires it and accepts no other value." + upstream + "noSideEffectClasses."},
					Only: "v1", Words: []string{"None", "NoneOnDryRun"}, Required: true},
				{Rule: diag.Rule{ID: "E13b", Title: "sideEffects is one of four words in v1beta1", Doc: "None, NoneOnDryRun, Some or Unknown, which is the default. KEP 492; upstream: supportedSideEffectClasses."},
					Only: "v1beta1"},
			}},
		{Name: "timeoutSeconds", Elsewhere: []string{"timeout"}, value: number(func(w *Spec) **int32 { return &w.TimeoutSeconds }, 1, 30), Default: "10 (v1beta1: 30)",
			Doc: "Seconds that the API server waits for an answer.", Example: "5", Field: "timeoutSeconds",
			Rules: []FieldRule{{Rule: diag.Rule{ID: "E14", Title: "timeoutSeconds is between 1 and 30", Doc: "In both API versions." + upstream + "validateValidatingWebhook."}}}},
		{Name: "admissionReviewVersions", value: plain(func(w *Spec) *[]string { return &w.AdmissionReviewVersions }, func(f *diag.Sourced[[]string]) marker.Type { return marker.List(f) }), Default: "v1 (v1beta1: v1beta1)",
			Doc: "The versions of AdmissionReview that the webhook understands, the preferred one first.", Example: `"v1;v1beta1"`, Field: "admissionReviewVersions",
			V1: func(w *Spec) { w.AdmissionReviewVersions = []string{"v1"} }},
		{Name: "namespaceSelector", value: plain(func(w *Spec) **metav1.LabelSelector { return &w.NamespaceSelector }, selector), Default: "every namespace",
			Doc:     "The namespaces that the webhook is called for, by their labels, in kubectl's selector syntax: `environment in (prod, staging), !legacy`.",
			Example: `"environment in (prod, staging), !legacy"`, Field: "namespaceSelector",
			Policy: "The namespaces that the policy is for, by their labels, in kubectl's selector syntax: `environment in (prod, staging), !legacy`.", Binding: true},
		{Name: "objectSelector", value: plain(func(w *Spec) **metav1.LabelSelector { return &w.ObjectSelector }, selector), Default: "every object",
			Doc: "The objects that the webhook is called for, by their labels. A user who may set labels can avoid it.", Example: `"!legacy"`, Field: "objectSelector",
			Policy: "The objects that the policy is for, by their labels. A user who may set labels can avoid it.", Binding: true},
		{Name: "caBundle", value: plain(func(w *Spec) *[]byte { return &w.ClientConfig.CABundle }, func(f *diag.Sourced[[]byte]) marker.Type {
			return marker.Func(f, "base64", base64.StdEncoding.DecodeString)
		}), Default: "none: cert-manager or another injector adds it",
			Doc: "The PEM certificates of the CA that signed the serving certificate, in base64 as in the manifest.", Example: `"Q0E="`, Field: "clientConfig.caBundle"},
		{Name: "service", value: setting(func(s *Settings) marker.Type { return marker.Func(&s.Service, "namespace/name[:port]", parseService) }), Default: "+webhook:service of the package",
			Doc: "The Service that is called.", Example: `"system/webhook-service:443"`},
		{Name: "configuration", value: setting(func(s *Settings) marker.Type { return marker.String(&s.Configuration) }), Default: "the package's +webhook:configuration, else mutating- or validating-webhook-configuration",
			Doc: "The name of the configuration object that holds the webhook.", Example: `"shop-webhooks"`},
		{Name: "reinvocationPolicy", value: word(func(w *Spec) **admissionregistrationv1.ReinvocationPolicyType { return &w.ReinvocationPolicy }, "Never", "IfNeeded"), Default: "Never",
			Doc: "Whether the webhook is called once more if a later one changes the object. For mutating webhooks only.", Example: "IfNeeded", Field: "reinvocationPolicy", Mutating: true,
			Policy: "Whether the policy is evaluated once more if a later policy or webhook changes the object. For mutating policies only.",
			Rules:  []FieldRule{{Rule: diag.Rule{ID: "E16", Title: "reinvocationPolicy is Never or IfNeeded", Doc: "Only mutating webhooks have it." + upstream + "supportedReinvocationPolicies."}}}},
	}
}

// Of returns the argument with the given name. It panics if there is no such argument.
func Of(name string) Argument {
	all := Arguments()
	return all[slices.IndexFunc(all, func(a Argument) bool { return a.Name == name })]
}

// value describes the values of an argument and the field that it sets.
type value struct {
	// Words are the valid words. Low and High are the bounds of a number.
	Words     []string
	Low, High int
	// Text returns the field's value in a marker's syntax. It is set for words and numbers.
	Text func(*Spec) (text string, set bool)

	// bindTo returns a type that decodes into the settings.
	bindTo func(*Settings, Argument) marker.Type
}

// Accepts returns the words that API servers accept in v1.
func (a Argument) Accepts() []string {
	for _, r := range a.Rules {
		if r.Only != "v1beta1" && len(r.Words) > 0 {
			return r.Words
		}
	}
	return a.Words
}

// word returns a value that is one of the words.
func word[T ~string](field func(*Spec) **T, words ...string) value {
	v := bound(func(f *diag.Sourced[string]) marker.Type { return marker.Enum(f, words...) }, func(w *Spec, s string) { *field(w) = new(T(s)) })
	v.Words = words
	v.Text = textOf(field)
	return v
}

// number returns a value that is a whole number from low to high.
func number(field func(*Spec) **int32, low, high int) value {
	v := bound(func(f *diag.Sourced[int]) marker.Type { return marker.Int(f, low, high) }, func(w *Spec, n int) { *field(w) = new(int32(n)) })
	v.Low, v.High = low, high
	v.Text = textOf(field)
	return v
}

func textOf[T any](field func(*Spec) **T) func(*Spec) (string, bool) {
	return func(w *Spec) (string, bool) {
		if p := *field(w); p != nil {
			return fmt.Sprint(*p), true
		}
		return "", false
	}
}

// plain returns a value with the type of its field.
func plain[T any](field func(*Spec) *T, decode func(*diag.Sourced[T]) marker.Type) value {
	return bound(decode, func(w *Spec, v T) { *field(w) = v })
}

// setting returns a value that sets more than one field.
func setting(decode func(*Settings) marker.Type) value {
	return value{bindTo: func(s *Settings, _ Argument) marker.Type { return decode(s) }}
}

func selector(f *diag.Sourced[*metav1.LabelSelector]) marker.Type {
	return marker.Func(f, "selector", parseSelector).Doubted(model.RuleSelector, valuesAsLabels)
}

// bound returns a value that is decoded with the marker and put into the webhook later.
func bound[T any](decode func(*diag.Sourced[T]) marker.Type, put func(*Spec, T)) value {
	return value{bindTo: func(s *Settings, a Argument) marker.Type {
		name, path, mutating, f := a.Name, a.Field, a.Mutating, &diag.Sourced[T]{}
		return decode(f).Then(func() {
			s.fields = append(s.fields, field{name, mutating, func(w *model.Webhook) {
				put(&w.Spec, f.V)
				w.At.SetList(path, diag.Sourced[[]string]{At: f.At, Each: f.Each})
			}})
		})
	}}
}

// Settings holds the arguments of a webhook's marker or of +webhook:defaults.
type Settings struct {
	Operations    diag.Sourced[[]string]
	Service       diag.Sourced[ServiceReference]
	Configuration diag.Sourced[string]
	fields        []field
}

// field is a decoded argument that sets one field of the webhook.
type field struct {
	name     string
	mutating bool // only mutating webhooks have the field
	apply    func(*model.Webhook)
}

// ServiceReference is the value "namespace/name" or "namespace/name:port".
type ServiceReference struct {
	Namespace, Name string
	Port            *int32
}

func (s *Settings) parameters(mutating bool) (all []marker.Parameter) {
	for _, a := range Arguments() {
		if mutating || !a.Mutating {
			all = append(all, marker.Parameter{Name: a.Name, Elsewhere: a.Elsewhere, Type: a.bindTo(s, a), Default: a.Default, Doc: a.Doc})
		}
	}
	return all
}

// Over returns the settings, completed with defaults.
func (s Settings) Over(defaults Settings) Settings {
	return Settings{
		Operations:    s.Operations.Or(defaults.Operations),
		Service:       s.Service.Or(defaults.Service),
		Configuration: s.Configuration.Or(defaults.Configuration),
		fields: append(slices.Clip(s.fields), slices.DeleteFunc(slices.Clone(defaults.fields), func(d field) bool {
			return slices.ContainsFunc(s.fields, func(f field) bool { return f.name == d.name })
		})...),
	}
}

// Apply sets a webhook's fields from the arguments. Fields without an argument stay empty so that the API server sets
// their defaults, except for those that v1 requires.
func (s Settings) Apply(w *model.Webhook, api string) {
	for _, a := range Arguments() {
		if a.V1 != nil && api == "v1" {
			a.V1(&w.Spec)
		}
	}
	for _, f := range s.fields {
		if w.Mutating || !f.mutating {
			f.apply(w)
		}
	}
}

func parseService(text string) (ServiceReference, error) {
	namespace, rest, ok := strings.Cut(text, "/")
	name, port, hasPort := strings.Cut(rest, ":")
	if !ok || namespace == "" || name == "" {
		return ServiceReference{}, fmt.Errorf("%q is not namespace/name or namespace/name:port", text)
	}
	s := ServiceReference{Namespace: namespace, Name: name}
	if hasPort {
		n, err := strconv.ParseInt(port, 10, 32)
		if err != nil {
			return s, fmt.Errorf("port %q is not a number", port)
		}
		s.Port = new(int32(n))
	}
	return s, nil
}
