// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"
	"time"
)

// boundWrites ends the writing of each response when its caller has given up,
// and after longest at the latest. An API server announces its patience as
// ?timeout= (k8s.io/apiserver, the dispatchers of admission/plugin/webhook); the
// second over that lets a handler's own answer to the timeout go out.
func boundWrites(longest time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timeout, ok := announcedTimeout(r)
		if ok && timeout+time.Second < longest {
			// An error means a connection that has gone; its next use says so.
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout + time.Second))
		}
		next.ServeHTTP(w, r)
	})
}

// announcedTimeout returns how long the caller waits, if the request announces it.
func announcedTimeout(r *http.Request) (time.Duration, bool) {
	timeout, err := time.ParseDuration(r.URL.Query().Get("timeout"))
	return timeout, err == nil && timeout > 0
}
