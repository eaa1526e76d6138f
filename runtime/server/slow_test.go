// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// The ways in which a connection can be slow. Each takes a connection as far as it gets, and leaves it there.
var slowness = map[string]func(t testing.TB, s *site, path string){
	"no handshake": func(t testing.TB, s *site, _ string) { s.connect(t) },
	"half a handshake": func(t testing.TB, s *site, _ string) {
		io.WriteString(s.connect(t), "\x16\x03\x01\x02\x00\x01")
	},
	"no request": func(t testing.TB, s *site, _ string) { s.dial(t) },
	"half a header": func(t testing.TB, s *site, path string) {
		fmt.Fprintf(s.dial(t), "POST %s HTTP/1.1\r\nHost: w\r\n", path)
	},
	"one byte of a body": func(t testing.TB, s *site, path string) {
		fmt.Fprintf(s.dial(t), "POST %s HTTP/1.1\r\nHost: w\r\nContent-Length: 4500\r\n\r\n{", path)
	},
	"one byte of chunks": func(t testing.TB, s *site, path string) {
		fmt.Fprintf(s.dial(t), "POST %s HTTP/1.1\r\nHost: w\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", path)
	},
	"idle after a call": func(t testing.TB, s *site, path string) {
		connection := s.dial(t)
		fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: w\r\nContent-Length: 0\r\n\r\n", path)
		if _, err := connection.Read(make([]byte, 512)); err != nil {
			t.Errorf("call: %v", err)
		}
	},
	"an answer that nobody reads": func(t testing.TB, s *site, _ string) {
		fmt.Fprint(s.dial(t), "POST /large HTTP/1.1\r\nHost: w\r\nContent-Length: 0\r\n\r\n")
	},
}

// connect opens a TCP connection.
func (s *site) connect(t testing.TB) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

// large answers with more than the system buffers for a client that does not read.
func large(w http.ResponseWriter, _ *http.Request) {
	page := make([]byte, 64<<10)
	for range 32 << 20 / len(page) {
		if _, err := w.Write(page); err != nil {
			return
		}
	}
}

// slow opens so many connections of a kind, a few at a time.
func (s *site) slow(t testing.TB, n int, kind string) {
	t.Helper()
	var openers sync.WaitGroup
	work := make(chan struct{}, n)
	for range n {
		work <- struct{}{}
	}
	close(work)
	for range 8 {
		openers.Add(1)
		go func() {
			defer openers.Done()
			for range work {
				slowness[kind](t, s, "/review")
			}
		}()
	}
	openers.Wait()
}

// answers makes calls, ten at a time and each on a connection of its own, and returns how many got 200.
func (s *site) answers(t testing.TB, calls int) int {
	t.Helper()
	client := s.client(t, nil)
	client.Timeout = 10 * time.Second
	client.Transport.(*http.Transport).DisableKeepAlives = true
	results := make(chan error, calls)
	work := make(chan struct{}, calls)
	for range calls {
		work <- struct{}{}
	}
	close(work)
	for range 10 {
		go func() {
			for range work {
				got, err := s.review(client)
				if err == nil && got.StatusCode != http.StatusOK {
					err = fmt.Errorf("HTTP %d: %s", got.StatusCode, got.body)
				}
				results <- err
			}
		}()
	}
	answered := 0
	var first error
	for range calls {
		switch err := <-results; {
		case err == nil:
			answered++
		case first == nil:
			first = err
		}
	}
	if first != nil {
		t.Logf("the first of %d failed calls: %v", calls-answered, first)
	}
	return answered
}

// TestSlowConnectionsCostCallersNothing opens more connections of each kind than there are places, and in the second
// half more than the server keeps open. Every call of others must be answered.
func TestSlowConnectionsCostCallersNothing(t *testing.T) {
	if race {
		t.Skip("its bounds of memory and time are those without the race detector")
	}
	for _, full := range []bool{false, true} {
		for kind := range slowness {
			t.Run(fmt.Sprintf("%s, full %t", kind, full), func(t *testing.T) {
				s := serve(t, answer, func(s *site) {
					s.Handle("/large", http.HandlerFunc(large))
					s.MaxInFlight = 30
					if full {
						s.MaxConnections = 61
					}
				})
				slow := 60
				if full {
					slow = 200
				}
				s.slow(t, slow, kind)
				if got := s.answers(t, 60); got != 60 {
					t.Errorf("%d of 60 calls were answered beside %d slow connections", got, slow)
				}
				if got := s.health(t, "/readyz"); got.StatusCode != http.StatusOK {
					t.Errorf("/readyz: HTTP %d", got.StatusCode)
				}
				stats := s.Stats()
				if full && (stats.Connections > 61 || stats.Closed < 139) || !full && stats.Closed > 0 {
					t.Errorf("%d connections are open and %d were closed", stats.Connections, stats.Closed)
				}
				if stats.Refused > 0 {
					t.Errorf("%d calls were refused", stats.Refused)
				}
			})
		}
	}
}

// TestIdleConnectionsAreClosedForOthers has more clients than the server keeps connections, and each keeps its own.
func TestIdleConnectionsAreClosedForOthers(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) { s.MaxInFlight, s.MaxConnections, s.IdleTimeout = 10, 30, time.Hour })
	for range 50 {
		client := s.client(t, nil)
		client.Timeout = 20 * time.Second
		s.expect(t, client, http.StatusOK, "")
	}
	if stats := s.Stats(); stats.Connections > 30 || stats.Closed < 20 {
		t.Errorf("%d connections are open and %d were closed", stats.Connections, stats.Closed)
	}
}

// TestSlowConnectionsTakeNoPlace makes the load that once took all places of the default: 220 connections that each
// send a header and one byte, and 400 calls.
func TestSlowConnectionsTakeNoPlace(t *testing.T) {
	s := serve(t, answer, nil)
	s.slow(t, 220, "one byte of a body")
	if got := s.answers(t, 400); got != 400 {
		t.Errorf("%d of 400 calls were answered", got)
	}
}

// TestDrippingBodiesAreTheSlowest has clients that send a byte now and then, at a full bound, so that each makes some
// progress.
func TestDrippingBodiesAreTheSlowest(t *testing.T) {
	s := serve(t, answer, func(s *site) { s.MaxInFlight, s.MaxConnections = 10, 40 })
	var clients sync.WaitGroup
	done := make(chan struct{})
	for range 60 {
		connection := s.dial(t)
		fmt.Fprint(connection, "POST /review HTTP/1.1\r\nHost: w\r\nContent-Length: 4500\r\n\r\n")
		clients.Add(1)
		go func() {
			defer clients.Done()
			for {
				select {
				case <-done:
					return
				case <-time.After(20 * time.Millisecond):
					if _, err := io.WriteString(connection, " "); err != nil {
						return
					}
				}
			}
		}()
	}
	if got := s.answers(t, 200); got != 200 {
		t.Errorf("%d of 200 calls were answered", got)
	}
	close(done)
	clients.Wait()
}
