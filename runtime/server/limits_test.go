// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// announced is the header of a call with a body of so many bytes.
func announced(path string, length int) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", path, length)
}

// TestOtherPathsAreAnsweredBeforeTheirBody has calls for paths without a webhook. Their bodies never arrive.
func TestOtherPathsAreAnsweredBeforeTheirBody(t *testing.T) {
	t.Parallel()
	front := newAuthority(t, "front proxy")
	s := serve(t, answer, func(s *site) {
		s.Handle("/tree/", http.HandlerFunc(answer))
		s.Aggregated, s.ClientCAFile = "shop.shop-system.svc/v1", write(t, s.dir, "ca.crt", front.pem)
		s.ReadTimeout = time.Hour
	})
	config := &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{*front.client(t, named("proxy"))}}
	const aggregated = "/apis/shop.shop-system.svc/v1"
	for path, code := range map[string]int{
		"//review": 404, "/./review": 404, "/a/../review": 404, "/review/": 404, "/review//": 404, "/tree": 404, "/other": 404, "/%2e/review": 404,
		"http://w//review": 404, aggregated + "//review": 404, "/" + aggregated + "/review": 404, aggregated: 404, "/healthz": 200,
	} {
		for _, length := range []int{1000, 100_000, 60_000_000} {
			for _, caller := range []*tls.Config{config, {InsecureSkipVerify: true}} {
				want := code
				if caller != config && code != http.StatusOK {
					want = http.StatusUnauthorized
				}
				connection, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), caller)
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(connection, announced(path, length)+strings.Repeat(" ", min(length/2, 20_000)))
				connection.SetReadDeadline(time.Now().Add(time.Minute))
				line := make([]byte, len("HTTP/1.1 404"))
				if _, err := io.ReadFull(connection, line); err != nil || string(line) != fmt.Sprint("HTTP/1.1 ", want) {
					t.Errorf("%s with %d bytes: %v, %q, want %d", path, length, err, line, want)
				}
				connection.Close()
			}
		}
	}
	if taken, err := s.CheckLimits(); err != nil || taken[2] != 0 {
		t.Errorf("%d bytes are counted: %v", taken[2], err)
	}
}

// unlimited is a handler with a method MaxBody.
type unlimited struct {
	http.HandlerFunc
	limit int64
}

func (u unlimited) MaxBody() int64 { return u.limit }

// TestHandlersHaveABodyLimit sends bodies that are longer than a handler takes, in one piece and in chunks.
func TestHandlersHaveABodyLimit(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) { s.Handle("/more", unlimited{answer, 20 << 20}) })
	client := s.client(t, nil)
	for _, test := range []struct {
		path   string
		length int
		code   int
	}{
		{"/review", 8 << 20, 200}, {"/review", 8<<20 + 1, 413},
		{"/more", 8<<20 + 1, 200}, {"/more", 20<<20 + 1, 200}, // the handler sees one byte more than its limit
	} {
		for _, chunked := range []bool{false, true} {
			got, err := s.do(client, http.MethodPost, test.path, make([]byte, test.length), func(r *http.Request) {
				if chunked {
					r.ContentLength, r.Body = -1, io.NopCloser(bytes.NewReader(make([]byte, test.length)))
				}
			})
			if err != nil || got.StatusCode != test.code {
				t.Errorf("%s with %d bytes, chunked %t: %v, %v, want %d", test.path, test.length, chunked, err, got.Response, test.code)
			}
		}
	}
}

// TestBodyDeadlineFollowsTheLength sends the beginnings of two bodies at once. The small one has half of ReadTimeout.
func TestBodyDeadlineFollowsTheLength(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) { s.ReadTimeout = 3 * time.Second })
	ends := func(length int) <-chan time.Time {
		connection, ended := s.dial(t), make(chan time.Time, 1)
		io.WriteString(connection, announced("/review", length)+"{")
		go func() {
			io.Copy(io.Discard, connection)
			ended <- time.Now()
		}()
		return ended
	}
	large, began := ends(8<<20), time.Now()
	small := ends(4500)
	first, last := (<-small).Sub(began), (<-large).Sub(began)
	if first < s.ReadTimeout/2 || float64(first) > 0.75*float64(last) {
		t.Errorf("the connection of the small body was open for %s, and that of the large one for %s", first, last)
	}
}

// sender is a client that sends one call after the other, slowly: a head and a burst at once, and then the rest at a
// pace in bytes a second. It reads nothing. If ends, it sends the last byte and leaves the connection idle for a while.
type sender struct {
	head                string
	length, burst, pace int
	ends                bool
}

