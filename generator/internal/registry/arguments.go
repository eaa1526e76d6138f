// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"encoding/base64"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Argument describes an argument of +webhook:mutating, +webhook:validating and +webhook:defaults. An argument that sets
// a field of the webhook needs only an entry in Arguments.
type Argument struct {
	Name string
	// Elsewhere lists the argument's names in controller-gen's markers and in manifests.
	Elsewhere []string
	Type      ValueType
	// Words are the valid words of a Word or List. Low and High are the bounds of a Number.
	Words     []string
	Low, High int
	// Default is the value without the argument, or a description of the behaviour.
	Default, Doc string
	// Example is a value in a marker's syntax.
	Example string
	// Field is the path of the webhook's field that the argument sets, and In returns a pointer to the field. They are
	// not set if the argument has a meaning in package semantics.
	Field string
	In    func(*Spec) any
	// Policy documents the argument for policies and, if Binding is set, for bindings. If it is empty, policies do
	// not accept the argument.
	Policy  string
	Binding bool
	// Mutating is true if only mutating webhooks accept the argument.
	Mutating bool
	// V1 is the field's value without the argument in v1, if v1 requires the field.
	V1 any
	// Rules are the API server's requirements on the field.
	Rules []FieldRule
}

// ValueType is the type of an argument's value.
type ValueType int

