// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"math/rand/v2"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pattern is a webhook of the grid without its name and address.
type pattern struct {
	rules      []v1.RuleWithOperations
	namespaces string
	objects    string
	conditions []string
	exact      bool
	ignore     bool // failurePolicy
	sideEffect v1.SideEffectClass
	again      bool // reinvocationPolicy IfNeeded
}

func rule(operations, groups, versions, resources []string, scope v1.ScopeType) v1.RuleWithOperations {
	r := v1.RuleWithOperations{Rule: v1.Rule{APIGroups: groups, APIVersions: versions, Resources: resources}}
	for _, o := range operations {
		r.Operations = append(r.Operations, v1.OperationType(o))
	}
	if scope != "" {
		r.Scope = &scope
	}
	return r
}

func list(words ...string) []string { return words }

// patterns are meant to differ in everything that decides about a call.
func patterns() []pattern {
	star := list("*")
	everything := rule(star, star, star, list("*/*"), "")
	resources := rule(star, star, star, star, "")
	gadgets := func(resources []string, versions ...string) []v1.RuleWithOperations {
		return []v1.RuleWithOperations{rule(star, list("grid.example.com"), versions, resources, "")}
	}
	all := []v1.RuleWithOperations{everything}
	conditional := func(ignore bool, objects string, conditions ...string) pattern {
		return pattern{rules: all, ignore: ignore, objects: objects, conditions: conditions}
	}
	return []pattern{
		// Rules.
		{rules: all},
		{rules: []v1.RuleWithOperations{resources}, again: true},
		{rules: nil},
		{rules: []v1.RuleWithOperations{rule(list("CREATE"), star, star, list("*/*"), "")}},
		{rules: []v1.RuleWithOperations{rule(list("UPDATE"), star, star, list("*/*"), "")}},
		{rules: []v1.RuleWithOperations{rule(list("DELETE"), star, star, list("*/*"), "")}},
		{rules: []v1.RuleWithOperations{rule(list("CONNECT"), star, star, list("*/*"), "")}},
		{rules: []v1.RuleWithOperations{rule(list("CREATE", "UPDATE"), list(""), list("v1"), list("configmaps", "pods", "pods/status", "secrets"), "*")}},
		{rules: []v1.RuleWithOperations{rule(star, list(""), star, list("pods/*"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, star, star, list("*/status"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, star, star, list("*/scale"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, list(""), list("v1"), list("pods/exec", "pods/attach", "services/proxy"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, list("policy"), star, list("pods/eviction"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, list(""), star, list("pods/eviction"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, star, star, list("*/*"), v1.ClusterScope)}},
		{rules: []v1.RuleWithOperations{rule(star, star, star, list("*/*"), v1.NamespacedScope)}},
		{rules: []v1.RuleWithOperations{rule(star, list(""), star, list("namespaces"), v1.NamespacedScope)}},
		{rules: []v1.RuleWithOperations{rule(star, list(""), star, list("namespaces", "namespaces/*"), v1.ClusterScope)}},
		{rules: []v1.RuleWithOperations{rule(star, list("admissionregistration.k8s.io"), star, star, "")}},
		{rules: []v1.RuleWithOperations{rule(star, list("authorization.k8s.io", "authentication.k8s.io"), star, list("*/*"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, list("apps", "batch"), star, list("deployments", "deployments/scale", "jobs"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, list("apps"), list("v1beta1"), list("deployments"), "")}},
		{rules: []v1.RuleWithOperations{
			rule(list("DELETE"), list(""), list("v1"), list("configmaps"), ""), rule(list("CREATE"), list("grid.example.com"), list("v1"), star, "")}},
		// Versions.
		{rules: gadgets(list("gadgets"), "v1")},
		{rules: gadgets(list("gadgets"), "v2")},
		{rules: gadgets(list("gadgets"), "v1"), exact: true},
		{rules: gadgets(list("gadgets"), "v2"), exact: true},
		{rules: gadgets(list("gadgets/status"), "v1")},
		{rules: gadgets(list("gadgets/scale"), "v2")},
		{rules: gadgets(list("*/*"), "v3")},
		{rules: gadgets(list("gadgets"), "v1"), conditions: list("request.kind.version == 'v1'", "request.requestKind.version == 'v2'")},
		{rules: gadgets(list("gadgets"), "v2"), ignore: true, conditions: list("object.apiVersion == 'grid.example.com/v2'")},
		{rules: gadgets(star, "v1", "v2"), ignore: true, conditions: list("object.spec.size > 4")},
		{rules: gadgets(star, "v1"), ignore: true, conditions: list("oldObject.spec.size != object.spec.size")},
		{rules: gadgets(star, "*"), conditions: list("!has(object.spec.unknown)"), ignore: true},
		{rules: []v1.RuleWithOperations{rule(star, list("autoscaling"), list("v1"), star, "")}},
		{rules: []v1.RuleWithOperations{rule(star, list("autoscaling"), list("v2"), star, "")}, exact: true},
		{rules: []v1.RuleWithOperations{rule(star, list("autoscaling"), list("v1"), star, "")}, conditions: list("request.requestKind.version == 'v2'")},
		{rules: []v1.RuleWithOperations{rule(star, list("events.k8s.io"), star, list("events"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, list(""), star, list("events"), "")}},
		{rules: []v1.RuleWithOperations{rule(star, list(""), star, list("events"), "")}, exact: true},
		// Selectors.
		{rules: all, namespaces: "env in (prod)"},
		{rules: all, namespaces: "env notin (prod)"},
		{rules: all, namespaces: "env"},
		{rules: all, namespaces: "!env,team"},
		{rules: all, namespaces: "kubernetes.io/metadata.name in (grid-dev, grid-plain)"},
		{rules: all, objects: "app=a"},
		{rules: all, objects: "app notin (a)"},
		{rules: all, objects: "!app"},
		{rules: []v1.RuleWithOperations{resources}, objects: "app in (a, b)", namespaces: "env=prod"},
		// Conditions.
		conditional(false, "", "request.operation == 'UPDATE'"),
		conditional(false, "", "request.operation != 'DELETE' || oldObject.metadata.name.startsWith('x')"),
		conditional(true, "", "request.subResource == ''", "request.namespace != ''"),
		conditional(false, "", "request.resource.resource in ['pods', 'gadgets', 'deployments']"),
		conditional(false, "", "request.userInfo.username.endsWith('7')"),
		conditional(false, "", "'system:authenticated' in request.userInfo.groups"),
		conditional(false, "", "request.dryRun"),
		conditional(true, "", "has(request.options) && request.options.kind == 'CreateOptions'"),
		conditional(false, "", "object == null"),
		conditional(false, "", "oldObject == null && object != null && has(object.metadata) && !has(object.metadata.labels)"),
		conditional(true, "", "object.metadata.labels['app'] == 'a'"),
		conditional(true, "", "oldObject.metadata.labels.app == 'a'", "request.operation == 'UPDATE'"),
		conditional(true, "", "namespaceObject.metadata.name == 'grid-prod'"),
		conditional(true, "", "has(object.status)"),
		conditional(true, "", "object.spec.replicas >= 2"),
		conditional(true, "", "object.?spec.containers[0].?image.orValue('') == 'image'"),
		conditional(true, "", "object.data.exists(k, k.startsWith('a'))"),
		conditional(true, "", "object.command.size() == 2"),
		conditional(true, "", "has(object.metadata.uid)", "request.operation == 'CREATE'"),
		conditional(true, "", "object.metadata.name.startsWith('generated-')"),
		conditional(true, "", "request.name != ''", "has(object.metadata.creationTimestamp)"),
		conditional(false, "", "authorizer.group('').resource('pods').check('create').allowed()"),
		conditional(false, "fail=yes", "object.metadata.annotations['none'] == ''"),
		conditional(false, "fail=yes", "object.metadata.annotations['none'] == ''", "request.operation == 'CREATE'"),
		conditional(false, "fail=late", "object.spec.none.none == 1"),
		{rules: all, sideEffect: v1.SideEffectClassNoneOnDryRun, ignore: true, conditions: list("request.dryRun == true")},
	}
}

// grid returns the configurations: every pattern is in each kind, some in several, and not in the order of names.
func grid(url string, ca []byte) (mutating []*v1.MutatingWebhookConfiguration, validating []*v1.ValidatingWebhookConfiguration) {
	random := rand.New(rand.NewPCG(7, 8))
	all := patterns()
	order := random.Perm(len(all))
	const configurations = 24
	names := random.Perm(configurations)
	for i := range configurations {
		m := &v1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("grid-%02d", names[i])}}
		v := &v1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("grid-%02d", names[i])}}
		for j := i; j < len(order); j += configurations {
			m.Webhooks = append(m.Webhooks, all[order[j]].webhook(url+"/mutating/"+m.Name, len(m.Webhooks), ca))
			v.Webhooks = append(v.Webhooks, validatingWebhook(all[order[len(order)-1-j]].webhook(url+"/validating/"+v.Name, len(v.Webhooks), ca)))
		}
		mutating, validating = append(mutating, m), append(validating, v)
	}
	return mutating, validating
}

func (p pattern) webhook(url string, index int, ca []byte) v1.MutatingWebhook {
	url = fmt.Sprintf("%s/%d", url, index)
	w := v1.MutatingWebhook{
		Name: fmt.Sprintf("w%d.grid.example.com", index), Rules: p.rules, AdmissionReviewVersions: list("v1"),
		ClientConfig: v1.WebhookClientConfig{URL: &url, CABundle: ca},
	}
	none := v1.SideEffectClassNone
	w.SideEffects = &none
	if p.sideEffect != "" {
		w.SideEffects = &p.sideEffect
	}
	if p.exact {
		exact := v1.Exact
		w.MatchPolicy = &exact
	}
	if p.ignore {
		ignore := v1.Ignore
		w.FailurePolicy = &ignore
	}
	if p.again {
		again := v1.IfNeededReinvocationPolicy
		w.ReinvocationPolicy = &again
	}
	w.NamespaceSelector, w.ObjectSelector = selector(p.namespaces), selector(p.objects)
	for i, c := range p.conditions {
		w.MatchConditions = append(w.MatchConditions, v1.MatchCondition{Name: fmt.Sprintf("c%d", i), Expression: c})
	}
	return w
}

// selector returns nil for an empty text, which leaves the selector to the default.
func selector(text string) *metav1.LabelSelector {
	if text == "" {
		return nil
	}
	s, err := metav1.ParseToLabelSelector(text)
	if err != nil {
		panic(err) // a mistake in patterns
	}
	return s
}

func validatingWebhook(w v1.MutatingWebhook) v1.ValidatingWebhook {
	return v1.ValidatingWebhook{
		Name: w.Name, ClientConfig: w.ClientConfig, Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy,
		NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector, SideEffects: w.SideEffects,
		TimeoutSeconds: w.TimeoutSeconds, AdmissionReviewVersions: w.AdmissionReviewVersions, MatchConditions: w.MatchConditions,
	}
}
