// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/explain/project"
)

const described = `
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
  webhooks: [{kinds: [{group: g, version: v1, kind: Widget}]}]
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

// read returns a project that is written as YAML.
func read(t *testing.T, text string) *project.Project {
	t.Helper()
	p := &project.Project{}
	if err := yaml.UnmarshalStrict([]byte(text), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCheck has findings about a webhook and a policy.
func TestCheck(t *testing.T) {
	found, err := Check(read(t, described), "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		at := fmt.Sprintf("webhook %d/%d/%d", f.Configuration, f.Webhook, f.Condition)
		if f.Policy != nil {
			at = fmt.Sprintf("policy %d %s", *f.Policy, f.Field)
		}
		got = append(got, fmt.Sprintf("%s %s %d-%d: %s", f.Rule, at, f.From, f.To, f.Message))
	}
	want := []string{
		"E22 webhook 0/0/2 5-5: the expression does not compile: Syntax error: mismatched input '<EOF>'",
		"E22 webhook 0/0/3 4-5: the expression does not compile: undeclared reference to 'isIP'",
		"W2 webhook 0/0/1 24-46: object.metadata.labels may be missing",
		"P21 webhook 0/0/0 12-16: undefined field 'sise' in Widget.spec: did you mean size?; an API server accepts the expression, webhook-gen compares it with the Go type",
		"P22 webhook 0/0/1 0-16: object.spec.size may be missing",
		"P20 policy 0 spec.validations[1].messageExpression 0-16: the expression must evaluate to string but got dyn",
		"P22 policy 0 spec.validations[1].expression 0-16: object.spec.size may be missing",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for _, version := range []string{"x", "2.1", "1.0"} {
		if _, err := Check(read(t, described), version); err == nil || !strings.Contains(err.Error(), "--kube-version") {
			t.Errorf("version %q: %v", version, err)
		}
	}
}

// TestCheckSince compiles the expressions of a policy that replaces a webhook for the first version that has it.
func TestCheckSince(t *testing.T) {
	for since, refused := range map[string]bool{"": true, "1.30": true, "1.33": false} {
		text := strings.Replace(described, "object.spec.size > 1\", messageExpression: \"object.spec.sice", "isIP('x')", 1)
		text = strings.Replace(text, "  bindings: []", "  since: \""+since+"\"\n  bindings: []", 1)
		found, err := Check(read(t, text), "")
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(found, func(f Finding) bool { return f.Rule == "P20" }) != refused {
			t.Errorf("since %q: %+v", since, found)
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
	p := read(t, in)
	check := func() []Finding {
		t.Helper()
		found, err := Check(p, "")
		if err != nil {
			t.Fatal(err)
		}
		return found
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
