// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// Replacement is the admission policy that replaces a webhook on newer clusters. [Suite] compares the two on the
// samples and on random requests, the same in each run, and [Table] on its cases and their neighbours. The handler and
// the policy allow and deny the same requests, and make the same object. `webhook-gen explain evaluate` answers for the
// policy, as for [Policies]. Without that program the comparison fails.
//
// The comparison also fails if the validator denies no request: then it does not show that the policy denies any.
type Replacement struct {
	// Policy is the name of the policy.
	Policy string
	// Numbers and Texts are in the expressions of the policy and in the markers of the type. Random objects have
	// values, lengths and sizes near them.
	Numbers []int64
	Texts   []string
}

// replacementCheck compares a webhook with the policy that replaces it.
type replacementCheck struct {
	randomCheck
	configured configured
	call       call
	samples    []json.RawMessage
	// deniedFolder is a folder for samples that the validator denies.
	deniedFolder string
	// cases are the requests of a table. If there are any, they and their neighbours are compared, and no random ones.
	cases []pair
	// values go into objects: those of the Replacement, of the Go code and of the samples.
	values Replacement
}

// replacementOf returns the check of a webhook that a policy replaces.
func (s Suite) replacementOf(t testing.TB, w Webhook, handler http.Handler, all []configured, calls []call) replacementCheck {
	c := replacementCheck{randomCheck: randomCheck{Webhook: w, handler: handler, functions: s.Implementations}, call: calls[0]}
	if i := slices.IndexFunc(all, func(c configured) bool { return c.Name == w.Name && c.mutating == w.Mutating }); i >= 0 {
		c.configured = all[i]
	}
	c.samples = s.samplesFor(t, w)
	c.deniedFolder = "config/samples/denied"
	if len(s.Samples) > 0 {
		c.deniedFolder = filepath.Join(s.Samples[0], "denied")
	}
	c.values = c.Replacement.with(goLiterals(c.files())).with(valuesOf(c.samples))
	return c
}

// pair is a request: the object that it is about, and the old object of an UPDATE.
type pair struct {
	operation   admissionv1.Operation
	object, old json.RawMessage
	// request is the request of a table's case, with its user and resource; nil for others.
	request *rawReview
}

// outcome is what a webhook or a policy makes of a request.
type outcome struct {
	allowed bool
	// failed is true if an expression of the policy fails, which denies the request.
	failed bool
	// object is the object after a mutation.
	object  json.RawMessage
	message string
}

// compared is a request with both outcomes.
type compared struct {
	pair
	// index is the place of the request in the list that is compared.
	index           int
	webhook, policy outcome
}

// The number of random requests and of neighbours that are compared for each operation. The random ones are chosen from
// randomRequests, so that both verdicts are among them, and the neighbours from mostNeighbours of each of mostBases.
const (
	comparedRequests  = 150
	neighbourRequests = 600
	randomRequests    = 1500
	mostNeighbours    = 3000
	mostBases         = 8
)

func (c replacementCheck) run(t testing.TB) {
	t.Helper()
	total, allowed, denied := 0, 0, 0
	for _, operation := range c.operations() {
		if operation == admissionv1.Connect {
			continue
		}
		all, err := c.compare(t, c.requests(t, operation))
		if err != nil {
			t.Fatal(err)
		}
		var reported []string
		for _, one := range all {
			total++
			if one.policy.allowed {
				allowed++
			}
			if !one.webhook.allowed {
				denied++
			}
			if how := c.disagree(one); how != "" && !slices.Contains(reported, how) {
				reported = append(reported, how)
				c.report(t, c.smallest(t, least(c.disagreeing(all, how)), how), how)
			}
		}
		if len(reported) > 0 {
			return // other operations show the same
		}
	}
	switch {
	case len(c.cases) > 0: // Suite reports what follows
	case total == 0:
		t.Errorf("no random request is for both the webhook %s and the policy %s", c.Name, c.Replacement.Policy)
	case denied == 0 && !c.Mutating && !deniesInTable(c.objectType()):
		t.Errorf("the validator of %s denies no sample and no random request, so nothing shows that the policy %s denies what it denies: "+
			"add an object that it denies to %s, or a case with Denied to an admissiontest.Table", c.Name, c.Replacement.Policy, c.deniedFolder)
	}
	t.Logf("%s and the policy %s: %d requests, %d of them allowed", c.Name, c.Replacement.Policy, total, allowed)
}

