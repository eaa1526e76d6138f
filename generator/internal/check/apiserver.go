// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// The following rules are in k8s.io/kubernetes/pkg/apis/admissionregistration/validation, and for v1beta1 in KEP 492
// (admission webhooks to GA). The nested module upstream calls the real functions on the same objects and compares.

func objectMeta(p configurationPass) {
	metadata(p.at, metav1.ObjectMeta{Name: p.Name, Labels: p.Labels, Annotations: p.Annotations})
}

// reporter reports a finding at a field.
type reporter func(field, format string, args ...any) *diag.Diagnostic

// metadata reports mistakes in the metadata of an object without a namespace.
func metadata(report reporter, meta metav1.ObjectMeta) {
	for _, e := range apivalidation.ValidateObjectMeta(&meta, false, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata")) {
		report(e.Field, "%s: %s", e.Field, brief(e.ErrorBody()))
	}
}

// reservedSuffix ends the names of objects in files of the API server.
const reservedSuffix = ".static.k8s.io"

func staticSuffix(p configurationPass) {
	if strings.HasSuffix(p.Name, reservedSuffix) {
		p.at("metadata.name", "the name %q ends in %s, which is reserved for configurations in files of the API server", p.Name, reservedSuffix)
	}
}

func fullyQualifiedName(p webhookPass) {
	if p.Spec.Name == "" {
		p.at("name", "the webhook has no name")
		return
	}
	for _, e := range validation.IsFullyQualifiedName(field.NewPath("name"), p.Spec.Name) {
		p.at("name", "the name %q: %s", p.Spec.Name, brief(e.Detail))
	}
}

func uniqueInObject(p configurationPass) {
	first := map[string]*model.Webhook{}
	for i, w := range p.Webhooks {
		other, again := first[w.Spec.Name]
		if !again {
			first[w.Spec.Name] = w
			continue
		}
		d := webhookPass{p.pass, w, p.Configuration, i}.at("name", "%s holds two webhooks called %q", p.Name, w.Spec.Name)
		*d = d.WithHint("%s", anotherName(w, "name")).WithRelated(other.Where("name"), "the first is here")
	}
}

// ofWebhooks makes a check of a rule, which is at a path, a check of webhooks.
func ofWebhooks(check func(reporter, string, admissionregistrationv1.RuleWithOperations)) func(webhookPass) {
	return func(p webhookPass) {
		for i, rule := range p.Spec.Rules {
			check(p.at, fmt.Sprintf("rules[%d]", i), rule)
		}
	}
}

func operations(report reporter, at string, rule admissionregistrationv1.RuleWithOperations) {
	at += ".operations"
	exclusiveWildcard(report, at, "an operation", "operation", rule.Operations)
	known := []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}
	for j, o := range rule.Operations {
		if o == "*" || slices.Contains(known, string(o)) {
			continue
		}
		d := report(fmt.Sprintf("%s[%d]", at, j), "the API server knows no operation %q", o)
		*d = d.WithHint("operations are create, update, delete, connect and *").WithNearest(string(o), model.Operations())
	}
}

func apiGroups(report reporter, at string, rule admissionregistrationv1.RuleWithOperations) {
	exclusiveWildcard(report, at+".apiGroups", "an API group", "group", rule.APIGroups)
}

func apiVersions(report reporter, at string, rule admissionregistrationv1.RuleWithOperations) {
	at += ".apiVersions"
	exclusiveWildcard(report, at, "an API version", "version", rule.APIVersions)
	for j, v := range rule.APIVersions {
		if v == "" {
			report(fmt.Sprintf("%s[%d]", at, j), "a version is empty")
		}
	}
}

func exclusiveWildcard[T ~string](report reporter, at, needed, word string, list []T) {
	if len(list) == 0 {
		report(at, "a rule needs %s", needed)
	}
	if len(list) > 1 && slices.Contains(list, "*") {
		report(at, "* means every %s and must be alone", word)
	}
}

