// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// randomCheck calls validators and defaulters with objects that are filled at random. They may deny most of them. They
// must give the same answer each time, and defaulters must not change their own results.
type randomCheck struct {
	Webhook
	handler http.Handler
	// functions are the validators and defaulters.
	functions Webhooks
	// found has the findings so far, and where they were reported: one mistake may show for several operations.
	found map[string]string
}

// rawReview and rawResult are about objects in JSON, whatever their type.
type (
	rawReview = Review[json.RawMessage]
	rawResult = Result[json.RawMessage]
)

// rounds is the number of objects for each density and operation.
const rounds = 12

// The order of a map with two members shows in every eighth call. So each request is sent again several times, and more
// often while an object shrinks, because the finding must not go away.
const times, patient = 6, 96

// another is the invariant of determinism.
const another = "gives another answer to the same request"

// randomObjects returns objects that are filled at random, sparse ones first.
func (w Webhook) randomObjects() (all []json.RawMessage) {
	for elements := range 3 {
		for seed := range uint64(rounds) {
			all = append(all, filled(w.objectType(), seed, elements))
		}
	}
	return all
}

func (c randomCheck) checks(call call) []check {
	var checks []check
	for _, operation := range c.operations() {
		name := "random/" + string(operation)
		checks = append(checks, check{c.Name + "/" + name, func(t testing.TB) {
			t.Helper()
			c.run(t, name, func(object, old json.RawMessage) rawReview {
				return c.reviewOf(operation, call, object, old)
			}, operation)
		}})
	}
	return checks
}

// finding is an invariant that does not hold for an object.
type finding struct {
	invariant string // the same for all objects that show the same mistake
	at        failure.Position
	message   string
	same      string // what findings of the same mistake share; empty for the message
}

// random is a finding with the first object that shows it.
type random struct {
	finding
	object, old json.RawMessage
	times       int
}

// run reports each invariant that does not hold once, with the smallest object that breaks it.
func (c randomCheck) run(
	t testing.TB, name string, review func(object, old json.RawMessage) rawReview, operation admissionv1.Operation,
) {
	t.Helper()
	var all []*random
	tried := 0
	for elements := range 3 {
		for seed := range uint64(rounds) {
			tried++
			object, old := json.RawMessage(filled(c.objectType(), seed, elements)), json.RawMessage(filled(c.objectType(), seed+rounds, elements))
			broken := c.broken(t.Context(), review(object, old), times)
			if broken == nil {
				continue
			}
			if i := slices.IndexFunc(all, func(r *random) bool { return r.invariant == broken.invariant }); i >= 0 {
				all[i].times++
				continue
			}
			all = append(all, &random{*broken, object, old, 1})
		}
	}
	for _, r := range all {
		again := func(object, old json.RawMessage) bool {
			broken := c.broken(t.Context(), review(object, old), patient)
			if broken == nil || broken.invariant != r.invariant {
				return false
			}
			r.finding = *broken
			return true
		}
		r.object = c.smallest(r.object, func(object json.RawMessage) bool { return again(object, r.old) })
		if operation == admissionv1.Update {
			r.old = c.smallest(r.old, func(old json.RawMessage) bool { return again(r.object, old) })
		}
		again(r.object, r.old)
		c.report(t, name, r, tried, operation)
	}
}

// smallest returns the smallest object that still fails. Parts that the type always writes stay.
func (c randomCheck) smallest(object json.RawMessage, fails func(json.RawMessage) bool) json.RawMessage {
	search := failure.Search{
		Steps: func(object []byte) []failure.Step {
			return slices.Concat(failure.Removals(object), simpler(object), shorter(c.objectType(), object))
		},
		Written: func(object []byte) (json.RawMessage, bool) { return through(c.objectType(), object) },
		Failing: oneByOne(func(o failure.Objects) bool { return fails(o[0]) }),
		Tries:   600,
	}
	return search.Smallest(failure.Objects{object})[0]
}

// report reports a finding.
func (c randomCheck) report(t testing.TB, name string, r *random, tried int, operation admissionv1.Operation) {
	t.Helper()
	at, function := r.at, c.function(operation)
	if at.File == "" {
		at = c.position(operation)
	}
	empty, _ := through(c.objectType(), []byte("{}"))
	object := "even an empty one"
	if !bytes.Equal(r.object, empty) {
		object = "the smallest:\n" + failure.YAML(r.object)
	}
	if operation == admissionv1.Update && !bytes.Equal(r.old, empty) {
		object += "\nwith the old object:\n" + failure.YAML(r.old)
	}
	key := cmp.Or(r.same, r.message) + "\n" + object
	if before, known := c.found[key]; known {
		failure.Report(t, at, fmt.Sprintf("%s: see %s, for %d of %d random objects", function, before, r.times, tried))
		return
	}
	c.found[key] = name
	failure.Report(t, at, fmt.Sprintf("%s %s\nfor %d of %d random objects, %s", function, r.message, r.times, tried, object))
}

// function returns the name of the function for an operation, as messages name it.
func (w Webhook) function(operation admissionv1.Operation) string {
	return cmp.Or(w.Functions[operation], w.Name)
}

// position returns the position of the function for an operation; none if the type of the validator or defaulter does
// not tell.
func (c randomCheck) position(operation admissionv1.Operation) failure.Position {
	name, method, _ := strings.Cut(c.Functions[operation], ".")
	fields := reflect.Indirect(reflect.ValueOf(c.functions))
	if fields.Kind() != reflect.Struct {
		return failure.Position{}
	}
	field := fields.FieldByName(name)
	if !field.IsValid() || !field.CanInterface() {
		return failure.Position{}
	}
	return failure.OfMethod(field.Interface(), method)
}

