// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

const (
	// A client is late if a phase takes longer than patience and pace for each byte that has moved.
	patience = 2 * time.Second
	pace     = time.Microsecond
	// freeHeader is how many bytes of a handshake and a header are not counted. It covers an ordinary call.
	freeHeader = 24 << 10

	// workFactor is how many bytes a handler needs for a byte of a body. hack/peers/figures.md has the measurement.
	workFactor = 6
)

// defaultBytesInFlight is half of Go's memory limit, the rest being for connections and garbage, or 1 GiB without one.
func defaultBytesInFlight() int64 {
	if limit := debug.SetMemoryLimit(-1); limit < math.MaxInt64 {
		return limit / 2
	}
	return 1 << 30
}

// limits bound the requests that are handled at once, so that under overload accepted requests take no longer than at
// capacity. A request takes a place once its whole body has arrived, so that a slow client keeps no place from others.
type limits struct {
	connections, places  *budget
	arriving, worked     *budget       // of bytes, for bodies that arrive and for bodies that handlers work on
	body, longest, queue time.Duration // for a body, for a request, and for a place
	closed, refused      atomic.Uint64
	unread               *serving.Tally
}

// release gives back what a request has taken.
func (l *limits) release(c *connection) {
	for _, b := range []*budget{l.places, l.arriving, l.worked} {
		b.give(c)
	}
}

// webhook is the handler of a path.
type webhook struct {
	http.Handler
	limit   int64 // of a body
	reports bool  // the handler itself answers for a longer body
}

// newWebhook takes the limit of a handler with a method MaxBody. Others have the default of an admission webhook.
func newWebhook(handler http.Handler) webhook {
	if limited, ok := handler.(interface{ MaxBody() int64 }); ok {
		return webhook{handler, limited.MaxBody(), true}
	}
	return webhook{handler, 8 << 20, false}
}

// route passes requests for webhooks on. ServeMux's own handlers, such as redirects, are of no use to API servers.
func (s *Server) route(l *limits) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, _ := s.webhooks.Handler(r)
		hook, ok := handler.(webhook)
		if !ok {
			refuse(w, problemOf(http.StatusNotFound, "no webhook is served at %q", r.URL.Path))
			return
		}
		c, _ := r.Context().Value(connectionKey{}).(*connection)
		err := l.admit(r, c, hook)
		if err == nil {
			s.webhooks.ServeHTTP(w, r)
			return
		}
		l.release(c)
		problem := (*serving.Problem)(nil)
		if errors.As(err, &problem); problem.Code == http.StatusServiceUnavailable {
			l.refused.Add(1)
		} else {
			l.unread.Add(context.Background(), "last", problem)
		}
		refuse(w, problem)
	})
}

// admit reads the body of a request, and waits for the memory to work on it and for a place.
func (l *limits) admit(r *http.Request, c *connection, hook webhook) error {
	ctx, cancel := context.WithTimeout(r.Context(), timeoutOf(r, l.longest))
	defer cancel()
	if r.Body != nil && r.Body != http.NoBody {
		body, err := l.receive(ctx, r, c, hook)
		c.begin(working)
		if err != nil {
			return err
		}
		r.Body, c.unread = serving.NewReceived(body), false
		needs := min(int64(c.header+len(body))*workFactor, l.worked.bound-l.worked.part)
		if err := l.worked.take(ctx, c, needs); err != nil {
			return err
		}
		l.arriving.give(c)
	}
	ctx, cancel = context.WithTimeout(ctx, l.queue)
	defer cancel()
	return l.places.take(ctx, c, 1)
}

