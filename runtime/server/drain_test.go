// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/server"
)

// drainedServer names the environment variable by which the test binary runs
// itself as the server that TestSIGTERMFailsNoRequest ends.
const drainedServer = "ADMISSION_TEST_DRAINED_SERVER"

// drainedSite is the configuration of that server, as JSON in the variable.
type drainedSite struct {
	Address, HealthAddress, CertFile, KeyFile string
	DrainPeriod                               time.Duration
}

// TestDrainedServer is the main function of that server. Its reviews take until
// a time after the drain began, ?after=, or no time at all.
func TestDrainedServer(t *testing.T) {
	environment, ok := os.LookupEnv(drainedServer)
	if !ok {
		t.Skip("run by TestSIGTERMFailsNoRequest")
	}
	var site drainedSite
	if err := json.Unmarshal([]byte(environment), &site); err != nil {
		t.Fatal(err)
	}
	server := &server.Server{
		Address: site.Address, HealthAddress: site.HealthAddress,
		CertFile: site.CertFile, KeyFile: site.KeyFile,
		DrainPeriod: site.DrainPeriod, MaxInFlight: 1000,
	}
	server.Handle("/review", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if after, err := time.ParseDuration(r.URL.Query().Get("after")); err == nil {
			for server.Ready(nil) == nil && r.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(after)
		}
		if err := r.Context().Err(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	server.Handle("/inflight", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, server.Stats().InFlight)
	}))
	if err := server.ListenAndServe(); err != nil {
		t.Fatal(err)
	}
}

// TestSIGTERMFailsNoRequest sends SIGTERM to a server process with hundreds of requests
// in flight: half end while it still takes requests, half after its listener
// closed. Beside them 8 callers review one after the other until two thirds
// of the drain period are over, as API servers do until endpoints tell them.
func TestSIGTERMFailsNoRequest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can send SIGTERM on Windows")
	}
	const period = 1500 * time.Millisecond
	s := &site{authority: newAuthority(t, "serving"), dir: t.TempDir()}
	certificate, key := s.serving(t)
	config := drainedSite{
		Address: freeAddress(t), HealthAddress: freeAddress(t), DrainPeriod: period,
		CertFile: write(t, s.dir, "tls.crt", certificate), KeyFile: write(t, s.dir, "tls.key", key),
	}
	s.url = "https://" + config.Address
	environment, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	process := exec.Command(os.Args[0], "-test.run=^TestDrainedServer$")
	process.Env = append(os.Environ(), drainedServer+"="+string(environment))
	output := &logBuffer{}
	process.Stdout, process.Stderr = output, output
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Process.Kill() })

	client := s.client(t, nil)
	ready := func() bool {
		got, err := s.do(http.DefaultClient, http.MethodGet, "http://"+config.HealthAddress+"/readyz", nil)
		return err == nil && got.StatusCode == http.StatusOK
	}
	eventually(t, "the process is ready", ready)

	count := 500
	if race {
		count = 100 // handshakes take long, and the server gives each 5 seconds
	}
	var held sync.WaitGroup
	failures := make(chan string, count)
	for i := range count {
		after := []time.Duration{period / 4, period + period/2}[i%2]
		held.Add(1)
		go func() {
			defer held.Done()
			client := s.client(t, nil)
			got, err := s.do(client, http.MethodPost, "/review?timeout=10s&after="+after.String(), make([]byte, 4500))
			switch {
			case err != nil:
				failures <- err.Error()
			case got.StatusCode != http.StatusOK:
				failures <- got.Status + " " + got.body
			case !got.Close:
				failures <- "the response leaves its connection open"
			}
		}()
	}
	callers := startLoad(8, func(int) func() (reply, error) {
		client := s.client(t, nil)
		return func() (reply, error) { return s.review(client) }
	})
	eventually(t, fmt.Sprintf("%d requests are in flight", count), func() bool {
		got, err := s.do(client, http.MethodGet, "/inflight", nil)
		var inFlight int
		fmt.Sscan(got.body, &inFlight)
		return err == nil && inFlight > count // and the one that asks
	})

	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	signalled := time.Now()
	eventually(t, "readiness fails", func() bool { return !ready() })
	if took := time.Since(signalled); took > period/2 {
		t.Errorf("readiness failed only %s after the signal", took)
	}
	got, err := s.review(client)
	if err != nil || got.StatusCode != http.StatusOK || !got.Close {
		t.Errorf("a new request during the drain: %v, %+v; want 200 and Connection: close", err, got.Response)
	}
	health, err := s.do(http.DefaultClient, http.MethodGet, "http://"+config.HealthAddress+"/healthz", nil)
	if err != nil || health.StatusCode != http.StatusOK {
		t.Errorf("/healthz during the drain: %v, %+v; want 200", err, health.Response)
	}
	time.Sleep(time.Until(signalled.Add(period * 2 / 3)))
	callers.wantNoFailure(t)

	held.Wait()
	close(failures)
	if first, failed := <-failures; failed {
		t.Errorf("%d of %d requests in flight failed, one with: %s", len(failures)+1, count, first)
	}
	if err := process.Wait(); err != nil {
		t.Errorf("the process ended with %v:\n%s", err, output)
	}
	if _, err := net.Dial("tcp", config.Address); err == nil {
		t.Error("somebody still listens")
	}
	t.Logf("%d requests in flight and %d others; the process ended %s after the signal", count, callers.reviews, time.Since(signalled))
}