// send sends calls until done.
func (s *site) send(done <-chan struct{}, next func() sender) {
	for {
		connection, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			one := next()
			connection.SetDeadline(time.Now().Add(time.Minute))
			_, err = io.WriteString(connection, one.head+strings.Repeat(" ", one.burst))
			for sent := one.burst; err == nil; {
				select {
				case <-done:
					err = net.ErrClosed
				case <-time.After(50 * time.Millisecond):
					left := one.length - sent
					if !one.ends {
						left--
					}
					n := max(0, min(one.pace/20, left))
					_, err = io.WriteString(connection, strings.Repeat(" ", n))
					if sent += n; n == 0 && (one.ends || isClosed(connection)) {
						err = net.ErrClosed
					}
				}
			}
			connection.Close()
		}
		select {
		case <-done:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// isClosed reports whether the server has closed a connection or answered.
func isClosed(connection net.Conn) bool {
	connection.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := connection.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// call makes calls with bodies of these sizes, one after the other, and reports each that is not answered in time.
func (s *site) call(t *testing.T, sizes ...int) {
	client := s.client(t, nil)
	defer client.CloseIdleConnections()
	client.Timeout = 20 * time.Second
	for _, size := range sizes {
		got, err := s.do(client, http.MethodPost, "/review?timeout=20s", make([]byte, size))
		if err != nil || got.StatusCode != http.StatusOK {
			t.Errorf("a call of %d bytes: %v, %s", size, err, got.body)
		}
	}
}

// TestSlowSendersStarveNobody has senders that take all the memory for large bodies and are just fast enough to be no
// dripping clients. Every call of others must be answered, even if it has the length of the senders' bodies.
func TestSlowSendersStarveNobody(t *testing.T) {
	for name, one := range map[string]sender{
		"half at once":  {announced("/review", 300_000), 300_000, 150_000, 70_000, false},
		"nearly all":    {announced("/review", 300_000), 300_000, 299_000, 1000, false},
		"nothing":       {announced("/review", 300_000), 300_000, 0, 0, false},
		"chunks":        {chunkedHead, 300_000, 0, 0, false},
		"small bodies":  {announced("/review", 40_000), 40_000, 39_000, 10, false},
		"headers alone": {"POST /review HTTP/1.1\r\nHost: w\r\nLong: ", 60_000, 60_000, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, answer, func(s *site) { s.MaxBytesInFlight = 12 << 20 })
			done := make(chan struct{})
			var senders sync.WaitGroup
			for range 100 {
				senders.Add(1)
				go func() {
					defer senders.Done()
					s.send(done, func() sender { return one })
				}()
			}
			eventually(t, "the senders have what they can get", func() bool {
				taken, err := s.CheckLimits()
				return err != nil || taken[2] > 2<<20
			})
			s.call(t, 37_000, 8_000, 20_000, 37_000, 8_000, 4500)
			s.call(t, 37_000, 300_000, 37_000, 300_000, 8000)
			if _, err := s.CheckLimits(); err != nil {
				t.Error(err)
			}
			close(done)
			senders.Wait()
		})
	}
}

const chunkedHead = "POST /review HTTP/1.1\r\nHost: w\r\nTransfer-Encoding: chunked\r\n\r\n40000\r\n"

// invent returns a random sender.
func invent(random *rand.Rand) sender {
	size := func(most int) int { return int(float64(most) * random.Float64() * random.Float64()) }
	one := sender{length: 1 + size(1_500_000), pace: size(400_000), ends: random.IntN(3) == 0}
	one.burst = random.IntN(one.length)
	switch path := []string{"/review", "/review", "/large", "//review", "/other"}[random.IntN(5)]; random.IntN(6) {
	case 0:
		one.head = chunkedHead
	case 1:
		one.head, one.length, one.ends = fmt.Sprintf("POST %s HTTP/1.1\r\nHost: w\r\nLong: ", path), size(70_000), false
		one.burst = min(one.burst, one.length)
	case 2:
		one.head = fmt.Sprintf("POST %s HTTP/1.1\r\nHost: w\r\nLong: %s\r\nContent-Length: %d\r\n\r\n", path, strings.Repeat("l", size(60_000)), one.length)
	default:
		one.head = announced(path, one.length)
	}
	return one
}

// TestInventedClients has clients whose number, bodies, paces, pauses and ends are random. While they send, ordinary
// calls of 8 to 40 kB are all answered, and no budget is ever exceeded. Afterwards everything has been given back.
// ATTACKSEED has another seed.
func TestInventedClients(t *testing.T) {
	first, end := uint64(0), uint64(4)
	if text := os.Getenv("ATTACKSEED"); text != "" {
		if _, err := fmt.Sscan(text, &first); err != nil {
			t.Fatal(err)
		}
		end = first + 1
	}
	for seed := first; seed < end; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			before := runtime.NumGoroutine()
			random := rand.New(rand.NewPCG(seed, 33))
			s := serve(t, answer, func(s *site) {
				s.Handle("/large", http.HandlerFunc(large))
				s.MaxBytesInFlight = 2<<20 + random.Int64N(4<<20)
			})
			done := make(chan struct{})
			var others, callers sync.WaitGroup
			n := 20 + random.IntN(100)
			for i := range n {
				others.Add(1)
				go func() {
					defer others.Done()
					random := rand.New(rand.NewPCG(seed, uint64(1000+i)))
					s.send(done, func() sender { return invent(random) })
				}()
			}
			most, samples := [4]int64{}, 0
			others.Add(1)
			go func() {
				defer others.Done()
				for {
					taken, err := s.CheckLimits()
					if err != nil {
						t.Error(err)
						return
					}
					samples++
					for i := range most {
						most[i] = max(most[i], taken[i])
					}
					select {
					case <-done:
						return
					case <-time.After(time.Millisecond):
					}
				}
			}()
			for i := range 3 {
				callers.Add(1)
				go func() {
					defer callers.Done()
					random := rand.New(rand.NewPCG(seed, uint64(2000+i)))
					for range 6 { // each time on a new connection
						sizes := make([]int, 15)
						for i := range sizes {
							sizes[i] = 8_000 + random.IntN(32_000)
						}
						time.Sleep(time.Duration(random.IntN(300)) * time.Millisecond)
						s.call(t, sizes...)
					}
				}()
			}
			callers.Wait()
			close(done)
			others.Wait()
			t.Logf("%d senders and %d bytes: at most %d connections, %d places, %d bytes that arrive and %d that are worked on in %d samples; %d connections were closed",
				n, s.MaxBytesInFlight, most[0], most[1], most[2], most[3], samples, s.Stats().Closed)
			eventually(t, "everything is given back", func() bool {
				taken, err := s.CheckLimits()
				return err == nil && taken == [4]int64{}
			})
			if err := s.stop(); err != nil {
				t.Error(err)
			}
			eventually(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}
