// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// inFlightLimit bounds the requests that are handled at once, so that under overload accepted requests take no longer
// than at capacity. A request takes a place only after its whole body has arrived, so a client that sends slowly keeps
// no place from others.
type inFlightLimit struct {
	places   chan struct{}
	wait     time.Duration
	arriving *memory // of bodies
	worked   *memory // for bodies that are worked on
	timeout  time.Duration
	longest  time.Duration
	bodies   sync.Pool // of *[]byte
	refused  atomic.Uint64
	unread   *wire.Tally
}

// largestKept is the capacity up to which the memory of a body is kept for the next one.
const largestKept = 64 << 10

// serve reads the body of a request, waits for a place, and calls the handler. A body over limit is the handler's to
// report.
//
// Requests over the bounds get a 503 and a Retry-After of one second, which an API server's client takes as a call to
// make again, up to ten times within the webhook's timeout (k8s.io/client-go rest/with_retry.go, IsNextRetry).
func (l *inFlightLimit) serve(w http.ResponseWriter, r *http.Request, handler http.Handler, limit int64) {
	q := &request{Request: r, w: w, began: time.Now(), longest: l.longest}
	q.connection, _ = r.Context().Value(connectionKey{}).(*connection)
	kept, _ := l.bodies.Get().(*[]byte)
	if kept == nil {
		kept = new([]byte)
	}
	defer l.bodies.Put(kept)
	defer l.release(q.connection)

	received, err := l.receive(q, kept, limit)
	if err == nil && received != nil {
		defer received.Revoke()
		r.Body = received
		err = l.work(q, len(*kept))
	}
	if cap(*kept) > largestKept {
		*kept = nil // it goes with received
	}
	if err == nil && !l.enter() {
		err = fmt.Errorf("the webhook server already handles %d requests, as many as it takes at once; try again", cap(l.places))
	}
	if err != nil {
		l.refuse(w, err)
		return
	}
	q.connection.places = l.places
	defer q.connection.leave()
	handler.ServeHTTP(w, r)
}

// request is a request on its way to a place.
type request struct {
	*http.Request
	w          http.ResponseWriter
	connection *connection
	began      time.Time
	longest    time.Duration
}

// left returns how long the caller still waits.
func (q *request) left() time.Duration {
	patience := q.longest
	if announced, ok := announcedTimeout(q.Request); ok {
		patience = min(patience, announced)
	}
	return time.Until(q.began.Add(patience))
}

// release gives back the memory of a request.
func (l *inFlightLimit) release(c *connection) {
	if c.shares {
		l.arriving.release(c)
		l.worked.release(c)
		c.shares = false
	}
}

// receive reads the body of a request into kept. It returns nil if the request has none, and only the beginning of one
// over limit.
func (l *inFlightLimit) receive(q *request, kept *[]byte, limit int64) (*wire.Received, error) {
	if q.Body == nil || q.Body == http.NoBody {
		return nil, nil
	}
	if q.ContentLength > limit {
		q.connection.begin(receiving)
		defer q.connection.begin(working)
		*kept = wire.ReceiveHead(*kept, q.Request)
		return wire.NewReceived(*kept), nil
	}
	bound := min(limit, l.arriving.bound)
	if q.ContentLength > bound {
		return nil, l.tooLarge()
	}
	claim := bound + 1
	if q.ContentLength >= 0 {
		claim = q.ContentLength + 1
	}
	q.connection.begin(receiving)
	read := q.began
	body, err := wire.Receive((*kept)[:0], q.Request, bound, func(more int) error {
		asked := time.Now()
		if l.arriving.grow(q.Context(), q.connection, int64(more), claim, q.left) != nil {
			return fmt.Errorf("the webhook server has %d bytes of bodies in memory, as many as it takes at once; try again", l.arriving.bound)
		}
		if waited := time.Since(asked); waited > time.Millisecond {
			// The client does not pay for the wait. An error means a connection that has gone, as the next read says.
			read = read.Add(waited)
			_ = http.NewResponseController(q.w).SetReadDeadline(read.Add(l.timeout))
		}
		return nil
	})
	if int64(len(body)) > limit {
		wire.Discard(q.Request)
	}
	*kept = body
	q.connection.begin(working)
	if q.connection.shares {
		l.arriving.complete(q.connection)
	}
	switch length := int64(len(body)); {
	case length > limit:
		return wire.NewReceived(body), nil
	case length > bound:
		return nil, l.tooLarge()
	case err != nil:
		return nil, err
	}
	return wire.NewReceived(body), nil
}

// work waits for the memory to work on a body, which then is no longer an arriving body.
func (l *inFlightLimit) work(q *request, length int) error {
	if length > wire.FirstBytes {
		needs := min(int64(length)*workFactor, l.worked.bound)
		if l.worked.grow(q.Context(), q.connection, needs, needs, q.left) != nil {
			return fmt.Errorf("the webhook server works on as many bodies as it has memory for, %d bytes; try again", l.worked.bound)
		}
		l.arriving.release(q.connection)
	}
	return nil
}

// tooLarge returns the problem of a body for which there will never be memory.
func (l *inFlightLimit) tooLarge() error {
	return &wire.Problem{
		Code: http.StatusRequestEntityTooLarge, Reason: metav1.StatusReasonRequestEntityTooLarge,
		Err: fmt.Errorf("the body has more than %d bytes, which is what the server has memory for: "+
			"raise the memory limit of the webhook's container, or MaxBytesInFlight", l.arriving.bound),
	}
}

// refuse answers a request that does not come to its handler.
func (l *inFlightLimit) refuse(w http.ResponseWriter, reason error) {
	if problem := (*wire.Problem)(nil); errors.As(reason, &problem) {
		l.unread.Add(context.Background(), "last", problem)
		refuse(w, problem.Status())
		return
	}
	l.refused.Add(1)
	refusal := refusalOf(http.StatusServiceUnavailable, reason.Error())
	refusal.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	refuse(w, refusal)
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
