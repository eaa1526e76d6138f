// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// healthChecks answers /healthz and /readyz from the server's own state; it calls nobody.
//
// /readyz reports whether to send requests: the listener is open, the certificate is valid now, no drain has begun, and
// ReadyCheck agrees. /healthz reports whether to keep the process: it fails only if the listener was lost other than by
// a drain, because a restart mends nothing else. Both list every condition, in the form of kube-apiserver's own checks,
// and the failed reloads.
type healthChecks struct {
	listening   atomic.Bool
	certificate *reloaded[tls.Certificate]
	files       *fileReader
	drain       *drainState
	check       func(*http.Request) error
}

// condition is one line of a health report.
type condition struct {
	name string
	note string
	err  error
}

// ServeHTTP implements http.Handler.
func (h *healthChecks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var err error
	conditions := h.conditions(r)
	switch r.URL.Path {
	case "/healthz":
		if !h.drain.begun.Load() {
			err = conditions[0].err
		}
	case "/readyz":
		err = firstError(conditions)
	default:
		http.NotFound(w, r)
		return
	}
	var body bytes.Buffer
	for _, c := range conditions {
		if c.err != nil {
			fmt.Fprintf(&body, "[-]%s: %v\n", c.name, c.err)
		} else {
			fmt.Fprintf(&body, "[+]%s ok%s\n", c.name, c.note)
		}
	}
	for _, value := range h.files.values {
		if problem := value.problem(); problem != nil {
			fmt.Fprintf(&body, "[!]reload: %v\n", problem)
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprintf(&body, "%s check failed\n", r.URL.Path[1:])
	} else {
		fmt.Fprintf(&body, "%s check passed\n", r.URL.Path[1:])
	}
	w.Write(body.Bytes())
}

// beside serves health on the listener of the webhooks.
func (h *healthChecks) beside(webhooks http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/readyz":
			h.ServeHTTP(w, r)
		default:
			webhooks.ServeHTTP(w, r)
		}
	})
}

// ready returns the first condition that does not hold.
func (h *healthChecks) ready(r *http.Request) error { return firstError(h.conditions(r)) }

// conditions lists the conditions of readiness, the listener first.
func (h *healthChecks) conditions(r *http.Request) []condition {
	listener, draining := condition{name: "listener"}, condition{name: "not draining"}
	if !h.listening.Load() {
		listener.err = errors.New("closed")
	}
	if h.drain.begun.Load() {
		draining.err = errors.New("the server was told to stop")
	}
	leaf := h.certificate.get().Leaf
	certificate := condition{
		name: "certificate",
		note: ", valid until " + leaf.NotAfter.UTC().Format(time.RFC3339),
		err:  validAt(leaf, h.files.now()),
	}
	conditions := []condition{listener, certificate, draining}
	if h.check != nil {
		conditions = append(conditions, condition{name: "ready check", err: h.check(r)})
	}
	return conditions
}

// firstError returns the error of the first condition that does not hold.
func firstError(conditions []condition) error {
	for _, c := range conditions {
		if c.err != nil {
			return fmt.Errorf("%s: %w", c.name, c.err)
		}
	}
	return nil
}
