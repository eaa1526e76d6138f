// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// chain sends a request to policies and webhooks as an API server does: to the mutating policies, to the mutating
// webhooks one after the other, to some of both once more, and then to the validating policies and webhooks. It ends at
// the first one that does not allow the request.
// (k8s.io/apiserver/pkg/admission: reinvoker.Admit, and mutatingDispatcher.Dispatch in plugin/webhook/mutating.)
type chain[T any] struct {
	request  Review[T]
	inTree   http.Handler // may be nil
	handlers map[string]http.Handler
	// reinvoked are the webhooks with the policy IfNeeded.
	reinvoked []string
	// policies are nil if no policies take part.
	policies *chainPolicies[T]

	// sent are the requests that webhooks got, by path, for the comparison with policies. recorded are the paths of this
	// chain in it.
	sent     map[string][]rawReview
	recorded []string

	last     *Result[T]
	warnings []string
	audit    map[string]string
	// changes tell what each call of a mutating webhook has changed, with the object after it, and changed is the number
	// of calls that did.
	changes []string
	changed int
	// waiting are the webhooks that a later change makes due. The second round calls the ones in due.
	waiting, due []string
}

// run sends the request to the webhooks at the paths.
func (c *chain[T]) run(t testing.TB, mutating, validating []string) {
	t.Helper()
	reinvoke, ok := c.mutate(t, mutating, false)
	if ok && reinvoke {
		_, ok = c.mutate(t, mutating, true) // there is no third time, whatever changes
	}
	if ok {
		_, ok = c.runPolicies(t, "validation")
	}
	for _, path := range validating {
		if !ok {
			return
		}
		_, ok = c.call(t, path, c.handlers[path])
	}
}

// mutate calls the API server's plugins and the mutating webhooks; in the second round, it calls the due ones. It
// reports whether a webhook has changed the object, and whether all have allowed the request.
func (c *chain[T]) mutate(t testing.TB, paths []string, second bool) (changed, ok bool) {
	t.Helper()
	if c.inTree != nil {
		edited, ok := c.call(t, "the API server", c.inTree)
		if !ok {
			return false, false
		}
		if second && edited {
			c.waitNoMore()
		}
	}
	phase := "mutation"
	if second {
		phase = "reinvocation"
	}
	edited, ok := c.runPolicies(t, phase)
	if !ok {
		return false, false
	}
	if edited {
		c.waitNoMore()
		changed = true
	}
	for _, path := range paths {
		if second && !slices.Contains(c.due, path) {
			continue
		}
		edited, ok := c.call(t, path, c.handlers[path])
		if !ok {
			return false, false
		}
		if edited {
			c.waitNoMore()
			changed = true
		}
		if slices.Contains(c.reinvoked, path) {
			c.waiting = append(c.waiting, path)
		}
	}
	return changed, true
}

// waitNoMore makes the waiting webhooks due.
func (c *chain[T]) waitNoMore() { c.due, c.waiting = append(c.due, c.waiting...), nil }

// call sends the request, which then goes on with the edited object. It reports whether the object has changed, and
// whether the request is allowed.
func (c *chain[T]) call(t testing.TB, name string, h http.Handler) (changed, ok bool) {
	t.Helper()
	c.record(t, name)
	c.last = c.request.Send(t, h)
	if c.last.Response == nil {
		return false, false
	}
	c.add(c.last.Response.Warnings, c.last.Response.AuditAnnotations)
	if !c.last.Response.Allowed {
		return false, false
	}
	if len(c.last.object) == 0 {
		return false, true
	}
	diff := failure.Diff(c.last.sent.Object.Raw, c.last.object)
	c.request = c.request.JSON(string(c.last.object))
	if !mutates(h) {
		return false, true
	}
	if diff == "" {
		c.changes = append(c.changes, name+" changes nothing")
		return false, true
	}
	c.note(name+" changes", diff, c.last.object)
	return true, true
}

// add adds the warnings and audit annotations of an answer.
func (c *chain[T]) add(warnings []string, audit map[string]string) {
	for _, w := range warnings {
		if !slices.Contains(c.warnings, w) { // an API server sends a text once
			c.warnings = append(c.warnings, w)
		}
	}
	for key, value := range audit {
		c.audit[key] = cmp.Or(c.audit[key], value) // the first value stays
	}
}

// note adds a change to the changes, with the object after it.
func (c *chain[T]) note(what, diff string, object []byte) {
	c.changed++
	for _, block := range []string{what + "\n" + diff, "the object is then\n" + failure.YAML(object)} {
		c.changes = append(c.changes, strings.ReplaceAll(block, "\n", "\n  "))
	}
}

// edits returns the handler of a webhook that edits objects with a function.
func edits[T any](name string, edit func(*T)) http.Handler {
	return admission.Mutating(name,
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[T]) error {
			edit(r.Object)
			return nil
		}),
		admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[T]) error {
			edit(r.Object)
			return nil
		}))
}

// decides reports whether a webhook has a function for an operation.
func decides(handler http.Handler, operation admissionv1.Operation) bool {
	h, ok := handler.(interface {
		Operations() []admissionv1.Operation
	})
	return !ok || slices.Contains(h.Operations(), operation)
}

// mutates reports whether a handler is of a mutating webhook.
func mutates(handler http.Handler) bool {
	h, ok := handler.(interface{ Mutating() bool })
	return ok && h.Mutating()
}
