// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// gadgets is the definition of the objects of random requests.
const gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.random.example.com}
spec:
  group: random.example.com
  names: {kind: Gadget, listKind: GadgetList, plural: gadgets, singular: gadget}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, default: 2}
              count: {type: integer}
              ratio: {type: number}
              active: {type: boolean}
              name: {type: string}
              maybe: {type: string, nullable: true}
              address: {type: string}
              memory: {x-kubernetes-int-or-string: true}
              words: {type: array, items: {type: string}}
              numbers: {type: array, items: {type: integer}}
              options: {type: object, additionalProperties: {type: string}}
              template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
              items:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, size: {type: integer, default: 1}}
`

// grammar makes random expressions. It counts the forms that it uses.
type grammar struct {
	*rand.Rand
	// names are the texts and numbers that may be read, with their types.
	names    map[string][]string
	features map[string]int
}

// form is a form of expressions. Each %s, %i, %b, %l and %n in it is an expression of a text, a whole number, a truth,
// a list of texts and a list of numbers.
func forms() map[byte][]string {
	return map[byte][]string{
		's': {
			"'a'", "''", "'b-c'", "'10Mi'", "'192.168.0.1'", "object.metadata.name", "object.spec.name", "object.spec.?name.orValue('none')",
			"object.spec.maybe", "object.spec.address", "request.operation", "request.userInfo.username", "namespaceObject.metadata.name",
			"namespaceObject.metadata.labels['env']", "namespaceObject.metadata.?labels[?'env'].orValue('no')", "oldObject.spec.name",
			"object.spec.items[0].name", "object.spec.template.kind", "object.spec.template.metadata.?name.orValue('t')", "string(object.spec.memory)",
			"%s.lowerAscii()", "%s.upperAscii()", "%s.replace(%s, %s)", "%s.substring(0, %i)", "%s.trim()", "string(%i)", "string(%b)",
			"%l.join(%s)", "%s.charAt(%i)", "'%%s-%%d'.format([%s, %i])", "(%b ? %s : %s)", "(%s + %s)", "%s.find('[a-z]+')", "%l[%i]",
			"dyn(object.spec.ratio) > 0.5 ? %s : %s", "string(url('https://' + %s + '/x').getHost())", "strings.quote(%s)",
		},
		'i': {
			"0", "1", "3", "-2", "object.spec.replicas", "object.spec.count", "object.spec.?count.orValue(7)", "size(%s)", "size(%l)",
			"%s.indexOf(%s)", "(%i + %i)", "(%i - %i)", "(%i * %i)", "(%i / %i)", "(%i %% %i)", "%n.sum()", "%n.max()", "int(%s)",
			"object.spec.items.size()", "(%b ? %i : %i)", "quantity(%s).asInteger()", "semver('1.2.3').major()",
		},
		'b': {
			"true", "object.spec.active", "has(object.spec.name)", "has(object.spec.options.a)", "has(object.metadata.labels)", "object == null",
			"oldObject != null", "object.spec.?maybe.hasValue()", "object.spec == oldObject.spec", "!%b", "(%b && %b)", "(%b || %b)",
			"%i > %i", "%i == %i", "%s == %s", "%s != %s", "%s < %s", "%s.contains(%s)", "%s.startsWith(%s)", "%s.endsWith(%s)",
			"%s.matches('^[a-c]+$')", "%s.matches(%s)", "%s in %l", "%i in %n", "%l.all(w, w != %s)", "%l.exists(w, w == %s)",
			"%l.exists_one(w, w.size() > %i)", "object.spec.items.all(x, x.size > %i)", "object.spec.items.exists(x, x.name == %s)",
			"object.spec.options.all(k, k != %s)", "isQuantity(%s)", "quantity(%s).isLessThan(quantity('5Gi'))", "isIP(%s)", "isURL(%s)",
			"cidr('192.168.0.0/16').containsIP(%s)", "ip(%s).family() == 4", "format.dns1123Label().validate(%s).hasValue()",
			"sets.contains(%l, %l)", "sets.intersects(%l, %l)", "%l.isSorted()", "authorizer.group('').resource('pods').check('get').allowed()",
			"%l == %l", "type(object.spec.memory) == string", "object.spec.template.apiVersion == 'v1'", "isSemver(%s)",
			"optional.of(%s).hasValue()", "cel.bind(x, %s, x == x)", "'a' in object.spec.options", "object.spec.words.transformList(i, w, w).size() > %i",
			"timestamp('2024-01-01T00:00:00Z') < timestamp(%s)", "duration('1h') > duration(%s)", "request.dryRun", "%b == %b",
		},
		'l': {
			"[]", "['a', 'b']", "object.spec.words", "object.spec.?words.orValue([])", "[%s, %s]", "%s.split(%s)", "%l.map(w, w + %s)",
			"%l.filter(w, w != %s)", "(%l + %l)", "%s.findAll('[a-z]')", "%l.sort()", "%l.distinct()", "%l.reverse()", "%l.slice(0, %i)",
			"[%l, %l].flatten()", "object.spec.items.map(x, x.name)", "request.userInfo.groups", "object.spec.options.map(k, k)", "(%b ? %l : %l)",
		},
		'n': {"[]", "[1, 2]", "object.spec.numbers", "[%i, %i]", "lists.range(3)", "%l.map(w, w.size())", "object.spec.items.map(x, x.size)"},
	}
}

// expression makes an expression of a type, with forms in forms up to a depth.
func (g *grammar) expression(of byte, depth int) string {
	all := forms()[of]
	all = append(slices.Clone(all), g.names[string(of)]...)
	if depth <= 0 {
		all = slices.DeleteFunc(all, func(f string) bool { return strings.Contains(strings.ReplaceAll(f, "%%", ""), "%") })
	}
	f := all[g.IntN(len(all))]
	g.features[f]++
	var out strings.Builder
	for i := 0; i < len(f); i++ {
		switch {
		case f[i] != '%':
			out.WriteByte(f[i])
		case f[i+1] == '%':
			out.WriteByte('%')
			i++
		default:
			out.WriteString(g.expression(f[i+1], depth-1-g.IntN(2)))
			i++
		}
	}
	return out.String()
}

func pick[T any](g *grammar, all ...T) T { return all[g.IntN(len(all))] }

// policy makes a policy with its bindings. mayFail allows mutations that fail or read the object.
func (g *grammar) policy(batch string, index int, mutates, mayFail bool) (policy map[string]any, bindings []any) {
	name := fmt.Sprintf("v-%s-%d", batch, index)
	kind := "ValidatingAdmissionPolicy"
	operations := pick(g, []any{"CREATE", "UPDATE"}, []any{"*"}, []any{"CREATE"}, []any{"DELETE"}, []any{"UPDATE", "DELETE"})
	if mutates {
		kind, operations = "MutatingAdmissionPolicy", pick(g, []any{"CREATE", "UPDATE"}, []any{"CREATE"})
	}
	g.names = map[string][]string{}
	rules := map[string]any{"apiGroups": []any{"random.example.com"}, "apiVersions": []any{"v1"}, "resources": []any{"gadgets"}, "operations": operations}
	spec := map[string]any{
		"failurePolicy":    pick(g, "Fail", "Fail", "Ignore"),
		"matchConstraints": map[string]any{"resourceRules": []any{rules}, "objectSelector": map[string]any{"matchLabels": map[string]any{"random": batch}}},
	}
	if g.IntN(3) == 0 {
		spec["matchConditions"] = []any{map[string]any{"name": "c", "expression": g.expression('b', 2)}}
	}
	binding := map[string]any{"policyName": name}
	if g.IntN(4) == 0 {
		g.features["params"]++
		spec["paramKind"] = map[string]any{"apiVersion": "policies.example.com/v1", "kind": "Limit"}
		ref := pick(g, map[string]any{"name": "high"}, map[string]any{"name": "missing"}, map[string]any{"selector": map[string]any{"matchLabels": map[string]any{"set": "low"}}})
		ref["parameterNotFoundAction"] = pick(g, "Allow", "Deny")
		binding["paramRef"] = ref
		g.names["i"], g.names["b"] = []string{"params.maximum", "params.minimum"}, []string{"has(params.minimum)"}
	}
	var variables []any
	for i := range g.IntN(3) {
		of := pick(g, byte('s'), 'i', 'b', 'l')
		variables = append(variables, map[string]any{"name": fmt.Sprintf("v%d", i), "expression": g.expression(of, 2)})
		g.names[string(of)] = append(g.names[string(of)], fmt.Sprintf("variables.v%d", i))
	}
	if variables != nil {
		g.features["variables"]++
		spec["variables"] = variables
	}
	if mutates {
		spec["reinvocationPolicy"] = pick(g, "Never", "IfNeeded")
		value := fmt.Sprintf("'%s-%d'", batch, index)
		if mayFail {
			value = g.expression('s', 2)
		} else {
			delete(spec, "matchConditions")
			delete(spec, "variables")
		}
		m := fmt.Sprintf("m%d", index)
		g.features["mutation"]++
		forms := []any{
			map[string]any{"patchType": "ApplyConfiguration", "applyConfiguration": map[string]any{"expression": "Object{metadata: Object.metadata{annotations: {'" + m + "': " + value + "}}}"}},
			map[string]any{"patchType": "JSONPatch", "jsonPatch": map[string]any{"expression": "[JSONPatch{op: 'add', path: '/metadata/labels/" + m + "', value: 'x'}]"}},
		}
		if mayFail { // then no other mutation may add an item before it or after it
			forms = append(forms, map[string]any{"patchType": "ApplyConfiguration", "applyConfiguration": map[string]any{
				"expression": "Object{spec: Object.spec{items: [Object.spec.items{name: '" + m + "', size: 3}]}}"}})
		}
		spec["mutations"] = []any{pick(g, forms...)}
	} else {
		binding["validationActions"] = pick(g, []any{"Deny"}, []any{"Deny"}, []any{"Warn"}, []any{"Audit"}, []any{"Deny", "Audit"}, []any{"Warn", "Audit"})
		var validations []any
		for range 1 + g.IntN(2) {
			v := map[string]any{"expression": g.expression('b', 3)}
			if g.IntN(2) == 0 {
				v["message"] = "no"
			}
			if g.IntN(2) == 0 {
				g.features["messageExpression"]++
				v["messageExpression"] = strings.ReplaceAll(g.expression('s', 2), "authorizer.group('').resource('pods').check('get').allowed()", "true")
			}
			if g.IntN(3) == 0 {
				v["reason"] = pick(g, "Forbidden", "Invalid", "RequestEntityTooLarge")
			}
			validations = append(validations, v)
		}
		spec["validations"] = validations
		if g.IntN(3) == 0 {
			g.features["auditAnnotations"]++
			spec["auditAnnotations"] = []any{map[string]any{"key": "k", "valueExpression": g.expression('s', 2)}}
		}
	}
	object := func(kind string, spec map[string]any) map[string]any {
		return map[string]any{"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec}
	}
	return object(kind, spec), []any{object(kind+"Binding", binding)}
}

// gadget makes a random object.
func (g *grammar) gadget(batch, name string) *unstructured.Unstructured {
	words := []any{"a", "b-c", "", "10Mi", "192.168.0.1", "ä", "1.2.3", "abc"}
	word := func() any { return words[g.IntN(len(words))] }
	fields := map[string]func() any{
		"replicas": func() any { return int64(g.IntN(5)) }, "count": func() any { return int64(g.IntN(9) - 3) }, "ratio": func() any { return pick[any](g, 0.25, 1.5, int64(3)) },
		"active": func() any { return g.IntN(2) == 0 }, "name": word, "maybe": func() any { return pick(g, nil, word()) }, "address": word,
		"memory":  func() any { return pick[any](g, int64(5), "10Mi", "x", "500m") },
		"words":   func() any { return pick(g, []any{}, []any{word()}, []any{word(), word(), word()}) },
		"numbers": func() any { return pick(g, []any{}, []any{int64(1), int64(g.IntN(4))}) },
		"options": func() any {
			return pick(g, map[string]any{}, map[string]any{"a": word()}, map[string]any{"a": word(), "b": word()})
		},
		"template": func() any {
			return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": pick(g, map[string]any{"name": "t"}, map[string]any{"labels": map[string]any{}})}
		},
		"items": func() any {
			return pick(g, []any{}, []any{map[string]any{"name": "a"}}, []any{map[string]any{"name": "a", "size": int64(4)}, map[string]any{"name": "b"}})
		},
	}
	names := []string{}
	for field := range fields {
		names = append(names, field)
	}
	slices.Sort(names)
	spec := map[string]any{}
	for _, field := range names {
		switch g.IntN(5) {
		case 0:
		case 1:
			if g.IntN(3) == 0 {
				spec[field] = nil
				g.features["null"]++
			}
		default:
			spec[field] = fields[field]()
		}
	}
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "random.example.com/v1", "kind": "Gadget", "metadata": map[string]any{"name": name}}}
	if g.IntN(10) > 0 {
		o.Object["spec"] = spec
	}
	o.SetLabels(map[string]string{"random": batch})
	return o
}

// TestRandomPolicies sends random requests to an API server with random policies, and has each evaluated by package
// explain. GRIDTIME, such as 30m, takes new seeds for that time.
func TestRandomPolicies(t *testing.T) {
	p := startPolicies(t)
	if !p.mutating {
		t.Skip("this API server does not serve admissionregistration.k8s.io/v1 MutatingAdmissionPolicy")
	}
	resource := schema.GroupVersionResource{Group: "random.example.com", Version: "v1", Resource: "gadgets"}
	file := t.TempDir() + "/gadgets.yaml"
	if err := os.WriteFile(file, []byte(gadgets), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := envtest.InstallCRDs(p.config, envtest.CRDInstallOptions{Paths: []string{file}, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	crd := parse(t, gadgets)
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	s, _, _ := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema")
	p.types = append(p.types, map[string]any{"group": resource.Group, "version": "v1", "kind": "Gadget", "schema": s})
	admin, err := dynamic.NewForConfig(p.config)
	if err != nil {
		t.Fatal(err)
	}
	until := time.Now()
	first, batches := uint64(1), 10
	if text := os.Getenv("GRIDTIME"); text != "" {
		length, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		until, first = time.Now().Add(length), uint64(time.Now().UnixNano())
	}
	features, counts := map[string]int{}, map[string]int{}
	requests, disagreements, refused := 0, 0, 0
	for n := 0; n < batches || time.Now().Before(until); n++ {
		seed := first + uint64(n)
		g := &grammar{Rand: rand.New(rand.NewPCG(seed, 37)), features: features}
		sent, differ, no := p.batch(t, g, fmt.Sprintf("r%d", seed), resource, admin, counts)
		requests, disagreements, refused = requests+sent, disagreements+differ, refused+no
	}
	t.Logf("%d requests, %d policies refused, %d of %d forms, %v; %d disagreements", requests, refused, len(features), len(slices.Concat(forms()['s'], forms()['i'], forms()['b'], forms()['l'], forms()['n'])), counts, disagreements)
	if requests < 800 || len(features) < 120 || refused < 5 {
		t.Errorf("that is less than 800 requests, 120 forms and 5 refused policies")
	}
	for _, kind := range []string{"allowed", "denied", "warned", "annotated", "changed"} {
		if counts[kind] < 10 {
			t.Errorf("only %d requests are %s", counts[kind], kind)
		}
	}
}

// batch installs policies, sends requests, and removes the policies.
func (p *policySession) batch(t *testing.T, g *grammar, batch string, resource schema.GroupVersionResource, admin dynamic.Interface, counts map[string]int) (sent, disagreements, refused int) {
	t.Helper()
	others := p.policies
	defer func() { p.policies = others }()
	var stored []*unstructured.Unstructured
	for i := range 4 {
		base := g.gadget(batch, fmt.Sprintf("%s-base-%d", batch, i))
		created, err := admin.Resource(resource).Namespace("policies-prod").Create(t.Context(), base, metav1.CreateOptions{})
		for again := 0; apierrors.IsNotFound(err) && again < 100; again++ {
			time.Sleep(50 * time.Millisecond)
			created, err = admin.Resource(resource).Namespace("policies-prod").Create(t.Context(), base, metav1.CreateOptions{})
		}
		if err != nil {
			t.Fatalf("%v\n%v", err, base.Object)
		}
		stored = append(stored, created)
	}
	install := func(o map[string]any) error {
		u := &unstructured.Unstructured{Object: o}
		of := schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: strings.ReplaceAll(strings.ToLower(u.GetKind())+"s", "policys", "policies")}
		_, err := admin.Resource(of).Create(t.Context(), u, metav1.CreateOptions{})
		if err == nil {
			t.Cleanup(func() { _ = admin.Resource(of).Delete(context.Background(), u.GetName(), metav1.DeleteOptions{}) })
		}
		return err
	}
	reasons := map[string]string{} // why the API server refuses policies
	fails := g.IntN(2) == 0        // then there is one mutation, since an API server has no order of policies
	for i := range 12 {
		policy, bindings := g.policy(batch, i, i == 3 || !fails && i%4 == 3, fails)
		if err := install(policy); err != nil {
			if !apierrors.IsInvalid(err) {
				t.Fatalf("%v\n%v", err, policy)
			}
			refused++
			reasons[policy["metadata"].(map[string]any)["name"].(string)] = err.Error()
		}
		for _, b := range bindings {
			if err := install(b.(map[string]any)); err != nil {
				t.Fatal(err)
			}
		}
		p.policies = append(slices.Clone(p.policies), map[string]any{"object": policy, "bindings": bindings})
	}
	time.Sleep(2500 * time.Millisecond) // an API server compiles policies once a second
	var all []*policyRequest
	for i := range 90 {
		r := policyRequest{user: pick(g, "ann", "root", "mallory"), namespace: "policies-prod", resource: resource, operation: pick(g, "CREATE", "CREATE", "UPDATE", "UPDATE", "DELETE")}
		old := stored[g.IntN(len(stored))]
		switch r.operation {
		case "CREATE":
			r.namespace = pick(g, "policies-prod", "policies-dev", "policies-plain")
			r.object = g.gadget(batch, fmt.Sprintf("%s-%d", batch, i))
			r.object.SetNamespace(r.namespace)
		case "UPDATE":
			r.object, r.old = g.gadget(batch, old.GetName()), old
			r.object.SetNamespace(r.namespace)
			r.object.SetUID(old.GetUID())
			r.object.SetCreationTimestamp(old.GetCreationTimestamp())
			r.object.SetResourceVersion(old.GetResourceVersion())
			r.object.SetGeneration(old.GetGeneration())
		default:
			r.old = old
		}
		all = p.request(all, r)
		all[i].id = fmt.Sprintf("%s-%s-%d", p.test, batch, i)
	}
	p.send(t, all)
	for range 20 { // an API server learns the types of a new definition late
		late := slices.DeleteFunc(slices.Clone(all), func(r *policyRequest) bool { return !apierrors.IsServiceUnavailable(r.err) })
		if len(late) == 0 {
			break
		}
		time.Sleep(time.Second)
		for _, r := range late {
			delete(p.warnings, r.id)
		}
		p.send(t, late)
	}
	annotations := p.annotations(t, all)
	for i, a := range p.evaluate(t, all) {
		r := all[i]
		if r.err != nil && (apierrors.IsBadRequest(r.err) || strings.Contains(r.err.Error(), "is invalid")) {
			continue // of the object itself
		}
		sent++
		for _, s := range a.Steps {
			if reason := reasons[s.Policy]; reason != "" && s.Verdict != "notMatched" {
				t.Errorf("%s is evaluated, and the API server refuses it: %s", s.Policy, reason)
				delete(reasons, s.Policy)
			}
		}
		if diff := p.compare(a, r, annotations[r.id], counts); diff != "" {
			if disagreements++; disagreements <= 2 {
				text, _ := json.Marshal(r.object)
				t.Errorf("%s %s by %s\n%s\n%s\n%s\n%s", batch, r.title, r.user, diff, text, a.describe(), p.texts(a, diff))
			}
		}
	}
	return sent, disagreements, refused
}

// texts are the policies of a batch that a difference names, or else those that saw the request.
func (p *policySession) texts(a policyAnswer, diff string) string {
	var named, saw strings.Builder
	for _, policy := range p.policies {
		o := &unstructured.Unstructured{Object: policy["object"].(map[string]any)}
		text, _ := json.Marshal(o.Object["spec"])
		if strings.Contains(diff, o.GetName()+"'") || strings.Contains(diff, o.GetName()+"/") {
			fmt.Fprintf(&named, "%s: %s\n", o.GetName(), text)
		}
		if slices.ContainsFunc(a.Steps, func(s policyStep) bool { return s.Policy == o.GetName() && s.Verdict != "notMatched" }) {
			fmt.Fprintf(&saw, "%s: %s\n", o.GetName(), text)
		}
	}
	if named.Len() > 0 {
		return named.String()
	}
	return saw.String()
}
