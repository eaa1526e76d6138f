// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

func TestObserversAddUp(t *testing.T) {
	log := logged(t)
	var first, second observed
	h := Validating("pods.example.com", OnCreate(allowCreate), Observe(&first)).With(Observe(&second))
	verdictOf(t, h, reviewOf(Create, podJSON, ""))
	if len(first) != 1 || len(second) != 1 || log.Len() > 0 {
		t.Errorf("an allowed call is observed %d and %d times, the log is %q", len(first), len(second), log)
	}
	ask(h, reviewOf(Delete, "", podJSON))
	if len(first) != 2 || len(second) != 2 {
		t.Errorf("a failed call is observed %d and %d times", len(first)-1, len(second)-1)
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, `webhook=pods.example.com operation=DELETE`) {
		t.Errorf("the log is %q", got)
	}
}

// TestLog has failures, panics and the panics of observers in a logger of the user's, and nothing in the default one.
func TestLog(t *testing.T) {
	usual := logged(t)
	var own bytes.Buffer
	h := Validating("pods.example.com", Log(slog.New(slog.NewTextHandler(&own, nil))), Observe(observerFunc(func(Observation) { panic("no observer") })),
		OnCreate(func(context.Context, *CreateRequest[corev1.Pod]) error { panic("no way") }))
	ask(h, reviewOf(Create, podJSON, ""))
	ask(h, reviewOf(Delete, "", podJSON))
	for _, want := range []string{`msg="webhook panicked"`, `msg="observer panicked"`, `msg="webhook failed"`} {
		if !strings.Contains(own.String(), want) {
			t.Errorf("the log lacks %s: %s", want, own.String())
		}
	}
	if usual.Len() > 0 {
		t.Errorf("the default logger has %s", usual)
	}
}

// observerFunc is a function as an observer.
type observerFunc func(Observation)

func (f observerFunc) Observe(_ context.Context, o Observation) { f(o) }

// TestObservationNamesOnlyOperations sends operations that would each make a time series in a metric.
func TestObservationNamesOnlyOperations(t *testing.T) {
	var o observed
	h := Validating("pods.example.com", OnCreate(allowCreate), Observe(&o))
	for _, operation := range []Operation{Create, Update, Delete, Connect, "create", "CREATE ", "*", ""} {
		ask(h, reviewOf(operation, podJSON, ""))
		want := operation
		if len(o) > 4 {
			want = ""
		}
		if got := o[len(o)-1].Operation; got != want {
			t.Errorf("%q is observed as %q, want %q", operation, got, want)
		}
	}
	ask(h, "{")
	if last := o[len(o)-1]; last.Operation != "" || !last.Failed {
		t.Errorf("what is no review is observed as %+v", last)
	}
}

// TestRefusedCallsAreCounted makes many calls of each kind that anybody can make.
func TestRefusedCallsAreCounted(t *testing.T) {
	log := logged(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var o observed
	h := Validating("pods.example.com", ForKind("v1", "Pod"), OnCreate(allowCreate), Observe(&o))
	h.log.repeated.Now = func() time.Time { return now }
	long := strings.Repeat("x", 100<<10)
	calls := []string{
		"", "{", "nonsense", `{"kind":"` + long + `"}`, reviewOf(Create, "", ""), strings.Replace(reviewOf(Create, podJSON, ""), `"name":`, `"name":"","name":`, 1),
		reviewOf(Update, podJSON, podJSON), reviewOf("x"+Operation(long), podJSON, ""),
		strings.Replace(reviewOf(Create, podJSON, ""), `"kind":"Pod"`, `"kind":"Job"`, 1),
		strings.Replace(reviewOf(Delete, "", podJSON), `"name":"web"`, `"name":"`+long+`"`, 1),
	}
	for range 3 { // intervals
		log.Reset()
		for range 100 {
			for i, call := range calls {
				if w := ask(h, strings.Replace(call, `u\"1`, fmt.Sprint("u", i), 1)); w.Code != http.StatusBadRequest {
					t.Fatalf("HTTP %d %s", w.Code, w.Body)
				}
			}
		}
		// One line for bodies that are not reviews, and one for reviews of other webhooks. A flood of the first kind
		// must not hide the second.
		if got := log.String(); strings.Count(got, "\n") != 2 || len(got) > 8<<10 {
			t.Errorf("%d lines of %d bytes: %.2000s", strings.Count(got, "\n"), len(got), got)
		}
		now = now.Add(serving.TallyInterval)
	}
	if got := log.String(); !strings.Contains(got, "times=600") || !strings.Contains(got, "times=400") {
		t.Errorf("the log does not count: %.2000s", got)
	}
	if len(o) != 3000 {
		t.Errorf("%d of 3000 calls are observed", len(o))
	}

	// Failures of this webhook are logged each time.
	log.Reset()
	failing := Validating("pods.example.com", OnDelete(func(context.Context, *DeleteRequest[corev1.Pod]) error { return Failure(errors.New("no stock")) }))
	for range 5 {
		ask(failing, reviewOf(Delete, "", podJSON))
	}
	if got := strings.Count(log.String(), "no stock"); got != 5 {
		t.Errorf("%d of 5 failures are logged", got)
	}
}

// TestPanicsAreCounted causes panics of a validator and of an observer by the content of reviews, and denials by a
// fault of the webhook. Of each kind, the first is logged, and one a minute.
func TestPanicsAreCounted(t *testing.T) {
	log := logged(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var o observed
	h := Mutating("pods.example.com", Observe(&o), Observe(panicking{}), OnCreate(func(_ context.Context, r *CreateRequest[corev1.Pod]) error {
		if r.Name == "web" {
			panic("no way")
		}
		r.Object = nil
		return nil
	}))
	h.log.repeated.Now = func() time.Time { return now }
	for i, want := range []string{"times=1\n", "times=50\n"} { // intervals
		log.Reset()
		for range 50 {
			for _, name := range []string{"web", "shop"} {
				verdictOf(t, h, strings.Replace(reviewOf(Create, podJSON, ""), `"name":"web"`, fmt.Sprintf(`"name":%q`, name), 1))
			}
		}
		got := log.String()
		for _, message := range []string{"webhook panicked", "webhook failed", "observer panicked"} {
			if strings.Count(got, message) != 1 {
				t.Errorf("interval %d: %q is logged %d times", i, message, strings.Count(got, message))
			}
		}
		if strings.Count(got, "\n") != 3 || !strings.Contains(got, want) || !strings.Contains(got, "no way") || !strings.Contains(got, "no view") {
			t.Errorf("interval %d: want 3 lines and %s in: %.6000s", i, want, got)
		}
		now = now.Add(serving.TallyInterval)
	}
	if len(o) != 200 {
		t.Errorf("%d of 200 calls are observed", len(o))
	}
}
