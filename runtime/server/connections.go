// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A connection is late once the server has waited for its client for longer than patience. Every byte adds the time
// that it takes at pace. Bytes never add more than one patience from now on, so that neither a burst nor a byte now and
// then keeps a connection in time.
const (
	patience = 2 * time.Second
	pace     = 64 << 10 // bytes a second
)

// phase is what a connection waits for.
type phase int32

const (
	opening   phase = iota // its client: the TLS handshake and the header of a request
	receiving              // its client: the body of a request
	working                // the server, which alone can end this phase
	sending                // its client: the response
	idle                   // its client, who may have no request
	closed                 // nothing: the server closed it in favor of others
)

// connections bounds the open connections. At the bound, a new connection takes the place of the slowest: the
// connection that is late by most, else the one idle for longest, else the one that will be late soonest. Connections
// that the server works for are never closed.
type connections struct {
	bound  int
	closed atomic.Uint64

	mu   sync.Mutex
	open map[*connection]struct{}
}

// connection is one connection of a client.
type connection struct {
	net.Conn
	of    *connections
	phase atomic.Int32
	due   atomic.Int64 // when it is late, in Unix nanoseconds

	// Of the request at hand, and its goroutine's alone.
	places chan struct{} // where it has a place, or nil
	shares bool          // it has had memory
}

// connectionKey is the context key of a request's *connection.
type connectionKey struct{}

// remember is the http.Server.ConnContext that gives the requests of a connection the connection.
func remember(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connectionOf(c))
}

// connectionOf returns the connection below TLS, or nil if it is not a connection of a boundListener.
func connectionOf(c net.Conn) *connection {
	if secured, ok := c.(*tls.Conn); ok {
		c = secured.NetConn()
	}
	found, _ := c.(*connection)
	return found
}

// follow is the http.Server.ConnState that records the phases which handlers do not see.
func follow(c net.Conn, state http.ConnState) {
	switch found := connectionOf(c); {
	case found == nil:
	case state == http.StateActive:
		found.begin(working)
	case state == http.StateIdle:
		found.begin(idle)
	}
}

// boundListener is a listener whose connections are bounded.
type boundListener struct {
	net.Listener
	connections *connections
}

// Accept implements net.Listener.
func (l boundListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.connections.add(c), nil
}

// add takes a connection in. If the server works for all others, it waits until it is done with one of them.
func (s *connections) add(accepted net.Conn) *connection {
	c := &connection{Conn: accepted, of: s}
	c.begin(opening)
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.open) >= s.bound {
		if victim := s.slowest(); victim == nil {
			s.mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			s.mu.Lock()
		} else if victim.cut() {
			delete(s.open, victim)
		}
	}
	s.open[c] = struct{}{}
	return c
}

// slowest returns the connection to close next, or nil.
func (s *connections) slowest() *connection {
	const late, unused, inTime, none = 0, 1, 2, 3
	now, best := time.Now().UnixNano(), (*connection)(nil)
	rank, least := none, int64(0)
	for c := range s.open {
		of, due := inTime, c.due.Load()
		switch phase(c.phase.Load()) {
		case working, closed:
			continue
		case idle:
			of = unused
		default:
			if due < now {
				of = late
			}
		}
		if of < rank || of == rank && due < least {
			best, rank, least = c, of, due
		}
	}
	return best
}

// count returns how many connections are open.
func (s *connections) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// begin begins a phase.
func (c *connection) begin(next phase) {
	c.due.Store(time.Now().Add(patience).UnixNano())
	for {
		now := c.phase.Load()
		if phase(now) == closed || c.phase.CompareAndSwap(now, int32(next)) {
			return
		}
	}
}

// late is for how long the connection has been late, unless the server works for it.
func (c *connection) late(now time.Time) time.Duration {
	switch phase(c.phase.Load()) {
	case opening, receiving, sending:
		return time.Duration(now.UnixNano() - c.due.Load())
	}
	return 0
}

// cut closes the connection in favor of others, unless the server has begun to work for it.
func (c *connection) cut() bool {
	for {
		now := c.phase.Load()
		if phase(now) == working || phase(now) == closed {
			return false
		}
		if c.phase.CompareAndSwap(now, int32(closed)) {
			c.of.closed.Add(1)
			c.Conn.Close()
			return true
		}
	}
}

// moved postpones the time at which the connection is late, for bytes that its client has sent or taken.
func (c *connection) moved(n int) {
	if n > 0 {
		now := time.Now()
		due := c.due.Load() + int64(n)*int64(time.Second)/pace
		c.due.Store(min(due, now.Add(patience).UnixNano()))
	}
}

// Read implements net.Conn.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 && c.phase.CompareAndSwap(int32(idle), int32(opening)) {
		c.due.Store(time.Now().Add(patience).UnixNano())
	} else {
		c.moved(n)
	}
	return n, err
}

// Write implements net.Conn.
func (c *connection) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.moved(n)
	return n, err
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.of.mu.Lock()
	delete(c.of.open, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// leave gives up the place of the request at hand.
func (c *connection) leave() {
	if c.places != nil {
		<-c.places
		c.places = nil
	}
}

// answers records that the response to the request at hand begins: a client that reads it slowly keeps no place.
func (c *connection) answers() {
	c.leave()
	if phase(c.phase.Load()) == working {
		c.begin(sending)
	}
}
