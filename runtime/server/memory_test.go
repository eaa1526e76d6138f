// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
	"github.com/webhook-gen/webhook-gen/runtime/server"
)

// peak samples the memory that Go has obtained from the system. When stopped, it returns the peak, and its growth since
// the start.
func peak() (stop func() (most, added uint64)) {
	debug.FreeOSMemory()
	in := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.Sys - m.HeapReleased
	}
	before := in()
	most := before
	ended, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		for {
			most = max(most, in())
			select {
			case <-ended:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() (uint64, uint64) { close(ended); <-sampled; return most, most - before }
}

// TestMemoryFollowsWhatArrived opens 150 connections that each announce a large body and send 1.1 MB. 165 MB arrive.
func TestMemoryFollowsWhatArrived(t *testing.T) {
	if race {
		t.Skip("its bounds of memory and time are those without the race detector")
	}
	for name, test := range map[string]struct {
		bytesInFlight, announced int64
		most                     uint64
	}{
		"more than there is memory for":  {128 << 20, 128 << 20, 64 << 20},
		"as much as there is memory for": {128 << 20, 32 << 20, 128 << 20},
		"with memory for all of it":      {2 << 30, 128 << 20, 600 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, answer, func(s *site) {
				s.Handle(conversion.Path, conversion.NewHandler())
				s.MaxBytesInFlight = test.bytesInFlight
			})
			sent := bytes.Repeat([]byte(" "), 1<<20+100<<10)
			stop := peak()
			var senders sync.WaitGroup
			for range 150 {
				connection := s.dial(t)
				connection.SetWriteDeadline(time.Now().Add(3 * time.Second)) // the server does not read all of it
				senders.Add(1)
				go func() {
					defer senders.Done()
					fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
						conversion.Path, test.announced)
					connection.Write(sent)
				}()
			}
			senders.Wait()
			client := s.client(t, nil)
			for range 3 {
				if got, err := s.do(client, http.MethodPost, "/review", make([]byte, 7<<20)); err != nil || got.StatusCode != http.StatusOK {
					t.Errorf("a call with 7 MiB: %v, %v", err, got)
				}
			}
			if got := s.answers(t, 20); got != 20 {
				t.Errorf("%d of 20 calls were answered", got)
			}
			_, got := stop()
			t.Logf("the heap grew by %d MiB", got>>20)
			if got > test.most {
				t.Errorf("the heap grew by more than %d MiB", test.most>>20)
			}
		})
	}
}

// The memory limit of the Deployment that init writes, in MiB, and GOMEMLIMIT in it.
const (
	deploymentMemory = 512
	deploymentGo     = deploymentMemory * 1_000_000
)

// heavyServer names the environment variable by which the test binary runs itself as the server of
// TestHeavyBodiesStayWithinTheMemoryLimit.
const heavyServer = "SERVER_TEST_HEAVY_SERVER"

// TestHeavyServer is the main function of that server.
func TestHeavyServer(t *testing.T) {
	environment, ok := os.LookupEnv(heavyServer)
	if !ok {
		t.Skip("run by TestHeavyBodiesStayWithinTheMemoryLimit")
	}
	var site drainedSite
	if err := json.Unmarshal([]byte(environment), &site); err != nil {
		t.Fatal(err)
	}
	server := &server.Server{Address: site.Address, CertFile: site.CertFile, KeyFile: site.KeyFile, DrainPeriod: -1}
	for name, handler := range heavyHandlers() {
		server.Handle("/"+name, handler)
	}
	stop := peak()
	if err := server.ListenAndServe(); err != nil {
		t.Fatal(err)
	}
	most, _ := stop()
	status, _ := os.ReadFile("/proc/self/status") // of Linux
	_, resident, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kibibytes uint64
	fmt.Sscan(string(resident), &kibibytes)
	fmt.Printf("peak %d %d %d\n", most, kibibytes<<10, server.Stats().Closed)
}

// TestHeavyBodiesStayWithinTheMemoryLimit makes 50 calls of 7 MB at once, of a server in a process of its own with the
// GOMEMLIMIT of a Deployment. All must be answered, and the process must stay within the limit.
func TestHeavyBodiesStayWithinTheMemoryLimit(t *testing.T) {
	if race {
		t.Skip("its bounds of memory and time are those without the race detector")
	}
	for name, body := range heavyBodies(t) {
		if name == "convert-small" {
			continue // a second of a processor each: 50 are more than 30 seconds
		}
		t.Run(name, func(t *testing.T) {
			s := &site{authority: newAuthority(t, "serving"), dir: t.TempDir()}
			certificate, key := s.serving(t)
			config := drainedSite{
				Address: freeAddress(t), CertFile: write(t, s.dir, "tls.crt", certificate), KeyFile: write(t, s.dir, "tls.key", key),
			}
			s.url = "https://" + config.Address
			environment, err := json.Marshal(config)
			if err != nil {
				t.Fatal(err)
			}
			process := exec.Command(os.Args[0], "-test.run=^TestHeavyServer$")
			process.Env = append(os.Environ(), heavyServer+"="+string(environment), fmt.Sprint("GOMEMLIMIT=", deploymentGo))
			output := &logBuffer{}
			process.Stdout, process.Stderr = output, output
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { process.Process.Kill() })
			client := s.client(t, nil)
			eventually(t, "the process is ready", func() bool {
				got, err := s.do(client, http.MethodGet, "/readyz", nil)
				return err == nil && got.StatusCode == http.StatusOK
			})

			const calls = 50
			errors, began := make(chan error, calls), time.Now()
			for range calls {
				go func() {
					got, err := s.do(client, http.MethodPost, "/"+name+"?timeout=30s", body)
					if err == nil && got.StatusCode != http.StatusOK {
						err = fmt.Errorf("HTTP %d: %.300s", got.StatusCode, got.body)
					}
					errors <- err
				}()
			}
			for range calls {
				if err := <-errors; err != nil {
					t.Error(err)
				}
			}
			took := time.Since(began)
			if err := process.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := process.Wait(); err != nil {
				t.Fatalf("the process ended with %v:\n%s", err, output)
			}
			var most, resident, closed uint64
			_, figures, _ := strings.Cut(output.String(), "peak ")
			if _, err := fmt.Sscan(figures, &most, &resident, &closed); err != nil {
				t.Fatalf("%v: %s", err, output)
			}
			t.Logf("%d calls of %.1f MB took %s; Go had %d MiB, resident were %d MiB, %d connections were closed",
				calls, float64(len(body))/1e6, took.Round(10*time.Millisecond), most>>20, resident>>20, closed)
			if max(most, resident) > deploymentMemory<<20 {
				t.Errorf("more than the limit of %d MiB", deploymentMemory)
			}
		})
	}
}
