// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// silent returns a context for calls that are meant to fail: nothing is logged.
func silent(ctx context.Context) context.Context { return serving.WithFailures(ctx, func(error) {}) }

// deniesBadObjects sends a text in place of the objects. The answer must be a denial: failurePolicy Ignore would let
// the request pass if the call failed.
func (c handlerCheck) deniesBadObjects(t testing.TB, call call) {
	if c.Object == nil {
		return
	}
	c.probe.expect(nil)
	for _, operation := range c.operations() {
		review, err := c.review(operation, call, 1).review()
		if err != nil {
			t.Fatal(err)
		}
		for _, raw := range []*[]byte{&review.Request.Object.Raw, &review.Request.OldObject.Raw} {
			if *raw != nil {
				*raw = []byte(`"no object"`)
			}
		}
		body, err := json.Marshal(review)
		if err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequestWithContext(silent(t.Context()), http.MethodPost, "/?timeout=10s", bytes.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		c.handler.ServeHTTP(recorder, request)
		if recorder.Code != http.StatusOK {
			t.Errorf("%s of a text in place of an object: HTTP %d, want a denial: %s", operation, recorder.Code, recorder.Body)
			continue
		}
		answer, err := takeAnswer(review, recorder.Header(), recorder.Body.Bytes())
		if err != nil {
			t.Errorf("an API server would not take this answer: %v\n%s", err, recorder.Body)
		} else if answer.Allowed || answer.Result == nil || answer.Result.Code != http.StatusBadRequest {
			t.Errorf("%s of a text in place of an object is answered with %s, want it denied with %d", operation, recorder.Body, http.StatusBadRequest)
		}
	}
	c.wantUnasked(t)
}

// refusesBodies sends bodies that are not reviews for the webhook. The answer must be an HTTP error and a Status with
// the reason.
func (c handlerCheck) refusesBodies(t testing.TB, call call) {
	review, err := c.review(c.operations()[0], call, 1).review()
	if err != nil {
		t.Fatal(err)
	}
	good, err := json.Marshal(review)
	if err != nil {
		t.Fatal(err)
	}
	const media = "application/json"
	type sent struct {
		method, media string
		body          []byte
		code          int
	}
	bodies := map[string]sent{
		"GET":                        {http.MethodGet, media, good, http.StatusMethodNotAllowed},
		"another media type":         {http.MethodPost, "text/plain", good, http.StatusUnsupportedMediaType},
		"nothing":                    {http.MethodPost, media, nil, http.StatusBadRequest},
		"no JSON":                    {http.MethodPost, media, []byte("nonsense"), http.StatusBadRequest},
		"half a review":              {http.MethodPost, media, good[:len(good)/2], http.StatusBadRequest},
		"something behind a review":  {http.MethodPost, media, append(bytes.Clone(good), "{}"...), http.StatusBadRequest},
		"a review without a request": {http.MethodPost, media, []byte(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}`), http.StatusBadRequest},
		"no review":                  {http.MethodPost, media, bytes.Replace(good, []byte(`"AdmissionReview"`), []byte(`"Status"`), 1), http.StatusBadRequest},
		"a review of a version that does not exist": {http.MethodPost, media,
			bytes.Replace(good, []byte(`"admission.k8s.io/v1"`), []byte(`"admission.k8s.io/v0"`), 1), http.StatusBadRequest},
	}
	c.probe.expect(nil)
	for name, s := range bodies {
		request := httptest.NewRequestWithContext(silent(t.Context()), s.method, "/?timeout=10s", bytes.NewReader(s.body))
		request.Header.Set("Content-Type", s.media)
		recorder := httptest.NewRecorder()
		c.handler.ServeHTTP(recorder, request)
		if recorder.Code != s.code {
			t.Errorf("%s: HTTP %d, want %d", name, recorder.Code, s.code)
		}
		var status metav1.Status
		if err := json.Unmarshal(recorder.Body.Bytes(), &status); err != nil || status.Kind != "Status" || status.Message == "" {
			t.Errorf("%s: no Status with the reason: %s", name, recorder.Body)
		}
	}
	c.wantUnasked(t)
}
