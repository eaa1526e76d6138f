// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules"
)

func (d *decider) namespaceReason(h webhook.WebhookAccessor) string {
	found, err := d.namespaces.GetNamespaceLabels(d.attributes)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("the namespace %s has %s, and the selector is %s", d.attributes.GetNamespace(), labelled(found), selector(h.GetNamespaceSelector()))
}

func (d *decider) objectReason(h webhook.WebhookAccessor) string {
	var found []string
	for _, o := range []runtime.Object{d.attributes.GetObject(), d.attributes.GetOldObject()} {
		if o == nil {
			continue
		}
		accessor, err := meta.Accessor(o)
		if err != nil {
			return fmt.Sprintf("a %s has no labels, and the selector is %s", o.GetObjectKind().GroupVersionKind().Kind, selector(h.GetObjectSelector()))
		}
		if has := labelled(accessor.GetLabels()); !slices.Contains(found, has) {
			found = append(found, has)
		}
	}
	return fmt.Sprintf("the object has %s, and the selector is %s", strings.Join(found, ", before that "), selector(h.GetObjectSelector()))
}

func labelled(set map[string]string) string {
	if len(set) == 0 {
		return "no labels"
	}
	return labels.Set(set).String()
}

func selector(s *metav1.LabelSelector) string { return metav1.FormatLabelSelector(s) }

// rulesReason lists for every rule the parts of the request that it does not match.
func (d *decider) rulesReason(h webhook.WebhookAccessor) string {
	if len(h.GetRules()) == 0 {
		return "it has no rules"
	}
	var reasons []string
	for i, r := range h.GetRules() {
		reason := strings.Join(mismatches(r, d.attributes), ", ")
		if len(h.GetRules()) > 1 {
			reason = fmt.Sprintf("rule %d: %s", i, reason)
		}
		reasons = append(reasons, reason)
	}
	reason := strings.Join(reasons, "; ")
	if other, ok := d.equivalent(h); ok {
		return fmt.Sprintf("%s; as %s of %s it would match, but matchPolicy is Exact", reason, other.Resource, other.GroupVersion())
	}
	return reason
}

// equivalent is the version of the request's resource that a rule with matchPolicy Exact leaves aside.
func (d *decider) equivalent(h webhook.WebhookAccessor) (schema.GroupVersionResource, bool) {
	if *cmp.Or(h.GetMatchPolicy(), new(admissionregistrationv1.Exact)) == admissionregistrationv1.Equivalent {
		return schema.GroupVersionResource{}, false
	}
	for _, r := range h.GetRules() {
		for _, other := range d.api.Mapper().EquivalentResourcesFor(d.attributes.GetResource(), d.attributes.GetSubresource()) {
			if matches(r, resourceOverride{d.attributes, other}) {
				return other, true
			}
		}
	}
	return schema.GroupVersionResource{}, false
}

// resourceOverride is a request about another resource.
type resourceOverride struct {
	admission.Attributes
	resource schema.GroupVersionResource
}

func (r resourceOverride) GetResource() schema.GroupVersionResource { return r.resource }

func matches(r admissionregistrationv1.RuleWithOperations, request admission.Attributes) bool {
	m := rules.Matcher{Rule: r, Attr: request}
	return m.Matches()
}

// mismatches lists the parts of the request that a rule does not match: it compares one part at a time, with all others
// open.
func mismatches(r admissionregistrationv1.RuleWithOperations, request admission.Attributes) []string {
	open := admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll},
		Rule: admissionregistrationv1.Rule{
			APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{"*/*"}, Scope: new(admissionregistrationv1.AllScopes),
		},
	}
	var found []string
	try := func(set func(*admissionregistrationv1.RuleWithOperations), format string, args ...any) {
		one := open
		set(&one)
		if !matches(one, request) {
			found = append(found, fmt.Sprintf(format, args...))
		}
	}
	type rule = *admissionregistrationv1.RuleWithOperations
	resource := request.GetResource()
	name := strings.TrimSuffix(resource.Resource+"/"+request.GetSubresource(), "/")
	try(func(o rule) { o.Operations = r.Operations }, "the operation is %s, not %s", request.GetOperation(), oneOf("%s", r.Operations))
	try(func(o rule) { o.APIGroups = r.APIGroups }, "the group is %q, not %s", resource.Group, oneOf("%q", r.APIGroups))
	try(func(o rule) { o.APIVersions = r.APIVersions }, "the version is %s, not %s", resource.Version, oneOf("%s", r.APIVersions))
	try(func(o rule) { o.Resources = r.Resources }, "the resource is %s, not %s", name, oneOf("%s", r.Resources))
	try(func(o rule) { o.Scope = r.Scope }, "the scope is %s, not %s", scope(request), *cmp.Or(r.Scope, new(admissionregistrationv1.AllScopes)))
	return found
}

// scope returns the scope of a request for rules: namespaces themselves are cluster-scoped.
func scope(request admission.Attributes) string {
	if len(request.GetNamespace()) == 0 || request.GetResource() == (schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}) {
		return string(admissionregistrationv1.ClusterScope)
	}
	return string(admissionregistrationv1.NamespacedScope)
}

// oneOf lists words, each in a format.
func oneOf[T ~string](format string, words []T) string {
	var all []string
	for _, w := range words {
		all = append(all, fmt.Sprintf(format, w))
	}
	return strings.Join(all, " or ")
}