func TestDrainWaitsNoLongerThanShutdownTimeout(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	s := serve(t, func(http.ResponseWriter, *http.Request) { close(entered); <-leave }, func(s *site) {
		s.ShutdownTimeout = 100 * time.Millisecond
	})
	failed := make(chan error, 1)
	go func() { _, err := s.review(s.client(t, nil)); failed <- err }()
	<-entered
	began := time.Now()
	err := s.stop()
	if err == nil || !strings.Contains(err.Error(), "requests still running 100ms after the listener closed were cut off") {
		t.Errorf("Serve: %v", err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("the drain took %s", took)
	}
	close(leave)
	if err := <-failed; err == nil {
		t.Error("the request that was cut off got an answer")
	}
}

// TestRequestContextEndsWithTheClientAndNotWithTheServer checks that a drain does not cancel the look-ups of a handler
// at work.
func TestRequestContextEndsWithTheClientAndNotWithTheServer(t *testing.T) {
	t.Parallel()
	var s *site
	entered, ended := make(chan struct{}, 1), make(chan error, 1)
	s = serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		entered <- struct{}{}
		for s.Ready(nil) == nil && r.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		select {
		case <-r.Context().Done():
		case <-time.After(50 * time.Millisecond):
		}
		ended <- r.Context().Err()
	}, nil)

	ctx, hangUp := context.WithCancel(t.Context())
	go s.review(s.client(t, nil), func(r *http.Request) { *r = *r.WithContext(ctx) })
	<-entered
	hangUp()
	if err := <-ended; err != context.Canceled {
		t.Errorf("after the client hung up: %v, want %v", err, context.Canceled)
	}

	go s.review(s.client(t, nil))
	<-entered
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("during the drain: %v, want nothing", err)
	}
}

// TestConnectionsStayOpenUntilTheDrain covers every way in which a handler begins its response.
func TestConnectionsStayOpenUntilTheDrain(t *testing.T) {
	t.Parallel()
	responses := map[string]http.HandlerFunc{
		"/nothing": func(http.ResponseWriter, *http.Request) {},
		"/code":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) },
		"/body":    func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "reviewed") },
		"/early-hints": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			io.WriteString(w, "reviewed")
		},
		"/flushed": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "reviewed")
			http.NewResponseController(w).Flush()
		},
	}
	s := serve(t, answer, func(s *site) {
		s.DrainPeriod = time.Second
		for path, respond := range responses {
			s.Handle(path, respond)
		}
	})
	client := s.client(t, nil)
	want := func(closed bool) {
		t.Helper()
		for path := range responses {
			if got, err := s.do(client, http.MethodPost, path, nil); err != nil || got.Close != closed {
				t.Errorf("%s: %v, closes %t, want %t", path, err, got.Response != nil && got.Close, closed)
			}
		}
	}
	want(false)
	go s.stop()
	eventually(t, "the drain began", func() bool { return s.Ready(nil) != nil })
	want(true)
	if err := s.stop(); err != nil {
		t.Error(err)
	}
}

// freeAddress finds an address that nobody listens on.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