// broken returns the first invariant that does not hold for a review; nil if all hold.
func (c randomCheck) broken(ctx context.Context, r rawReview, times int) *finding {
	first, err := r.send(ctx, c.handler)
	if err != nil {
		return &finding{invariant: "answer", message: err.Error()}
	}
	if first.panic != nil || strings.Contains(first.Status.Message, "panic: ") {
		return panicked(first)
	}
	for range times {
		if broken := c.differently(ctx, first, r, another); broken != nil {
			return broken
		}
	}
	if broken := c.differently(ctx, first, r.V1beta1(), "gives another answer to a review of v1beta1"); broken != nil {
		for range patient { // which the version need not be the cause of
			if again := c.differently(ctx, first, r, another); again != nil {
				return again
			}
		}
		return broken
	}
	switch {
	case first.Response == nil || !first.Response.Allowed:
		return nil
	case !c.Mutating || r.operation == admissionv1.Delete:
		if len(first.Response.Patch) > 0 {
			return &finding{invariant: "patch", message: fmt.Sprintf("patches: %s; want no patch", first.Response.Patch)}
		}
		return nil
	}
	if broken := c.leavesAlone(ctx, first); broken != nil {
		return broken
	}
	return c.keepsUnknown(ctx, r, first)
}

// panicked is the finding of a panic, at the user's line.
func panicked(r *rawResult) *finding {
	value := strings.TrimPrefix(strings.TrimPrefix(r.Status.Message, "panic: "), "runtime error: ")
	f := &finding{invariant: "panic", message: "panics: " + value}
	if r.panic == nil {
		return f
	}
	frames := failure.Frames(string(r.panic.Stack))
	if len(frames) == 0 {
		return f
	}
	f.at = frames[0].Position
	f.invariant += " at " + f.at.String()
	f.same = f.invariant
	if len(frames) > 1 {
		f.message = fmt.Sprintf("panics in %s: %s", frames[0].Function, value)
	}
	for _, caller := range frames[1:] {
		f.message += "\n" + caller.String()
	}
	return f
}

// differently sends a review and compares the answer with another one. The two are in the order of their texts, so that
// a finding is the same in each run.
func (c randomCheck) differently(ctx context.Context, first *rawResult, r rawReview, how string) *finding {
	other, err := r.send(ctx, c.handler)
	if err != nil {
		return &finding{invariant: "answer", message: err.Error()}
	}
	one, two := []byte(first.summary()), []byte(other.summary())
	if bytes.Equal(one, two) {
		return nil
	}
	if bytes.Compare(one, two) > 0 {
		one, two = two, one
	}
	return &finding{invariant: how, message: how + ":\n" + failure.Diff(one, two)}
}

// leavesAlone checks that a defaulter does not change its own result, for an API server may call it again.
func (c randomCheck) leavesAlone(ctx context.Context, first *rawResult) *finding {
	review := first.review
	review.json = string(first.object)
	again, err := review.send(ctx, c.handler)
	switch {
	case err != nil:
		return &finding{invariant: "answer", message: err.Error()}
	case again.Response == nil || !again.Response.Allowed:
		return &finding{invariant: "denies", message: "does not allow its own result: " + again.reason()}
	case len(again.Response.Patch) > 0:
		return &finding{invariant: "idempotent", message: "changes its own result (-result +changed):\n" + failure.Diff(first.object, again.object)}
	}
	return nil
}

// keepsUnknown checks that a defaulter does the same with an object that has unknown members, and keeps these members.
func (c randomCheck) keepsUnknown(ctx context.Context, r rawReview, first *rawResult) *finding {
	object := json.RawMessage(withUnknown(c.objectType(), *r.object))
	r.object = &object
	result, err := r.send(ctx, c.handler)
	if err != nil {
		return &finding{invariant: "answer", message: err.Error()}
	}
	if result.Response == nil || !result.Response.Allowed {
		return &finding{invariant: "unknown", message: "does not allow members that the type does not know: " + result.reason()}
	}
	before, err := failure.Decode(object)
	if err != nil {
		return &finding{invariant: "unknown", message: err.Error()}
	}
	after, err := failure.Decode(result.object)
	if err != nil {
		return &finding{invariant: "unknown", message: err.Error()}
	}
	if lost := lostUnknown(before, after, ""); lost != "" {
		return &finding{invariant: "lost", message: fmt.Sprintf("loses the member %s, which the type does not know: %s", strings.TrimPrefix(lost, "."), result.Response.Patch)}
	}
	with, err := json.Marshal(withoutUnknown(after))
	if err != nil {
		return &finding{invariant: "unknown", message: err.Error()}
	}
	if diff := failure.Diff(first.object, with); diff != "" {
		return &finding{invariant: "unknown", message: "gives another result for members that the type does not know (-without +with):\n" + diff}
	}
	return nil
}

// summary returns the parts of an answer that every answer to the same review shares.
func (r *Result[T]) summary() string {
	summary := struct {
		Code   int                            `json:"code"`
		Failed string                         `json:"failed,omitempty"`
		Answer *admissionv1.AdmissionResponse `json:"answer,omitempty"`
		Patch  json.RawMessage                `json:"patch,omitempty"`
	}{Code: r.Code, Failed: r.Status.Message}
	if r.Response != nil {
		answer := *r.Response
		summary.Failed, summary.Patch = "", answer.Patch
		answer.UID, answer.Patch = "", nil
		summary.Answer = &answer
	}
	text, err := json.Marshal(summary)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
