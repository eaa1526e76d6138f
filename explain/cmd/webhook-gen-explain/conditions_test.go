// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const described = `
version: 1
minKubernetesVersion: "1.30"
types:
- {group: g, version: v1, kind: Widget, schema: {type: object, required: [spec], properties: {spec: {type: object, properties: {size: {type: integer}}}}}}
configurations:
- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingWebhookConfiguration
    metadata: {name: c}
    webhooks:
    - name: w.example.com
      sideEffects: None
      admissionReviewVersions: [v1]
      clientConfig: {url: "https://x"}
      rules: [{apiGroups: [g], apiVersions: [v1], resources: [widgets], operations: [CREATE]}]
      matchConditions:
      - {name: a, expression: "object.spec.sise > 1"}
      - {name: b, expression: "object.spec.size > 1 && object.metadata.labels.x == 'y'"}
      - {name: c, expression: "oops("}
      - {name: d, expression: "isIP('x')"}
  webhooks: [{at: {file: x.go, line: 1, column: 1}, kinds: [{group: g, version: v1, kind: Widget}]}]
policies:
- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicy
    metadata: {name: p}
    spec:
      matchConstraints: {resourceRules: [{apiGroups: [g], apiVersions: [v1], resources: [widgets], operations: [CREATE]}]}
      validations: [{expression: "true"}, {expression: "object.spec.size > 1", messageExpression: "object.spec.sice"}]
  bindings: []
  kinds: [{group: g, version: v1, kind: Widget}]
`

// TestConditions has findings about a webhook and a policy, by the exchange with webhook-gen.
func TestConditions(t *testing.T) {
	in, err := yaml.YAMLToJSON([]byte(described))
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	if code := run(t.Context(), []string{"conditions"}, bytes.NewReader(in), &out, &errOut); code != 0 {
		t.Fatalf("exit code %d: %s", code, &errOut)
	}
	got := strings.Split(strings.NewReplacer("},{", "},\n{").Replace(strings.TrimSpace(out.String())), "\n")
	want := []string{
		`{"findings":[{"rule":"E22","configuration":0,"webhook":0,"condition":2,"from":5,"to":5,"message":"the expression does not compile: Syntax error: mismatched input '<EOF>'"},`,
		`{"rule":"E22","configuration":0,"webhook":0,"condition":3,"from":4,"to":5,"message":"the expression does not compile: undeclared reference to 'isIP'"},`,
		`{"rule":"W2","configuration":0,"webhook":0,"condition":1,"from":24,"to":46,"message":"object.metadata.labels may be missing"},`,
		`{"rule":"P21","configuration":0,"webhook":0,"condition":0,"from":12,"to":16,"message":"undefined field 'sise' in Widget.spec: did you mean size?; an API server accepts the expression, webhook-gen compares it with the Go type"},`,
		`{"rule":"P22","configuration":0,"webhook":0,"condition":1,"from":0,"to":16,"message":"object.spec.size may be missing"},`,
		`{"rule":"P20","configuration":0,"webhook":0,"condition":0,"policy":0,"field":"spec.validations[1].messageExpression","from":0,"to":16,"message":"the expression must evaluate to string but got dyn"},`,
		`{"rule":"P22","configuration":0,"webhook":0,"condition":0,"policy":0,"field":"spec.validations[1].expression","from":0,"to":16,"message":"object.spec.size may be missing"}]}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestEvaluateCommand answers a request, and refuses another version of the form.
func TestEvaluateCommand(t *testing.T) {
	const request = `{"version": 1, "requests": [{"operation": "CREATE", "resource": {"version": "v1", "resource": "pods"}, "kind": {"version": "v1", "kind": "Pod"}, "object": {}}]}`
	for _, test := range []struct {
		in, want string
		code     int
	}{
		{request, `{"answers":[{"allowed":true,`, 0},
		{strings.Replace(request, "1", "2", 1), "version 2 of the form is not known: use version 1", exitTrouble},
		{"[", "policies and requests: unexpected EOF", exitTrouble},
	} {
		var out, errOut bytes.Buffer
		if code := run(t.Context(), []string{"evaluate"}, strings.NewReader(test.in), &out, &errOut); code != test.code {
			t.Errorf("exit code %d, want %d: %s", code, test.code, &errOut)
		}
		if text := out.String() + errOut.String(); !strings.Contains(text, test.want) {
			t.Errorf("%q is not in %s", test.want, text)
		}
	}
}

// TestConditionsSince compiles the expressions of a policy that replaces a webhook for the first version that has it.
func TestConditionsSince(t *testing.T) {
	for since, refused := range map[string]bool{"": true, "1.30": true, "1.33": false} {
		text := strings.Replace(described, "object.spec.size > 1\", messageExpression: \"object.spec.sice", "isIP('x')", 1)
		text = strings.Replace(text, "  bindings: []", "  since: \""+since+"\"\n  bindings: []", 1)
		in, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var out, errOut bytes.Buffer
		if code := run(t.Context(), []string{"conditions"}, bytes.NewReader(in), &out, &errOut); code != 0 {
			t.Fatalf("exit code %d: %s", code, &errOut)
		}
		if strings.Contains(out.String(), `"rule":"P20"`) != refused {
			t.Errorf("since %q: %s", since, &out)
		}
	}
}

// TestManyPolicies has the same findings, in the order of the policies, on one processor and on several. Policies are
// compiled for their own version of Kubernetes.
func TestManyPolicies(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	types, policy, _ := strings.Cut(described, "configurations:")
	_, policy, _ = strings.Cut(policy, "policies:")
	in := types + "policies:"
	for i := range 150 {
		one := strings.Replace(policy, "object.spec.size", fmt.Sprintf("isIP('x') || object.spec.s%d", i), 1)
		in += strings.TrimRight(one, "\n") + fmt.Sprintf("\n  since: %q\n", []string{"", "1.31", "1.35"}[i%3])
	}
	read, err := yaml.YAMLToJSON([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	check := func() []finding {
		t.Helper()
		var out, errOut bytes.Buffer
		if code := run(t.Context(), []string{"conditions"}, bytes.NewReader(read), &out, &errOut); code != 0 {
			t.Fatalf("exit code %d: %s", code, &errOut)
		}
		var answer struct{ Findings []finding }
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			t.Fatal(err)
		}
		return answer.Findings
	}
	want := check()
	refused := 0
	for i, f := range want {
		if i > 0 && *f.Policy < *want[i-1].Policy {
			t.Errorf("policy %d is behind policy %d", *f.Policy, *want[i-1].Policy)
		}
		if strings.Contains(f.Message, "isIP") {
			refused++
		}
	}
	if refused != 50 { // 1.30 compiles new expressions as 1.29 does, which has no isIP
		t.Errorf("isIP is refused %d times", refused)
	}
	runtime.GOMAXPROCS(4)
	if got := check(); !reflect.DeepEqual(got, want) {
		t.Errorf("on four processors there are other findings: %d in place of %d", len(got), len(want))
	}
}