// receive reads the body of a request, or the beginning of one that is too long if the handler reports that.
func (l *limits) receive(ctx context.Context, r *http.Request, c *connection, hook webhook) (body []byte, err error) {
	length, most := r.ContentLength, min(hook.limit, l.arriving.bound-l.arriving.part-1)
	reports := hook.reports && most == hook.limit
	c.begin(moving)
	switch {
	case length > most && reports:
		return serving.ReceiveHead(nil, r), nil
	case length > most:
		return nil, problemOf(http.StatusRequestEntityTooLarge, "the body has more than %d bytes: a longer one needs "+
			"memory of the webhook's container, see MaxBytesInFlight, and a handler with a method MaxBody", most)
	case length < 0: // in chunks
		length = most
	}
	if err := l.arriving.take(ctx, c, length+1); err != nil {
		return nil, err
	}
	c.begin(moving)
	_ = c.SetReadDeadline(time.Now().Add(min(l.body, l.body/2+time.Duration(length)*pace)))
	body, err = serving.Receive(nil, r, most, func(int) error { return nil })
	phase, _ := c.now()
	c.prompt = phase == moving
	if int64(len(body)) > most && reports {
		return body, nil
	}
	return body, err
}

// problemOf returns the problem of a request that never reaches its webhook: a failed call, with a message for users.
func problemOf(code int, format string, args ...any) *serving.Problem {
	reason := metav1.StatusReason(strings.ReplaceAll(http.StatusText(code), " ", ""))
	return &serving.Problem{Code: code, Reason: reason, Err: fmt.Errorf(format, args...)}
}

// refuse answers a request with a problem. A 503 gets a Retry-After of one second, which the client of an API server
// takes as a call to make again, up to ten times within the timeout (k8s.io/client-go rest/with_retry.go, IsNextRetry).
func refuse(w http.ResponseWriter, problem *serving.Problem) {
	status := problem.Status()
	if problem.Code == http.StatusServiceUnavailable {
		status.Details = &metav1.StatusDetails{RetryAfterSeconds: 1}
		w.Header().Set("Retry-After", "1")
	}
	body, _ := json.Marshal(status) // a Status of texts has no error
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(problem.Code)
	w.Write(body)
}

// budget is a number of bytes, places or connections. Requests take what they need before they use it.
type budget struct {
	bound  int64
	part   int64 // only small requests use it up
	closes phase // the last phase of connections that are closed for a request that waits
	full   error // of a request that waits in vain

	used          atomic.Int64 // changes under mu
	mu            sync.Mutex
	held, waiting map[*connection]int64
}

func newBudget(bound, part int64, closes phase, full error) *budget {
	held, waiting := make(map[*connection]int64), make(map[*connection]int64)
	return &budget{bound: bound, part: part, closes: closes, full: full, held: held, waiting: waiting}
}

// take takes n, at most bound - part, for a connection. It waits until ctx is done. Meanwhile it closes others.
func (b *budget) take(ctx context.Context, c *connection, n int64) error {
	// The longest waits look least often, because there may be many of them under an attack.
	for wait := time.Millisecond; ; wait = min(2*wait, 64*time.Millisecond) {
		taken, victim := b.try(c, n)
		if taken {
			return nil
		} else if victim != nil {
			victim.sacrifice()
			wait = time.Millisecond
		}
		select {
		case <-time.After(wait):
		case <-c.cut:
			return serving.BadRequest(net.ErrClosed)
		case <-ctx.Done():
			return b.full
		}
	}
}

// try takes n for a connection if that leaves enough for smaller requests: what they wait for, and 16 times n, or the
// part if it is less. Half of that will do if the client's last body was in time. Otherwise try returns the connection
// to close, if there is one: in the earliest phase, with the largest product of what it holds and the phase's time.
func (b *budget) try(c *connection, n int64) (taken bool, victim *connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	leaves := min(16*n, b.part)
	if c.prompt {
		leaves /= 2
	}
	free := b.bound - b.used.Load() - leaves - n
	for _, other := range b.waiting {
		if other < n {
			free -= other
		}
	}
	if free >= 0 {
		b.used.Add(n)
		b.held[c] += n
		delete(b.waiting, c)
		return true, nil
	}
	b.waiting[c] = n
	earliest, most := b.closes, math.Inf(-1)
	for other, held := range b.held {
		phase, took := other.now()
		if cost := float64(held) * took.Seconds(); phase < earliest || phase == earliest && cost > most {
			victim, earliest, most = other, phase, cost
		}
	}
	return false, victim
}

