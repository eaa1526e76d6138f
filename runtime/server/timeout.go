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
		if timeout := timeoutOf(r, longest); timeout+time.Second < longest {
			// An error means a connection that has gone; its next use says so.
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout + time.Second))
		}
		next.ServeHTTP(w, r)
	})
}

// timeoutOf returns how long the caller of a request waits: the timeout that it announces, or longest if that is less.
func timeoutOf(r *http.Request, longest time.Duration) time.Duration {
	if announced, err := time.ParseDuration(r.URL.Query().Get("timeout")); err == nil && announced > 0 {
		return min(announced, longest)
	}
	return longest
}
