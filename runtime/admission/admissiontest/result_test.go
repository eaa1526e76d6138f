// SPDX-License-Identifier: Apache-2.0

package admissiontest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/admission/admissiontest"
)

// defaulting sets a priority in orders and warns of it.
func defaulting() http.Handler {
	return admission.Mutating("orders.shop.example.com", admission.OnCreate(
		func(_ context.Context, r *admission.CreateRequest[order]) error {
			switch r.Object.Priority {
			case "":
				r.Object.Priority = "normal"
				r.Warn("no priority given")
			case "forbidden":
				return errors.Join(
					field.Invalid(field.NewPath("priority"), r.Object.Priority, "choose another"),
					field.Required(field.NewPath("note"), "say why"))
			case "unknown":
				return admission.Failure(errors.New("the shop does not answer"))
			}
			return nil
		}))
}

func orderOf(priority string) *order {
	o := newOrder()
	o.Priority = priority
	return o
}

func creating(priority string) admissiontest.Review[order] {
	return admissiontest.Create(orderOf(priority)).As("shop.example.com/v1", "Order")
}

func TestAssertionsThatHold(t *testing.T) {
	handler := defaulting()
	creating("").Send(t, handler).
		Allowed().
		Warned("no priority given").
		Patched(`[{"op": "add", "path": "/priority", "value": "normal"}]`).
		Becomes(orderOf("normal")).
		Again().Allowed().Warned().Unchanged().Becomes(orderOf("normal"))
	creating("forbidden").Send(t, handler).Denied(http.StatusUnprocessableEntity, "choose another", "say why").Causes("priority", "note")
	creating("unknown").Send(t, handler).Failed(http.StatusInternalServerError, "the shop does not answer")
	creating("").V1beta1().Send(t, handler).Allowed().Becomes(orderOf("normal"))
	creating("").JSON(`{"future": {"big": 9007199254740993}}`).Send(t, handler).Allowed().BecomesJSON(`{
		"apiVersion": "shop.example.com/v1", "kind": "Order", "priority": "normal", "future": {"big": 9007199254740993}}`)
	creating("high").Send(t, handlerOf(`,"auditAnnotations":{"seen":"yes"}`)).Audited("seen", "yes")
	creating("high").Send(t, denying(`{}`)).Denied(http.StatusBadRequest)
	if got := creating("").Send(t, handler).Object(); got.Priority != "normal" {
		t.Errorf("Object: %+v", got)
	}
	deleting := admissiontest.Delete(newOrder()).As("shop.example.com/v1", "Order")
	if got := deleting.Send(t, handlerOf("")).Allowed().Again().Object(); got != nil {
		t.Errorf("a DELETE leaves the object %+v", got)
	}
}

// TestAssertionsThatDoNotHold checks that each failed assertion reports the actual value.
func TestAssertionsThatDoNotHold(t *testing.T) {
	handler := defaulting()
	type result = admissiontest.Result[order]
	for name, test := range map[string]struct {
		priority string
		check    func(*result)
		want     string
	}{
		"allowed, but denied":           {"forbidden", func(r *result) { r.Allowed() }, "denied with 422"},
		"allowed, but failed":           {"unknown", func(r *result) { r.Allowed() }, "the call failed with HTTP 500"},
		"denied, but allowed":           {"high", func(r *result) { r.Denied(403) }, "allowed, want it denied with 403"},
		"denied with another code":      {"forbidden", func(r *result) { r.Denied(403) }, "denied with 422"},
		"denied for another reason":     {"forbidden", func(r *result) { r.Denied(422, "too late") }, `want "too late" in it`},
		"denied, but failed":            {"unknown", func(r *result) { r.Denied(403) }, "the call failed with HTTP 500"},
		"failed, but allowed":           {"high", func(r *result) { r.Failed(500) }, "want a call that failed with 500"},
		"failed with another code":      {"unknown", func(r *result) { r.Failed(503) }, "failed with 500"},
		"other causes":                  {"forbidden", func(r *result) { r.Causes("priority") }, `causes in fields ["priority" "note"]`},
		"no causes":                     {"high", func(r *result) { r.Causes("priority") }, `causes in fields []`},
		"no warning":                    {"high", func(r *result) { r.Warned("a") }, `warnings [], want ["a"]`},
		"a warning":                     {"", func(r *result) { r.Warned() }, `warnings ["no priority given"], want []`},
		"no audit annotation":           {"high", func(r *result) { r.Audited("seen", "") }, "audit annotation seen"},
		"unchanged, but patched":        {"", func(r *result) { r.Unchanged() }, "want no patch"},
		"patched, but unchanged":        {"high", func(r *result) { r.Patched(`[]`) }, "there is no patch, want []"},
		"patched in another way":        {"", func(r *result) { r.Patched(`[]`) }, "patch (-want +got)"},
		"another object":                {"", func(r *result) { r.Becomes(orderOf("high")) }, "object after the patch (-want +got)"},
		"another object as JSON":        {"", func(r *result) { r.BecomesJSON(`{}`) }, "object after the patch (-want +got)"},
		"an object of a failed call":    {"unknown", func(r *result) { r.Becomes(orderOf("")) }, "the call failed with HTTP 500"},
		"a failed call again":           {"unknown", func(r *result) { r.Again() }, "the call failed with HTTP 500"},
		"a comparison with broken JSON": {"", func(r *result) { r.Patched(`[`) }, "the patch to compare with"},
	} {
		t.Run(name, func(t *testing.T) {
			output := report(t, func(t testing.TB) { test.check(creating(test.priority).Send(t, handler)) })
			if !strings.Contains(output, test.want) {
				t.Errorf("it reports %q, want %q in it", output, test.want)
			}
		})
	}
}

