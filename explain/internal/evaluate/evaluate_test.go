// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/explain/internal/served"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

var update = flag.Bool("update", false, "rewrite the answers")

// policies is a project with policies of both kinds.
const policies = `
types:
- group: shop.example.com
  version: v1
  kind: Widget
  schema:
    type: object
    properties:
      spec:
        type: object
        properties:
          replicas: {type: integer}
          mode: {type: string, default: slow}
          items:
            type: array
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [name]
            items: {type: object, required: [name], properties: {name: {type: string}, size: {type: integer}}}
policies:
- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: MutatingAdmissionPolicy
    metadata: {name: fill}
    spec:
      matchConstraints: {resourceRules: [{apiGroups: [shop.example.com], apiVersions: [v1], resources: [widgets], operations: [CREATE, UPDATE]}]}
      matchConditions: [{name: empty, expression: "!has(object.spec.replicas)"}]
      reinvocationPolicy: Never
      mutations:
      - patchType: ApplyConfiguration
        applyConfiguration: {expression: "Object{spec: Object.spec{replicas: 2, items: [Object.spec.items{name: 'b', size: 3}]}}"}
      - patchType: JSONPatch
        jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'by': request.userInfo.username}}]"}
  bindings: [{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: fill}, spec: {policyName: fill}}]
- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: MutatingAdmissionPolicy
    metadata: {name: again}
    spec:
      matchConstraints: {resourceRules: [{apiGroups: [shop.example.com], apiVersions: [v1], resources: [widgets], operations: [CREATE, UPDATE]}]}
      reinvocationPolicy: IfNeeded
      mutations:
      - patchType: ApplyConfiguration
        applyConfiguration: {expression: "Object{metadata: Object.metadata{annotations: {'size': has(object.spec.replicas) ? string(object.spec.replicas) : 'none'}}}"}
  bindings: [{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: again}, spec: {policyName: again}}]
- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicy
    metadata: {name: limit}
    spec:
      paramKind: {apiVersion: v1, kind: ConfigMap}
      matchConstraints: {resourceRules: [{apiGroups: [shop.example.com], apiVersions: [v1], resources: [widgets], operations: ["*"]}]}
      variables: [{name: maximum, expression: "int(params.data.maximum)"}]
      validations:
      - {expression: "object == null || object.spec.replicas <= variables.maximum", messageExpression: "'at most ' + string(variables.maximum)", reason: Forbidden}
      auditAnnotations: [{key: replicas, valueExpression: "object == null ? '' : string(object.spec.replicas)"}]
  bindings:
  - {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: deny}, spec: {policyName: limit, validationActions: [Deny], paramRef: {name: high, namespace: default, parameterNotFoundAction: Deny}}}
  - {apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: warn}, spec: {policyName: limit, validationActions: [Warn, Audit], paramRef: {name: low, namespace: default, parameterNotFoundAction: Allow}, matchResources: {namespaceSelector: {matchLabels: {env: prod}}}}}
- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicy
    metadata: {name: pods}
    spec:
      matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]}
      validations: [{expression: "object.spec.containers.all(c, c.image.startsWith('good/'))", message: bad image}]
  bindings: [{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: pods}, spec: {policyName: pods, validationActions: [Deny]}}]
- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicy
    metadata: {name: ignored}
    spec:
      failurePolicy: Ignore
      matchConstraints: {resourceRules: [{apiGroups: [shop.example.com], apiVersions: [v1], resources: [widgets], operations: [UPDATE]}]}
      validations: [{expression: "object.spec.missing == 1"}, {expression: "object.spec.replicas != 9", message: not 9}]
  bindings: [{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, metadata: {name: ignored}, spec: {policyName: ignored, validationActions: [Deny]}}]
`

// widget is a request in YAML that begins with a Widget's resource and user.
const widget = `
resource: {group: shop.example.com, version: v1, resource: widgets}
kind: {group: shop.example.com, version: v1, kind: Widget}
name: w
namespace: shop
userInfo: {username: ann}
params:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: high, namespace: default}, data: {maximum: "10"}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: low, namespace: default}, data: {maximum: "1"}}
`

