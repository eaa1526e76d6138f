// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
)

// bounded is the schema of a kind whose fields all have bounds.
const bounded = `
type: object
properties:
  spec:
    type: object
    properties:
      number: {type: integer}
      ratio: {type: number}
      flag: {type: boolean}
      text: {type: string, maxLength: 40}
      long: {type: string, maxLength: 3000}
      other: {type: string, maxLength: 40}
      mode: {type: string, enum: [fast, slow, careful]}
      until: {type: string, format: date-time}
      memory: {x-kubernetes-int-or-string: true, maxLength: 10, pattern: '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'}
      template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
      numbers: {type: array, maxItems: 12, items: {type: integer}}
      open: {type: object, x-kubernetes-preserve-unknown-fields: true}
      texts: {type: array, maxItems: 3, items: {type: string, maxLength: 700}}
      words: {type: array, maxItems: 8, items: {type: string, maxLength: 20}}
      more: {type: array, maxItems: 8, items: {type: string, maxLength: 20}}
      options: {type: object, maxProperties: 6, additionalProperties: {type: string, maxLength: 20}}
      items:
        type: array
        maxItems: 5
        items:
          type: object
          properties:
            name: {type: string, maxLength: 63}
            size: {type: integer}
            tags: {type: array, maxItems: 4, items: {type: string, maxLength: 10}}
`

