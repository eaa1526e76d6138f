// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// Send sends the review to a handler. It ends the test if the review cannot be made, or if an API server would refuse
// the answer.
func (r Review[T]) Send(t testing.TB, handler http.Handler) *Result[T] {
	t.Helper()
	result, err := r.send(t.Context(), handler)
	if err != nil {
		t.Fatalf("%v", err)
	}
	result.t = t
	return result
}

// send is Send with an error. Nothing is logged of a call that fails, because the Result has it.
func (r Review[T]) send(ctx context.Context, handler http.Handler) (*Result[T], error) {
	review, err := r.review()
	if err != nil {
		return nil, fmt.Errorf("admissiontest: %w", err)
	}
	body, err := json.Marshal(review)
	if err != nil {
		return nil, fmt.Errorf("admissiontest: %w", err)
	}
	result := &Result[T]{handler: handler, review: r, sent: review.Request}
	request := httptest.NewRequestWithContext(serving.WithFailures(ctx, result.failed), http.MethodPost, "/?timeout="+r.timeout.String(),
		bytes.NewReader(append(body, '\n')))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, */*")
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)

	result.Code = recorder.Code
	if !succeeded(recorder.Code) {
		if err := json.Unmarshal(recorder.Body.Bytes(), &result.Status); err != nil {
			result.Status = metav1.Status{Code: int32(recorder.Code), Message: recorder.Body.String()}
		}
		return result, nil
	}
	if result.Response, err = takeAnswer(review, recorder.Header(), recorder.Body.Bytes()); err != nil {
		return nil, fmt.Errorf("an API server would not take this answer: %w\n%s", err, recorder.Body)
	}
	if result.Response.Result != nil {
		result.Status = *result.Response.Result
	}
	result.object = review.Request.Object.Raw
	if len(result.Response.Patch) > 0 {
		if result.object, err = applyPatch(review.Request.Object.Raw, result.Response.Patch); err != nil {
			return nil, fmt.Errorf("an API server could not apply this patch: %w\n%s", err, result.Response.Patch)
		}
	}
	return result, nil
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
	panic   *admission.PanicError
}

// failed keeps the error of the call if it is a panic.
func (r *Result[T]) failed(err error) { errors.As(err, &r.panic) }

// reason returns the message of a denial or failure. Below a panic are the user's functions that were called.
func (r *Result[T]) reason() string {
	text := r.Status.Message
	if r.panic != nil {
		for _, f := range failure.Frames(string(r.panic.Stack)) {
			text += "\n" + f.String()
		}
	}
	return text
}
