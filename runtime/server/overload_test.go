// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The reviews of an overload test need one of 20 connections to a database for
// 200 ms: a capacity of 100 a second, whatever the machine.
const (
	connections = 20
	service     = 200 * time.Millisecond
)

// TestOverload offers 4 times the capacity. Accepted reviews may take twice as
// long (99th percentile) as at capacity; all others must get the answer that an
// API server tries again. With the limit off the same load must break that
// bound, or the test proves nothing. A machine that is busy with something else
// gets two more tries.
func TestOverload(t *testing.T) {
	var wrong []string
	for range 3 {
		if wrong = overload(t); len(wrong) == 0 {
			return
		}
	}
	t.Error(strings.Join(wrong, "\n"))
}

// overload runs an overload and returns the errors in its results.
func overload(t *testing.T) (wrong []string) {
	const factor, unlimited = 2, 100_000
	complain := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	calm := offer(t, connections, 1, 4*service)
	if calm.refused > 0 {
		complain("%d reviews refused at capacity", calm.refused)
	}
	overloaded := offer(t, connections, 4, 6*service)
	bound := factor * calm.p99()
	if got := overloaded.p99(); got > bound {
		complain("99th percentile of accepted reviews %s, want at most %d times that at capacity, %s", got, factor, bound)
	}
	if overloaded.refused < 2*len(overloaded.took) {
		complain("%d accepted and %d refused, want three refused for one accepted", len(overloaded.took), overloaded.refused)
	}
	if overloaded.counted != uint64(overloaded.refused) {
		complain("Stats counts %d refused reviews, callers saw %d", overloaded.counted, overloaded.refused)
	}
	control := offer(t, unlimited, 4, 4*service)
	if got := control.p99(); got < bound {
		complain("99th percentile without a limit is %s: this is no overload", got)
	}
	t.Logf("p99 at capacity %s; at 4 times %s, %d accepted and %d refused; at 4 times without a limit %s",
		calm.p99(), overloaded.p99(), len(overloaded.took), overloaded.refused, control.p99())
	return wrong
}

// offered holds the results of a load.
type offered struct {
	refused int
	counted uint64 // refused, as the server counts
	took    []time.Duration
}

func (o *offered) p99() time.Duration { return o.took[len(o.took)*99/100] }

// offer makes reviews at so many times the capacity: that many callers for each
// connection to the database, who call once in the time that a review takes.
func offer(t *testing.T, maxInFlight, times int, during time.Duration) *offered {
	t.Helper()
	database := make(chan struct{}, connections)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		database <- struct{}{}
		time.Sleep(service)
		<-database
	}, func(s *site) { s.MaxInFlight = maxInFlight })

	result := &offered{}
	var mu sync.Mutex
	var callers sync.WaitGroup
	open := make(chan struct{})
	for range times * connections {
		callers.Add(1)
		client := s.client(t, nil)
		if _, err := s.do(client, http.MethodGet, "/healthz", nil); err != nil { // dials
			t.Fatal(err)
		}
		go func() {
			defer callers.Done()
			<-open
			for end := time.Now().Add(during); time.Now().Before(end); {
				sent := time.Now()
				got, err := s.review(client)
				took := time.Since(sent)
				mu.Lock()
				switch {
				case err != nil:
					t.Errorf("review: %v", err)
				case got.StatusCode == http.StatusOK:
					result.took = append(result.took, took)
				default:
					result.refused++
					got.wantRetryable(t)
				}
				mu.Unlock()
				time.Sleep(service - took)
			}
		}()
	}
	close(open)
	callers.Wait()
	result.counted = s.Stats().Refused
	slices.Sort(result.took)
	return result
}

// wantRetryable wants the response that makes client-go call again (rest,
// IsNextRetry): a code of 5xx and an integer Retry-After.
func (r reply) wantRetryable(t testing.TB) {
	t.Helper()
	var status metav1.Status
	if err := json.Unmarshal([]byte(r.body), &status); err != nil {
		t.Errorf("the body is no metav1.Status: %v: %s", err, r.body)
		return
	}
	if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") != "1" ||
		status.Code != http.StatusServiceUnavailable || status.Reason != metav1.StatusReasonServiceUnavailable ||
		status.Details == nil || status.Details.RetryAfterSeconds != 1 {
		t.Errorf("HTTP %d, Retry-After %q, %s", r.StatusCode, r.Header.Get("Retry-After"), r.body)
	}
}

func TestMaxWait(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wait time.Duration
		code int
	}{
		"a place comes free in time": {5 * time.Second, http.StatusOK},
		"no place comes free":        {10 * time.Millisecond, http.StatusServiceUnavailable},
		"no wait":                    {-1, http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			entered, leave := make(chan struct{}, 2), make(chan struct{})
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				entered <- struct{}{}
				<-leave
			}, func(s *site) { s.MaxInFlight, s.MaxWait = 1, test.wait })
			first := make(chan error, 1)
			go func() { _, err := s.review(s.client(t, nil)); first <- err }()
			<-entered
			if got := s.Stats().InFlight; got != 1 {
				t.Errorf("%d in flight, want 1", got)
			}
			if test.code == http.StatusOK {
				time.AfterFunc(50*time.Millisecond, func() { close(leave) })
			} else {
				defer close(leave)
			}
			got := s.expect(t, s.client(t, nil), test.code, "")
			if test.code != http.StatusOK {
				got.wantRetryable(t)
			} else if err := <-first; err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPanicLeavesNoPlaceTaken panics more often than there are places.
func TestPanicLeavesNoPlaceTaken(t *testing.T) {
	t.Parallel()
	panicking := true
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if panicking {
			panic(http.ErrAbortHandler)
		}
	}, func(s *site) { s.MaxInFlight = 1 })
	client := s.client(t, nil)
	for range 3 {
		if _, err := s.review(client); err == nil {
			t.Fatal("an aborted handler gave an answer")
		}
	}
	panicking = false
	s.expect(t, client, http.StatusOK, "")
}
