// SPDX-License-Identifier: Apache-2.0

package server

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// refusalOf returns the status of a request that never reaches its webhook. An API server treats it as a failed call,
// so that failurePolicy decides, and shows the message to its user.
func refusalOf(code int32, message string) *metav1.Status {
	reason := metav1.StatusReasonServiceUnavailable
	switch code {
	case http.StatusUnauthorized:
		reason = metav1.StatusReasonUnauthorized
	case http.StatusForbidden:
		reason = metav1.StatusReasonForbidden
	case http.StatusNotFound:
		reason = metav1.StatusReasonNotFound
	}
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Reason:   reason,
		Message:  message,
		Code:     code,
	}
}

// refuse answers a request with a status.
func refuse(w http.ResponseWriter, status *metav1.Status) {
	body, err := json.Marshal(status)
	if err != nil {
		http.Error(w, status.Message, int(status.Code))
		return
	}
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	w.Write(body)
}

// route passes a request to its webhook, and answers for unknown paths.
func (s *Server) route(limit *inFlightLimit) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, pattern := s.webhooks.Handler(r)
		if pattern == "" {
			refuse(w, refusalOf(http.StatusNotFound, fmt.Sprintf("no webhook is served at %q", r.URL.Path)))
			return
		}
		limit.serve(w, r, &s.webhooks, limitOf(handler))
	})
}

// limitOf returns the longest request body for a handler, in bytes: math.MaxInt64 for a handler without MaxBody.
func limitOf(handler http.Handler) int64 {
	if limited, ok := handler.(interface{ MaxBody() int64 }); ok {
		return limited.MaxBody()
	}
	return math.MaxInt64
}
