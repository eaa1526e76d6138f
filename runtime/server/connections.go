// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	// A client is late if a phase takes longer than patience and pace for each byte that has moved.
	patience = 2 * time.Second
	pace     = time.Microsecond

	// freeHeader is how many bytes of a handshake and a header are not counted. It covers an ordinary call.
	freeHeader = 16 << 10
)

// phase is what a connection is used for.
type phase int

const (
	opening   phase = iota // the client sends the TLS handshake or the header of a request
	receiving              // the client sends the body of a request, or the request waits for memory
	working                // the server works on a request and never closes the connection
	sending                // the client reads the response
	idle                   // there is no request
	closed                 // the server has closed the connection in favor of others
)

// connection is one connection of a client.
type connection struct {
	net.Conn
	limits *limits
	cut    chan struct{} // closed in the phase closed
	header int           // bytes of the handshake and the header
	prompt bool          // the last body was not late

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
	c := &connection{Conn: accepted, limits: l.limits, cut: make(chan struct{}), since: time.Now()}
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

// rank orders connections: those of a lower rank are closed first in favor of others.
type rank int

const (
	late rank = iota
	unused
	inTime
	needed
	leaving
)

// rank returns the rank of a connection, and how long its phase has lasted.
func (c *connection) rank(now time.Time) (rank, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	took := now.Sub(c.since)
	switch {
	case c.phase == working:
		return needed, took
	case c.phase == closed:
		return leaving, took
	case c.phase == idle:
		return unused, took
	case took > patience+time.Duration(c.moved)*pace:
		return late, took
	}
	return inTime, took
}

// sacrifice closes a connection in favor of others, unless the server works for it by now.
func (c *connection) sacrifice() {
	c.mu.Lock()
	closes := c.phase != working && c.phase != closed
	if closes {
		c.phase = closed
		close(c.cut)
	}
	c.mu.Unlock()
	if closes {
		c.Conn.Close()
		c.limits.connections.give(c, 1)
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
	n, err := c.Conn.Read(p)
	if c.progress(n) == opening && err == nil {
		counted := max(c.header, freeHeader)
		if c.header += n; c.header > counted {
			ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
			defer cancel()
			err = c.limits.arriving.take(ctx, c, int64(c.header-counted))
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
	c.limits.connections.give(c, 1)
	return c.Conn.Close()
}
