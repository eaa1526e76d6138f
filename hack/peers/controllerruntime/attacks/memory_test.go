// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/server"
)

// inUse is the memory and the goroutines in use when the process is idle.
type inUse struct {
	heap       uint64
	goroutines int
}

func measure() inUse {
	http.DefaultClient.CloseIdleConnections()
	var m runtime.MemStats
	for range 3 {
		debug.FreeOSMemory() // twice, for the memory in pools
	}
	runtime.ReadMemStats(&m)
	return inUse{m.HeapAlloc, runtime.NumGoroutine()}
}

// discard is a response that nobody reads.
type discard struct {
	header http.Header
	code   int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(code int)        { d.code = code }

// hostileCalls are the bodies of TestNothingStays by their paths: some valid, some damaged. Each has content of its
// own, so that memory kept of a call would grow.
func hostileCalls(t *testing.T) func(i int) (path string, body []byte) {
	type small struct{ path, format string }
	review := func(operation, object string) string {
		return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-%[1]d","kind":{"group":"","version":"v1","kind":"Pod"},` +
			`"resource":{"group":"","version":"v1","resource":"pods-%[1]d"},"namespace":"n-%[1]d","userInfo":{"username":"user-%[1]d"},"operation":"` + operation + `","object":` + object + `}}`
	}
	calls := []small{
		{"/validate", review("CREATE", `{"metadata":{"name":"p-%[1]d","labels":{"l-%[1]d":"v"}},"spec":{"containers":[{"name":"c","image":"i-%[1]d"}]}}`)},
		// Denied.
		{"/validate", review("CREATE", `{"metadata":{"name":"p-%[1]d"},"spec":{"containers":[{"name":"c"}]}}`)},
		// Undecodable.
		{"/validate", review("CREATE", `{"metadata":{"name":"p-%[1]d","name":"p"},"spec":{"containers":"c-%[1]d"}}`)},
		// No such operation.
		{"/validate", review("X-%[1]d", `{}`)},
		// No JSON.
		{"/validate", `{"kind":"AdmissionReview","request":{"uid":"u-%[1]d"`},
		// Unknown fields.
		{"/validate", review("CREATE", `{"unknown-%[1]d":[[[[[[{}]]]]]]}`)},
		// Patched.
		{"/default", review("CREATE", `{"metadata":{"name":"p-%[1]d"},"spec":{"containers":[{"name":"c-%[1]d","future":%[1]d}]}}`)},
		{"/convert", string(conversionReview("v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"l-%[1]d"},"spec":{"watts":%[1]d}}`))},
		// An annotation keeps the color.
		{"/convert", string(conversionReview("v1", `{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"l-%[1]d"},"spec":{"color":"c-%[1]d"}}`))},
		// Unknown version and kind.
		{"/convert", string(conversionReview("v-%[1]d", `{"apiVersion":"example.com/v1","kind":"K-%[1]d","metadata":{"name":"l"}}`))},
		{"/convert", string(conversionReview("v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"l","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"x-%[1]d\"],\"is\":%[1]d}]}"}}}`))},
	}
	panics := review("CREATE", `{"metadata":{"name":"panic"},"spec":{}}`)
	whole := reviews.Of(t, admissionv1.Create, reviews.PodKind(), reviews.Pod, nil)
	return func(i int) (string, []byte) {
		switch {
		case i%1000 == 1:
			return "/default", fmt.Appendf(nil, panics, i)
		case i%200 == 0:
			return "/validate", damaged(rand.New(rand.NewPCG(uint64(i), 6)), whole)
		}
		call := calls[i%len(calls)]
		return call.path, fmt.Appendf(nil, call.format, i)
	}
}

// TestNothingStays makes a million requests, valid and hostile. Some use connections, and some of these connections are
// cut. Afterwards, the heap and the goroutines must be as they were after the first requests.
func TestNothingStays(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // panics
	next := hostileCalls(t)
	mutating := admission.Mutating("default.example.com", admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error {
		if r.Object.Name == "panic" {
			panic("on purpose")
		}
		r.Object.Labels = map[string]string{"a": r.Object.Name}
		return nil
	}))
	handlers := map[string]http.Handler{"/validate": ourValidator(), "/default": mutating, "/convert": lamps()}

	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &server.Server{Address: fmt.Sprint("127.0.0.1:", freePort(t)), DrainPeriod: -1}
	s.CertFile, s.KeyFile = filepath.Join(t.TempDir(), "tls.crt"), filepath.Join(t.TempDir(), "tls.key")
	if err := errors.Join(os.WriteFile(s.CertFile, certificate, 0o600), os.WriteFile(s.KeyFile, key, 0o600)); err != nil {
		t.Fatal(err)
	}
	for path, handler := range handlers {
		s.Handle(path, handler)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	defer func() { stop(); <-ended }()
	config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}
	for end := time.Now().Add(30 * time.Second); s.Ready(nil) != nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(s.Ready(nil))
		}
	}

	const workers = 4
	var mu sync.Mutex
	codes := map[int]int{}
	// The handlers are called alone, and counted from a number on.
	directly := func(from, n int) {
		var all sync.WaitGroup
		for worker := range workers {
			all.Go(func() {
				seen := map[int]int{}
				for i := from + worker; i < from+n; i += workers {
					path, body := next(i)
					r, _ := http.NewRequest(http.MethodPost, path+"?timeout=10s", bytes.NewReader(body))
					r.Header.Set("Content-Type", "application/json")
					w := &discard{header: http.Header{}}
					handlers[path].ServeHTTP(w, r)
					seen[w.code]++
				}
				mu.Lock()
				defer mu.Unlock()
				for code, n := range seen {
					codes[code] += n
				}
			})
		}
		all.Wait()
	}
	// A connection is used for some calls. Then its end is cut, in the middle of a call or between two.
	connected := func(from, n int) {
		var all sync.WaitGroup
		for worker := range workers {
			all.Go(func() {
				client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{TLSClientConfig: config}}
				defer client.CloseIdleConnections()
				for i := from + worker; i < from+n; i += workers {
					path, body := next(i)
					if i%100 == worker { // half of a call
						if connection, err := tls.Dial("tcp", s.Address, config); err == nil {
							fmt.Fprintf(connection, "POST %s HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body[:len(body)/2])
							connection.Close()
						}
						client.CloseIdleConnections()
					}
					response, err := client.Post("https://"+s.Address+path+"?timeout=10s", "application/json", bytes.NewReader(body))
					if err != nil {
						t.Errorf("call %d: %v", i, err)
						return
					}
					_, _ = io.Copy(io.Discard, response.Body)
					response.Body.Close()
					mu.Lock()
					codes[response.StatusCode]++
					mu.Unlock()
				}
			})
		}
		all.Wait()
	}
	// settled measures when the connections are closed.
	settled := func() inUse {
		for end := time.Now().Add(10 * time.Second); s.Stats().Connections > 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		}
		time.Sleep(100 * time.Millisecond)
		return measure()
	}

	directly(0, 20_000)
	connected(20_000, 2_000)
	before, began := settled(), time.Now()
	const direct, overConnections = 970_000, 30_000
	directly(100_000, direct)
	connected(2_000_000, overConnections)
	took := time.Since(began).Round(10 * time.Millisecond)
	after := settled()
	t.Logf("%d requests in %s: the heap was %d kB and is %d kB, the goroutines were %d and are %d; HTTP %v",
		direct+overConnections, took, before.heap>>10, after.heap>>10, before.goroutines, after.goroutines, codes)
	if after.heap > before.heap+before.heap/4+2<<20 {
		t.Error("the heap has grown")
	}
	if after.goroutines > before.goroutines+3 {
		t.Errorf("goroutines are left:\n%s", stacks())
	}
	for code, n := range codes {
		if code >= http.StatusInternalServerError {
			t.Errorf("HTTP %d, %d times", code, n)
		}
	}
	if codes[http.StatusOK] < direct/2 || codes[http.StatusBadRequest] < direct/20 {
		t.Error("too few of a kind: the test sees nothing")
	}
}

// stacks returns the stacks of all goroutines.
func stacks() []byte {
	text := make([]byte, 64<<10)
	return text[:runtime.Stack(text, true)]
}
