// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/explain/project"
)

// widget is the type of a custom resource, limits are params, and pod is a part of a core type.
const testTypes = `
- group: shop.example.com
  version: v1
  kind: Widget
  schema:
    type: object
    required: [spec]
    properties:
      spec:
        type: object
        required: [replicas, items, memory, mode]
        properties:
          replicas: {type: integer, format: int32}
          ratio: {type: number}
          mode: {type: string, enum: [fast, slow]}
          title: {type: string, maxLength: 100}
          note: {type: string}
          memory: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'}
          port: {x-kubernetes-int-or-string: true}
          until: {type: string, format: date-time}
          free: {type: object, x-kubernetes-preserve-unknown-fields: true}
          defaulted: {type: integer, default: 1}
          many: {type: array, nullable: true, maxItems: 10, items: {type: integer}}
          tags: {type: array, maxItems: 10, items: {type: string, maxLength: 20}, x-kubernetes-list-type: set}
          words: {type: array, items: {type: string}}
          options: {type: object, additionalProperties: {type: string, maxLength: 20}, maxProperties: 10}
          nested:
            type: object
            properties:
              deep: {type: object, properties: {value: {type: string}}}
          items:
            type: array
            maxItems: 20
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [name]
            items:
              type: object
              required: [name]
              properties: {name: {type: string, maxLength: 63}, size: {type: integer}, namespace: {type: string, maxLength: 63}}
- {group: shop.example.com, version: v1, kind: Zone, scope: Cluster, schema: {type: object}}
- group: shop.example.com
  version: v1
  kind: Limits
  schema: {type: object, required: [maximum], properties: {maximum: {type: integer}, minimum: {type: integer}}}
- version: v1
  kind: Pod
  schema:
    type: object
    properties:
      spec:
        type: object
        required: [containers]
        properties:
          nodeName: {type: string}
          hostNetwork: {type: boolean}
          containers:
            type: array
            x-kubernetes-list-type: map
            x-kubernetes-list-map-keys: [name]
            items:
              type: object
              required: [name]
              properties:
                name: {type: string}
                image: {type: string}
                resources:
                  type: object
                  properties:
                    limits:
                      type: object
                      additionalProperties: {x-kubernetes-int-or-string: true, pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'}
`