// disagree says how the two outcomes differ; empty if they are the same.
func (c replacementCheck) disagree(one compared) string {
	switch {
	case one.webhook.allowed && !one.policy.allowed:
		return "allows the request, and the policy %s denies it"
	case !one.webhook.allowed && one.policy.allowed:
		return "denies the request, and the policy %s allows it"
	case !one.webhook.allowed && one.policy.failed && !hasNull(one.object) && !hasNull(one.old):
		// A schema refuses the null that Go writes for an empty list, before the policy gets it.
		return "denies the request, and an expression of the policy %s fails on it"
	case c.Mutating && one.webhook.allowed && failure.Diff(one.webhook.object, one.policy.object) != "":
		return "makes another object than the policy %s"
	}
	return ""
}

func (c replacementCheck) report(t testing.TB, one compared, how string) {
	t.Helper()
	text := string(one.operation) + " of\n" + failure.YAML(one.object)
	switch {
	case one.old == nil:
	case one.object == nil:
		text = string(one.operation) + " of\n" + failure.YAML(one.old)
	case one.isUnchanged():
		text = string(one.operation) + " without a change of\n" + failure.YAML(one.object)
	default:
		text += "\nwith the old object\n" + failure.YAML(one.old)
	}
	if !one.webhook.allowed {
		text += "\nthe webhook: " + one.webhook.message
	}
	if !one.policy.allowed {
		text += "\nthe policy: " + one.policy.message
	}
	if one.webhook.allowed && one.policy.allowed {
		text += "\n(-webhook +policy)\n" + failure.Diff(one.webhook.object, one.policy.object)
	}
	failure.Report(t, c.position(one.operation), fmt.Sprintf("%s %s:\n%s", c.function(one.operation), fmt.Sprintf(how, c.Replacement.Policy), text))
}

// ask sends a request to the handler. It is false if the call fails, because failurePolicy then decides.
func (c replacementCheck) ask(t testing.TB, p pair) (outcome, bool) {
	result, err := c.review(p).send(t.Context(), c.handler)
	if err != nil || result.Response == nil {
		return outcome{}, false
	}
	return outcome{allowed: result.Response.Allowed, object: defaulted(result.object), message: result.reason()}, true
}

// review returns the review of a request.
func (c replacementCheck) review(p pair) rawReview {
	object := p.object
	if p.operation == admissionv1.Delete {
		object = p.old
	}
	r := c.reviewOf(p.operation, c.call, defaulted(object), defaulted(p.old))
	if p.request != nil {
		objects := r
		r = *p.request
		r.object, r.old = objects.object, objects.old
	}
	if name := nameOf(object); name != "" || p.request == nil {
		r = r.Named(namespaceOf(object), name)
	}
	return r
}

// nameOf and namespaceOf return parts of an object's metadata.
func nameOf(object json.RawMessage) string      { return identityOf(object).Name }
func namespaceOf(object json.RawMessage) string { return identityOf(object).Namespace }

func identityOf(object json.RawMessage) metav1.ObjectMeta {
	var o struct {
		Metadata struct{ Name, Namespace string } `json:"metadata"`
	}
	if json.Unmarshal(object, &o) != nil {
		return metav1.ObjectMeta{}
	}
	return metav1.ObjectMeta{Name: o.Metadata.Name, Namespace: o.Metadata.Namespace}
}

func (c replacementCheck) isClusterScoped() bool {
	return slices.ContainsFunc(c.configured.Rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return r.Scope != nil && *r.Scope == admissionregistrationv1.ClusterScope
	})
}

