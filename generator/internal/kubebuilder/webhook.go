// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"cmp"
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/spec"
)

// webhook makes a webhook from a +kubebuilder:webhook marker. It follows
// sigs.k8s.io/controller-tools/pkg/webhook.Config.ToMutatingWebhook, ToValidatingWebhook and the checks in
// Generator.Generate. It continues after errors in a marker, so that all of them are found at once.
func (c comment) webhook(p *load.Package, marker parsed) (Webhook, diag.List) {
	r := reading{comment: c, parsed: marker, hook: Webhook{c.file, p, &model.Webhook{
		Source:   model.Source{Range: c.whole(), At: model.Positions{}},
		Mutating: marker.arguments["mutating"].truth, Kubebuilder: true, Package: p.Path,
	}, marker.arguments["name"].text}}
	r.hook.Spec.Name = r.takeText("name", "name")
	r.rules()
	r.policies()
	r.target()
	r.timeout()
	r.reinvocation()
	r.versions()
	r.patch()
	r.afterPatch()
	return r.hook, r.diags
}

// reading is a marker during conversion to a webhook.
type reading struct {
	comment
	parsed
	hook  Webhook
	diags diag.List
}

// take returns an argument and records its position for a field.
func (r *reading) take(name, field string) (argument, bool) {
	a, given := r.arguments[name]
	if given {
		r.hook.At[field] = r.rangeOf(a.span)
	}
	return a, given
}

// takeText returns the text of an argument, and records its position for a field.
func (r *reading) takeText(name, field string) string {
	a, _ := r.take(name, field)
	return a.text
}

// takeList returns a list's elements and records the positions for a field and its elements.
func (r *reading) takeList(name, field string) (elements []string) {
	a, _ := r.take(name, field)
	for i, item := range a.items {
		r.hook.At[fmt.Sprintf("%s[%d]", field, i)] = r.rangeOf(item.span)
		elements = append(elements, item.text)
	}
	return elements
}

// at returns the position of an argument. For a missing argument, it returns the position of the marker's name.
func (r *reading) at(name string) diag.Range {
	if a, given := r.arguments[name]; given {
		return r.rangeOf(a.span)
	}
	return r.rangeOf(nameOf(webhookDefinition()))
}

// warn reports an argument, if the marker has it.
func (r *reading) warn(name, rule, format string, args ...any) {
	if _, given := r.arguments[name]; given {
		r.diags.Add(diag.Warningf(r.at(name), rule, format, args...))
	}
}

// fold returns the word that equals a value except for upper and lower case.
func fold[T ~string](value string, words ...T) (word T, ok bool) {
	for _, w := range words {
		if strings.EqualFold(value, string(w)) {
			return w, true
		}
	}
	return "", false
}

// argumentWord finds the value of an argument among its words, ignoring case.
func argumentWord[T ~string](argument, value string) (word T, known bool) {
	text, known := fold(value, registry.Of(argument).Words...)
	return T(text), known
}

// accepted lists the values of an argument that the API server accepts: "Fail or Ignore".
func accepted(argument string) string { return strings.Join(registry.Of(argument).Accepts(), " or ") }

func (r *reading) rules() {
	var rule admissionregistrationv1.RuleWithOperations
	rule.APIGroups = r.takeList("groups", "rules[0].apiGroups")
	for i, group := range rule.APIGroups {
		rule.APIGroups[i] = registry.GroupName(group)
	}
	rule.APIVersions = r.takeList("versions", "rules[0].apiVersions")
	rule.Resources = r.takeList("resources", "rules[0].resources")
	for _, verb := range r.takeList("verbs", "rules[0].operations") {
		operation, _ := fold(verb, admissionregistrationv1.Create, admissionregistrationv1.Update,
			admissionregistrationv1.Delete, admissionregistrationv1.Connect)
		rule.Operations = append(rule.Operations, cmp.Or(operation, admissionregistrationv1.OperationType(verb)))
	}
	r.hook.Spec.Rules = []admissionregistrationv1.RuleWithOperations{rule}
}

func (r *reading) policies() {
	failure := r.takeText("failurePolicy", "failurePolicy")
	failurePolicy, _ := argumentWord[admissionregistrationv1.FailurePolicyType]("failurePolicy", failure)
	r.hook.Spec.FailurePolicy = new(cmp.Or(failurePolicy, admissionregistrationv1.FailurePolicyType(failure)))

	match := r.takeText("matchPolicy", "matchPolicy")
	if matchPolicy, known := argumentWord[admissionregistrationv1.MatchPolicyType]("matchPolicy", match); known {
		r.hook.Spec.MatchPolicy = &matchPolicy
	} else if match != "" {
		r.diags.Add(diag.Errorf(r.at("matchPolicy"), ruleValue, "matchPolicy is %s, not %q", accepted("matchPolicy"), match))
	}

	if class, known := sideEffectClass(r.takeText("sideEffects", "sideEffects")); known {
		r.hook.Spec.SideEffects = &class
	}
}

func sideEffectClass(value string) (class admissionregistrationv1.SideEffectClass, known bool) {
	return fold(value, admissionregistrationv1.SideEffectClassNone,
		admissionregistrationv1.SideEffectClassNoneOnDryRun, admissionregistrationv1.SideEffectClassSome)
}