// resources depends on order as validateResources does: a later element may not repeat part of an earlier wildcard. The
// reverse is accepted.
func resources(report reporter, at string, rule admissionregistrationv1.RuleWithOperations) {
	at += ".resources"
	if len(rule.Resources) == 0 {
		report(at, "a rule needs a resource")
	}
	allOf, inAll := map[string]bool{}, map[string]bool{} // "pods/*" under pods, "*/status" under status
	lastPlain := false
	for j, r := range rule.Resources {
		element := fmt.Sprintf("%s[%d]", at, j)
		if r == "" {
			report(element, "a resource is empty")
			continue
		}
		resource, sub, isSub := strings.Cut(r, "/")
		if !isSub {
			lastPlain = r != "*"
			continue
		}
		if allOf[resource] {
			report(element, "%s/* before it covers %s", resource, r)
		}
		if inAll[sub] {
			report(element, "*/%s before it covers %s", sub, r)
		}
		allOf[resource] = allOf[resource] || sub == "*"
		inAll[sub] = inAll[sub] || resource == "*"
	}
	if len(rule.Resources) > 1 && slices.Contains(rule.Resources, "*/*") {
		report(at, "*/* means every resource and subresource and must be alone")
	}
	if lastPlain && slices.Contains(rule.Resources, "*") {
		report(at, "* means every resource; only subresources may be beside it")
	}
}

func scopes(report reporter, at string, rule admissionregistrationv1.RuleWithOperations) {
	oneOf(report, at+".scope", rule.Scope, "Cluster", "Namespaced", "*")
}

// fieldOf checks the field of an argument against its rule.
func fieldOf(p webhookPass, a registry.Argument, r registry.FieldRule) {
	text, set := a.Text(&p.Spec)
	words := r.Words
	if len(words) == 0 {
		words = a.Words
	}
	switch n, _ := strconv.Atoi(text); {
	case !set && r.Required:
		p.at(a.Field, "%s is required: %s", a.Name, strings.Join(words, " or "))
	case !set:
	case len(words) > 0:
		oneOf(p.at, a.Field, &text, words...)
	case n < a.Low || n > a.High:
		p.at(a.Field, "%s is %d; it must be between %d and %d", a.Name, n, a.Low, a.High)
	}
}

func selectors(p webhookPass) {
	selector(p.at, "namespaceSelector", p.Spec.NamespaceSelector)
	selector(p.at, "objectSelector", p.Spec.ObjectSelector)
}

func selector(report reporter, path string, s *metav1.LabelSelector) {
	for _, e := range metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, field.NewPath(path)) {
		report(e.Field, "%s: %s", e.Field[strings.LastIndexByte(path, '.')+1:], brief(e.ErrorBody()))
	}
}

func clientConfig(p webhookPass) {
	if c := p.Spec.ClientConfig; (c.URL == nil) == (c.Service == nil) {
		p.at("clientConfig", "exactly one of url and service must be given")
	}
}

func clientURL(p webhookPass) {
	if p.Spec.ClientConfig.URL == nil || p.Spec.ClientConfig.Service != nil {
		return
	}
	at := "clientConfig.url"
	u, err := url.Parse(*p.Spec.ClientConfig.URL)
	if err != nil {
		p.at(at, "not a URL: %s", err)
		return
	}
	if u.Scheme != "https" {
		p.at(at, "the scheme is %q; only https is allowed", u.Scheme)
	}
	if u.Host == "" {
		p.at(at, "the URL has no host")
	}
	if u.User != nil {
		p.at(at, "the URL must not hold user information")
	}
	if u.Fragment != "" {
		p.at(at, "the URL must not have a fragment")
	}
	if u.RawQuery != "" {
		p.at(at, "the URL must not have query parameters")
	}
}