// compare asks the policy and the webhook. Requests that only one of them is for are left out.
func (c replacementCheck) compare(t testing.TB, all []pair) ([]compared, error) {
	var requests []policyRequest
	around := Policies[json.RawMessage]{NamespaceLabels: selectedLabels(c.configured.NamespaceSelector)}
	for _, p := range all {
		review, err := c.review(p).review()
		if err != nil {
			return nil, err
		}
		requests = append(requests, around.request(review.Request))
	}
	answers, err := evaluate(t, requests)
	if err != nil {
		return nil, err
	}
	var found []compared
	for i, answer := range answers {
		if answer.Error != "" {
			return nil, fmt.Errorf("no answer of the policies: %s", answer.Error)
		}
		of, policy, ok := c.policyOutcome(all[i], answer)
		if !ok {
			continue
		}
		if webhook, ok := c.ask(t, of); ok {
			found = append(found, compared{of, i, webhook, policy})
		}
	}
	return found, nil
}

// policyOutcome finds the policy among the steps of an answer. It returns the request as the policy gets it, after
// other policies. It is false if the policy is not for the request, or if a match condition of the webhook is false.
func (c replacementCheck) policyOutcome(p pair, answer policyAnswer) (pair, outcome, bool) {
	var found []policyStep
	before := p.object
	for _, step := range answer.Steps {
		switch {
		case step.Policy == c.Replacement.Policy && (step.Phase == "mutation") == c.Mutating:
			found = append(found, step)
		case step.Phase == "mutation" && len(step.Object) > 0 && len(found) == 0:
			before = step.Object
		}
	}
	if len(found) == 0 {
		return p, outcome{}, false
	}
	if p.operation != admissionv1.Delete {
		p.object = before
	}
	o := outcome{allowed: true, object: p.object}
	if answered, err := c.review(p).review(); err == nil {
		o.object = answered.Request.Object.Raw
	}
	for _, step := range found {
		switch step.Verdict {
		case "denied":
			return p, outcome{message: step.Message}, true
		case "error":
			if !answer.Allowed {
				return p, outcome{failed: true, message: step.Message}, true
			}
		case "notMatched":
			return p, outcome{}, false
		case "conditionFalse":
			if slices.ContainsFunc(c.configured.MatchConditions, func(m admissionregistrationv1.MatchCondition) bool {
				return strings.Contains(step.Message, strconv.Quote(m.Name))
			}) {
				return p, outcome{}, false
			}
		}
		if len(step.Object) > 0 {
			o.object = step.Object
		}
	}
	return p, o, true
}

// requests returns the requests of an operation, the same in each run: each sample as it is, random ones, of which half
// are allowed by the handler, if that many are found, and neighbours. For a table they are its cases and neighbours.
func (c replacementCheck) requests(t testing.TB, operation admissionv1.Operation) []pair {
	own := slices.DeleteFunc(slices.Clone(c.cases), func(p pair) bool { return p.operation != operation })
	if len(c.cases) > 0 {
		return append(own, c.near(t, own)...)
	}
	own = c.ofSamples(operation)
	random := rand.New(rand.NewPCG(1, uint64(len(operation))))
	pool := c.samplesAndFilled()
	var allowed, denied []pair
	var reasons []string
	seen := map[string]bool{}
	for i := range randomRequests {
		object := pool[random.IntN(len(pool))]
		p := pair{operation: operation, object: object}
		if i >= len(pool) {
			p.object = c.changed(random, object)
		} else {
			p.object = pool[i]
		}
		switch {
		case operation == admissionv1.Create:
		case random.IntN(8) == 0:
			p.old = pool[random.IntN(len(pool))]
		case random.IntN(8) == 0:
			p.old = p.object
		default:
			p.old = object
		}
		if operation == admissionv1.Delete {
			p.object = nil
			p.old = c.changed(random, object)
		}
		key := string(p.object) + "\n" + string(p.old)
		if seen[key] {
			continue
		}
		seen[key] = true
		o, ok := c.ask(t, p)
		switch {
		case !ok:
		case !o.allowed:
			denied, reasons = append(denied, p), append(reasons, o.message)
		default:
			allowed = append(allowed, p)
			if p.object != nil && len(pool) < randomRequests {
				pool = append(pool, p.object) // its neighbours are near the limits
			}
		}
	}
	var bases []pair
	if len(allowed) > 0 {
		size := func(a, b pair) int { return len(a.object) + len(a.old) - len(b.object) - len(b.old) }
		bases = []pair{slices.MaxFunc(allowed, size), slices.MinFunc(allowed, size)}
	}
	half := comparedRequests / 2
	return slices.Concat(own, spread(allowed, max(half, comparedRequests-len(denied))),
		eachReason(denied, reasons, max(half, comparedRequests-len(allowed))), c.near(t, append(bases, own...)))
}