// target sets either the service or the url.
func (r *reading) target() {
	path, url := r.arguments["path"], r.arguments["url"]
	switch {
	case path.text != "" && url.text != "":
		first, second := "path", "url"
		if url.from < path.from {
			first, second = second, first
		}
		r.diags.Add(diag.Errorf(r.at(second), ruleTarget, "a webhook has a path or a url, not both").
			WithRelated(r.at(first), "%s is here", first))
	case path.text != "":
		r.service()
	case url.text != "":
		r.take("url", "clientConfig.url")
		r.hook.Spec.ClientConfig.URL = &url.text
		for _, name := range []string{"serviceName", "serviceNamespace", "servicePort"} {
			r.warn(name, ruleNoEffect, "%s has no effect beside url", name)
		}
	case r.arguments["url"].name != "":
		r.diags.Add(diag.Errorf(r.at("url"), ruleTarget, "url is empty, and there is no path"))
	case r.arguments["path"].name != "" || !r.meant["path"] && !r.meant["url"]:
		r.diags.Add(diag.Errorf(r.at("path"), ruleTarget, "+%s needs a path or a url", webhookName))
	}
}

func (r *reading) service() {
	service := admissionregistrationv1.ServiceReference{
		Name:      cmp.Or(r.takeText("serviceName", "clientConfig.service.name"), model.DefaultServiceName),
		Namespace: cmp.Or(r.takeText("serviceNamespace", "clientConfig.service.namespace"), model.PlaceholderNamespace),
		Path:      new(r.takeText("path", "clientConfig.service.path")),
	}
	if a, given := r.take("servicePort", "clientConfig.service.port"); given {
		service.Port = new(r.narrow(a))
	}
	r.hook.Spec.ClientConfig.Service = &service
}

func (r *reading) timeout() {
	a, given := r.take("timeoutSeconds", "timeoutSeconds")
	if a.number != 0 {
		r.hook.Spec.TimeoutSeconds = new(r.narrow(a))
	} else if given {
		r.warn("timeoutSeconds", ruleZero, "timeoutSeconds=0 counts as not given, so that the API server waits 10 seconds")
	}
}

// narrow converts a number to 32 bits.
func (r *reading) narrow(a argument) int32 {
	n := int32(a.number)
	if int(n) != a.number {
		r.warn(a.name, ruleWrapped, "%s does not fit into 32 bits, so that controller-gen makes it %d", a.name, n)
	}
	return n
}

func (r *reading) reinvocation() {
	a, given := r.arguments["reinvocationPolicy"]
	policy, known := argumentWord[admissionregistrationv1.ReinvocationPolicyType]("reinvocationPolicy", a.text)
	switch _, mutates := r.arguments["mutating"]; {
	case !given:
	case !r.hook.Mutating && mutates:
		r.warn("reinvocationPolicy", ruleNoEffect, "reinvocationPolicy has no effect on a validating webhook")
	case known:
		r.take("reinvocationPolicy", "reinvocationPolicy")
		r.hook.Spec.ReinvocationPolicy = &policy
	default:
		r.warn("reinvocationPolicy", ruleNoEffect, "reinvocationPolicy is %s; %q has no effect", accepted("reinvocationPolicy"), a.text)
	}
}

func (r *reading) versions() {
	r.hook.Spec.AdmissionReviewVersions = r.takeList("admissionReviewVersions", "admissionReviewVersions")
	for _, v := range r.arguments["webhookVersions"].items {
		if v.text != "v1" {
			r.diags.Add(diag.Errorf(r.rangeOf(v.span), ruleValue, "webhookVersions is v1, not %q", v.text))
		}
	}
}

// patch applies the patch. A field that it sets or removes gets the patch's position.
func (r *reading) patch() {
	a := r.arguments["patch"]
	if a.text == "" {
		return
	}
	before := r.hook.Spec
	_, decided := r.arguments["mutating"]
	patched, problems := spec.Patch(before, r.hook.Mutating || !decided, a.text)
	for _, p := range problems {
		r.diags.Add(diag.Errorf(r.at("patch"), rulePatch, "%v", p))
	}
	r.hook.Spec = patched
	for _, path := range spec.Changed(before, patched) {
		r.hook.At[path] = r.at("patch")
	}
}

// afterPatch makes the checks of controller-gen on the finished configuration.
func (r *reading) afterPatch() {
	r.checkSideEffects()
	timeout := registry.Of("timeoutSeconds")
	if t := r.hook.Spec.TimeoutSeconds; t != nil && (int(*t) < timeout.Low || int(*t) > timeout.High) {
		r.refuse("timeoutSeconds", "timeoutSeconds is %d to %d, not %d", timeout.Low, timeout.High, *t)
	}
	if _, set := r.hook.At["admissionReviewVersions"]; set && len(r.hook.Spec.AdmissionReviewVersions) == 0 {
		r.refuse("admissionReviewVersions", "admissionReviewVersions is empty")
	}
}

func (r *reading) checkSideEffects() {
	allowed := "sideEffects is " + accepted("sideEffects")
	given := r.arguments["sideEffects"]
	_, known := sideEffectClass(given.text)
	class := r.hook.Spec.SideEffects
	switch {
	case class != nil && (*class == admissionregistrationv1.SideEffectClassSome || *class == admissionregistrationv1.SideEffectClassUnknown):
		r.refuse("sideEffects", allowed+", not %q", *class)
	case class != nil && !known && given.text != "":
		r.warn("sideEffects", ruleNoEffect, allowed+"; %q has no effect", given.text)
	case class != nil:
	case known:
		r.refuse("sideEffects", "the patch takes away sideEffects, which is required")
	case given.text != "":
		r.refuse("sideEffects", allowed+", not %q", given.text)
	case given.name != "" || !r.meant["sideEffects"]:
		r.diags.Add(diag.Errorf(r.at("sideEffects"), ruleMissing, "+%s needs sideEffects", webhookName).WithHint("%s", accepted("sideEffects")))
	}
}

func (r *reading) refuse(field, format string, args ...any) {
	r.diags.Add(diag.Errorf(r.hook.Where(field), ruleValue, format, args...))
}