// costly are conditions about two values of the type: a field that is missing may be an error, which costs, too.
var costly = []string{
	"object.spec.number > 3 && object.spec.ratio < 0.5 || object.spec.flag",
	"object.spec.text == object.spec.other",
	"object.spec.text + object.spec.other != object.spec.other + object.spec.text",
	"object.spec.text.contains(object.spec.other) || object.spec.text.startsWith('a') || object.spec.text.endsWith('b')",
	"object.spec.text.matches('^(a|b)+[0-9]*$')",
	"object.spec.text.find('[a-z]+') != '' && object.spec.text.findAll('[a-z]').size() > 2",
	"object.spec.text.lowerAscii().replace('a', 'bb').split('b').size() > 3",
	"object.spec.text.substring(1).trim().indexOf('b') > 1 || object.spec.text.charAt(0) == 'a'",
	"size(object.spec.text) > 3 && object.spec.mode in ['fast', 'slow']",
	"timestamp(object.spec.until) > timestamp('2020-01-01T00:00:00Z') && timestamp(object.spec.until).getFullYear() > 2021",
	"quantity(object.spec.memory).isLessThan(quantity('1Gi'))",
	"isQuantity(object.spec.memory) && quantity(object.spec.memory).add(1).compareTo(quantity('5')) > 0",
	"object.spec.words.all(w, w != object.spec.text)",
	"object.spec.words.exists(w, object.spec.more.exists_one(m, m == w))",
	"object.spec.words.filter(w, w.startsWith('a')).map(w, w + 'x').size() > 2",
	"object.spec.words == object.spec.more || object.spec.words + object.spec.more == object.spec.words",
	"sets.contains(object.spec.words, object.spec.more) || sets.intersects(object.spec.words, object.spec.more)",
	"object.spec.words.join(',').size() > 20",
	"'abc' in object.spec.words || object.spec.words.indexOf('abc') > 1",
	"object.spec.words.isSorted() || object.spec.numbers.isSorted() || object.spec.numbers.sum() > 20 || object.spec.numbers.max() > 3",
	"object.spec.numbers.all(a, object.spec.numbers.all(b, object.spec.numbers.all(c, a + b + c > 3)))",
	"object.spec.options.all(k, object.spec.options[k] != k)",
	"object.spec.options.exists(k, k.startsWith('a') && object.spec.options[k].contains(object.spec.text))",
	"'a' in object.spec.options && object.spec.options == object.spec.options",
	"object.spec.items.all(i, i.tags.all(t, t != i.name))",
	"object.spec.items.all(i, object.spec.items.exists_one(j, j.name == i.name))",
	"object.spec.items.map(i, i.size).all(s, s > 1)",
	"object.spec.items == oldObject.spec.items || object.spec == oldObject.spec",
	"object == oldObject || object.metadata == oldObject.metadata",
	"has(object.metadata.labels) && object.metadata.labels.all(k, object.metadata.labels[k].startsWith('a'))",
	"object.spec.all(k, k in oldObject.spec)",
	"object.spec.?text.orValue('x') == oldObject.spec.?other.orValue('y')",
	"request.userInfo.groups.exists(g, g == object.spec.text) || request.userInfo.username.startsWith('a')",
	"namespaceObject.metadata.name == object.metadata.namespace",
	"authorizer.group('apps').resource('deployments').namespace(object.spec.text).check('create').allowed()",
	"string(object.spec.number) + string(object.spec.ratio) + string(object.spec.flag) == object.spec.text",
	"isURL(object.spec.text) && url(object.spec.text).getHost() == 'a'",
	"isIP(object.spec.text) || ip.isCanonical(object.spec.text) || isCIDR(object.spec.text)",
	"format.dns1123Label().validate(object.spec.text).hasValue()",
	"'%s and %d of %s'.format([object.spec.text, object.spec.number, object.spec.words]) != ''",
	"type(object.spec.memory) == string ? object.spec.memory > '1' : object.spec.memory > 1",
	"object.spec.words.sort() == object.spec.more || object.spec.words.reverse() == object.spec.more || object.spec.words.distinct().size() > 2",
	"object.spec.words.slice(0, 1).size() == 1 && object.spec.items.map(i, i.tags).flatten().size() > 2",
	"object.spec.words.transformList(i, w, w + string(i)).size() > 2 || object.spec.options.transformMap(k, v, k + v).size() > 1",
	"object.spec.text.split('').all(c, c != 'z')",
	"''.split('z').all(w, object.spec.words.all(x, x != w))",
	"object.spec.long.split('z').all(c, c.contains('zz') || c.split('z').all(d, d.startsWith('z')))",
	"'%s and %s'.format([object.spec.long, object.spec.words]).contains('z')",
	"object.spec.long.findAll('[ab1.]+').all(c, c.contains('zz'))",
	"object.spec.text.split(object.spec.other).all(c, c.contains(object.spec.text))",
	"object.spec.text.split('a').map(c, c + object.spec.text).join('-').size() > 3",
	"object.spec.items.map(i, i.tags).flatten().all(t, t != 'z')",
	"object.spec.items.map(i, [i.tags, i.tags]).flatten(2).all(t, t + t != 'z')",
	"[object.spec.words, object.spec.more].flatten().all(w, w != object.spec.text)",
	"'%s'.format([object.spec.words]).contains('z') || '%s %s'.format([object.spec.text, object.spec.text]).contains('zz')",
	"'%s'.format([object.spec.items.map(i, i.tags)]).matches('^(a|b)+z*$')",
	"object.spec.words.map(w, w.split('')).all(l, l.all(c, c != 'z'))",
	"object.spec.text.findAll('[a-z]').all(c, c != 'z')",
	"object.spec.words.join('').split('').all(c, c != 'z')",
	"object.spec.text.replace('', 'xyz').split('').all(c, c != 'z')",
	"(object.spec.text + object.spec.other).upperAscii().contains('Z') || object.spec.text.lowerAscii().split('').size() > 3",
	"object.spec.options.map(k, k + object.spec.options[k]).all(w, w.split('').all(c, c != 'z'))",
	"object.spec.numbers.map(n, string(n)).join(',').split(',').all(n, n != 'z')",
	"lists.range(object.spec.words.size()).all(i, object.spec.words[i] != 'z') || object.spec.numbers.first().hasValue()",
	"object.spec.words.sortBy(w, w.size()).all(w, w != 'z') || object.spec.items.sortBy(i, i.name).size() > 2",
	"sets.equivalent(object.spec.words, object.spec.text.split('')) || sets.contains(object.spec.text.split(''), object.spec.more)",
	"object.spec.text.lastIndexOf(object.spec.other) > 1",
	"strings.quote(object.spec.text).split('').all(c, c != 'z')",
	"variables.words.all(w, variables.words.exists(v, v == w)) && variables.long.contains(object.spec.text)",
	"variables.doubled.all(w, w != '') && variables.twice.size() > 3",
	"variables.doubled.exists(w, w.contains('zz')) || variables.long.split('').all(c, c.contains('z'))",
	"variables.grown.all(w, w.contains('zz') && variables.grown.exists(v, v == w))",
	"object.spec.texts.map(w, w + w).all(w, !w.contains('zz') && !(w + w).contains('zzz'))",
	"(object.spec.long + object.spec.long).contains('zz') || object.spec.texts.exists(t, (t + object.spec.long).contains('zz'))",
	"object.spec.template.apiVersion == 'v1' && object.spec.template.metadata.name == object.spec.open.a.b",
	"object.spec.open.list.all(x, x.name == object.spec.open.a.b)",
	"object.spec.open.list.map(x, x.name).exists(n, n.contains('z'))",
	"request.userInfo.groups.all(g, !g.contains('zz') && request.userInfo.groups.exists(h, h == g))",
	"request.userInfo.username.split('').all(c, c != 'z') || request.userInfo.username.matches('^(a|b)+z$')",
	"request.name + request.namespace + request.operation + request.kind.kind + request.resource.resource == ''",
	"request.userInfo.extra['a'].all(x, !x.contains('z')) || request.options.kind == 'x'",
	"namespaceObject.metadata.labels.all(k, namespaceObject.metadata.labels[k] != k)",
	"namespaceObject.metadata.annotations.exists(k, namespaceObject.metadata.annotations[k].contains('z'))",
	"sets.contains(object.spec.texts, object.spec.words) && format.named(object.spec.text).hasValue()",
	"cidr('192.168.0.0/16').containsIP(ip('192.168.0.1')) && cidr('192.168.0.0/16').containsCIDR(cidr('192.168.1.0/24')) && cidr(object.spec.text).masked().prefixLength() > 1",
	"cidr('192.168.0.0/16').ip() == ip('192.168.0.0') && ip('::1').isLoopback() && !ip('::1').isUnspecified() && !ip('::1').isGlobalUnicast()",
	"ip('224.0.0.1').isLinkLocalMulticast() || ip('169.254.0.1').isLinkLocalUnicast() || ip(object.spec.text).family() == 4",
	"semver('1.2.3').isGreaterThan(semver('1.0.0')) && semver('1.2.3').major() + semver('1.2.3').minor() + semver('1.2.3').patch() > 3",
	"isSemver(object.spec.text) || semver('1.0.0').isLessThan(semver(object.spec.text)) || semver('1.0.0').compareTo(semver('1.0.1')) > 0",
	"quantity('1').isInteger() && quantity('1').asInteger() == 1 && quantity('1').asApproximateFloat() > 0.5 && sign(quantity('1').sub(2)) > 0 && quantity('1').isGreaterThan(quantity('2'))",
	"url('https://a.b:8/c?d=e').getScheme() == 'https' && url('https://a.b:8/c').getHostname() == 'a.b' && url('https://a.b:8/c').getPort() == '8'",
	"url('https://a/' + object.spec.text).getEscapedPath() == '/' || url('https://a?x=' + object.spec.text).getQuery()['x'].size() > 3",
	"duration('1h').getHours() + duration('1h').getMinutes() + duration('1h').getSeconds() + duration('1h').getMilliseconds() > 3",
	"timestamp(object.spec.until).getMonth() + timestamp(object.spec.until).getDate() + timestamp(object.spec.until).getDayOfWeek() > 3",
	"timestamp(object.spec.until).getDayOfMonth() + timestamp(object.spec.until).getDayOfYear() > 3",
	"optional.of(object.spec.text).or(optional.none()).value() == optional.ofNonZeroValue(object.spec.other).orValue('a')",
	"optional.of(object.spec.text).optMap(x, x + x).hasValue() || optional.of(object.spec.text).optFlatMap(x, optional.of(x)).hasValue()",
	"[object.spec.?text, object.spec.?other].all(o, o.hasValue()) || optional.unwrap([object.spec.?text]).size() > 3 || [object.spec.?text].unwrapOpt().size() > 2",
	"object.spec.words.last().orValue('a') == 'z' || object.spec.words.lastIndexOf('z') > 2 || object.spec.words.min() == object.spec.words.max()",
	"object.spec.words.existsOne(i, w, w == object.spec.text) || object.spec.words.all(i, w, w != string(i))",
	"object.spec.options.transformMapEntry(k, v, {v: k}).size() > 2 || object.spec.options.transformList(k, v, k + v).exists(x, x.contains('z'))",
	"bytes(object.spec.text) == bytes(object.spec.other) && uint(object.spec.number) > 1u && double(object.spec.number) > 1.5 && int(object.spec.ratio) > 1",
	"[format.dns1035Label(), format.qualifiedName(), format.labelValue(), format.dns1035LabelPrefix(), format.datetime(), format.date()]" +
		".exists(f, f.validate(object.spec.text).hasValue())",
	"[format.uri(), format.dns1123SubdomainPrefix(), format.uuid(), format.dns1123LabelPrefix(), format.byte(), format.dns1123Subdomain()]" +
		".exists(f, f.validate(object.spec.long).hasValue())",
	"isURL({'a': request.resource.resource}['a']) || isURL([object.spec.text][0])",
	"object.spec.numbers.exists(n, optional.of(object.spec).value().number == n) || {'a': {'b': 1}}.a.b == 2",
	"(object.spec.flag ? object : oldObject).spec.number == 3 && object.spec.items.map(i, i)[0].size == 1",
	"type(object.spec.text) == string && dyn(object.spec.number) > 3.5 && bool('true')",
	"authorizer.serviceAccount('a', 'b').path('/x').check('get').reason() == '' || authorizer.requestResource.subresource('s').name('n').check('get').errored()",
	"authorizer.group('').resource('pods').fieldSelector('a=b').labelSelector('a=b').check('get').error() == ''",
}