// ofSamples returns the requests that create, delete or keep each sample as it is.
func (c replacementCheck) ofSamples(operation admissionv1.Operation) (all []pair) {
	for _, object := range c.samples {
		if namespaceOf(object) == "" && !c.isClusterScoped() {
			object = renamed(object, nameOf(object), "default")
		}
		p := pair{operation: operation, object: object}
		switch operation {
		case admissionv1.Update:
			p.old = object
		case admissionv1.Delete:
			p.object, p.old = nil, object
		}
		all = append(all, p)
	}
	return all
}

// near returns neighbours of requests: of each reason for which the handler denies, and of the allowed ones.
func (c replacementCheck) near(t testing.TB, bases []pair) []pair {
	var allowed, denied []pair
	var reasons []string
	for _, base := range bases[:min(len(bases), mostBases)] {
		for _, p := range c.neighbours(base) {
			switch o, ok := c.ask(t, p); {
			case !ok:
			case o.allowed:
				allowed = append(allowed, p)
			default:
				denied, reasons = append(denied, p), append(reasons, o.message)
			}
		}
	}
	half := neighbourRequests / 2
	return append(eachReason(denied, reasons, max(half, neighbourRequests-len(allowed))),
		spread(allowed, max(half, neighbourRequests-len(denied)))...)
}

// eachReason returns at most n requests: for each reason the first ones, and others from all parts of the list.
func eachReason(all []pair, reasons []string, n int) []pair {
	if len(all) <= n {
		return all
	}
	const first = 4 // of one reason
	count := map[string]int{}
	var some, rest []pair
	for i, p := range all {
		if count[reasons[i]]++; count[reasons[i]] <= first {
			some = append(some, p)
		} else {
			rest = append(rest, p)
		}
	}
	some = spread(some, n)
	return append(some, spread(rest, n-len(some))...)
}

// neighbours returns requests that differ in one value from another request: each number, length and text of the
// policy, of the validator and of the samples, and its neighbours, at each place, and as the name.
func (c replacementCheck) neighbours(base pair) (all []pair) {
	object := base.object
	if base.operation == admissionv1.Delete {
		object = base.old
	}
	seen := map[string]bool{string(object): true}
	add := func(typed json.RawMessage) {
		if seen[string(typed)] {
			return
		}
		seen[string(typed)] = true
		next := pair{operation: base.operation, object: typed, old: base.old, request: base.request}
		switch {
		case base.operation == admissionv1.Delete:
			next.object, next.old = nil, typed
		case base.operation == admissionv1.Update && (base.request == nil || nameOf(typed) != nameOf(object)):
			next.old = renamed(object, nameOf(typed), namespaceOf(typed))
		}
		all = append(all, next)
	}
	for _, v := range c.values.each() {
		if name := v.word(); len(validation.IsDNS1123Subdomain(name)) == 0 {
			add(renamed(object, name, namespaceOf(object)))
		}
		for i, more := 0, true; more; i++ {
			tree, err := failure.Decode(object)
			if err != nil || len(all) >= mostNeighbours {
				return all
			}
			var places []func()
			c.places(v, tree, nil, func(other any) { tree = other }, &places)
			if more = i < len(places); !more {
				continue
			}
			places[i]()
			text, err := json.Marshal(tree)
			if err != nil {
				continue
			}
			if typed, ok := through(c.objectType(), text); ok {
				add(renamed(c.placed(typed), nameOf(object), namespaceOf(object)))
			}
		}
	}
	return all
}

// renamed returns an object with another name and namespace.
func renamed(object json.RawMessage, name, namespace string) json.RawMessage {
	return edited(object, func(members map[string]any) {
		meta, ok := members["metadata"].(map[string]any)
		if !ok {
			return
		}
		meta["name"], meta["namespace"] = name, namespace
		for _, member := range []string{"name", "namespace"} {
			if meta[member] == "" {
				delete(meta, member)
			}
		}
	})
}

