// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/explain/internal/policy"
)

// TestPatchable compares P32, about JSON patches of fields that an object may lack, with an API server's patches of
// objects that lack them: a patch without the finding never fails, one with it does.
func TestPatchable(t *testing.T) {
	const head = `
types:
- group: shop.example.com
  version: v1
  kind: Widget
  schema:
    type: object
    required: [spec]
    properties:
      spec:
        type: object
        required: [always]
        properties:
          replicas: {type: integer}
          always: {type: object, properties: {note: {type: string}}}
          options: {type: object, additionalProperties: {type: object, properties: {value: {type: string}}}}
          nested: {type: object, properties: {deep: {type: object, properties: {value: {type: string}}}}}
          items: {type: array, items: {type: object, properties: {name: {type: string}, more: {type: object, properties: {value: {type: string}}}}}}
policies:
- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: MutatingAdmissionPolicy
    metadata: {name: p}
    spec:
      matchConstraints: {resourceRules: [{apiGroups: [shop.example.com], apiVersions: [v1], resources: [widgets], operations: [CREATE, UPDATE]}]}
      reinvocationPolicy: Never
`
	const tail = `
  bindings: [{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingAdmissionPolicyBinding, metadata: {name: p}, spec: {policyName: p}}]
  kinds: [{group: shop.example.com, version: v1, kind: Widget}]
`
	objects := []string{
		"{metadata: {name: w}, spec: {always: {}}}",
		"{metadata: {name: w, annotations: {a: b}}, spec: {always: {}, options: {z: {}}, nested: {}}}",
		"{metadata: {name: w}, spec: {always: {}, nested: {deep: {}}}}",
		"{metadata: {name: w, labels: {a: b}, annotations: {a: b}}, spec: {replicas: 1, always: {note: x}, options: {a: {value: b}}, nested: {deep: {value: x}}, items: [{name: x, more: {value: b}}]}}",
	}
	label := `JSONPatch{op: 'add', path: '/metadata/labels/x', value: 'y'}`
	for _, test := range []struct {
		mutations []string // JSON patches, and apply configurations that begin with Object
		condition string
		want      string // the text at which P32 is reported, and the field; empty for none
	}{
		{[]string{"[" + label + "]"}, "", "'/metadata/labels/x': object.metadata.labels"},
		{[]string{"[" + label + "]"}, "has(object.metadata.labels)", ""},
		{[]string{"[" + label + "]"}, "'x' in object.metadata.?labels.orValue({}) || true", "'/metadata/labels/x': object.metadata.labels"},
		{[]string{"has(object.metadata.labels) ? [" + label + "] : []"}, "", ""},
		{[]string{"has(object.metadata.labels) ? [" + label + "] : [JSONPatch{op: 'add', path: '/metadata/labels', value: {'x': 'y'}}]"}, "", ""},
		{[]string{"!has(object.metadata.annotations) ? [] : [" + label + "]"}, "", "'/metadata/labels/x': object.metadata.labels"},
		{[]string{"[JSONPatch{op: 'add', path: '/metadata/labels', value: {}}, " + label + "]"}, "", ""},
		{[]string{"(has(object.metadata.labels) ? [] : [JSONPatch{op: 'add', path: '/metadata/labels', value: {}}]) + [" + label + "]"}, "", ""},
		{[]string{"[" + label + ", JSONPatch{op: 'add', path: '/metadata/labels', value: {}}]"}, "", "'/metadata/labels/x': object.metadata.labels"},
		{[]string{"[" + label + ", JSONPatch{op: 'add', path: '/metadata/labels/z', value: 'y'}]"}, "", "'/metadata/labels/x': object.metadata.labels"},
		{[]string{"Object{metadata: Object.metadata{labels: {'a': 'b'}}}", "[" + label + "]"}, "", ""},
		{[]string{"[" + label + "]", "Object{metadata: Object.metadata{labels: {'a': 'b'}}}"}, "", "'/metadata/labels/x': object.metadata.labels"},
		{[]string{"Object{spec: Object.spec{nested: Object.spec.nested{}}}", "[JSONPatch{op: 'add', path: '/spec/nested/deep', value: {'value': 'x'}}]"}, "", ""},
		{[]string{"Object{spec: Object.spec{replicas: 1}}", "[JSONPatch{op: 'add', path: '/spec/nested/deep', value: {'value': 'x'}}]"}, "", "'/spec/nested/deep': object.spec.nested"},
		{[]string{"[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'y'}]"}, "", "'/metadata/labels/': object.metadata.labels"},
		{[]string{"[JSONPatch{op: 'add', path: '/spec/always/note', value: 'y'}, JSONPatch{op: 'replace', path: '/spec/replicas', value: 3}]"}, "", ""},
		{[]string{"[JSONPatch{op: 'add', path: '/spec/options/a/value', value: 'y'}]"}, "has(object.spec.options)", "'/spec/options/a/value': object.spec.options.a"},
		{[]string{"[JSONPatch{op: 'add', path: '/spec/options/a/value', value: 'y'}]"}, "has(object.spec.options) && 'a' in object.spec.options", ""},
		{[]string{"[JSONPatch{op: 'add', path: '/spec/nested/deep/value', value: 'y'}]"}, "has(object.spec.nested)", "'/spec/nested/deep/value': object.spec.nested.deep"},
		{[]string{"[JSONPatch{op: 'add', path: '/spec/nested/deep/value', value: 'y'}]"}, "has(object.spec.nested) && has(object.spec.nested.deep)", ""},
		{[]string{"[JSONPatch{op: 'add', path: '/spec/items/-', value: {'name': 'y'}}]"}, "", "'/spec/items/-': object.spec.items"},
		{[]string{"[JSONPatch{op: 'add', path: '/spec/items/0/name', value: 'y'}]"}, "has(object.spec.items)", ""},
		{[]string{"[JSONPatch{op: 'remove', path: '/spec/nested'}]"}, "", "'/spec/nested': object.spec.nested"},
		{[]string{"[JSONPatch{op: 'remove', path: '/spec/nested'}]"}, "has(object.spec.nested)", ""},
		{[]string{"[JSONPatch{op: 'remove', path: '/metadata/labels/a'}]"}, "'a' in object.metadata.?labels.orValue({})", ""},
		{[]string{"[JSONPatch{op: 'remove', path: '/metadata/labels/a'}]"}, "'a' in object.metadata.?labels.orValue({'a': 'b'})", "'/metadata/labels/a': object.metadata.labels"},
		{[]string{"[JSONPatch{op: 'remove', path: '/metadata/labels/a'}]"}, "has(object.metadata.labels) && 'a' in object.metadata.labels", ""},
		{[]string{"[JSONPatch{op: 'test', path: '/spec/replicas', value: 7}, JSONPatch{op: 'replace', path: '/spec/replicas', value: 3}]"}, "", ""},
		{[]string{"[JSONPatch{op: 'test', path: '/spec/nested', value: {'deep': {'value': 'z'}}}, JSONPatch{op: 'remove', path: '/spec/nested/deep'}]"}, "", ""},
		{[]string{"[JSONPatch{op: 'test', path: '/spec/nested/deep', value: {'value': 'z'}}]"}, "", "'/spec/nested/deep': object.spec.nested"},
		{[]string{"[JSONPatch{op: 'copy', from: '/spec/nested/deep/value', path: '/spec/always/note'}]"}, "", "'/spec/nested/deep/value': object.spec.nested"},
		{[]string{"[JSONPatch{op: 'move', from: '/spec/always/note', path: '/spec/nested/deep/value'}]"}, "has(object.spec.nested) && has(object.spec.nested.deep)", "'/spec/always/note': object.spec.always.note"},
		{[]string{"[JSONPatch{op: request.operation == 'CREATE' ? 'add' : 'replace', path: '/spec/replicas', value: 3}]"}, "", ""},
	} {
		var b strings.Builder
		b.WriteString(head)
		if test.condition != "" {
			fmt.Fprintf(&b, "      matchConditions: [{name: c, expression: %q}]\n", test.condition)
		}
		b.WriteString("      mutations:\n")
		for _, m := range test.mutations {
			field, kind := "jsonPatch", "JSONPatch"
			if strings.HasPrefix(m, "Object") {
				field, kind = "applyConfiguration", "ApplyConfiguration"
			}
			fmt.Fprintf(&b, "      - {patchType: %s, %s: {expression: %q}}\n", kind, field, m)
		}
		b.WriteString(tail)
		var in input
		if err := yaml.UnmarshalStrict([]byte(strings.TrimPrefix(b.String(), "\n")), &in); err != nil {
			t.Fatal(err)
		}
		checker, err := policy.NewChecker(nil, in.Types)
		if err != nil {
			t.Fatal(err)
		}
		found, err := checker.Policy(in.Policies[0])
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range found {
			if f.Rule != policy.Patchable {
				t.Errorf("%q: %s", test.mutations, f.Message)
				continue
			}
			var index int
			if _, err := fmt.Sscanf(f.Field, "spec.mutations[%d].", &index); err != nil {
				t.Fatal(err)
			}
			got += fmt.Sprintf("%s: %s", test.mutations[index][f.From:f.To], strings.SplitN(f.Message, " ", 2)[0])
		}
		if got != test.want {
			t.Errorf("%q with the condition %q: got %q, want %q", test.mutations, test.condition, got, test.want)
		}
		failed := ""
		for _, object := range objects {
			var r Request
			if err := yaml.Unmarshal([]byte(widget+"operation: CREATE\nobject: "+object), &r); err != nil {
				t.Fatal(err)
			}
			in.Requests = []Request{r}
			answers, err := Run(t.Context(), &in.Project, in.Requests)
			if err != nil {
				t.Fatal(err)
			}
			if !answers[0].Allowed {
				failed = answers[0].Message + answers[0].Error
			}
		}
		if (failed != "") != (test.want != "") {
			t.Errorf("%q with the condition %q: the patch gives %q, and the finding is %q", test.mutations, test.condition, failed, test.want)
		}
	}
}
