package server

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// inFlightLimit bounds the requests that are handled at once, so that under overload
// those that are accepted take no longer than at capacity.
type inFlightLimit struct {
	places  chan struct{}
	wait    time.Duration
	refused atomic.Uint64
}

// newLimit makes a limit of n requests, over which a request waits for a place.
func newLimit(n int, wait time.Duration) *inFlightLimit {
	return &inFlightLimit{places: make(chan struct{}, n), wait: wait}
}

// wrap refuses requests over the limit with a 503 and a Retry-After of one
// second, which an API server's client takes as a call to make again, up to ten
// times within the webhook's timeout (k8s.io/client-go rest/with_retry.go,
// IsNextRetry).
func (l *inFlightLimit) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.enter() {
			l.refused.Add(1)
			refusal := refusalOf(http.StatusServiceUnavailable, fmt.Sprintf(
				"the webhook server already handles %d requests, as many as it takes at once; try again", cap(l.places)))
			refusal.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
			refuse(w, refusal)
			return
		}
		defer func() { <-l.places }()
		next.ServeHTTP(w, r)
	})
}

// enter takes a place, if there is one or one comes free within the wait.
func (l *inFlightLimit) enter() bool {
	select {
	case l.places <- struct{}{}:
		return true
	default:
	}
	if l.wait <= 0 {
		return false
	}
	timer := time.NewTimer(l.wait)
	defer timer.Stop()
	select {
	case l.places <- struct{}{}:
		return true
	case <-timer.C:
		return false
	}
}
