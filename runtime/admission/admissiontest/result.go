// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// Allowed checks that the request is allowed.
func (r *Result[T]) Allowed() *Result[T] {
	r.t.Helper()
	if r.answered() && !r.Response.Allowed {
		r.t.Errorf("denied with %d, want it allowed: %s", r.statusCode(), r.reason())
	}
	return r
}

// Denied checks that the request is denied, with a code and with all of the texts in the message.
func (r *Result[T]) Denied(code int, texts ...string) *Result[T] {
	r.t.Helper()
	if !r.answered() {
		return r
	}
	if r.Response.Allowed {
		r.t.Errorf("allowed, want it denied with %d", code)
		return r
	}
	r.wantStatus("denied", r.statusCode(), code, texts)
	return r
}

// Failed checks that the call failed, so that the failurePolicy decides: with an HTTP code and with all of the texts in
// the message.
func (r *Result[T]) Failed(code int, texts ...string) *Result[T] {
	r.t.Helper()
	if r.Response != nil {
		r.t.Errorf("answered with allowed: %t, want a call that failed with %d", r.Response.Allowed, code)
		return r
	}
	r.wantStatus("failed", r.Code, code, texts)
	return r
}

// Causes checks the fields that a denial is about, in their order.
func (r *Result[T]) Causes(fields ...string) *Result[T] {
	r.t.Helper()
	var got []string
	if r.Status.Details != nil {
		for _, cause := range r.Status.Details.Causes {
			got = append(got, cause.Field)
		}
	}
	if !slices.Equal(got, fields) {
		r.t.Errorf("causes in fields %q, want %q", got, fields)
	}
	return r
}

// Warned checks the warnings, in their order. Without arguments, it checks that there is no warning.
func (r *Result[T]) Warned(warnings ...string) *Result[T] {
	r.t.Helper()
	if r.answered() && !slices.Equal(r.Response.Warnings, warnings) {
		r.t.Errorf("warnings %q, want %q", r.Response.Warnings, warnings)
	}
	return r
}

// Audited checks that there is an audit annotation. Its key is without the name of the webhook, which the API server
// puts before it.
func (r *Result[T]) Audited(key, value string) *Result[T] {
	r.t.Helper()
	if !r.answered() {
		return r
	}
	if got, ok := r.Response.AuditAnnotations[key]; !ok || got != value {
		r.t.Errorf("audit annotation %s is %q (there: %t), want %q", key, got, ok, value)
	}
	return r
}

// Unchanged checks that the object is not patched.
func (r *Result[T]) Unchanged() *Result[T] {
	r.t.Helper()
	if r.answered() && len(r.Response.Patch) > 0 {
		r.t.Errorf("patched: %s; want no patch", r.Response.Patch)
	}
	return r
}

// Patched checks the patch, as JSON: the operations in their order.
func (r *Result[T]) Patched(patch string) *Result[T] {
	r.t.Helper()
	if r.answered() {
		r.compare("patch", []byte(patch), r.Response.Patch)
	}
	return r
}

// Becomes checks the object after the patch. Objects are compared as JSON; apiVersion and kind count only if want has
// them.
func (r *Result[T]) Becomes(want *T) *Result[T] {
	r.t.Helper()
	if !r.answered() {
		return r
	}
	wanted, err := json.Marshal(want)
	if err != nil {
		r.t.Fatalf("admissiontest: %v", err)
	}
	got, err := json.Marshal(r.Object())
	if err != nil {
		r.t.Fatalf("admissiontest: %v", err)
	}
	kind := schema.GroupVersionKind(r.sent.Kind)
	r.compare(patched, withKind(wanted, kind), withKind(got, kind))
	return r
}

// BecomesJSON is Becomes for the whole JSON, including fields that are unknown to T.
func (r *Result[T]) BecomesJSON(want string) *Result[T] {
	r.t.Helper()
	if r.answered() {
		r.compare(patched, []byte(want), r.object)
	}
	return r
}

// patched is the object that tests compare.
const patched = "object after the patch"

// compare compares two patches or objects as JSON.
func (r *Result[T]) compare(what string, want, got []byte) {
	r.t.Helper()
	if _, err := failure.Decode(want); err != nil {
		r.t.Fatalf("admissiontest: the %s to compare with: %v", what, err)
	}
	if _, err := failure.Decode(got); err != nil {
		r.t.Errorf("there is no %s, want %s", what, want)
		return
	}
	if diff := failure.Diff(want, got); diff != "" {
		r.t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Object returns the object after the patch; nil for a DELETE and for a failed call.
func (r *Result[T]) Object() *T {
	r.t.Helper()
	if len(r.object) == 0 {
		return nil
	}
	object := new(T)
	if err := json.Unmarshal(r.object, object); err != nil {
		r.t.Fatalf("the object after the patch is no %T: %v", object, err)
	}
	return object
}

// Again sends the review once more, with the object after the patch, as an API server does if reinvocationPolicy is
// IfNeeded. A webhook must not repeat its change: Again().Unchanged().
func (r *Result[T]) Again() *Result[T] {
	r.t.Helper()
	if !r.answered() {
		r.t.FailNow()
	}
	review := r.review
	if len(r.object) > 0 {
		review.json = string(r.object)
	}
	return review.Send(r.t, r.handler)
}

// answered reports to the test that the call failed, if it did.
func (r *Result[T]) answered() bool {
	r.t.Helper()
	if r.Response == nil {
		r.t.Errorf("the call failed with HTTP %d: %s", r.Code, r.reason())
	}
	return r.Response != nil
}

// wantStatus compares a code and looks for texts in the message.
func (r *Result[T]) wantStatus(verb string, got, want int, texts []string) {
	r.t.Helper()
	if got != want {
		r.t.Errorf("%s with %d, want %d: %s", verb, got, want, r.reason())
	}
	for _, text := range texts {
		if !strings.Contains(r.Status.Message, text) {
			r.t.Errorf("%s with the message %q, want %q in it", verb, r.Status.Message, text)
		}
	}
}

// statusCode returns the code that the user gets for a denial: 400 if the webhook gives no code (k8s.io/apiserver
// pkg/admission/plugin/webhook/errors, ToStatusErr).
func (r *Result[T]) statusCode() int {
	if r.Status.Code < http.StatusBadRequest {
		return http.StatusBadRequest
	}
	return int(r.Status.Code)
}