// TestAnswersThatAnAPIServerWouldNotTake has one handler for each rule.
func TestAnswersThatAnAPIServerWouldNotTake(t *testing.T) {
	patch := func(base64 string) string { return `,"patchType":"JSONPatch","patch":"` + base64 + `"` }
	for name, test := range map[string]struct {
		handler http.Handler
		want    string
	}{
		"no JSON":                {raw("application/json", "nonsense"), "invalid character"},
		"nothing":                {raw("application/json", ""), "EOF"},
		"no media type":          {raw(";;;", "{}"), "Content-Type"},
		"no review":              {raw("application/json", `{"kind":"Status","apiVersion":"v1"}`), "it is Status of v1"},
		"a review without end":   {raw("application/json", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`), "it has no response"},
		"another uid":            {raw("application/json", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"1"}}`), "its uid is"},
		"more than a review":     {appending(" {}"), "something follows"},
		"patch without type":     {handlerOf(`,"patch":"W10="`), "patch and patchType go together"},
		"type without patch":     {handlerOf(`,"patchType":"JSONPatch"`), "patch and patchType go together"},
		"a merge patch":          {handlerOf(`,"patchType":"Merge","patch":"e30="`), `patchType "Merge" is not supported`},
		"a warning of two lines": {handlerOf(`,"warnings":["a\nb"]`), "would be dropped"},
		"an audit key with path": {handlerOf(`,"auditAnnotations":{"a/b":""}`), "would be dropped"},
		"a patch of nothing":     {handlerOf(patch("W3sib3AiOiJyZW1vdmUiLCJwYXRoIjoiL3gifV0=")), `operation 0, remove /x: there is no "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			output := report(t, func(t testing.TB) { creating("high").Send(t, test.handler) })
			if !strings.Contains(output, "an API server ") || !strings.Contains(output, test.want) {
				t.Errorf("it reports %q, want %q in it", output, test.want)
			}
		})
	}
	output := report(t, func(t testing.TB) {
		admissiontest.Delete(newOrder()).As("shop.example.com/v1", "Order").Send(t, handlerOf(patch("W10=")))
	})
	if !strings.Contains(output, "there is no object to patch") {
		t.Errorf("for a patch of a DELETE it reports %q", output)
	}
}

func TestReviewsThatCannotBeMade(t *testing.T) {
	for want, review := range map[string]admissiontest.Review[order]{
		"the object has no kind": admissiontest.Create(newOrder()),
		"there is no object":     admissiontest.Create[order](nil),
		"no valid JSON: {":       creating("").JSON("{"),
	} {
		if output := report(t, func(t testing.TB) { review.Send(t, defaulting()) }); !strings.Contains(output, want) {
			t.Errorf("it reports %q, want %q in it", output, want)
		}
	}
}

// handlerOf allows, with more members in its response.
func handlerOf(more string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		agree(w, body, more)
	})
}

// denying denies with a status. Of two members with one name, the last one counts.
func denying(status string) http.Handler { return handlerOf(`,"allowed":false,"status":` + status) }

// appending adds text after the review.
func appending(more string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handlerOf("").ServeHTTP(w, r)
		io.WriteString(w, more)
	})
}

// raw always gives the same answer.
func raw(contentType, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body)
	})
}

// report returns the reports of a test.
func report(t testing.TB, test func(testing.TB)) string {
	recorder := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(recorder)
	}()
	<-done
	return recorder.output.String()
}

// recorder is a testing.TB that records failures without failing the test.
type recorder struct {
	testing.TB
	output strings.Builder
}

func (r *recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) { fmt.Fprintf(&r.output, format+"\n", args...) }

func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); r.FailNow() }

func (r *recorder) FailNow() { runtime.Goexit() }