const costlyVariables = `
- {name: words, expression: "object.spec.words"}
- {name: long, expression: "object.spec.text + object.spec.other"}
- {name: doubled, expression: "variables.words.map(w, w + w)"}
- {name: twice, expression: "variables.doubled + variables.doubled"}
- {name: grown, expression: "object.spec.texts.map(t, t + t + object.spec.long)"}`

// anything makes a value of a schema within its bounds, most often a large one. A field may be missing.
func anything(r *rand.Rand, s *apiextensionsv1.JSONSchemaProps) any {
	size := func(limit int64) int {
		if r.IntN(3) > 0 {
			return int(limit)
		}
		return r.IntN(int(limit) + 1)
	}
	text := func(limit int64) string {
		var b strings.Builder
		letter := []string{"a", "b", "1", ".", "ä", "𝄞"}
		same := r.IntN(len(letter))
		for range size(limit) {
			if r.IntN(2) == 0 {
				same = r.IntN(len(letter))
			}
			b.WriteString(letter[same])
		}
		return b.String()
	}
	switch {
	case s.XEmbeddedResource:
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": text(40)}}
	case s.XPreserveUnknownFields != nil:
		var list []any
		for range size(20) {
			list = append(list, map[string]any{"name": text(30)})
		}
		return map[string]any{"a": map[string]any{"b": text(300)}, "list": list}
	case s.XIntOrString:
		return []any{r.IntN(100), "500m", "10Gi", "100000000k", "x"}[r.IntN(5)]
	case s.Format == "date-time":
		return []string{"2024-05-06T07:08:09Z", "2019-12-31T23:59:59.123456Z"}[r.IntN(2)]
	case len(s.Enum) > 0:
		var value any
		if err := json.Unmarshal(s.Enum[r.IntN(len(s.Enum))].Raw, &value); err != nil {
			panic(err)
		}
		return value
	case s.Type == "integer":
		return []int{0, 1, 7, -5, math.MaxInt32}[r.IntN(5)]
	case s.Type == "number":
		return r.Float64()
	case s.Type == "boolean":
		return r.IntN(2) == 0
	case s.Type == "string":
		return text(*s.MaxLength)
	case s.Type == "array":
		list := []any{}
		for range size(*s.MaxItems) {
			list = append(list, anything(r, s.Items.Schema))
		}
		return list
	case s.AdditionalProperties != nil:
		entries := map[string]any{}
		for range size(*s.MaxProperties) {
			entries[text(63)] = anything(r, s.AdditionalProperties.Schema)
		}
		return entries
	}
	fields := map[string]any{}
	names := []string{}
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		property := s.Properties[name]
		if r.IntN(12) > 0 {
			fields[name] = anything(r, &property)
		}
	}
	return fields
}

