// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

// recorder is a server of all webhooks. It allows everything and records its calls.
type recorder struct {
	*httptest.Server
	mu    sync.Mutex
	calls map[string][]string // paths by user, in the order in which the calls came in
	first map[string][]byte   // the review of the first call, by user
}

func startRecorder(t *testing.T) *recorder {
	r := &recorder{calls: map[string][]string{}, first: map[string][]byte{}}
	r.Server = httptest.NewTLSServer(r)
	t.Cleanup(r.Close)
	return r
}

// ca is who signs the server's certificate, in PEM.
func (r *recorder) ca() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(body, &review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	user := review.Request.UserInfo.Username
	r.mu.Lock()
	if r.first[user] == nil {
		r.first[user] = body
	}
	r.calls[user] = append(r.calls[user], strings.TrimPrefix(request.URL.Path, "/"))
	r.mu.Unlock()
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(review)
}

// review returns the review of the first call for a user.
func (r *recorder) review(user string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first[user]
}

// of returns the webhooks that were called for a user: mutating webhooks, then validating ones.
func (r *recorder) of(user string) (mutating, validating []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, path := range r.calls[user] {
		if name, ok := strings.CutPrefix(path, "mutating/"); ok {
			mutating = append(mutating, name)
		} else {
			validating = append(validating, strings.TrimPrefix(path, "validating/"))
		}
	}
	return mutating, validating
}
