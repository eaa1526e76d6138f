// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// Existing tests the handlers that a project already has, such as controller-runtime's. It is for projects without
// generated handlers, and knows a handler only by its answers. webhook-gen create tests writes a test with it.
//
// Existing reports defects that the project can mend, each with the smallest request that shows it:
//
//   - A webhook has no handler or no type of objects, or the manifest has it called at another path or for other
//     operations or kinds.
//   - A handler answers a review as no API server accepts it, or allows a request that cannot be read.
//   - A handler panics, for objects with few members or with all of them.
//   - A handler answers the same request differently: at once, after another request or beside others.
//   - A mutating handler changes its own result, or its patch removes members that are unknown to the Go type.
//   - A handler denies that a finalizer is removed from an object that is being deleted.
//   - A handler denies the project's samples.
//
// Objects are filled at random. Handlers get them as an API server sends them: with defaults, and validating handlers
// after the mutating ones, if the schema accepts the result. Rules in CEL are not evaluated. By them, or for a kind
// without a definition, an API server may refuse an object before it calls a webhook.
//
// If the environment variable WEBHOOK_REVIEWS has the absolute path of a folder, the reviews of each such request are
// there in JSON, in files WEBHOOK-OPERATION-NUMBER.json. Each is the body of a POST to the path of the webhook.
type Existing struct {
	// Manifest is the file with the webhook configurations; empty if the project has none.
	Manifest string
	// Samples are folders with objects that users would create, in YAML files. A folder may be missing. Folders named
	// denied are left out.
	Samples []string
	// Definitions are files, folders and globs of CustomResourceDefinitions. They may be missing.
	Definitions []string
	// Finalizers are finalizers that the code compares with. If a webhook allows that one of them is removed from an
	// object that is being deleted, it may deny the removal of others.
	Finalizers []string
	// Webhooks are the webhooks of the package's markers. Findings name their functions.
	Webhooks []Webhook
	// Handlers are the project's handlers by path. A handler that is nil counts as missing.
	Handlers map[string]http.Handler
}