// costlyPolicies has a policy of each kind for each expression.
func costlyPolicies(t testing.TB, expressions []string) input {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "types:\n- group: shop.example.com\n  version: v1\n  kind: Widget\n  schema:%s\npolicies:\n", strings.ReplaceAll(bounded, "\n", "\n    "))
	for i, expression := range expressions {
		variables := ""
		if strings.Contains(expression, "variables") {
			variables = "\n      variables:" + strings.ReplaceAll(costlyVariables, "\n", "\n      ")
		}
		conditions := ""
		if variables == "" {
			conditions = fmt.Sprintf("\n      matchConditions: [{name: c, expression: %q}]", expression+" || true")
		}
		for _, kind := range []string{"Validating", "Mutating"} {
			fmt.Fprintf(&b, `- object:
    apiVersion: admissionregistration.k8s.io/v1
    kind: %[1]sAdmissionPolicy
    metadata: {name: p%[2]d}
    spec:%[3]s%[4]s
      failurePolicy: Ignore
      matchConstraints: {resourceRules: [{apiGroups: [shop.example.com], apiVersions: [v1], resources: [widgets], operations: [UPDATE]}]}
`, kind, i, conditions, variables)
			if kind == "Validating" {
				said := "string(" + expression + ")"
				if strings.Contains(expression, "authorizer") {
					said = "'x'"
				}
				fmt.Fprintf(&b, "      validations: [{expression: %q, messageExpression: %q}]\n      auditAnnotations: [{key: a, valueExpression: %q}]\n", expression, said, said)
			} else {
				fmt.Fprintf(&b, "      reinvocationPolicy: Never\n      mutations:\n      - {patchType: ApplyConfiguration, applyConfiguration: {expression: %q}}\n      - {patchType: JSONPatch, jsonPatch: {expression: %q}}\n",
					"("+expression+") ? Object{spec: Object.spec{number: 1}} : Object{}",
					"["+"JSONPatch{op: 'test', path: '/spec', value: object.spec}].filter(p, "+expression+")")
			}
			fmt.Fprintf(&b, "  bindings: [{apiVersion: admissionregistration.k8s.io/v1, kind: %[1]sAdmissionPolicyBinding, metadata: {name: p%[2]d}, spec: {policyName: p%[2]d", kind, i)
			if kind == "Validating" {
				b.WriteString(", validationActions: [Warn]")
			}
			b.WriteString("}}]\n")
		}
	}
	var in input
	if err := yaml.UnmarshalStrict([]byte(b.String()), &in); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	return in
}

