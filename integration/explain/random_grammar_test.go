// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// gadgets is the definition of the custom resource of random requests.
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
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema: &schema
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
          status:
            type: object
            properties:
              replicas: {type: integer}
              phase: {type: string, default: New}
              note: {type: string}
              seen: {type: array, items: {type: string}}
  - name: v2
    served: true
    storage: false
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema: *schema
`

// subjects are the resources of random requests. Those of a group share the stored object.
func subjects() []subject {
	gadget := subject{group: "random.example.com", resource: "gadgets", kind: "Gadget", versions: []string{"v1", "v2"}}
	deployment := subject{group: "apps", resource: "deployments", kind: "Deployment", versions: []string{"v1"}}
	with := func(t subject, subresource string) subject {
		t.subresource = subresource
		return t
	}
	return []subject{
		gadget, gadget, gadget, gadget, with(gadget, "status"), with(gadget, "scale"),
		deployment, deployment, with(deployment, "status"), with(deployment, "scale"),
	}
}

type subject struct {
	group, resource, subresource, kind string
	versions                           []string
}

func (t subject) String() string { return strings.TrimSuffix(t.resource+"/"+t.subresource, "/") }

// grammar makes random expressions, policies and objects. It counts the forms and features that it uses.
type grammar struct {
	*rand.Rand
	// forms are the forms of expressions by type, and names those of the policy's params and variables.
	forms, names map[byte][]string
	features     map[string]int
	// generates reports a batch whose new objects have generated names. Then no expression reads names.
	generates bool
	// message leaves out the authorizer, which message expressions lack.
	message bool
}

// tree is a random expression: a form, with an expression in place of each %s, %i, %b, %l and %n.
type tree struct {
	of    byte
	form  string
	parts []*tree
}

func (x *tree) String() string {
	parts := x.parts
	var out strings.Builder
	for i := 0; i < len(x.form); i++ {
		switch {
		case x.form[i] != '%':
			out.WriteByte(x.form[i])
		case x.form[i+1] == '%':
			out.WriteByte('%')
			i++
		default:
			text := parts[0].String()
			if strings.Contains(parts[0].form, " ") && text[0] != '(' {
				text = "(" + text + ")"
			}
			out.WriteString(text)
			parts = parts[1:]
			i++
		}
	}
	return out.String()
}

// MarshalJSON writes the expression as a text.
func (x *tree) MarshalJSON() ([]byte, error) { return json.Marshal(x.String()) }

// forms are forms for every object: a text (s), a whole number (i), a truth (b), a list of texts (l), of numbers (n).
func forms() map[byte][]string {
	return map[byte][]string{
		's': {
			"'a'", "''", "'b-c'", "'10Mi'", "'192.168.0.1'", "request.operation", "request.userInfo.username", "object.kind", "request.kind.kind",
			"request.requestKind.version", "request.resource.resource", "request.subResource", "request.namespace", "request.options.kind",
			"request.kind.version + request.requestResource.version", "namespaceObject.metadata.name", "namespaceObject.metadata.labels['env']",
			"namespaceObject.metadata.?labels[?'env'].orValue('no')", "object.metadata.namespace", "object.metadata.?annotations[?'a'].orValue('-')",
			"%s.lowerAscii()", "%s.upperAscii()", "%s.replace(%s, %s)", "%s.replace(%s, %s, %i)", "%s.substring(0, %i)", "%s.trim()", "string(%i)",
			"string(%b)", "%l.join(%s)", "%s.charAt(%i)", "'%%s-%%d'.format([%s, %i])", "'%%s'.format([%l])", "(%b ? %s : %s)", "(%s + %s)",
			"%s.find('[a-z]+')", "%l[%i]", "string(url('https://' + %s + '/x').getHost())", "strings.quote(%s)",
			"url('https://a.b/' + %s).getEscapedPath()", "string(cidr('10.0.0.0/8').masked().prefixLength()) + %s", "%l.max()", "%l.min()",
			"optional.of(%s).or(optional.of(%s)).value()", "[%s][?0].orValue(%s)", "%l.first().orValue(%s)", "%l.last().orValue(%s)",
			"string(duration('90s').getMinutes()) + %s", "{'a': %s}['a']", "%l.slice(0, 1).join()", "%s.find(%s)",
		},
		'i': {
			"0", "1", "3", "-2", "size(%s)", "size(%l)", "%s.indexOf(%s)", "%s.lastIndexOf(%s)", "(%i + %i)", "(%i - %i)", "(%i * %i)", "(%i / %i)",
			"(%i %% %i)", "%n.sum()", "%n.max()", "%n.min()", "%n[%i]", "int(%s)", "(%b ? %i : %i)", "quantity(%s).asInteger()",
			"semver('1.2.3').major()", "%l.indexOf(%s)", "timestamp('2024-05-06T07:08:09Z').getFullYear()", "int(duration('1h').getHours())",
			"quantity(%s).compareTo(quantity(%s))", "-%i", "int(1.7)", "semver('1.2.3').compareTo(semver(%s))", "size(%n)",
			"[%i, %i][%i]", "int(uint(%i))", "ip('10.0.0.1').family()",
		},
		'b': {
			"true", "object == null", "oldObject != null", "object.spec == oldObject.spec", "!%b", "(%b && %b)", "(%b || %b)", "has(object.metadata.labels)",
			"has(object.metadata.annotations)", "has(object.metadata.finalizers)", "has(object.status)", "%i > %i", "%i == %i", "%s == %s", "%s != %s", "%s < %s",
			"%s.contains(%s)", "%s.startsWith(%s)", "%s.endsWith(%s)", "%s.matches('^[a-c]+$')", "%s.matches(%s)", "%s in %l", "%i in %n", "%l.all(w, w != %s)",
			"%l.exists(w, w == %s)", "%l.exists_one(w, w.size() > %i)", "%n.all(n, n > %i)", "%l.all(i, w, w != %s || i > %i)", "%l.exists(i, w, i == %i)",
			"%l.existsOne(i, w, w == %s)", "isQuantity(%s)", "quantity(%s).isLessThan(quantity('5Gi'))", "quantity(%s).isInteger()", "isIP(%s)", "isURL(%s)",
			"isCIDR(%s)", "cidr('192.168.0.0/16').containsIP(%s)", "ip(%s).family() == 4", "ip(%s).isLoopback()", "format.dns1123Label().validate(%s).hasValue()",
			"format.named('uuid').hasValue()", "sets.contains(%l, %l)", "sets.intersects(%l, %l)", "sets.equivalent(%l, %l)", "%l.isSorted()",
			"authorizer.group('').resource('pods').check('get').allowed()", "authorizer.serviceAccount('a', 'b').path('/x').check('get').reason() == ''",
			"authorizer.requestResource.check('get').errored()", "%l == %l", "%n == %n", "isSemver(%s)", "semver(%s).isGreaterThan(semver('1.0.0'))",
			"semver(%s, true).isLessThan(semver('v2', true))", "optional.of(%s).hasValue()", "optional.none().hasValue()",
			"timestamp('2024-01-01T00:00:00Z') < timestamp(%s)", "duration('1h') > duration(%s)", "request.dryRun", "%b == %b", "{%s: 1}.all(k, k != %s)",
			"optional.ofNonZeroValue(%s).hasValue()", "[%s].exists(x, x == %s) && %b", "type(%s) == string", "bytes(%s) == b'a'", "%i in [%i, 7]",
			"{'a': %i}.transformMap(k, v, v + 1).exists(k, v, v > %i)", "url('https://a?x=' + %s).getQuery()['x'].size() > 0", "double(%i) / 2.0 > 1.0",
		},
		'l': {
			"[]", "['a', 'b']", "[%s, %s]", "%s.split(%s)", "%s.split(%s, %i)", "%l.map(w, w + %s)", "%l.filter(w, w != %s)", "(%l + %l)",
			"%s.findAll('[a-z]')", "%s.findAll('[a-z]', %i)", "%l.sort()", "%l.distinct()", "%l.reverse()", "%l.slice(0, %i)", "[%l, %l].flatten()",
			"request.userInfo.groups", "(%b ? %l : %l)", "%l.transformList(i, w, w + string(i))", "%l.sortBy(w, w.size())", "%l.map(w, w != '', w)",
			"{%s: 1}.map(k, k)", "[?optional.of(%s)]", "%l.transformList(i, w, i > 0, w)",
		},
		'n': {"[]", "[1, 2]", "[%i, %i]", "lists.range(3)", "%l.map(w, w.size())", "%n.sort()", "%n.map(n, n + %i)", "%n.reverse()", "(%n + %n)"},
	}
}

// reads are the forms that read objects of a subject.
func (t subject) reads() map[byte][]string {
	all := map[byte][]string{}
	switch {
	case t.subresource == "scale":
		return map[byte][]string{
			's': {"object.spec.kind", "object.status.?selector.orValue('none')"},
			'i': {"object.spec.replicas", "oldObject.spec.replicas", "object.status.replicas", "object.spec.?replicas.orValue(7)"},
			'b': {"object.spec.replicas > oldObject.spec.replicas", "has(object.spec.replicas)"},
		}
	case t.kind == "Deployment":
		all = map[byte][]string{
			's': {
				"object.spec.template.spec.containers[0].image", "object.spec.template.spec.containers[0].name", "object.spec.strategy.type",
				"object.spec.template.spec.restartPolicy", "object.spec.template.metadata.?labels[?'app'].orValue('x')",
				"oldObject.spec.template.spec.containers[0].image", "object.spec.template.spec.containers[0].imagePullPolicy",
				"string(object.spec.strategy.rollingUpdate.maxSurge)", "object.spec.template.spec.?serviceAccountName.orValue('')",
			},
			'i': {
				"object.spec.replicas", "object.spec.template.spec.containers.size()", "object.spec.progressDeadlineSeconds",
				"object.spec.?minReadySeconds.orValue(9)", "object.spec.revisionHistoryLimit", "object.spec.template.spec.containers[0].ports[0].containerPort",
			},
			'b': {
				"has(object.spec.paused)", "object.spec.template.spec.containers.all(c, c.image != %s)", "has(object.spec.template.spec.securityContext)",
				"has(object.spec.template.spec.containers[0].resources.limits)", "has(object.spec.strategy.rollingUpdate)",
				"quantity(object.spec.template.spec.containers[0].resources.limits['memory']).isLessThan(quantity('1Gi'))",
				"object.spec.template.spec.containers.exists(c, c.?ports.orValue([]).exists(p, p.containerPort > %i))",
				"object.spec.template.spec.hostNetwork", "has(object.spec.template.spec.volumes)", "object.spec.template == oldObject.spec.template",
				"has(object.spec.template.spec.nodeSelector)", "object.spec.strategy.rollingUpdate.maxSurge == '25%%'", "has(object.spec.replicas)",
			},
			'l': {
				"object.spec.template.spec.containers.map(c, c.name)", "object.spec.template.spec.containers[0].?command.orValue([])",
				"object.spec.template.spec.?volumes.orValue([]).map(v, v.name)", "object.metadata.?finalizers.orValue([])",
				"object.spec.template.metadata.labels.map(k, k).sort()", "object.spec.template.spec.containers.map(c, c.terminationMessagePath)",
			},
			'n': {"object.spec.template.spec.containers.map(c, size(c.image))"},
		}
		if t.subresource == "status" {
			all['i'] = append(all['i'], "object.status.replicas", "object.status.?readyReplicas.orValue(8)")
			all['b'] = append(all['b'], "object.status == oldObject.status", "has(object.status.conditions)")
		}
	default:
		all = map[byte][]string{
			's': {
				"object.spec.name", "object.spec.?name.orValue('none')", "object.spec.maybe", "object.spec.address", "oldObject.spec.name",
				"object.spec.items[0].name", "object.spec.template.kind", "object.spec.template.metadata.?name.orValue('t')",
				"object.spec.template.metadata.?labels[?'a'].orValue('t')", "string(object.spec.memory)", "object.apiVersion",
				"dyn(object.spec.ratio) > 0.5 ? %s : %s", "object.spec.options[%s]", "object.spec.?options[?%s].orValue('o')",
			},
			'i': {"object.spec.replicas", "object.spec.count", "object.spec.?count.orValue(7)", "object.spec.items.size()", "object.spec.items[%i].size"},
			'b': {
				"object.spec.active", "has(object.spec.name)", "has(object.spec.options.a)", "object.spec.?maybe.hasValue()", "has(object.spec.maybe)",
				"object.spec.items.all(x, x.size > %i)", "object.spec.items.exists(x, x.name == %s)", "object.spec.options.all(k, k != %s)",
				"type(object.spec.memory) == string", "object.spec.template.apiVersion == 'v1'", "'a' in object.spec.options", "has(object.spec.items)",
				"object.spec.words.transformList(i, w, w).size() > %i", "has(object.spec.template.metadata.labels)", "has(object.spec.options)",
				"has(object.spec.template.metadata.finalizers)", "has(object.spec.template.metadata.annotations)", "has(object.spec.words)",
				"object.spec.items == oldObject.spec.items", "object.spec.memory == 5", "object.spec.ratio < 1.0", "has(object.spec)",
				"object.spec.options.exists(k, v, v == %s)", "quantity(object.spec.memory).isGreaterThan(quantity('1'))", "object.spec.maybe == null",
			},
			'l': {
				"object.spec.words", "object.spec.?words.orValue([])", "object.spec.items.map(x, x.name)", "object.spec.options.map(k, k).sort()",
				"object.spec.items.filter(x, x.size > %i).map(x, x.name)", "oldObject.spec.words",
			},
			'n': {"object.spec.numbers", "object.spec.items.map(x, x.size)", "object.spec.?numbers.orValue([3])"},
		}
		if t.subresource == "status" {
			all['s'] = append(all['s'], "object.status.phase", "object.status.?note.orValue('none')", "oldObject.status.phase")
			all['b'] = append(all['b'], "object.status == oldObject.status", "has(object.status.note)", "object.status.seen.exists(s, s == %s)")
		}
	}
	return all
}

// about has expressions read objects of a subject.
func (g *grammar) about(t subject) {
	g.forms = forms()
	for of, more := range t.reads() {
		g.forms[of] = append(g.forms[of], more...)
	}
	if g.generates {
		g.forms['s'] = append(g.forms['s'], "object.metadata.?generateName.orValue('none')")
		g.forms['b'] = append(g.forms['b'], "has(object.metadata.name)")
	} else {
		g.forms['s'] = append(g.forms['s'], "object.metadata.name", "request.name")
	}
	g.names = map[byte][]string{}
}

// expression makes an expression of a type, with forms in forms up to a depth.
func (g *grammar) expression(of byte, depth int) *tree {
	all := slices.Concat(g.forms[of], g.names[of], g.names[of])
	all = slices.DeleteFunc(all, func(f string) bool {
		return depth <= 0 && strings.Contains(strings.ReplaceAll(f, "%%", ""), "%") || g.message && strings.Contains(f, "authorizer")
	})
	f := all[g.IntN(len(all))]
	g.features[f]++
	return g.fill(of, f, depth)
}

// fill makes an expression of a form.
func (g *grammar) fill(of byte, form string, depth int) *tree {
	x := &tree{of: of, form: form}
	for i := 0; i < len(form); i++ {
		if form[i] == '%' {
			if i++; form[i] != '%' {
				x.parts = append(x.parts, g.expression(form[i], depth-1-g.IntN(2)))
			}
		}
	}
	return x
}

func pick[T any](g *grammar, all ...T) T { return all[g.IntN(len(all))] }

// batchName stands for the name of a batch in policies and requests: in names, in labels and in selectors.
const batchName = "batch0"

// policy makes a policy with its binding, of a subject. mayFail allows mutations that fail or read the object.
func (g *grammar) policy(index int, on subject, mutates, mayFail bool) map[string]any {
	g.about(on)
	name := fmt.Sprintf("v-%s-%d", batchName, index)
	kind := "ValidatingAdmissionPolicy"
	operations := pick(g, []any{"CREATE", "UPDATE"}, []any{"*"}, []any{"CREATE", "UPDATE"}, []any{"DELETE"}, []any{"UPDATE", "DELETE"})
	if mutates {
		kind, operations = "MutatingAdmissionPolicy", pick(g, []any{"CREATE", "UPDATE"}, []any{"*"})
	}
	if on.subresource != "" {
		operations = pick(g, []any{"UPDATE"}, []any{"*"})
	}
	resources := []any{on.String()}
	if !mutates && g.IntN(8) == 0 {
		g.features["several resources"]++
		resources = append(resources, on.resource+"/*")
	}
	rule := map[string]any{
		"apiGroups": []any{on.group}, "apiVersions": pick(g, []any{"v1"}, []any{"v1"}, []any{"*"}, []any{"v2", "v1"}), "resources": resources, "operations": operations,
	}
	constraints := map[string]any{"resourceRules": []any{rule}}
	if on.subresource == "scale" { // a Scale has no labels
		rule["resourceNames"] = []any{"all"}
	} else {
		constraints["objectSelector"] = map[string]any{"matchLabels": map[string]any{"random": batchName}}
	}
	if mutates && !mayFail {
		// Of mutations in different versions, an API server keeps those of the last version alone.
		rule["apiVersions"] = []any{"*"}
	} else if len(on.versions) > 1 && g.IntN(3) == 0 {
		rule["apiVersions"] = []any{pick(g, "v1", "v2")}
		constraints["matchPolicy"] = pick(g, "Equivalent", "Exact")
		g.features["matchPolicy"]++
	}
	switch g.IntN(12) {
	case 0:
		constraints["namespaceSelector"] = map[string]any{"matchLabels": map[string]any{"env": "prod"}}
	case 1:
		constraints["excludeResourceRules"] = []any{map[string]any{
			"apiGroups": []any{on.group}, "apiVersions": []any{pick(g, "v1", "v2")}, "resources": []any{on.String()}, "operations": []any{pick(g, "CREATE", "UPDATE")},
		}}
		g.features["excludeResourceRules"]++
	case 2:
		rule["scope"] = pick(g, "Namespaced", "*")
	}
	spec := map[string]any{"failurePolicy": pick(g, "Fail", "Fail", "Ignore"), "matchConstraints": constraints}
	binding := map[string]any{"policyName": name}
	if g.IntN(8) == 0 {
		g.features["matchResources"]++
		binding["matchResources"] = pick(g,
			map[string]any{"objectSelector": map[string]any{"matchExpressions": []any{map[string]any{"key": "team", "operator": "In", "values": []any{"a"}}}}},
			map[string]any{"namespaceSelector": map[string]any{"matchExpressions": []any{map[string]any{"key": "env", "operator": "Exists"}}}})
	}
	if g.IntN(3) == 0 && (!mutates || mayFail) {
		spec["matchConditions"] = []any{map[string]any{"name": "c", "expression": g.expression('b', 2)}}
	}
	if g.IntN(4) == 0 {
		g.params(spec, binding)
	}
	var variables []any
	for i := range g.IntN(3) {
		if mutates && !mayFail {
			break
		}
		of := pick(g, byte('s'), 'i', 'b', 'l')
		variables = append(variables, map[string]any{"name": fmt.Sprintf("v%d", i), "expression": g.expression(of, 2)})
		g.names[of] = append(g.names[of], fmt.Sprintf("variables.v%d", i))
	}
	if variables != nil {
		g.features["variables"]++
		spec["variables"] = variables
	}
	if mutates {
		spec["reinvocationPolicy"] = pick(g, "Never", "IfNeeded")
		spec["mutations"] = g.mutations(index, on, mayFail)
	} else {
		binding["validationActions"] = pick(g, []any{"Deny"}, []any{"Deny"}, []any{"Warn"}, []any{"Audit"}, []any{"Deny", "Audit"}, []any{"Warn", "Audit"})
		spec["validations"] = g.validations()
		if g.IntN(3) == 0 {
			g.features["auditAnnotations"]++
			spec["auditAnnotations"] = []any{map[string]any{"key": "k", "valueExpression": g.fill('s', "string(%s)", 3)}}
		}
	}
	object := func(kind string, spec map[string]any) map[string]any {
		return map[string]any{
			"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": map[string]any{"name": name}, "spec": spec,
		}
	}
	return map[string]any{"object": object(kind, spec), "bindings": []any{object(kind+"Binding", binding)}}
}

func (g *grammar) params(spec, binding map[string]any) {
	g.features["params"]++
	var ref map[string]any
	if g.IntN(3) == 0 {
		g.features["namespaced params"]++
		spec["paramKind"] = map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}
		ref = map[string]any{"name": "modes"}
		if g.IntN(2) == 0 {
			ref["namespace"] = pick(g, "policies-prod", "policies-dev")
		}
		g.names['s'], g.names['b'] = []string{"params.data.allowed", "params.?data.label.orValue('none')"}, []string{"params != null"}
	} else {
		spec["paramKind"] = map[string]any{"apiVersion": "policies.example.com/v1", "kind": "Limit"}
		low := map[string]any{"matchLabels": map[string]any{"set": "low"}}
		ref = pick(g, map[string]any{"name": "high"}, map[string]any{"name": "missing"}, map[string]any{"selector": low})
		g.names['i'], g.names['b'] = []string{"params.maximum", "params.minimum"}, []string{"has(params.minimum)", "params == null"}
	}
	ref["parameterNotFoundAction"] = pick(g, "Allow", "Deny")
	binding["paramRef"] = ref
}

func (g *grammar) validations() []any {
	var all []any
	for range 1 + g.IntN(2) {
		v := map[string]any{"expression": g.expression('b', 3)}
		if g.IntN(2) == 0 {
			v["message"] = "no"
		}
		if g.IntN(2) == 0 {
			g.features["messageExpression"]++
			g.message = true
			v["messageExpression"] = g.fill('s', "string(%s)", 3)
			g.message = false
		}
		if g.IntN(3) == 0 {
			v["reason"] = pick(g, "Forbidden", "Invalid", "RequestEntityTooLarge")
		}
		all = append(all, v)
	}
	return all
}

// mutations makes mutations that commute with those of other policies, unless they may fail. Then there are no others.
func (g *grammar) mutations(index int, on subject, mayFail bool) []any {
	g.features["mutation"]++
	key := fmt.Sprintf("m%d", index)
	apply := []string{"Object{metadata: Object.metadata{annotations: {'" + key + "': %s}}}"}
	patch := []string{"[JSONPatch{op: 'add', path: '/metadata/labels/" + key + "', value: 'x'}]"}
	switch {
	case on.subresource == "scale":
		apply, patch = []string{"Object{spec: Object.spec{replicas: 7}}"}, []string{"[JSONPatch{op: 'add', path: '/spec/replicas', value: 7}]"}
	case on.subresource == "status" && on.kind == "Gadget":
		apply, patch = []string{"Object{status: Object.status{note: 'x'}}"}, []string{"[JSONPatch{op: 'add', path: '/status/note', value: 'x'}]"}
	case on.subresource == "status":
		apply, patch = []string{"Object{status: Object.status{readyReplicas: 0}}"}, []string{"[JSONPatch{op: 'add', path: '/status/readyReplicas', value: 0}]"}
	case mayFail && on.kind == "Gadget":
		apply = append(apply, "Object{spec: Object.spec{items: [Object.spec.items{name: %s, size: %i}]}}", "Object{spec: Object.spec{name: %s, count: %i}}",
			"Object{spec: Object.spec{?maybe: optional.of(%s), active: %b}}", "Object{spec: Object.spec{words: %l}}", "Object{spec: Object.spec{options: {%s: %s}}}",
			"Object{metadata: Object.metadata{labels: {'a': %s}}}", "%b ? Object{spec: Object.spec{numbers: %n}} : Object{}")
		patch = append(patch, "[JSONPatch{op: 'replace', path: '/spec/name', value: %s}]", "[JSONPatch{op: 'remove', path: '/spec/' + %s}]",
			"[JSONPatch{op: 'add', path: '/spec/options/' + jsonpatch.escapeKey(%s), value: %s}]", "[JSONPatch{op: 'test', path: '/spec/count', value: %i}]",
			"[JSONPatch{op: 'add', path: '/spec/words/-', value: %s}, JSONPatch{op: 'copy', from: '/spec/words', path: '/spec/words'}]",
			"[JSONPatch{op: 'add', path: '/spec/items', value: [Object.spec.items{name: %s}]}]", "[JSONPatch{op: 'move', from: '/spec/name', path: '/spec/address'}]",
			"%b ? [JSONPatch{op: 'add', path: '/spec/template/metadata/annotations', value: {'a': %s}}] : []")
	case mayFail:
		apply = append(apply, "Object{spec: Object.spec{template: Object.spec.template{spec: Object.spec.template.spec{containers: "+
			"[Object.spec.template.spec.containers{name: %s, image: 'i' + string(%i)}]}}}}",
			"Object{spec: Object.spec{replicas: %i, minReadySeconds: 1}}", "Object{spec: Object.spec{template: Object.spec.template{metadata: "+
				"Object.spec.template.metadata{annotations: {'a': %s}}}}}")
		patch = append(patch, "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/0/image', value: 'x' + string(%i)}]",
			"[JSONPatch{op: 'remove', path: '/spec/replicas'}]", "[JSONPatch{op: 'add', path: '/spec/template/spec/containers/0/command', value: %l}]",
			"[JSONPatch{op: 'replace', path: '/spec/template/spec/nodeSelector', value: {'a': %s}}]")
	}
	form := func(all []string) *tree {
		f := pick(g, all...)
		g.features[f]++
		if !mayFail {
			f = strings.ReplaceAll(f, "%s", "'"+key+"'")
		}
		return g.fill('m', f, 2)
	}
	if g.IntN(2) == 0 {
		return []any{map[string]any{"patchType": "ApplyConfiguration", "applyConfiguration": map[string]any{"expression": form(apply)}}}
	}
	return []any{map[string]any{"patchType": "JSONPatch", "jsonPatch": map[string]any{"expression": form(patch)}}}
}
