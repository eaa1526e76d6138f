// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
)

// call is one call of a webhook, as it came over the network.
type call struct {
	path    string
	server  string // that the API server asked for in its TLS handshake
	port    int
	timeout string
	version string // of the review
	request *admissionv1.AdmissionRequest
}

// calls are all calls of webhooks in the order in which they came.
type calls struct {
	mu  sync.Mutex
	all []call
}

// record returns a handler that records the calls of a webhook.
func (c *calls) record(path string, webhook http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		var review admissionv1.AdmissionReview
		if err := json.Unmarshal(body, &review); err != nil || review.Request == nil {
			http.Error(w, "no review", http.StatusBadRequest)
			return
		}
		c.mu.Lock()
		c.all = append(c.all, call{
			path:    path,
			server:  r.TLS.ServerName,
			port:    r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr).Port,
			timeout: r.URL.Query().Get("timeout"),
			version: review.APIVersion,
			request: review.Request,
		})
		c.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		webhook.ServeHTTP(w, r)
	})
}

// about returns the calls of one webhook about the objects in a namespace; "" selects cluster-scoped objects.
func (c *calls) about(path, namespace string) []call {
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []call
	for _, one := range c.all {
		if one.path == path && one.request.Namespace == namespace {
			found = append(found, one)
		}
	}
	return found
}

// want checks that a webhook was called about a namespace's objects with these operations and names, in any order:
// "CREATE first". The number of calls may differ: an API server that finds that an object has changed since it was read
// admits an update once more (GuaranteedUpdate in k8s.io/apiserver/pkg/storage/etcd3).
func (c *calls) want(t *testing.T, path, namespace string, want ...string) {
	t.Helper()
	var got []string
	for _, one := range c.about(path, namespace) {
		got = append(got, string(one.request.Operation)+" "+one.request.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Errorf("calls of %s (- want, + got):\n%s", path, diff)
	}
}

// one is the single call that there must have been.
func (c *calls) one(t *testing.T, path, namespace string) call {
	t.Helper()
	found := c.about(path, namespace)
	if len(found) != 1 {
		t.Fatalf("%s has been called %d times, not once", path, len(found))
	}
	return found[0]
}
