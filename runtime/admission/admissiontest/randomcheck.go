// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
)

// randomCheck calls validators and defaulters with objects that are filled at random. They may deny most of them. They
// must give the same answer each time, and defaulters must not change their own results.
type randomCheck struct {
	Webhook
	handler http.Handler
}

// rounds is the number of objects for each density and operation.
const rounds = 12

func (c randomCheck) checks(call call) []check {
	var checks []check
	for _, operation := range c.operations() {
		checks = append(checks, check{c.Name + "/random/" + string(operation), func(t testing.TB) {
			for elements := range 3 {
				for seed := range uint64(rounds) {
					object, old := filled(c.objectType(), seed, elements), filled(c.objectType(), seed+rounds, elements)
					c.asked(t, c.reviewOf(operation, call, object, old))
					if t.Failed() {
						t.Fatalf("this is about\n%s", object)
					}
				}
			}
		}})
	}
	return checks
}

func (c randomCheck) asked(t testing.TB, r Review[json.RawMessage]) {
	first := r.Send(t, c.handler)
	if strings.Contains(first.Status.Message, "panic: ") {
		t.Errorf("the validator or defaulter panics: %s", first.Status.Message)
		return
	}
	const times = 3 // so that the order of a map shows
	for range times {
		sameAnswer(t, "asked once more", first, r.Send(t, c.handler))
	}
	sameAnswer(t, "asked by a review of v1beta1", first, r.V1beta1().Send(t, c.handler))
	switch {
	case first.Response == nil || !first.Response.Allowed:
	case !c.Mutating || r.operation == admissionv1.Delete:
		first.Unchanged()
	default:
		c.leavesAlone(t, first)
		c.keepsUnknown(t, r, first)
	}
}

// leavesAlone checks that a defaulter does not change its own result, for an API server may call it again.
func (c randomCheck) leavesAlone(t testing.TB, first *Result[json.RawMessage]) {
	again := first.Again()
	if again.Response == nil || !again.Response.Allowed || len(again.Response.Patch) > 0 {
		t.Errorf("asked about what it has made of the object, the webhook answers\n%s", again.summary())
	}
}

// keepsUnknown checks that a defaulter does the same with an object that has unknown members, and keeps these members.
func (c randomCheck) keepsUnknown(t testing.TB, r Review[json.RawMessage], first *Result[json.RawMessage]) {
	object := json.RawMessage(withUnknown(c.objectType(), *r.object))
	r.object = &object
	result := r.Send(t, c.handler).Allowed()
	before, err := decodeJSON(object)
	if err != nil {
		t.Fatal(err)
	}
	after, err := decodeJSON(result.object)
	if err != nil {
		t.Fatal(err)
	}
	if lost := lostUnknown(before, after, ""); lost != "" {
		t.Errorf("the member %s, which the type does not know, is lost: %s", strings.TrimPrefix(lost, "."), result.Response.Patch)
	}
	want, err := decodeJSON(first.object)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, withoutUnknown(after)); diff != "" {
		t.Errorf("members that the type does not know make a difference (-without +with):\n%s", diff)
	}
}

// sameAnswer compares two answers to the same review.
func sameAnswer[T any](t testing.TB, when string, first, other *Result[T]) {
	t.Helper()
	if diff := cmp.Diff(first.summary(), other.summary()); diff != "" {
		t.Errorf("%s, the webhook answers differently (-first +then):\n%s", when, diff)
	}
}

// summary returns the parts of an answer that every answer to the same review shares.
func (r *Result[T]) summary() string {
	summary := struct {
		Code    int
		Message string                         `json:",omitempty"`
		Answer  *admissionv1.AdmissionResponse `json:",omitempty"`
		Patch   string                         `json:",omitempty"`
	}{Code: r.Code, Message: r.Status.Message}
	if r.Response != nil {
		answer := *r.Response
		summary.Patch = string(answer.Patch)
		answer.UID, answer.Patch = "", nil
		summary.Answer = &answer
	}
	text, err := json.MarshalIndent(summary, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}