// Run runs the tests.
func (e Existing) Run(t *testing.T) {
	defer logPanics(nil)()
	for _, c := range e.checks(t) {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

// checks returns the tests. It reports differences between the markers and the manifest.
func (e Existing) checks(t testing.TB) []check {
	configured := configuredIn(t, e.Manifest)
	suite := Suite{Manifest: e.Manifest, Samples: e.Samples, Webhooks: e.Webhooks, definitions: definitionsIn(t, e.Definitions)}
	samples := suite.samples(t)
	checks := []check{{"paths", e.checkPaths}, {"objects", func(t testing.TB) { e.checkObjects(t, configured) }}}
	var all, mutating []existingCheck
	for _, w := range e.Webhooks {
		calls := w.calls(t, e.Manifest, configured, e.Webhooks)
		if e.Handlers[w.Path] == nil || len(calls) == 0 {
			continue // which is reported
		}
		c := existingCheck{Webhook: w, finalizers: append([]string{othersFinalizer}, e.Finalizers...), handler: e.Handlers[w.Path], call: calls[0], sent: &sentReviews{}, depends: new(bool)}
		c.definition = suite.definitions[c.groupVersionKind()]
		for _, o := range samples {
			if o.APIVersion == c.call.kind.APIVersion && o.Kind == c.call.kind.Kind {
				c.samples = append(c.samples, o.object)
			}
		}
		for _, other := range configured {
			if other.Name == w.Name && other.mutating == w.Mutating {
				c.beta = slices.Contains(other.AdmissionReviewVersions, "v1beta1")
			}
		}
		if w.Mutating {
			mutating = append(mutating, c)
		}
		all = append(all, c)
	}
	validating := slices.DeleteFunc(all, func(c existingCheck) bool { return c.Mutating })
	for _, c := range slices.Concat(mutating, validating) { // whose answers depend on the mutating ones
		for _, m := range mutating {
			if !c.Mutating && m.call == c.call {
				c.before = append(c.before, m)
			}
		}
		checks = append(checks, c.checks()...)
	}
	return append(checks, check{"samples", func(t testing.TB) { suite.checkSamples(t, configured, e.answering()) }})
}

// checks returns the tests of one handler.
func (c existingCheck) checks() []check {
	checks := []check{{c.Name + "/protocol", c.checkProtocol}}
	for _, operation := range c.operations() {
		if operation != admissionv1.Connect { // whose options have types of their own
			checks = append(checks, check{c.Name + "/" + string(operation), func(t testing.TB) { c.checkOperation(t, operation) }})
		}
	}
	if c.Functions[admissionv1.Update] != "" && !strings.Contains(c.call.resource, "/") {
		checks = append(checks, check{c.Name + "/deletion", c.checkDeletion})
	}
	return checks
}

// answering returns the handlers for the test of the samples. They answer a panic with HTTP 500, which does not end the
// test.
func (e Existing) answering() map[string]http.Handler {
	handlers := map[string]http.Handler{}
	for path, handler := range e.Handlers {
		if handler != nil {
			handlers[path] = recovering{handler}
		}
	}
	return handlers
}

// checkPaths checks that each webhook has a handler, and each handler a webhook.
func (e Existing) checkPaths(t testing.TB) {
	for _, w := range e.Webhooks {
		if e.Handlers[w.Path] == nil {
			t.Errorf("webhook %s is called at %s, for which there is no handler: add %q to the handlers of this test", w.Name, w.Path, w.Path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(e.Handlers)) {
		if !slices.ContainsFunc(e.Webhooks, func(w Webhook) bool { return w.Path == path }) {
			t.Errorf("the handler at %s is never called: no webhook of the package has this path", path)
		}
	}
}

// checkObjects checks that each handler gets objects of its own type. With others, most tests pass for any code.
func (e Existing) checkObjects(t testing.TB, all []configured) {
	for _, w := range e.Webhooks {
		if _, isAny := w.Object.(metav1.PartialObjectMetadata); isAny || w.Object != nil && len(w.Kinds) > 0 {
			continue
		}
		object, kind, apiVersion := "TYPE", "KIND", "GROUP/VERSION"
		if w.Object != nil {
			object, kind = reflect.TypeOf(w.Object).String(), reflect.TypeOf(w.Object).Name()
		}
		for _, c := range all {
			if c.Name == w.Name && c.mutating == w.Mutating && len(c.Rules) > 0 {
				apiVersion = strings.TrimPrefix(c.Rules[0].APIGroups[0]+"/"+c.Rules[0].APIVersions[0], "/")
			}
		}
		t.Errorf("webhook %s gets no objects of its type: add to the webhook in this test, with the Go type and the kind of %s\n"+
			"\tObject: %s{},\n\tKinds: []admissiontest.Kind{{APIVersion: %q, Kind: %q}},\n"+
			"or, if the handler reads metadata alone,\n\tObject: metav1.PartialObjectMetadata{},",
			w.Name, strings.Join(w.Resources, ", "), object, apiVersion, kind)
	}
}

// existingCheck tests one handler by its answers.
type existingCheck struct {
	Webhook
	handler http.Handler
	call    call
	samples []json.RawMessage
	// finalizers are removed from objects that are being deleted.
	finalizers []string
	// definition is the definition of the objects' kind; nil without one.
	definition *definition
	// beta reports whether API servers may send reviews of v1beta1.
	beta bool
	// before are the mutating webhooks that an API server calls before this one.
	before []existingCheck
	sent   *sentReviews
	// depends is true as soon as an answer of the handler is known to depend on earlier requests.
	depends *bool
}

// decoded returns an object as an API server has it before it calls webhooks. Without a definition, objects of
// Kubernetes' own kinds get their defaults.
func (c existingCheck) decoded(object json.RawMessage) json.RawMessage {
	if c.definition == nil {
		return defaulted(c.withKind(object))
	}
	return c.definition.decoded(object)
}

// defaulted returns the request after the defaults of its objects and the mutating webhooks for them. It reports false
// if it does not reach the handler, because a mutating webhook denies it or the schema refuses the result.
func (c existingCheck) defaulted(r existingRequest) (existingRequest, bool) {
	r.object, r.old = c.decoded(r.object), c.decoded(r.old)
	for _, m := range c.before {
		if r.old != nil && m.Functions[admissionv1.Create] != "" {
			if reply := m.ask(existingRequest{operation: admissionv1.Create, object: r.old}); reply.allowed() {
				r.old = c.decoded(reply.object)
			}
		}
		if m.Functions[r.operation] == "" || r.operation == admissionv1.Delete {
			continue
		}
		reply := m.ask(r)
		if !reply.allowed() {
			return r, false
		}
		r.object = c.decoded(reply.object)
	}
	return r, c.Mutating || c.definition.accepts(r.object) && c.definition.accepts(r.old)
}

// defect is a kind of defect, and the function that looks for it.
type defect struct {
	// of describes the defect in the answer to a request; empty for an answer without the defect.
	of func(existingRequest) string
	// tries is how often of has to be called before a request counts as having no defect.
	tries int
}

// found returns the description of the defect if any of the tries shows it.
func (d defect) found(r existingRequest) string {
	for range max(d.tries, 1) {
		if message := d.of(r); message != "" {
			return message
		}
	}
	return ""
}

// checkOperation sends objects of all kinds of density, and reports each kind of defect once.
func (c existingCheck) checkOperation(t testing.TB, operation admissionv1.Operation) {
	const repeats = 8 // for each of many requests, so that the order of a map shows
	defects := []defect{{of: c.panics}, {of: c.refused}, {of: c.patchless}, {of: c.differs, tries: repeats}, {of: c.changesAgain}, {of: c.losesUnknown}}
	const differing = 3 // among the defects
	reported := make([]bool, len(defects))
	var sent, ready []existingRequest
	for _, r := range c.requests(operation) {
		if then, reaches := c.defaulted(r); reaches {
			then.ready = true
			sent, ready = append(sent, r), append(ready, then)
		}
	}
	// This is first, because later requests may change nothing any more.
	*c.depends = c.checkSequence(t, sent) || *c.depends
	for k, r := range ready {
		for i, d := range defects {
			if reported[i] || d.found(r) == "" {
				continue
			}
			reported[i] = true
			if d.tries > 0 {
				d.tries = patient // for one request
			}
			c.report(t, d, sent[k])
			break // the other defects may be the same one
		}
	}
	// A handler that writes into a shared map would stop the program if it was called in parallel.
	if !c.dependent() && !reported[differing] {
		c.checkParallel(t, sent)
	}
}

// dependent reports whether answers of the handler, or of one that is called before it, depend on earlier requests.
func (c existingCheck) dependent() bool {
	return *c.depends || slices.ContainsFunc(c.before, existingCheck.dependent)
}

// report reports a defect with the smallest request that has it.
func (c existingCheck) report(t testing.TB, d defect, r existingRequest) {
	t.Helper()
	r = c.smallest(r, func(r existingRequest) bool { return d.found(r) != "" })
	var message string
	files := c.written(t, func() { message = d.found(r) })
	if message == "" { // it shows by chance, and has not shown again
		message = "answers the same request differently, though rarely"
	}
	t.Errorf("%s %s\n%s%s", c.Functions[r.operation], message, c.shown(r), files)
}

// requests returns the requests of an operation: the objects with the fewest members, the samples, the samples without
// one member each, and objects that are filled at random.
func (c existingCheck) requests(operation admissionv1.Operation) []existingRequest {
	least := c.least()
	pairs := [][2]json.RawMessage{{least, least}}
	for _, sample := range c.samples {
		pairs = append(pairs, [2]json.RawMessage{sample, sample}, [2]json.RawMessage{sample, least}, [2]json.RawMessage{least, sample})
		const enough = 100
		for i, without := range withoutOne(c.objectType(), sample) {
			if i < enough {
				pairs = append(pairs, [2]json.RawMessage{without, sample}, [2]json.RawMessage{sample, without})
			}
		}
	}
	const seeds = 8
	for _, elements := range []int{0, 1, 3} {
		for seed := range uint64(seeds) {
			object := c.definition.repaired(filled(c.objectType(), seed, elements), seed)
			old := c.definition.repaired(filled(c.objectType(), seed+seeds, elements), seed+seeds)
			pairs = append(pairs, [2]json.RawMessage{object, old})
			if operation == admissionv1.Update {
				pairs = append(pairs, [2]json.RawMessage{object, object}, [2]json.RawMessage{object, least}, [2]json.RawMessage{least, object})
			}
		}
	}
	requests := make([]existingRequest, 0, len(pairs))
	for _, pair := range pairs {
		r := existingRequest{operation: operation, object: pair[0]}
		if operation == admissionv1.Update {
			r.old = pair[1]
		}
		requests = append(requests, r)
	}
	return requests
}

// least returns the object that has only the members that its type always writes.
func (c existingCheck) least() json.RawMessage {
	search := failure.Search{Steps: removals(c.objectType()), Failing: oneByOne(func(failure.Objects) bool { return true }), Tries: 2000}
	return search.Smallest(failure.Objects{c.definition.repaired(filled(c.objectType(), 1, 0), 1)})[0]
}