// values are the values that changes put into an object.
type values struct {
	number func() int64
	word   func() string
	// index returns an index below a number.
	index func(int) int
}

// each returns the numbers and texts, one at a time.
func (r Replacement) each() (all []values) {
	last := func(n int) int { return n - 1 }
	add := func(n int64, word string) {
		all = append(all, values{func() int64 { return n }, func() string { return word }, last})
	}
	add(0, "")
	add(1, "a")
	for _, n := range r.Numbers {
		for _, near := range []int64{n - 1, n, n + 1} {
			if near >= 0 && near <= longestText {
				add(near, strings.Repeat("x", int(near)))
				add(near, strings.Repeat("é", int(near))) // bytes and characters differ
			} else {
				add(near, "a")
			}
		}
	}
	for _, text := range r.Texts {
		add(0, text)
	}
	return all
}

// random returns the numbers and texts, and others, at random.
func (r Replacement) random(random *rand.Rand) values {
	number := func() int64 {
		n := int64(random.IntN(3))
		if len(r.Numbers) > 0 && random.IntN(4) > 0 {
			n = r.Numbers[random.IntN(len(r.Numbers))] + int64(random.IntN(3)) - 1
		}
		return n
	}
	return values{number, func() string {
		if len(r.Texts) > 0 && random.IntN(3) > 0 {
			return r.Texts[random.IntN(len(r.Texts))]
		}
		if n := number(); n >= 0 && n <= longestText && random.IntN(2) == 0 {
			return strings.Repeat("x", int(n))
		}
		return []string{"", "a", "A-b", "7"}[random.IntN(4)]
	}, random.IntN}
}

// spread returns at most n elements of a list, from all of its parts.
func spread(all []pair, n int) []pair {
	if len(all) <= n {
		return all
	}
	var some []pair
	for i := range n {
		some = append(some, all[i*len(all)/n])
	}
	return some
}

// samplesAndFilled returns the samples and objects that are filled at random: sparse ones and full ones.
func (c replacementCheck) samplesAndFilled() []json.RawMessage {
	var all []json.RawMessage
	for _, sample := range c.samples {
		if typed, ok := through(c.objectType(), sample); ok {
			all = append(all, c.placed(typed))
		}
	}
	for _, object := range c.randomObjects() {
		all = append(all, c.placed(object))
	}
	return all
}

// placed gives an object the name and namespace of the requests, and labels that match the webhook's selector.
func (c replacementCheck) placed(object json.RawMessage) json.RawMessage {
	return edited(object, func(members map[string]any) {
		meta, ok := members["metadata"].(map[string]any)
		if !ok {
			meta = map[string]any{}
			members["metadata"] = meta
		}
		meta["name"], meta["namespace"] = "filled", "default"
		if c.isClusterScoped() {
			delete(meta, "namespace")
		}
		if selected := selectedLabels(c.configured.ObjectSelector); len(selected) > 0 {
			labels, _ := meta["labels"].(map[string]any)
			labels = maps.Clone(labels)
			if labels == nil {
				labels = map[string]any{}
			}
			for key, value := range selected {
				labels[key] = value
			}
			meta["labels"] = labels
		}
		for _, name := range []string{"labels", "annotations"} {
			if texts, ok := meta[name].(map[string]any); ok && len(texts) == 0 {
				delete(meta, name) // as API servers do
			}
		}
	})
}

// selectedLabels returns labels that match a selector, as far as it requires labels.
func selectedLabels(s *metav1.LabelSelector) map[string]string {
	labels := map[string]string{}
	if s == nil {
		return labels
	}
	maps.Copy(labels, s.MatchLabels)
	for _, r := range s.MatchExpressions {
		switch {
		case r.Operator == metav1.LabelSelectorOpIn && len(r.Values) > 0:
			labels[r.Key] = r.Values[0]
		case r.Operator == metav1.LabelSelectorOpExists:
			labels[r.Key] = ""
		}
	}
	return labels
}

