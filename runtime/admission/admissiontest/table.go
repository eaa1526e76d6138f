// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// Table tests the validators and defaulters for objects of type T by cases: the request of a user, and its result after
// all webhooks.
type Table[T any] struct {
	// Webhooks are the webhooks that are tested.
	Webhooks Webhooks
	// Paths are the paths of the webhooks for such objects, in the order in which an API server calls them: mutating
	// ones first, by the names of their configurations, and within a configuration as they stand there.
	Paths []string
	// Others are mutating webhooks of other programs. Each key is also an entry of Paths, at the webhook's place there.
	Others map[string]func(*T)
	// InTree is what the API server's own plugins edit on CREATE and UPDATE. They run before the webhooks.
	InTree func(*T)
	// Reinvoked names the webhooks in Paths with reinvocationPolicy: IfNeeded. After a change by a mutating webhook,
	// InTree runs once more, and so do the webhooks of Reinvoked whose object has changed since their call.
	Reinvoked []string
	// Policies is set if the admission policies of the module's +webhook:policy markers take part, as in [Policies]:
	// mutating ones before the mutating webhooks of each round, validating ones before the validating webhooks. The
	// audit annotations of policies have their names.
	Policies *Cluster
	// Kind is the kind of the objects. An object with its own apiVersion and kind may have another kind.
	Kind Kind
	// Resource is the resource of the requests. If it is empty, it is the plural of the kind: see [Review.Resource].
	Resource Resource
	Cases    []Case[T]

	sent map[string][]rawReview // the requests that the webhooks got, by path
}

// Resource is a resource as a request names it.
type Resource struct {
	// APIVersion is the group and the version, Name the plural: "apps/v1", "deployments". SubResource may be empty.
	APIVersion, Name, SubResource string
}

// Case is a request and its whole result: a denial, a warning or an edit that is missing here must not occur. A case
// with only a request checks that it is allowed, without an edit and without a warning.
type Case[T any] struct {
	// Name is a description of the case.
	Name string
	// Request is the request of a user.
	Request Review[T]
	// Object is the object after all webhooks; nil if it stays as it is.
	Object *T
	// Denied is the code with which the request is denied: 422 for field errors, 400 for an object that cannot be
	// decoded, 500 for a panic, 403 for most others.
	Denied int
	// Failed is the HTTP code of a call that failed, so that the failurePolicy decides: 500 for an error marked with
	// admission.Failure.
	Failed int
	// Message is a part of the reason of the denial or failure.
	Message string
	// Causes are the fields that a denial is about, in their order.
	Causes []string
	// Warnings are the warnings of all webhooks, in their order, each text once.
	Warnings []string
	// Audit are the audit annotations. If it is nil, they are not checked.
	Audit map[string]string
}

// Run runs each case as a test of its own. A failure has the position of the case: where the function that calls Run
// makes its request, or else where the request is made. If a policy replaces one of the webhooks, one more test
// compares both on the requests of the cases and on their neighbours: see [Replacement].
func (table Table[T]) Run(t *testing.T) {
	t.Helper()
	caller := failure.Function(1)
	handlers := serve(t, table.Webhooks)
	table.Policies = table.Policies.described(t)
	for name, edit := range table.Others {
		if handlers[name] != nil || !slices.Contains(table.Paths, name) {
			t.Fatalf("%s of Others must stand in Paths, and no webhook may be registered there", name)
		}
		handlers[name] = edits(name, edit)
	}
	for _, path := range table.Paths {
		if handlers[path] == nil {
			t.Fatalf("no webhook is registered at %s", path)
		}
	}
	for _, path := range table.Reinvoked {
		if !slices.Contains(table.Paths, path) || !mutates(handlers[path]) {
			t.Fatalf("%s of Reinvoked is no mutating webhook of Paths", path)
		}
	}
	table.sent = map[string][]rawReview{}
	for _, c := range table.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Helper()
			table.run(failure.TB{TB: t, At: failure.Caller(c.Request.made, caller)}, handlers, c)
		})
	}
	table.compareReplacements(t, handlers)
}

// run sends the request of a case to the webhooks. If the case fails and several calls have changed the object, it
// prints their changes and the object between them.
func (table Table[T]) run(t testing.TB, handlers map[string]http.Handler, c Case[T]) {
	t.Helper()
	calls := chain[T]{
		request: table.named(c.Request), handlers: handlers, reinvoked: table.Reinvoked, sent: table.sent,
		warnings: []string{}, audit: map[string]string{},
	}
	operation := calls.request.operation
	if around := table.Policies; around != nil {
		calls.policies = &chainPolicies[T]{Policies: Policies[T]{Params: around.Params, NamespaceLabels: around.NamespaceLabels}, original: calls.request, mutate: around.mutate}
	}
	if table.InTree != nil && (operation == admissionv1.Create || operation == admissionv1.Update) {
		calls.inTree = edits("in-tree", table.InTree)
	}
	var mutating, validating []string
	for _, path := range table.Paths {
		switch h := handlers[path]; {
		case !decides(h, operation):
		case mutates(h):
			mutating = append(mutating, path)
		default:
			validating = append(validating, path)
		}
	}
	if len(mutating)+len(validating) == 0 && table.Policies == nil {
		t.Fatalf("none of the webhooks is for %s", operation)
	}
	defer func() {
		if t.Failed() && calls.changed > 1 {
			t.Errorf("%s", strings.Join(calls.changes, "\n"))
		}
	}()
	calls.run(t, mutating, validating)
	if !calls.checkWithPolicies(t, c) {
		c.check(calls.last)
	}
	differs(t, "warnings", append([]string{}, c.Warnings...), calls.warnings)
	if c.Audit != nil {
		differs(t, "audit annotations", c.Audit, calls.audit)
	}
}

// differs reports the differences of two values as JSON.
func differs(t testing.TB, what string, want, got any) {
	t.Helper()
	w, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	g, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if diff := failure.Diff(w, g); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// named returns the request with the table's kind and resource, unless the request sets others.
func (table Table[T]) named(r Review[T]) Review[T] {
	if r.kind.Empty() && !saysKind(r) {
		r = r.As(table.Kind.APIVersion, table.Kind.Kind)
	}
	if r.resource.Empty() && table.Resource != (Resource{}) {
		r = r.Resource(table.Resource.APIVersion, table.Resource.Name, table.Resource.SubResource)
	}
	return r
}

// saysKind reports whether the object that a request is about has a kind of its own.
func saysKind[T any](r Review[T]) bool {
	object, old, err := r.parts()
	if object == nil {
		object = old
	}
	var known metav1.TypeMeta
	return err == nil && json.Unmarshal(object, &known) == nil && known.Kind != ""
}

// check compares the answer of the last webhook that was called.
func (c Case[T]) check(last *Result[T]) {
	last.t.Helper()
	switch {
	case c.Failed != 0:
		last.Failed(c.Failed, c.Message)
	case c.Denied != 0:
		if last.Denied(c.Denied, c.Message); last.Response != nil && !last.Response.Allowed {
			last.Causes(c.Causes...)
		}
	case last.Allowed().answered() && last.Response.Allowed && last.review.operation != admissionv1.Delete:
		c.compare(last)
	}
}

// compare compares the object after all webhooks.
func (c Case[T]) compare(last *Result[T]) {
	last.t.Helper()
	switch {
	case c.Object != nil:
		last.Becomes(c.Object)
	case c.Request.json != "":
		last.compare(patched, withKind([]byte(c.Request.json), last.review.kind), last.object)
	default:
		last.Becomes(c.Request.object)
	}
}