const (
	// Text is any text.
	Text ValueType = iota
	// Word is one of the argument's words.
	Word
	// Number is a whole number within the argument's bounds.
	Number
	// List is a list of names or of the argument's words.
	List
	// Selector is a label selector in kubectl's syntax.
	Selector
	// Base64 is a text in base64.
	Base64
	// ServicePort is namespace/name or namespace/name:port.
	ServicePort
)

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
		{Name: "operations", Elsewhere: []string{"verbs", "verb", "operation"}, Type: List, Words: model.Operations(), Example: `"create;update"`,
			Doc:    "The operations on the object that the webhook is called for. Required here or in +webhook:defaults.",
			Policy: "The operations on the object that the policy is for. Required. A mutating policy changes objects on create, update and connect."},
		{Name: "failurePolicy", Type: Word, Words: []string{"Fail", "Ignore"}, In: func(w *Spec) any { return &w.FailurePolicy }, Default: "Fail (v1beta1: Ignore)",
			Doc: "The API server's answer when it cannot reach the webhook.", Example: "Ignore", Field: "failurePolicy",
			Policy: "The API server's answer when an expression fails, parameters of the wrong kind are bound or the policy is not valid: it denies the request, or allows it.",
			Rules:  []FieldRule{{Rule: diag.Rule{ID: "E11", Title: "failurePolicy is Fail or Ignore", Doc: "Manifests are case-sensitive." + upstream + "supportedFailurePolicies."}}}},
		{Name: "matchPolicy", Type: Word, Words: []string{"Equivalent", "Exact"}, In: func(w *Spec) any { return &w.MatchPolicy }, Default: "Equivalent (v1beta1: Exact)",
			Doc: "Whether the rules also match the same object sent through another group or version.", Example: "Exact", Field: "matchPolicy",
			Policy: "Whether the rules also match the same object sent through another group or version.", Binding: true,
			Rules: []FieldRule{{Rule: diag.Rule{ID: "E12", Title: "matchPolicy is Exact or Equivalent", Doc: "Manifests are case-sensitive." + upstream + "supportedMatchPolicies."}, Words: []string{"Exact", "Equivalent"}}}},
		{Name: "sideEffects", Type: Word, Words: []string{"None", "NoneOnDryRun", "Some", "Unknown"}, In: func(w *Spec) any { return &w.SideEffects }, Default: "None (v1beta1: Unknown)",
			Doc: "Whether a call changes anything besides its answer. v1 accepts only None and NoneOnDryRun.", Example: "NoneOnDryRun", Field: "sideEffects",
			V1: admissionregistrationv1.SideEffectClassNone,
			Rules: []FieldRule{
				{Rule: diag.Rule{ID: "E13", Title: "sideEffects is None or NoneOnDryRun", Doc: "v1 requires it and accepts no other value." + upstream + "noSideEffectClasses."},
					Only: "v1", Words: []string{"None", "NoneOnDryRun"}, Required: true},
				{Rule: diag.Rule{ID: "E13b", Title: "sideEffects is one of four words in v1beta1", Doc: "None, NoneOnDryRun, Some or Unknown, which is the default. KEP 492; upstream: supportedSideEffectClasses."},
					Only: "v1beta1"},
			}},
		{Name: "timeoutSeconds", Elsewhere: []string{"timeout"}, Type: Number, Low: 1, High: 30, In: func(w *Spec) any { return &w.TimeoutSeconds }, Default: "10 (v1beta1: 30)",
			Doc: "Seconds that the API server waits for an answer.", Example: "5", Field: "timeoutSeconds",
			Rules: []FieldRule{{Rule: diag.Rule{ID: "E14", Title: "timeoutSeconds is between 1 and 30", Doc: "In both API versions." + upstream + "validateValidatingWebhook."}}}},
		{Name: "admissionReviewVersions", Type: List, In: func(w *Spec) any { return &w.AdmissionReviewVersions }, Default: "v1 (v1beta1: v1beta1)",
			Doc: "The versions of AdmissionReview that the webhook understands, the preferred one first.", Example: `"v1;v1beta1"`, Field: "admissionReviewVersions",
			V1: []string{"v1"}},
		{Name: "namespaceSelector", Type: Selector, In: func(w *Spec) any { return &w.NamespaceSelector }, Default: "every namespace",
			Doc:     "The namespaces that the webhook is called for, by their labels, in kubectl's selector syntax: `environment in (prod, staging), !legacy`.",
			Example: `"environment in (prod, staging), !legacy"`, Field: "namespaceSelector",
			Policy: "The namespaces that the policy is for, by their labels, in kubectl's selector syntax: `environment in (prod, staging), !legacy`.", Binding: true},
		{Name: "objectSelector", Type: Selector, In: func(w *Spec) any { return &w.ObjectSelector }, Default: "every object",
			Doc: "The objects that the webhook is called for, by their labels. A user who may set labels can avoid it.", Example: `"!legacy"`, Field: "objectSelector",
			Policy: "The objects that the policy is for, by their labels. A user who may set labels can avoid it.", Binding: true},
		{Name: "caBundle", Type: Base64, In: func(w *Spec) any { return &w.ClientConfig.CABundle }, Default: "none: cert-manager or another injector adds it",
			Doc: "The PEM certificates of the CA that signed the serving certificate, in base64 as in the manifest.", Example: `"Q0E="`, Field: "clientConfig.caBundle"},
		{Name: "service", Type: ServicePort, Default: "+webhook:service of the package",
			Doc: "The Service that is called.", Example: `"system/webhook-service:443"`},
		{Name: "configuration", Type: Text, Default: "the package's +webhook:configuration, else mutating- or validating-webhook-configuration",
			Doc: "The name of the configuration object that holds the webhook.", Example: `"shop-webhooks"`},
		{Name: "reinvocationPolicy", Type: Word, Words: []string{"Never", "IfNeeded"}, In: func(w *Spec) any { return &w.ReinvocationPolicy }, Default: "Never",
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

// Accepts returns the words that API servers accept in v1.
func (a Argument) Accepts() []string {
	for _, r := range a.Rules {
		if r.Only != "v1beta1" && len(r.Words) > 0 {
			return r.Words
		}
	}
	return a.Words
}

// Text returns the field's value in a marker's syntax, for words and numbers. set is false if the field is nil.
func (a Argument) Text(w *Spec) (text string, set bool) {
	if a.Type != Word && a.Type != Number || a.In == nil {
		return "", false
	}
	field := reflect.ValueOf(a.In(w)).Elem()
	if field.IsNil() {
		return "", false
	}
	return fmt.Sprint(field.Elem()), true
}

// set sets the argument's field, which may be a pointer to the value.
func (a Argument) set(w *Spec, value any) {
	field, v := reflect.ValueOf(a.In(w)).Elem(), reflect.ValueOf(value)
	if field.Kind() == reflect.Pointer && v.Kind() != reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.Set(v.Convert(field.Type()))
}

// Value is an argument's decoded value. The field for its type is set.
type Value struct {
	Text     diag.Sourced[string] // also a Word
	Number   diag.Sourced[int]
	List     diag.Sourced[[]string]
	Selector diag.Sourced[*metav1.LabelSelector]
	Base64   diag.Sourced[[]byte]
	Service  diag.Sourced[ServiceReference]
}

// decoder returns the type that decodes the argument into a value.
func (a Argument) decoder(v *Value) marker.Type {
	switch a.Type {
	case Word:
		return marker.Enum(&v.Text, a.Words...)
	case Number:
		return marker.Int(&v.Number, a.Low, a.High)
	case List:
		return marker.List(&v.List, a.Words...)
	case Selector:
		return selector(&v.Selector)
	case Base64:
		return marker.Func(&v.Base64, "base64", base64.StdEncoding.DecodeString)
	case ServicePort:
		return marker.Func(&v.Service, "namespace/name[:port]", parseService)
	}
	return marker.String(&v.Text)
}

// content returns the value with its position. It is not set if the marker lacks the argument.
func (v *Value) content() diag.Sourced[any] {
	switch {
	case v.Text.IsSet():
		return diag.Sourced[any]{V: v.Text.V, At: v.Text.At}
	case v.Number.IsSet():
		return diag.Sourced[any]{V: v.Number.V, At: v.Number.At}
	case v.List.IsSet():
		return diag.Sourced[any]{V: v.List.V, At: v.List.At, Each: v.List.Each}
	case v.Selector.IsSet():
		return diag.Sourced[any]{V: v.Selector.V, At: v.Selector.At}
	case v.Base64.IsSet():
		return diag.Sourced[any]{V: v.Base64.V, At: v.Base64.At}
	}
	return diag.Sourced[any]{V: v.Service.V, At: v.Service.At}
}

func selector(f *diag.Sourced[*metav1.LabelSelector]) marker.Type {
	return marker.Func(f, "selector", parseSelector).Doubted(model.RuleSelector, valuesAsLabels)
}

// Settings holds the arguments of a webhook's marker or of +webhook:defaults, by name.
type Settings map[string]*Value

func (s Settings) value(name string) Value {
	if v, ok := s[name]; ok {
		return *v
	}
	return Value{}
}

// Operations returns the argument `operations`.
func (s Settings) Operations() diag.Sourced[[]string] { return s.value("operations").List }

// Service returns the argument `service`.
func (s Settings) Service() diag.Sourced[ServiceReference] { return s.value("service").Service }

// Configuration returns the argument `configuration`.
func (s Settings) Configuration() diag.Sourced[string] { return s.value("configuration").Text }

// ServiceReference is the value "namespace/name" or "namespace/name:port".
type ServiceReference struct {
	Namespace, Name string
	Port            *int32
}

// parameters returns the arguments of a validating webhook or, if mutating is true, of both kinds.
func (s *Settings) parameters(mutating bool) (all []marker.Parameter) {
	*s = Settings{}
	for _, a := range Arguments() {
		if mutating || !a.Mutating {
			all = append(all, s.parameter(a, a.Default, a.Doc))
		}
	}
	return all
}

// parameter returns the parameter that decodes an argument into the settings.
func (s Settings) parameter(a Argument, preset, doc string) marker.Parameter {
	v := &Value{}
	s[a.Name] = v
	return marker.Parameter{Name: a.Name, Elsewhere: a.Elsewhere, Type: a.decoder(v), Default: preset, Doc: doc}
}

// Over returns the settings, completed with defaults.
func (s Settings) Over(defaults Settings) Settings {
	all := Settings{}
	maps.Copy(all, defaults)
	for name, v := range s {
		if all[name] == nil || v.content().IsSet() {
			all[name] = v
		}
	}
	return all
}

// Apply sets a webhook's fields from the arguments. Fields without an argument stay empty so that the API server sets
// their defaults, except for those that v1 requires.
func (s Settings) Apply(w *model.Webhook, api string) {
	for _, a := range Arguments() {
		if a.In == nil || a.Mutating && !w.Mutating {
			continue
		}
		if a.V1 != nil && api == "v1" {
			a.set(&w.Spec, a.V1)
		}
		if v := s[a.Name]; v != nil && v.content().IsSet() {
			c := v.content()
			a.set(&w.Spec, c.V)
			w.At.SetList(a.Field, diag.Sourced[[]string]{At: c.At, Each: c.Each})
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