// give gives back what a connection holds.
func (b *budget) give(c *connection) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.Add(-b.held[c])
	delete(b.held, c)
	delete(b.waiting, c)
}

// phase is what a connection is used for. In favor of others, connections in an earlier phase are closed first.
type phase int

const (
	late    phase = iota // opening or moving for too long
	idle                 // there is no request
	opening              // the client sends the TLS handshake or the header of a request
	moving               // the client sends a body or reads a response, or its request waits for memory
	working              // the server works on a request and never closes the connection
	closed               // the server has closed the connection in favor of others
)

// connection is one connection of a client.
type connection struct {
	net.Conn
	limits *limits
	cut    chan struct{} // closed in the phase closed
	header int           // bytes of the handshake and the header
	prompt bool          // the last body was not late
	unread bool          // the request has a body that has not been read

	mu    sync.Mutex
	phase phase
	since time.Time // when the phase began
	moved int       // bytes in the phase
}

// connectionKey is the context key of a request's *connection.
type connectionKey struct{}

// remember is the http.Server.ConnContext that gives the requests of a connection the connection.
func remember(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connectionOf(c))
}

// connectionOf returns the connection below TLS.
func connectionOf(c net.Conn) *connection {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	return c.(*connection)
}

// follow is the http.Server.ConnState that records the phases that handlers do not see.
func follow(conn net.Conn, state http.ConnState) {
	switch c := connectionOf(conn); state {
	case http.StateActive:
		c.begin(working)
	case http.StateIdle:
		c.limits.release(c)
		c.header = 0
		c.begin(idle)
	}
}

// limitedListener is a listener whose connections have limits.
type limitedListener struct {
	net.Listener
	limits *limits
}

// Accept implements net.Listener.
func (l limitedListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &connection{Conn: accepted, limits: l.limits, cut: make(chan struct{}), phase: opening, since: time.Now()}
	return c, l.limits.connections.take(context.Background(), c, 1)
}

// begin begins a phase.
func (c *connection) begin(next phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase != closed {
		c.phase, c.since, c.moved = next, time.Now(), 0
	}
}

// now returns the phase of a connection, with opening as moving, and how long it has lasted.
func (c *connection) now() (phase, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := time.Since(c.since)
	switch {
	case c.phase != opening && c.phase != moving:
		return c.phase, took
	case took > patience+time.Duration(c.moved)*pace:
		return late, took
	}
	return moving, took
}

// sacrifice closes a connection in favor of others, unless the server works for it by now.
func (c *connection) sacrifice() {
	c.mu.Lock()
	closes := c.phase < working
	if closes {
		c.phase = closed
		close(c.cut)
	}
	c.mu.Unlock()
	if closes {
		c.Conn.Close()
		c.limits.connections.give(c)
		c.limits.closed.Add(1)
	}
}

// progress counts bytes of the client, and returns the phase.
func (c *connection) progress(n int) phase {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == idle && n > 0 {
		c.phase, c.since, c.moved = opening, time.Now(), 0
	}
	c.moved += n
	return c.phase
}

// Read implements net.Conn. A header over freeHeader waits for memory.
func (c *connection) Read(p []byte) (int, error) {
	if c.progress(0) != moving {
		p = p[:min(len(p), 4<<10)] // not far beyond the header
	}
	n, err := c.Conn.Read(p)
	if c.progress(n) == opening && err == nil {
		counted := max(c.header, freeHeader)
		if c.header += n; c.header > counted {
			err = c.limits.arriving.take(context.Background(), c, int64(c.header-counted))
		}
	}
	return n, err
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.progress(n)
	return n, err
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.limits.release(c)
	c.limits.connections.give(c)
	return c.Conn.Close()
}