// changed returns an object with one to three random changes. Changes that the Go type cannot hold are left out.
func (c replacementCheck) changed(random *rand.Rand, object json.RawMessage) json.RawMessage {
	for range 1 + random.IntN(3) {
		if random.IntN(4) == 0 {
			if smaller := withoutOne(c.objectType(), object); len(smaller) > 0 {
				object = c.placed(smaller[random.IntN(len(smaller))])
			}
			continue
		}
		tree, err := failure.Decode(object)
		if err != nil {
			return object
		}
		var places []func()
		c.places(c.values.random(random), tree, nil, func(other any) { tree = other }, &places)
		if len(places) == 0 {
			return object
		}
		places[random.IntN(len(places))]()
		text, err := json.Marshal(tree)
		if err != nil {
			return object
		}
		if typed, ok := through(c.objectType(), text); ok {
			object = c.placed(typed)
		}
	}
	if random.IntN(6) == 0 {
		object = c.withZero(random, object)
	}
	return object
}

// withZero returns an object with the zero value of a member that Go leaves out. Users can send it, and has() in CEL
// then is true.
func (c replacementCheck) withZero(random *rand.Rand, object json.RawMessage) json.RawMessage {
	return edited(object, func(members map[string]any) {
		var places []func()
		eachStruct(c.objectType(), members, func(t reflect.Type, members map[string]any) {
			if t == reflect.TypeFor[metav1.ObjectMeta]() {
				return
			}
			fields := fieldsOf(t)
			for _, name := range slices.Sorted(maps.Keys(fields)) {
				zero, ok := map[reflect.Kind]any{
					reflect.String: "", reflect.Bool: false, reflect.Slice: []any{},
					reflect.Int: 0, reflect.Int32: 0, reflect.Int64: 0,
				}[fields[name].Type.Kind()]
				encodesItself := reflect.PointerTo(fields[name].Type).Implements(reflect.TypeFor[json.Unmarshaler]())
				isBytes := fields[name].Type.Kind() == reflect.Slice && fields[name].Type.Elem().Kind() == reflect.Uint8
				if _, exists := members[name]; ok && !exists && !encodesItself && !isBytes && name != "apiVersion" && name != "kind" {
					places = append(places, func() { members[name] = zero })
				}
			}
		})
		if len(places) > 0 {
			places[random.IntN(len(places))]()
		}
	})
}

// places collects the changes of a value and of the values in it: one for each place.
func (c replacementCheck) places(use values, v any, path []string, replace func(any), all *[]func()) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !isIdentity(path, name) || name == "metadata" {
				c.places(use, v[name], append(slices.Clone(path), name), func(other any) { v[name] = other }, all)
			}
		}
		if slices.Equal(path, []string{"metadata"}) {
			*all = append(*all, func() { v["labels"] = map[string]any{use.word() + "a": use.word()} },
				func() { v["annotations"] = map[string]any{use.word() + "a": use.word()} })
		}
		if slices.Equal(path, []string{"metadata", "labels"}) || slices.Equal(path, []string{"metadata", "annotations"}) {
			*all = append(*all, func() { v[use.word()] = use.word() })
		}
	case []any:
		for i := range v {
			c.places(use, v[i], append(slices.Clone(path), "0"), func(other any) { v[i] = other }, all)
		}
		*all = append(*all, func() {
			n := use.number()
			if n < 0 || n > longestList {
				return
			}
			list := slices.Clone(v[:min(len(v), int(n))])
			for len(v) > 0 && len(list) < int(n) {
				next := v[use.index(len(v))]
				if text, ok := next.(string); ok && use.index(8) > 0 {
					next = fmt.Sprintf("%s%d", text, len(list))
				}
				list = append(list, next)
			}
			replace(list)
		})
	case string:
		*all = append(*all, func() { replace(use.word()) })
	case json.Number:
		*all = append(*all, func() { replace(json.Number(strconv.FormatInt(use.number(), 10))) })
	case bool:
		*all = append(*all, func() { replace(!v) })
	}
}

// longestText and longestList bound random texts and lists.
const longestText, longestList = 5000, 300