func ask(t *testing.T, request string) Answer {
	t.Helper()
	var in input
	var r Request
	if err := yaml.Unmarshal([]byte(policies), &in); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(request), &r); err != nil {
		t.Fatal(err)
	}
	in.Requests = []Request{r}
	answers, err := Run(t.Context(), &in.Project, in.Requests)
	if err != nil {
		t.Fatal(err)
	}
	return answers[0]
}

// describe writes an answer in lines.
func describe(a Answer) string {
	var b strings.Builder
	if a.Error != "" {
		return "error: " + a.Error
	}
	fmt.Fprintln(&b, a.Allowed, a.Code, a.Reason, a.Message)
	for _, w := range a.Warnings {
		fmt.Fprintln(&b, "warning:", w)
	}
	if len(a.AuditAnnotations) > 0 {
		text, _ := json.Marshal(a.AuditAnnotations)
		fmt.Fprintln(&b, "audit:", string(text))
	}
	for _, s := range a.Steps {
		fmt.Fprintln(&b, "step:", s.Phase, s.Policy+"/"+s.Binding, s.Params, s.Verdict, s.Message)
	}
	text, _ := json.Marshal(a.Object)
	fmt.Fprintln(&b, "object:", string(text))
	return b.String()
}

// TestEvaluate compares answers with testdata/answers.txt.
func TestEvaluate(t *testing.T) {
	requests := []struct{ name, request string }{
		{"allowed, with a warning", "operation: CREATE\nobject: {metadata: {name: w, namespace: shop}, spec: {items: [{name: a, size: 1}]}}\nnamespaceObject: {metadata: {name: shop, labels: {env: prod}}}"},
		{"denied", "operation: CREATE\nobject: {metadata: {name: w, namespace: shop}, spec: {replicas: 11}}"},
		{"an update", "operation: UPDATE\nobject: {metadata: {name: w, namespace: shop}, spec: {replicas: 1}}\noldObject: {metadata: {name: w, namespace: shop}, spec: {replicas: 1}}"},
		{"a denial after an error that is ignored", "operation: UPDATE\nobject: {metadata: {name: w, namespace: shop}, spec: {replicas: 9}}\noldObject: {metadata: {name: w, namespace: shop}, spec: {replicas: 1}}"},
		{"a deletion", "operation: DELETE\noldObject: {metadata: {name: w, namespace: shop}, spec: {replicas: 1}}"},
		{"an operation that is none", "operation: PATCH\nobject: {}"},
		{"another kind", "operation: CREATE\nobject: {apiVersion: v1, kind: Pod}"},
		{"no object", "operation: CREATE"},
	}
	var b strings.Builder
	for _, r := range requests {
		fmt.Fprintf(&b, "== %s\n%s\n", r.name, describe(ask(t, widget+r.request)))
	}
	fmt.Fprintf(&b, "== params that do not exist\n%s\n", describe(ask(t, strings.ReplaceAll(widget, "name: high", "name: other")+requests[0].request)))
	fmt.Fprintf(&b, "== a pod\n%s\n", describe(ask(t, "operation: CREATE\nresource: {version: v1, resource: pods}\nkind: {version: v1, kind: Pod}\nname: p\nnamespace: shop\nobject: {metadata: {name: p}, spec: {containers: [{name: c, image: bad/x}]}}")))
	const file = "testdata/answers.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("other answers (-want +got)\n%s", diff)
	}
}

// TestOnlyMatchingPoliciesAreCompiled evaluates a request that matches three of five policies. A cluster may have
// hundreds that do not match.
func TestOnlyMatchingPoliciesAreCompiled(t *testing.T) {
	var in input
	if err := yaml.Unmarshal([]byte(policies), &in); err != nil {
		t.Fatal(err)
	}
	var r Request
	if err := yaml.Unmarshal([]byte(widget+"operation: CREATE\nobject: {metadata: {name: w, namespace: shop}, spec: {replicas: 11}}"), &r); err != nil {
		t.Fatal(err)
	}
	api := served.Kubernetes()
	addResources(api, r, in.Types)
	e, err := New(in.Policies, in.Types, api)
	if err != nil {
		t.Fatal(err)
	}
	compiled := map[string]int{}
	for _, p := range e.validating {
		compile := p.compiled
		p.compiled = func() (validating.Validator, error) { compiled[p.Name]++; return compile() }
	}
	for _, p := range e.mutating {
		for i, b := range p.bindings {
			p.bindings[i].compiled = func() (mutating.PolicyEvaluator, error) { compiled[p.Name]++; return b.compiled() }
		}
	}
	if a := e.Answer(t.Context(), r); a.Error != "" {
		t.Fatal(a.Error)
	}
	if got, want := slices.Sorted(maps.Keys(compiled)), []string{"again", "fill", "limit"}; !slices.Equal(got, want) {
		t.Errorf("compiled are %v, want %v", got, want)
	}
}

