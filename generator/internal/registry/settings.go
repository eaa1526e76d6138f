// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// settings are what a webhook marker and +webhook:defaults can both say.
type Settings struct {
	Operations              diag.Sourced[[]string]
	FailurePolicy           diag.Sourced[string]
	MatchPolicy             diag.Sourced[string]
	SideEffects             diag.Sourced[string]
	TimeoutSeconds          diag.Sourced[int]
	ReinvocationPolicy      diag.Sourced[string]
	AdmissionReviewVersions diag.Sourced[[]string]
	NamespaceSelector       diag.Sourced[*metav1.LabelSelector]
	ObjectSelector          diag.Sourced[*metav1.LabelSelector]
	CABundle                diag.Sourced[[]byte]
	Service                 diag.Sourced[ServiceReference]
	Configuration           diag.Sourced[string]
}

// serviceReference is "namespace/name" or "namespace/name:port".
type ServiceReference struct {
	Namespace, Name string
	Port            *int32
}

func (s *Settings) parameters(mutating bool) []marker.Parameter {
	p := []marker.Parameter{
		{Name: "operations", Type: marker.List(&s.Operations, "create", "update", "delete", "connect", "*"),
			Doc: "The operations on the object that the webhook is called for. Required here or in +webhook:defaults."},
		{Name: "failurePolicy", Type: marker.Enum(&s.FailurePolicy, "Fail", "Ignore"), Default: "Fail (v1beta1: Ignore)",
			Doc: "What the API server does when it cannot reach the webhook."},
		{Name: "matchPolicy", Type: marker.Enum(&s.MatchPolicy, "Equivalent", "Exact"), Default: "Equivalent (v1beta1: Exact)",
			Doc: "Whether the rules also match the same object sent through another group or version."},
		{Name: "sideEffects", Type: marker.Enum(&s.SideEffects, "None", "NoneOnDryRun", "Some", "Unknown"), Default: "None (v1beta1: Unknown)",
			Doc: "Whether a call changes anything besides its answer. v1 accepts only None and NoneOnDryRun."},
		{Name: "timeoutSeconds", Type: marker.Int(&s.TimeoutSeconds, 1, 30), Default: "10 (v1beta1: 30)",
			Doc: "Seconds that the API server waits for an answer."},
		{Name: "admissionReviewVersions", Type: marker.List(&s.AdmissionReviewVersions), Default: "v1 (v1beta1: v1beta1)",
			Doc: "The versions of AdmissionReview that the webhook understands, the preferred one first."},
		{Name: "namespaceSelector", Type: marker.Func(&s.NamespaceSelector, "selector", parseSelector), Default: "every namespace",
			Doc: "Which namespaces the webhook is called for, by their labels, in kubectl's selector syntax: `environment in (prod, staging), !legacy`."},
		{Name: "objectSelector", Type: marker.Func(&s.ObjectSelector, "selector", parseSelector), Default: "every object",
			Doc: "Which objects the webhook is called for, by their labels. A user who may set labels can avoid it."},
		{Name: "caBundle", Type: marker.Func(&s.CABundle, "base64", base64.StdEncoding.DecodeString), Default: "none: cert-manager or another injector adds it",
			Doc: "The PEM certificates of the CA that signed the serving certificate, in base64 as in the manifest."},
		{Name: "service", Type: marker.Func(&s.Service, "namespace/name[:port]", parseService), Default: "what +webhook:service says",
			Doc: "The Service that is called."},
		{Name: "configuration", Type: marker.String(&s.Configuration), Default: "the package's +webhook:configuration, else mutating- or validating-webhook-configuration",
			Doc: "The name of the configuration object that holds the webhook."},
	}
	if mutating {
		p = append(p, marker.Parameter{Name: "reinvocationPolicy", Type: marker.Enum(&s.ReinvocationPolicy, "Never", "IfNeeded"), Default: "Never",
			Doc: "Whether the webhook is called once more if a later one changes the object. For mutating webhooks only."})
	}
	return p
}

// over returns the settings with what they leave open taken from defaults.
func (s Settings) Over(defaults Settings) Settings {
	return Settings{
		Operations:              or(s.Operations, defaults.Operations),
		FailurePolicy:           or(s.FailurePolicy, defaults.FailurePolicy),
		MatchPolicy:             or(s.MatchPolicy, defaults.MatchPolicy),
		SideEffects:             or(s.SideEffects, defaults.SideEffects),
		TimeoutSeconds:          or(s.TimeoutSeconds, defaults.TimeoutSeconds),
		ReinvocationPolicy:      or(s.ReinvocationPolicy, defaults.ReinvocationPolicy),
		AdmissionReviewVersions: or(s.AdmissionReviewVersions, defaults.AdmissionReviewVersions),
		NamespaceSelector:       or(s.NamespaceSelector, defaults.NamespaceSelector),
		ObjectSelector:          or(s.ObjectSelector, defaults.ObjectSelector),
		CABundle:                or(s.CABundle, defaults.CABundle),
		Service:                 or(s.Service, defaults.Service),
		Configuration:           or(s.Configuration, defaults.Configuration),
	}
}

func or[T any](a, b diag.Sourced[T]) diag.Sourced[T] {
	if a.IsSet() {
		return a
	}
	return b
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
		p := int32(n)
		s.Port = &p
	}
	return s, nil
}
