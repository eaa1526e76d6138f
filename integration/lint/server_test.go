// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	v1 "k8s.io/api/admissionregistration/v1"
)

// server serves all webhooks and records their calls. The beginning of a webhook's path selects its behaviour: allow
// everything, answer with a patch, or do not answer.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	called map[string]int // by path
}

func startServer(t *testing.T) *server {
	s := &server{called: map[string]int{}}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(func() {
		s.CloseClientConnections() // some connections hang
		s.Close()
	})
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.called[r.URL.Path]++
	s.mu.Unlock()
	if strings.HasPrefix(r.URL.Path, "/hang") {
		<-r.Context().Done()
		return
	}
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true}
	if strings.HasPrefix(r.URL.Path, "/patch") {
		kind := admissionv1.PatchTypeJSONPatch
		review.Response.PatchType, review.Response.Patch = &kind, []byte(`[{"op": "add", "path": "/metadata/annotations", "value": {"patched": "true"}}]`)
	}
	review.Request = nil
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(review)
}

// calls is how often a path was called.
func (s *server) calls(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.called[path]
}

// at is how an API server on this machine reaches a path.
func (s *server) at(path string) v1.WebhookClientConfig {
	url := s.URL + path
	return v1.WebhookClientConfig{URL: &url, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})}
}