func clientService(p webhookPass) {
	s := p.Spec.ClientConfig.Service
	if s == nil || p.Spec.ClientConfig.URL != nil {
		return
	}
	at := "clientConfig.service"
	if s.Name == "" {
		p.at(at+".name", "the service has no name")
	}
	if s.Namespace == "" {
		p.at(at+".namespace", "the service has no namespace")
	}
	if s.Port != nil {
		invalid(p.at, at+".port", validation.IsValidPortNum(int(*s.Port)), "port %d %s", *s.Port)
	}
	if s.Path == nil || *s.Path == "" || *s.Path == "/" {
		return
	}
	path := *s.Path
	if !strings.HasPrefix(path, "/") {
		p.at(at+".path", "the path %q must start with /", path)
	}
	// The API server drops the first character without reading it and accepts one slash at the end.
	for i, segment := range strings.Split(strings.TrimSuffix(path[1:], "/"), "/") {
		if segment == "" {
			p.at(at+".path", "segment %d of the path %q is empty", i, path)
			continue
		}
		if messages := validation.IsDNS1123Subdomain(segment); len(messages) > 0 {
			p.at(at+".path", "segment %q of the path: %s", segment, brief(messages[0]))
		}
	}
}

func admissionReviewVersions(p webhookPass) {
	if len(p.Spec.AdmissionReviewVersions) == 0 {
		p.at("admissionReviewVersions", "admissionReviewVersions is required: v1, v1beta1 or both")
	}
	reviewVersionList(p)
}

func reviewVersionList(p webhookPass) {
	versions := p.Spec.AdmissionReviewVersions
	for i, v := range versions {
		at := fmt.Sprintf("admissionReviewVersions[%d]", i)
		if slices.Contains(versions[:i], v) {
			p.at(at, "version %q is twice in the list", v)
			continue
		}
		invalid(p.at, at, validation.IsDNS1035Label(v), "version %q: %s", v)
	}
	if len(versions) > 0 && !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
		p.at("admissionReviewVersions", "the API server sends v1 and v1beta1, and the list has neither")
	}
}

func matchConditions(p webhookPass) {
	conditions(p.at, "matchConditions", "the webhook", p.Spec.MatchConditions)
}

func conditions(report reporter, list, owner string, all []admissionregistrationv1.MatchCondition) {
	const most = 64
	if n := len(all); n > most {
		report(fmt.Sprintf("%s[%d]", list, most), "%s has %d match conditions; %d are allowed", owner, n, most)
	}
	for i, c := range all {
		at := fmt.Sprintf("%s[%d]", list, i)
		switch {
		case c.Name == "":
			report(at+".name", "a match condition needs a name")
		case slices.ContainsFunc(all[:i], func(other admissionregistrationv1.MatchCondition) bool { return other.Name == c.Name }):
			report(at+".name", "%s has two match conditions called %q", owner, c.Name)
		default:
			invalid(report, at+".name", validation.IsQualifiedName(c.Name), "match condition name %q: %s", c.Name)
		}
		if strings.TrimSpace(c.Expression) == "" {
			report(at+".expression", "the expression of match condition %q is empty", c.Name)
		}
	}
}

func noMatchConditions(p webhookPass) {
	if len(p.Spec.MatchConditions) > 0 {
		p.at("matchConditions[0]", "no API server that serves admissionregistration.k8s.io/v1beta1 has match conditions, and it would drop them")
	}
}

// invalid reports what apimachinery has against a value. The format is for the value and for that.
func invalid(report reporter, at string, problems []string, format string, value any) {
	for _, problem := range problems {
		report(at, format, value, brief(problem))
	}
}

// brief removes the examples and regular expressions that apimachinery appends to its messages.
func brief(message string) string {
	short, _, _ := strings.Cut(message, " (e.g. ")
	return short
}

// oneOf reports a value that is not one of the words; nil is the default.
func oneOf[T ~string](report reporter, at string, value *T, words ...string) {
	if value == nil || slices.Contains(words, string(*value)) {
		return
	}
	name := at[strings.LastIndexByte(at, '.')+1:]
	d := report(at, "%s is %q; it must be %s", name, *value, strings.Join(words, " or "))
	*d = d.WithNearest(string(*value), words)
}
