// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// workFactor is how many bytes a handler needs for a byte of a body: the body, the object decoded from it, and the
// answer. See docs/guides/security.md for the measurement.
const workFactor = 6

// defaultBytesInFlight is half of the memory limit of Go: the rest is for connections, the program itself, and garbage.
// Without a limit it is 1 GiB.
func defaultBytesInFlight() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit / 2
	}
	return 1 << 30
}

// limits bound the requests that are handled at once, so that under overload accepted requests take no longer than at
// capacity. A request takes a place only after its whole body has arrived, so a client that sends slowly keeps no place
// from others.
type limits struct {
	connections, places  *budget
	arriving, worked     *budget       // of bytes, for bodies that arrive and for bodies that handlers work on
	body, longest, queue time.Duration // for a body, for a request, and for a place
	closed, refused      atomic.Uint64
	unread               *wire.Tally
}

// release gives back what a request has taken.
func (l *limits) release(c *connection) {
	for _, b := range []*budget{l.places, l.arriving, l.worked} {
		b.give(c, b.bound)
	}
}

// webhook is the handler of a path.
type webhook struct {
	http.Handler
	limit   int64 // of a body
	reports bool  // the handler answers for a longer body
}

// newWebhook takes the limit of a handler with a method MaxBody. For others it is that of an admission webhook.
func newWebhook(handler http.Handler) webhook {
	if limited, ok := handler.(interface{ MaxBody() int64 }); ok {
		return webhook{handler, limited.MaxBody(), true}
	}
	return webhook{handler, 8 << 20, false}
}

// route passes the requests for webhooks on. ServeMux's own handlers, such as redirects, are of no use to API servers.
func (s *Server) route(l *limits) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, _ := s.webhooks.Handler(r)
		hook, ok := handler.(webhook)
		if !ok {
			refuse(w, r, refusalOf(http.StatusNotFound, fmt.Sprintf("no webhook is served at %q", r.URL.Path)))
			return
		}
		c, _ := r.Context().Value(connectionKey{}).(*connection)
		err := l.admit(w, r, c, hook)
		if err == nil {
			s.webhooks.ServeHTTP(w, r)
			return
		}
		l.release(c)
		status := refusalOf(http.StatusServiceUnavailable, err.Error())
		if problem := (*wire.Problem)(nil); errors.As(err, &problem) {
			status = problem.Status()
			l.unread.Add(context.Background(), "last", problem)
		} else {
			l.refused.Add(1)
		}
		refuse(w, r, status)
	})
}

// admit reads the body of a request, and then waits for memory to work on it and for a place.
func (l *limits) admit(w http.ResponseWriter, r *http.Request, c *connection, hook webhook) error {
	left := l.longest
	if announced, ok := announcedTimeout(r); ok {
		left = min(left, announced)
	}
	ctx, cancel := context.WithTimeout(r.Context(), left)
	defer cancel()
	if r.Body != nil && r.Body != http.NoBody {
		c.begin(receiving)
		body, err := l.receive(ctx, w, r, c, hook)
		c.begin(working)
		if err != nil {
			return err
		}
		r.Body = wire.NewReceived(body)
		if err := l.worked.take(ctx, c, min(int64(c.header+len(body))*workFactor, l.worked.largest())); err != nil {
			return err
		}
		l.arriving.give(c, l.arriving.bound)
	}
	ctx, cancel = context.WithTimeout(ctx, l.queue)
	defer cancel()
	return l.places.take(ctx, c, 1)
}

// receive reads the body of a request. It reads the beginning of one that is too long if the handler reports that.
func (l *limits) receive(ctx context.Context, w http.ResponseWriter, r *http.Request, c *connection, hook webhook) ([]byte, error) {
	length, most := r.ContentLength, min(hook.limit, l.arriving.largest()-1)
	reports := hook.reports && most == hook.limit
	if length > most && reports {
		return wire.ReceiveHead(nil, r), nil
	}
	if length < 0 { // in chunks
		length = most
	}
	if length <= most {
		if err := l.arriving.take(ctx, c, length+1); err != nil {
			return nil, err
		}
		c.begin(receiving)
		// An error means a connection that has gone, as the next read says.
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(min(l.body, l.body/2+time.Duration(length)*pace)))
		body, err := wire.Receive(nil, r, most, func(int) error { return nil })
		rank, _ := c.rank(time.Now())
		c.prompt = rank == inTime
		if over := int64(len(body)) > most; !over || reports {
			if over {
				err = nil
			}
			return body, err
		}
	}
	return nil, &wire.Problem{
		Code: http.StatusRequestEntityTooLarge, Reason: metav1.StatusReasonRequestEntityTooLarge,
		Err: fmt.Errorf("the body has more than %d bytes, which is the most for this path: for more, the handler needs a method MaxBody, "+
			"and the webhook's container the memory, see MaxBytesInFlight", most),
	}
}

// refusalOf returns the status of a request that never reaches its webhook. An API server treats it as a failed call,
// so that failurePolicy decides, and shows the message to its user. 503 and a Retry-After of one second make its client
// call again, up to ten times within the webhook's timeout (k8s.io/client-go rest/with_retry.go, IsNextRetry).
func refusalOf(code int32, message string) *metav1.Status {
	status := &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Message: message, Code: code,
		Reason: metav1.StatusReason(strings.ReplaceAll(http.StatusText(int(code)), " ", "")),
	}
	if code == http.StatusServiceUnavailable {
		status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
	}
	return status
}

// refuse answers a request with a status, without waiting for the rest of its body.
func refuse(w http.ResponseWriter, r *http.Request, status *metav1.Status) {
	body, _ := json.Marshal(status) // a Status of texts has no error
	if status.Details != nil {
		w.Header().Set("Retry-After", "1")
	}
	if _, read := r.Body.(*wire.Received); !read && r.ContentLength != 0 {
		w.Header().Set("Connection", "close") // net/http then answers before it reads the body
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(int(status.Code))
	w.Write(body)
}
