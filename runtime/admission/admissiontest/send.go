// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Send sends the review to a handler. It ends the test if the review cannot be made, or if an API server would refuse
// the answer.
func (r Review[T]) Send(t testing.TB, handler http.Handler) *Result[T] {
	t.Helper()
	review, err := r.review()
	if err != nil {
		t.Fatalf("admissiontest: %v", err)
	}
	body, err := json.Marshal(review)
	if err != nil {
		t.Fatalf("admissiontest: %v", err)
	}
	request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?timeout="+r.timeout.String(),
		bytes.NewReader(append(body, '\n')))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, */*")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)

	result := &Result[T]{Code: recorder.Code, t: t, handler: handler, review: r, sent: review.Request}
	if !succeeded(recorder.Code) {
		if err := json.Unmarshal(recorder.Body.Bytes(), &result.Status); err != nil {
			result.Status = metav1.Status{Code: int32(recorder.Code), Message: recorder.Body.String()}
		}
		return result
	}
	if result.Response, err = takeAnswer(review, recorder.Header(), recorder.Body.Bytes()); err != nil {
		t.Fatalf("an API server would not take this answer: %v\n%s", err, recorder.Body)
	}
	if result.Response.Result != nil {
		result.Status = *result.Response.Result
	}
	result.object = review.Request.Object.Raw
	if len(result.Response.Patch) > 0 {
		if result.object, err = applyPatch(review.Request.Object.Raw, result.Response.Patch); err != nil {
			t.Fatalf("an API server could not apply this patch: %v\n%s", err, result.Response.Patch)
		}
	}
	return result
}

// succeeded reports whether an API server accepts an answer with this HTTP code (k8s.io/client-go rest,
// transformResponse).
func succeeded(code int) bool { return code >= http.StatusOK && code <= http.StatusPartialContent }

// Result is the answer of a handler. Its methods check the answer, and report differences to the test.
type Result[T any] struct {
	// Code is the HTTP code.
	Code int
	// Response is the answer, and nil if the call failed.
	Response *admissionv1.AdmissionResponse
	// Status is the reason of a denial or of a failed call.
	Status metav1.Status

	t       testing.TB
	handler http.Handler
	review  Review[T]
	sent    *admissionv1.AdmissionRequest
	object  []byte // after the patch
}