func typesOf(t testing.TB) []project.Type {
	var all []project.Type
	if err := yaml.Unmarshal([]byte(testTypes), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// newPolicy returns a policy for a kind with a spec in YAML. Its rules match CREATE and UPDATE, unless the spec has
// operations.
func newPolicy(t testing.TB, kind, spec string, kinds ...string) project.Policy {
	t.Helper()
	p := project.Policy{}
	operations := "[CREATE, UPDATE]"
	if before, after, ok := strings.Cut(spec, "operations: "); ok {
		line, rest, _ := strings.Cut(after, "\n")
		operations, spec = line, before+rest
	}
	text := "apiVersion: admissionregistration.k8s.io/v1\nkind: " + kind + "\nmetadata: {name: p}\nspec:\n  matchConstraints: {resourceRules: [{operations: " + operations +
		", apiGroups: [g], apiVersions: [v1], resources: [things]}]}\n" + indent(spec)
	if err := yaml.Unmarshal([]byte(text), &p.Object.Object); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for _, k := range kinds {
		group := "shop.example.com"
		if k == "Pod" {
			group = ""
		}
		p.Kinds = append(p.Kinds, project.GroupVersionKind{Group: group, Version: "v1", Kind: k})
	}
	return p
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
}

// texts writes findings as "rule field at the text: message".
func texts(t testing.TB, p project.Policy, found []Finding) []string {
	t.Helper()
	s, err := readSpec(&p.Object)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range found {
		i := slices.IndexFunc(s.expressions(), func(e expression) bool { return e.field == f.Field })
		if i < 0 {
			t.Fatalf("no expression %s", f.Field)
		}
		text := s.expressions()[i].text
		if f.From < 0 || f.To > len(text) || f.From > f.To {
			t.Fatalf("bytes %d to %d of %q", f.From, f.To, text)
		}
		all = append(all, fmt.Sprintf("%s %s at %s: %s", f.Rule, strings.TrimPrefix(f.Field, "spec."), text[f.From:f.To], strings.TrimSuffix(f.Message, ours)))
	}
	return all
}

func newChecker(t testing.TB, minimum string) *Checker {
	t.Helper()
	var v *version.Version
	if minimum != "" {
		v = version.MustParse(minimum)
	}
	c, err := NewChecker(v, typesOf(t))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func expect(t *testing.T, c *Checker, p project.Policy, want []string) {
	t.Helper()
	found, err := c.Policy(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(t, p, found); !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// TestValidations has one validation of a Widget each.
func TestValidations(t *testing.T) {
	c := newChecker(t, "")
	for _, test := range []struct {
		expression string
		want       []string
	}{
		{"object.spec.replicas > 1", nil},
		{"object.spec.replcas > 1", []string{
			"P21 validations[0].expression at replcas: undefined field 'replcas' in Widget.spec: did you mean replicas?",
		}},
		{"objekt.spec.replicas > 1", []string{
			"P20 validations[0].expression at objekt: the expression does not compile: undeclared reference to 'objekt'",
		}},
		{"object.spec.replicas", []string{
			"P20 validations[0].expression at object.spec.replicas: the expression must evaluate to bool but got dyn",
		}},
		{"object.spec.replicas > '1'", []string{
			"P21 validations[0].expression at >: found no matching overload for '_>_' applied to '(int, string)'",
		}},
		{"object.spec.replicas > 1.5 && object.spec.mode == 'fast'", nil},
		{"object.spec.items.all(i, i.nam == 'x')", []string{
			"P21 validations[0].expression at nam: undefined field 'nam' in Widget.spec.items[]: did you mean name?",
		}},
		{"object.spec.items.all(i, i.size > 1)", []string{
			"P22 validations[0].expression at i.size: i.size may be missing",
		}},
		{"object.spec.items.all(i, !has(i.size) || i.size > 1)", nil},
		{"object.spec.items.all(i, has(i.size) && i.size > 1)", nil},
		{"object.spec.items.filter(i, has(i.size)).all(i, i.size > 1)", nil},
		{"object.spec.items[0].size > 1", []string{
			"P22 validations[0].expression at object.spec.items[0].size: object.spec.items[0].size may be missing",
		}},
		{"!has(object.spec.items[0].size) || object.spec.items[0].size > 1", nil},
		{"object.spec.items.exists(i, object.spec.items.exists(j, j.namespace != i.namespace))", []string{
			"P22 validations[0].expression at j.namespace: j.namespace may be missing",
			"P22 validations[0].expression at i.namespace: i.namespace may be missing",
		}},
		{"object.spec.memory > '1Gi'", []string{
			"P21 validations[0].expression at object.spec.memory: a quantity is a text such as 500m or 1Gi, which operators do not compare: use quantity(x).compareTo(y), isLessThan or isGreaterThan",
		}},
		{"quantity(object.spec.memory).isLessThan(quantity('1Gi'))", nil},
		{"type(object.spec.port) == int ? object.spec.port > 80 : object.spec.port == 'http'", []string{
			"P22 validations[0].expression at object.spec.port: object.spec.port may be missing",
		}},
		{"has(object.spec.port) && (type(object.spec.port) == int ? object.spec.port > 80 : object.spec.port == 'http')", nil},
		{"has(object.spec.free) && object.spec.free.anything == 1", nil},
		{"object.spec.defaulted > 1", nil},
		{"object.spec['replicas'] > 1 && 'mode' in object.spec", nil},
		{"object.exists(k, k != 'spec') && object.spec.all(k, k in oldObject.spec)", []string{
			"P22 validations[0].expression at oldObject: oldObject is null on CREATE",
		}},
		{"object.exists(k, k != 'spec') && (oldObject == null || object.spec.all(k, k in oldObject.spec))", nil},
		{"object.spec == oldObject.spec", []string{
			"P22 validations[0].expression at oldObject: oldObject is null on CREATE",
		}},
		{"oldObject == null || object.spec.mode == oldObject.spec.mode", nil},
		{"request.operation == 'CREATE' || object.spec.mode == oldObject.spec.mode", nil},
		{"has(object.spec.until) && timestamp(object.spec.until) > timestamp('2020-01-01T00:00:00Z')", nil},
		{"has(object.spec.until) && object.spec.until > timestamp('2020-01-01T00:00:00Z')", []string{
			"P21 validations[0].expression at >: found no matching overload for '_>_' applied to '(string, timestamp)'",
		}},
		{"object.spec.?note.orValue('') != ''", nil},
		{"!has(object.spec.many) || object.spec.many == null || object.spec.many.all(m, m > 1)", nil},
		{"!has(object.spec.nested) || object.spec.nested == null || has(object.spec.nested.deep)", nil},
		{"'a' in object.spec.?options.orValue({}) && object.spec.options['a'] == 'b'", nil},
		{"object.spec.nested.deep.value == 'x'", []string{
			"P22 validations[0].expression at object.spec.nested: object.spec.nested may be missing",
		}},
		{"has(object.spec.nested.deep.value)", []string{
			"P22 validations[0].expression at object.spec.nested: object.spec.nested may be missing",
		}},
		{"has(object.spec.nested) && has(object.spec.nested.deep) && object.spec.nested.deep.value == 'x'", []string{
			"P22 validations[0].expression at object.spec.nested.deep.value: object.spec.nested.deep.value may be missing",
		}},
		{"object.metadata.labels['a'] == 'b'", []string{
			"P22 validations[0].expression at object.metadata.labels: object.metadata.labels may be missing",
		}},
		{"object.metadata.namespace != 'x' && object.metadata.name.startsWith('w')", nil},
		{"has(object.spec.options) && object.spec.options['a'] == 'b'", []string{
			"P22 validations[0].expression at object.spec.options['a']: object.spec.options['a'] may be missing",
		}},
		{"has(object.spec.words) && object.spec.words.all(w, w != '')", []string{
			"P23 validations[0].expression at has(object.spec.words) && object.spec.words.all(w, w != ''): the worst case costs about 4194306, and an API server stops an expression at 1000000; object.spec.words can have 1048575 items, by the size of a request: bound it, in your own types with +kubebuilder:validation:MaxItems, or read less of it",
		}},
		{"has(object.spec.words) && object.spec.words.all(w, object.spec.words.exists_one(v, v == w))", []string{
			"P23 validations[0].expression at has(object.spec.words) && object.spec.words.all(w, object.spec.words.exists_one(v, v == w)): the worst case costs about 3.5e+17, and an API server stops an expression at 1000000; object.spec.words can have 1048575 items, by the size of a request: bound it, in your own types with +kubebuilder:validation:MaxItems, or read less of it",
		}},
		{"has(object.spec.tags) && object.spec.tags.all(w, object.spec.tags.exists_one(v, v == w))", nil},
		{"has(object.spec.note) && object.spec.note.matches('^(a+)+$')", nil},
		{"object.metadata.labels.all(k, k.startsWith('a'))", []string{
			"P22 validations[0].expression at object.metadata.labels: object.metadata.labels may be missing",
		}},
		{"params.maximum > 1", []string{
			"P20 validations[0].expression at params: the expression does not compile: undeclared reference to 'params'",
		}},
		{"object.spec.mode == 'ä' && object.spec.ttle == 'x'", []string{
			"P21 validations[0].expression at ttle: undefined field 'ttle' in Widget.spec: did you mean title?",
		}},
		{"(object.spec.items + object.spec.?many.orValue([])).size() > 0", nil},
		{"(object.spec.items + object.spec.?words.orValue([])).all(x, x != 'a') && object.spec.items.all(i, i.size > 1)", []string{
			"P22 validations[0].expression at i.size: i.size may be missing",
		}},
		{"(object.spec.items + object.spec.?words).size() > 0", []string{
			"P20 validations[0].expression at +: the expression does not compile: found no matching overload for '_+_' applied to '(dyn, optional_type(dyn))'",
		}},
		{"has(object.spec.options) && object.spec.options != null && object.spec.replicas != null && object.metadata.creationTimestamp != null", nil},
		{"has(object.spec.words) ? object.spec.words != null : true", nil},
		{"object.spec.?options.orValue([]).all(o, o != 'x')", nil},
		{"(has(object.spec.words) ? object.spec.words : object.spec.items).size() > 1", nil},
		{"object.spec.replicas == '1'", []string{
			"P33 validations[0].expression at =: found no matching overload for '_==_' applied to '(int, string)'",
		}},
		{"object.spec.replicas in ['1'] || object.spec.mode in object.spec", []string{
			"P33 validations[0].expression at in: found no matching overload for '@in' applied to '(int, list(string))'",
		}},
		{"object.spec.replicas + '1' == '11'", []string{
			"P21 validations[0].expression at +: found no matching overload for '_+_' applied to '(int, string)'",
		}},
		{"[object.spec.replicas, object.spec.mode].size() == 2", nil},
		{"has(object.spec.titel) && object.spec.titel == 'x'", []string{
			"P33 validations[0].expression at titel: undefined field 'titel' in Widget.spec: did you mean title?",
			"P33 validations[0].expression at titel: undefined field 'titel' in Widget.spec: did you mean title?",
		}},
		{"namespaceObject.metadata.labels['team'] == 'red'", []string{
			"P22 validations[0].expression at namespaceObject.metadata.labels['team']: namespaceObject.metadata.labels['team'] may be missing",
		}},
		{"'team' in namespaceObject.metadata.labels && namespaceObject.metadata.labels['team'] == 'red'", nil},
		{"namespaceObject.metadata.labels['kubernetes.io/metadata.name'] != 'red' && namespaceObject.metadata.name != 'x'", nil},
		{"object.spec.mode.split(':')[1] != 'x' && object.spec.mode.split(':')[0] != 'y'", []string{
			"P22 validations[0].expression at object.spec.mode.split(':')[1]: object.spec.mode.split(':')[1] fails where the text has no such part: index out of bounds",
		}},
		{"object.spec.mode.contains(':') && object.spec.mode.split(':')[1] != 'x'", nil},
		{"object.spec.mode.split(':')[?1].orValue('') != 'x'", nil},
		{"object.spec.memory.isGreaterThan(quantity('1Gi'))", []string{
			"P21 validations[0].expression at object.spec.memory: a quantity is a text or a number, which has no function isGreaterThan: use quantity(x).isGreaterThan",
		}},
		{"object.spec.mode.isGreaterThan(quantity('1Gi'))", []string{
			"P21 validations[0].expression at (: found no matching overload for 'isGreaterThan' applied to 'string.(kubernetes.Quantity)'",
		}},
		{"has(object.spec.port) && object.spec.port.intVal > 80", []string{
			"P21 validations[0].expression at object.spec.port.intVal: the value is a text or a number, which has no fields in JSON: use type(x) == int or type(x) == string",
		}},
		{"has(object.spec.port) && type(object.spec.port) == string && object.spec.port.startsWith('h')", nil},
		{"has(object.spec.titel)", []string{
			"P33 validations[0].expression at titel: undefined field 'titel' in Widget.spec: did you mean title?",
		}},
	} {
		expect(t, c, newPolicy(t, "ValidatingAdmissionPolicy", fmt.Sprintf("validations: [{expression: %q}]", test.expression), "Widget"), test.want)
	}
}

// TestPolicies has whole policies.
func TestPolicies(t *testing.T) {
	c := newChecker(t, "")
	for name, test := range map[string]struct {
		kind, spec string
		kinds      []string
		bindings   string
		want       []string
	}{
		"variables": {"Validating", `
variables:
- {name: items, expression: "object.spec.itms"}
- {name: all, expression: "object.spec.items"}
- {name: size, expression: "object.spec.items[0].size"}
- {name: unread, expression: "object.spec.items[0].size"}
- {name: tags, expression: "object.spec.tags"}
- {name: sized, expression: "variables.all.filter(i, has(i.size))"}
validations:
- {expression: "variables.all.all(i, i.nme != '') && variables.nothing"}
- {expression: "variables.size > 1 || has(object.spec.items[0].size)"}
- {expression: "has(object.spec.items[0].size) && variables.size > 1"}
- {expression: "variables.all.all(i, i.size > 1)"}
- {expression: "variables.sized.all(i, i.size > 1)"}
- {expression: "has(object.spec.tags) && variables.tags.all(a, variables.tags.all(b, variables.tags.all(c, a + b + c != '')))"}
- {expression: "object.?spec.?tittle.orValue('') != ''"}`, []string{"Widget"}, "", []string{
			"P20 validations[0].expression at nothing: the expression does not compile: undefined field 'nothing'",
			"P21 variables[0].expression at itms: undefined field 'itms' in Widget.spec: did you mean items?",
			"P33 validations[6].expression at tittle: undefined field 'tittle'",
			"P22 variables[2].expression at object.spec.items[0].size: object.spec.items[0].size may be missing",
			"P22 validations[3].expression at i.size: i.size may be missing",
		}},
		"variables guard": {"Validating", `
variables:
- {name: noted, expression: "has(object.spec.note)"}
- {name: bare, expression: "!variables.noted || !has(object.spec.title)"}
- {name: some, expression: "has(object.spec.note) || has(object.spec.title)"}
validations:
- {expression: "!variables.noted || object.spec.note != ''"}
- {expression: "variables.noted ? object.spec.note != '' : object.spec.mode == 'x'"}
- {expression: "variables.bare || object.spec.note != object.spec.title"}
- {expression: "variables.noted || object.spec.note != ''"}
- {expression: "!variables.some || object.spec.note != ''"}`, []string{"Widget"}, "", []string{
			"P22 validations[3].expression at object.spec.note: object.spec.note may be missing",
			"P22 validations[4].expression at object.spec.note: object.spec.note may be missing",
		}},
		"variables are not seen by match conditions": {"Validating", `
matchConditions: [{name: c, expression: "variables.x"}]
variables: [{name: x, expression: "true"}]
validations: [{expression: "variables.x == true"}]`, []string{"Widget"}, "", []string{
			"P20 matchConditions[0].expression at variables: the expression does not compile: undeclared reference to 'variables'",
		}},
		"match conditions guard": {"Validating", `
operations: [CREATE, UPDATE, DELETE]
matchConditions:
- {name: a, expression: "request.operation != 'DELETE'"}
- {name: b, expression: "has(object.spec.note)"}
- {name: c, expression: "object.spec.title != ''"}
validations: [{expression: "object.spec.note == object.spec.ratio"}, {expression: "object.spec.note == 'x' && object.spec.mode == 'y'"}]`, []string{"Widget"}, "", []string{
			"P33 validations[0].expression at =: found no matching overload for '_==_' applied to '(string, double)'",
			"P22 matchConditions[2].expression at object.spec.title: object.spec.title may be missing",
			"P22 validations[0].expression at object.spec.ratio: object.spec.ratio may be missing",
		}},
		"a deleted object is null": {"Validating", `
operations: [DELETE]
validations: [{expression: "object.spec.mode == 'x'"}, {expression: "oldObject.spec.mode == 'x'"}]`, []string{"Widget"}, "", []string{
			"P22 validations[0].expression at object: object is null on DELETE",
		}},
		"messages": {"Validating", `
validations:
- {expression: "!has(object.spec.note)", messageExpression: "'bad ' + object.spec.note"}
- {expression: "object.spec.replicas < 3", messageExpression: "'bad ' + object.spec.note"}
- {expression: "object.spec.replicas < 3", messageExpression: "object.spec.replicas + 1"}
- {expression: "object.spec.replicas < 3", messageExpression: "string(authorizer.path('/x').check('get').allowed())"}
auditAnnotations:
- {key: a, valueExpression: "object.spec.nte"}
- {key: b, valueExpression: "object.spec.replicas > 1"}
- {key: c, valueExpression: "'free: ' + string(object.spec.replicas)"}`, []string{"Widget"}, "", []string{
			"P20 validations[2].messageExpression at object.spec.replicas + 1: the expression must evaluate to string but got int",
			"P20 validations[3].messageExpression at authorizer: the expression does not compile: undeclared reference to 'authorizer'",
			"P20 auditAnnotations[0].valueExpression at object.spec.nte: the expression must evaluate to one of [string null_type] but got dyn",
			"P20 auditAnnotations[1].valueExpression at object.spec.replicas > 1: the expression must evaluate to one of [string null_type] but got bool",
			"P22 validations[1].messageExpression at object.spec.note: object.spec.note may be missing",
		}},
		"params": {"Validating", `
paramKind: {apiVersion: shop.example.com/v1, kind: Limits}
validations:
- {expression: "object.spec.replicas <= params.maximum && params.minimum < 1"}
- {expression: "object.spec.replicas <= params.maxmum"}`, []string{"Widget"}, "[{apiVersion: a, kind: B, metadata: {name: b}, spec: {paramRef: {name: x}}}]", []string{
			"P21 validations[1].expression at maxmum: undefined field 'maxmum' in Limits: did you mean maximum?",
			"P22 validations[0].expression at params.minimum: params.minimum may be missing",
		}},
		"params may be null": {"Validating", `
paramKind: {apiVersion: v1, kind: Unknown}
validations:
- {expression: "object.spec.replicas <= params.maximum"}
- {expression: "params == null || object.spec.replicas <= params.maximum"}`, []string{"Widget"}, "[{apiVersion: a, kind: B, metadata: {name: b}, spec: {}}]", []string{
			"P22 validations[0].expression at params: params is null: the binding b has no paramRef",
		}},
		"core types": {"Validating", `
validations:
- {expression: "object.spec.containers.all(c, c.image.startsWith('example.com/'))"}
- {expression: "object.spec.hostNetwork != true"}
- {expression: "object.spec.containers[0].resources.limits.memory > '1Gi'"}
- {expression: "has(object.spec.containers[0].resources.limits) && 'memory' in object.spec.containers[0].resources.limits && quantity(object.spec.containers[0].resources.limits.memory).isLessThan(quantity('1Gi'))"}`, []string{"Pod"}, "", []string{
			"P21 validations[2].expression at object.spec.containers[0].resources.limits.memory: a quantity is a text such as 500m or 1Gi, which operators do not compare: use quantity(x).compareTo(y), isLessThan or isGreaterThan",
			"P22 validations[0].expression at c.image: c.image may be missing",
			"P22 validations[1].expression at object.spec.hostNetwork: object.spec.hostNetwork may be missing",
			"P22 validations[2].expression at object.spec.containers[0].resources.limits: object.spec.containers[0].resources.limits may be missing",
		}},
		"several kinds": {"Validating", `
validations:
- {expression: "has(object.spec.containers) || has(object.spec.items)"}
- {expression: "object.spec.replicas > 1"}
- {expression: "has(object.spec.neither)"}`, []string{"Pod", "Widget"}, "", []string{
			"P21 validations[1].expression at replicas: undefined field 'replicas' in Pod.spec",
			"P33 validations[2].expression at neither: undefined field 'neither' in Pod.spec",
			"P33 validations[2].expression at neither: undefined field 'neither' in Widget.spec: did you mean nested?",
		}},
		"no kind": {"Validating", `
validations: [{expression: "object.spec.anything > 1"}, {expression: "request.userInfo.groups.all(g, g != 'x')"}]`, nil, "", nil},
		"an index behind split": {"Validating", `
variables:
- {name: parts, expression: "object.spec.mode.split(':')"}
validations: [{expression: "variables.parts[2] == 'x'"}]`, []string{"Widget"}, "", []string{
			"P22 validations[0].expression at variables.parts[2]: variables.parts[2] fails where the text has no such part: index out of bounds",
		}},
		"an index behind a test": {"Validating", `
matchConditions: [{name: c, expression: "object.spec.mode.matches('.*:.*:.*')"}]
validations: [{expression: "object.spec.mode.split(':')[2] == 'x'"}]`, []string{"Widget"}, "", nil},
		"no namespace": {"Validating", `
validations:
- {expression: "namespaceObject.metadata.name == 'x'"}
- {expression: "object.metadata.name == 'x' || namespaceObject.metadata.name == 'x'"}
- {expression: "namespaceObject == null || namespaceObject.metadata.name == 'x'"}`, []string{"Zone"}, "", []string{
			"P21 validations[0].expression at namespaceObject: namespaceObject is null for objects without a namespace",
			"P22 validations[1].expression at namespaceObject: namespaceObject is null for objects without a namespace",
		}},
		"literals in apply configurations": {"Mutating", `
variables:
- {name: spec, expression: "{'tags': ['new']}"}
- {name: labels, expression: "{'a': 'b'}"}
mutations:
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: {'tags': ['new']}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: variables.spec, metadata: Object.metadata{labels: variables.labels}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: {'titel': 'x'}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{items: [{'name': 'a'}]}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: Object.metadata.labels{a: 'b'}}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: {'nested': Object.spec.nested{}}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{items: object.spec.items.map(i, {'name': i.name})}}"}}
- {patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/spec', value: Object.spec{tags: ['x']}}]"}}`, []string{"Widget"}, "", []string{
			"P21 mutations[0].applyConfiguration.expression at [: Widget.spec.tags is in a map, from which an apply configuration takes no lists and maps: write Object.spec{tags: ...}",
			"P21 mutations[1].applyConfiguration.expression at variables.spec: Widget.spec.tags is in a map, from which an apply configuration takes no lists and maps: write Object.spec{tags: ...}",
			"P21 mutations[2].applyConfiguration.expression at 'titel': Widget.spec has no field titel (did you mean title?)",
			"P21 mutations[3].applyConfiguration.expression at {: Widget.spec.items is a list of literals, which an apply configuration cannot have: write [Object.spec.items{...}]",
			"P21 mutations[5].applyConfiguration.expression at Object.spec.nested: Widget.spec.nested is in a map, from which an apply configuration takes no Object.spec.nested: write Object.spec{nested: ...}",
			"P21 mutations[6].applyConfiguration.expression at {: Widget.spec.items is a list of literals, which an apply configuration cannot have: write [Object.spec.items{...}]",
		}},
		"choices of literals in apply configurations": {"Mutating", `
variables:
- {name: item, expression: "{'name': 'a'}"}
mutations:
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: has(object.spec.title) ? {'tags': ['new']} : {'tags': ['old']}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{items: [{'name': 'b'}] + [variables.item]}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{items: [variables.item]}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: has(object.spec.title) ? {'title': 'y'} : {'title': 'x'}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{title: 'x' + 'y', replicas: 1 + 1}}"}}`, []string{"Widget"}, "", []string{
			"P21 mutations[0].applyConfiguration.expression at [: Widget.spec.tags is in a map, from which an apply configuration takes no lists and maps: write Object.spec{tags: ...}",
			"P21 mutations[0].applyConfiguration.expression at [: Widget.spec.tags is in a map, from which an apply configuration takes no lists and maps: write Object.spec{tags: ...}",
			"P21 mutations[1].applyConfiguration.expression at {: Widget.spec.items is a list of literals, which an apply configuration cannot have: write [Object.spec.items{...}]",
			"P21 mutations[1].applyConfiguration.expression at variables.item: Widget.spec.items is a list of literals, which an apply configuration cannot have: write [Object.spec.items{...}]",
			"P21 mutations[2].applyConfiguration.expression at variables.item: Widget.spec.items is a list of literals, which an apply configuration cannot have: write [Object.spec.items{...}]",
		}},
		"apply configurations": {"Mutating", `
mutations:
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{replicas: 1, title: 'x', items: [Object.spec.items{name: 'a', size: 1}]}, metadata: Object.metadata{labels: {'a': 'b'}}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{replicas: '1', titel: 'x', words: ['x'], tags: ['x', object.spec.note]}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spek{replicas: 1}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec.nested{}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: {'replicas': 1}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "object"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{title: 'ä', titel : 'y', words: ['x'], ?nothing: optional.of('z'), replicas: '1'}}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{spec: Object.spec{items: object.spec.items.map(i, Object.spec.items{name: i.name, nam: 'nam'})}}"}}`, []string{"Widget"}, "", []string{
			"P20 mutations[1].applyConfiguration.expression at note: the expression does not compile: expected type 'string' but found 'dyn'",
			"P20 mutations[5].applyConfiguration.expression at object: the expression must evaluate to Object but got dyn",
			"P21 mutations[2].applyConfiguration.expression at Object.spek: Widget.spec is an Object.spec, not an Object.spek",
			"P21 mutations[2].applyConfiguration.expression at Object.spek: Widget has no field spek (did you mean spec?), so there is no Object.spek",
			"P21 mutations[3].applyConfiguration.expression at Object.spec.nested: Widget.spec is an Object.spec, not an Object.spec.nested",
			"P21 mutations[6].applyConfiguration.expression at titel: Widget.spec has no field titel (did you mean title?)",
			"P21 mutations[6].applyConfiguration.expression at words: Widget.spec.words is atomic, which an apply configuration may not set: declare its list type, map type or struct type, or use a JSON patch",
			"P21 mutations[6].applyConfiguration.expression at nothing: Widget.spec has no field nothing",
			"P21 mutations[6].applyConfiguration.expression at '1': Widget.spec.replicas is int, not string",
			"P21 mutations[7].applyConfiguration.expression at nam: Widget.spec.items has no field nam (did you mean name?)",
		}},
		"JSON patches": {"Mutating", `
mutations:
- {patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'replace', path: '/spec/replicas', value: 1}, JSONPatch{op: 'add', path: '/spec/options/' + jsonpatch.escapeKey('a/b'), value: 'x'}]"}}
- {patchType: JSONPatch, jsonPatch: {expression: "[JSONPatch{op: 'replace', path: '/spec/replcas', value: 1}, JSONPatch{op: 'add', path: '/spec/items/-', value: Object.spec.items{nam: 'x'}}]"}}
- {patchType: JSONPatch, jsonPatch: {expression: "JSONPatch{op: 'replace', path: '/spec/items/0/size', value: 1}"}}`, []string{"Widget"}, "", []string{
			"P20 mutations[2].jsonPatch.expression at JSONPatch{op: 'replace', path: '/spec/items/0/size', value: 1}: the expression must evaluate to list(JSONPatch) but got JSONPatch",
			"P21 mutations[1].jsonPatch.expression at '/spec/replcas': Widget.spec has no field replcas (did you mean replicas?)",
			"P21 mutations[1].jsonPatch.expression at nam: Widget.spec.items has no field nam (did you mean name?)",
			"P32 mutations[0].jsonPatch.expression at '/spec/options/': object.spec.options may be missing, and the patch then fails: test it with has(), add it by an operation before this one, or use an apply configuration",
		}},
		"the sum of validations": {"Validating", "validations:\n" + strings.Repeat("- {expression: \"authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('get').allowed()\"}\n", 15), []string{"Widget"}, "", []string{
			"P23 validations[0].expression at authorizer.path('/a').check('get').allowed() && authorizer.path('/b').check('get').allowed(): the worst case of all validations with their messages and variables costs about 1.1e+07, and an API server allows 1.0e+07",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolicy(t, test.kind+"AdmissionPolicy", test.spec, test.kinds...)
			if err := yaml.Unmarshal([]byte(test.bindings), &p.Bindings); err != nil {
				t.Fatal(err)
			}
			expect(t, c, p, test.want)
		})
	}
}

// TestVersions compiles for the version before the oldest API server.
func TestVersions(t *testing.T) {
	p := newPolicy(t, "ValidatingAdmissionPolicy", "validations: [{expression: \"isIP(object.metadata.name)\"}]", "Widget")
	expect(t, newChecker(t, "1.31"), p, nil)
	expect(t, newChecker(t, "1.30"), p, []string{
		"P20 validations[0].expression at (: the expression does not compile: undeclared reference to 'isIP'",
	})
}

// TestChainOfVariables has variables that each read the one before twice: the time is not twice as long for each.
func TestChainOfVariables(t *testing.T) {
	var b strings.Builder
	b.WriteString("variables:\n- {name: v0, expression: \"has(object.spec.note) && object.spec.title == 'x'\"}\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&b, "- {name: v%d, expression: \"variables.v%d && !has(object.spec.title) || variables.v%d\"}\n", i, i-1, i-1)
	}
	b.WriteString("validations: [{expression: \"!variables.v39 || object.spec.note != ''\"}]")
	begin := time.Now()
	expect(t, newChecker(t, ""), newPolicy(t, "ValidatingAdmissionPolicy", b.String(), "Widget"), []string{
		"P22 variables[0].expression at object.spec.title: object.spec.title may be missing",
		"P22 validations[0].expression at object.spec.note: object.spec.note may be missing", // if the variable fails
	})
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it takes %s", took)
	}
}