// input is a project with requests, as tests write them in YAML.
type input struct {
	project.Project
	Requests []Request
}

// FuzzRun runs anything: it answers or fails, and ends.
func FuzzRun(f *testing.F) {
	asJSON := func(text string) []byte {
		out, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			f.Fatal(err)
		}
		return out
	}
	base := string(asJSON(policies))
	request := string(asJSON(widget + "operation: CREATE\nobject: {metadata: {name: w}, spec: {replicas: 1}}"))
	with := func(policies, request string) {
		f.Add([]byte(strings.TrimSuffix(policies, "}") + `,"requests":[` + request + `]}`))
	}
	with(base, request)
	for _, change := range []struct{ from, to string }{
		{`"spec":{"replicas":1}`, `"spec":[]`},
		{`"spec":{"replicas":1}`, `"spec":"x"`},
		{`"spec":{"replicas":1}`, `"spec":{"items":[{"name":"a"},{"name":"a"},{"name":5},null,[]]}`},
		{`"spec":{"replicas":1}`, `"spec":{"replicas":1e400}`},
		{`"spec":{"replicas":1}`, `"spec":{"replicas":9223372036854775807}`},
		{`"metadata":{"name":"w"}`, `"metadata":[]`},
		{`"metadata":{"name":"w"}`, `"metadata":{"labels":5,"name":7}`},
		{`"operation":"CREATE"`, `"operation":"CONNECT"`},
		{`"operation":"CREATE"`, `"operation":"DELETE","oldObject":{}`},
		{`"params":[`, `"params":[null,5,[],{},{"kind":"ConfigMap","metadata":null},`},
		{`"group":"shop.example.com"`, `"group":"\u0000"`},
		{`"object":`, `"namespaceObject":{"metadata":{"name":"shop","labels":[]}},"object":`},
		{`"object":`, `"options":5,"object":`},
	} {
		if !strings.Contains(request, change.from) {
			f.Fatalf("%s is not in %s", change.from, request)
		}
		with(base, strings.Replace(request, change.from, change.to, 1))
	}
	for _, change := range []struct{ from, to string }{
		{`"mutations":[`, `"mutations":[{},`},
		{`"mutations":[`, `"mutations":[{"patchType":"JSONPatch"},`},
		{`"expression":"!has(object.spec.replicas)"`, `"expression":"["`},
		{`Object.spec{replicas: 2`, `Object.spec{replicas: 'x'`},
		{`'/metadata/labels'`, `'/a/b/c/d'`},
		{`"matchConstraints":{`, `"matchConstraints":null,"x":{`},
		{`"x-kubernetes-list-map-keys":["name"]`, `"x-kubernetes-list-map-keys":["nome"]`},
		{`"type":"array"`, `"type":"object"`},
		{`"schema":{`, `"schema":{"x-kubernetes-preserve-unknown-fields":true,"additionalProperties":false,`},
		{`"paramRef":{`, `"paramRef":{"selector":{"matchLabels":{"a":"b"}},`},
		{`"int(params.data.maximum)"`, `"[1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(b, [1,2,3,4,5,6,7,8,9].map(c, [1,2,3,4,5,6,7,8,9].map(d, [1,2,3,4,5,6,7,8,9].map(e, [1,2,3,4,5,6,7,8,9].map(f, a))))))"`},
	} {
		if !strings.Contains(base, change.from) {
			f.Fatalf("%s is not in %s", change.from, base)
		}
		with(strings.Replace(base, change.from, change.to, 1), request)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var in input
		if json.Unmarshal(text, &in) != nil {
			return
		}
		answers, err := Run(t.Context(), &in.Project, in.Requests)
		if err == nil && len(answers) != len(in.Requests) {
			t.Errorf("%d answers to %d requests", len(answers), len(in.Requests))
		}
	})
}