// computes reports an expression with a function whose result has elements of a size that is not known.
func computes(expression string) bool {
	return slices.ContainsFunc([]string{".split(", ".flatten(", ".format(", ".findAll(", "lists.range(", ").map(", "variables.", "spec.open.", "+ w)", "getQuery", ".validate(", "namespaceObject", ".transformList(", "optional."}, func(call string) bool { return strings.Contains(expression, call) })
}

// TestCostWithinEstimate runs policies on random objects within the bounds of their type. No evaluation costs more than
// is estimated, and an estimate is not far from the largest cost.
func TestCostWithinEstimate(t *testing.T) {
	in := costlyPolicies(t, costly)
	schema := in.Types[0].Schema
	r := rand.New(rand.NewPCG(18, 37))
	object := func() json.RawMessage {
		fields := anything(r, &schema).(map[string]any)
		labels := map[string]any{}
		for i := range r.IntN(20) {
			labels[strings.Repeat("l", 40)+fmt.Sprint(i)] = strings.Repeat("a", 63)
		}
		fields["metadata"] = map[string]any{"name": "w", "namespace": "shop", "labels": labels}
		fields["apiVersion"], fields["kind"] = "shop.example.com/v1", "Widget"
		text, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	request := Request{
		Operation: "UPDATE", Resource: metav1.GroupVersionResource{Group: "shop.example.com", Version: "v1", Resource: "widgets"},
		Kind: metav1.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Widget"}, Name: "w", Namespace: "shop", Authorizer: admit.Allow,
	}
	request.UserInfo.Username = strings.Repeat("a", 5000)
	for i := range 3 { // with longer values than findings take for unknown sizes
		request.UserInfo.Groups = append(request.UserInfo.Groups, fmt.Sprint(i, strings.Repeat("h", 2000)))
	}
	request.UserInfo.Extra = map[string]authenticationv1.ExtraValue{"a": {strings.Repeat("x", 4000)}}
	request.NamespaceObject = json.RawMessage(fmt.Sprintf(`{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"a": "b"}, "annotations": {"a": %q}}}`,
		strings.Repeat("n", 9000)))
	api := served.Kubernetes()
	addResources(api, request, in.Types)
	e, err := New(in.Policies, in.Types, api)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 20
	steps := 0
	reported := map[int]bool{}
	largest := map[string]int64{} // the largest cost in percent of the estimate
	for range rounds {
		request.Object, request.OldObject = object(), object()
		if r.IntN(4) == 0 {
			request.OldObject = request.Object
		}
		answer := e.Answer(t.Context(), request)
		if answer.Error != "" {
			t.Fatal(answer.Error)
		}
		if err := e.estimate(answer.Steps); err != nil {
			t.Fatal(err)
		}
		for _, s := range answer.Steps {
			var index int
			if _, err := fmt.Sscanf(s.Policy, "p%d", &index); err != nil {
				t.Fatal(err)
			}
			steps++
			if s.EstimatedCost > 0 && s.Verdict != ConditionFalse {
				largest[costly[index]] = max(largest[costly[index]], 100*s.Cost/s.EstimatedCost)
			}
			switch {
			case reported[index]:
			case s.EstimatedCost == 0:
				t.Errorf("there is no estimate of %s", costly[index])
				reported[index] = true
			case s.Cost > s.EstimatedCost:
				reported[index] = true
				t.Errorf("%s %v: %s costs %d, and the estimate is %d, for\n%s\n%s", s.Phase, s.Mutation, costly[index], s.Cost, s.EstimatedCost, request.Object, request.OldObject)
			}
		}
	}
	for expression, percent := range largest {
		unbounded := strings.Contains(expression, "metadata.labels") || strings.Contains(expression, "request.") || computes(expression)
		if percent < 5 && !unbounded {
			t.Errorf("the estimate of %s is 20 times its largest cost", expression)
		}
	}
	if steps < rounds*len(costly) {
		t.Errorf("only %d steps", steps)
	}
}

// TestCostlyFunctions compares the functions of the expressions with those of an API server's environment.
func TestCostlyFunctions(t *testing.T) {
	all := strings.Join(append(slices.Clone(costly), costlyVariables), "\n")
	for name := range environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv().Functions() {
		if !strings.ContainsAny(name, "_@!?") && !strings.Contains(all, name+"(") {
			t.Errorf("no expression calls %s", name)
		}
	}
}
