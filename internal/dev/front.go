// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// front takes the calls of the cluster, hands them to the program, and prints a line for each. It has the session's
// address until the cluster is restored, while programs come and go behind it.
type front struct {
	session session
	out     io.Writer
	pair    tls.Certificate
	proxy   *httputil.ReverseProxy

	mu    sync.Mutex
	names map[string]string // of webhooks, by path
	// address is where the program listens. ready is closed as soon as address or down is set.
	address string
	down    error
	ready   chan struct{}
}

// A front reads reviews up to this size. API servers refuse larger objects by far.
const largestReview = 64 << 20

func newFront(s session, dir string, out io.Writer) (*front, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
	if err != nil {
		return nil, err
	}
	f := &front{session: s, out: out, pair: pair, ready: make(chan struct{})}
	f.proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "https", Host: s.Advertise})
			r.Out.Host = r.In.Host
		},
		Transport: s.transport(f.program),
		ErrorLog:  log.New(io.Discard, "", 0), // each error has its line
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			refuse(w, http.StatusBadGateway, err)
		},
	}
	return f, nil
}

// serve takes calls until the returned function is called.
func (f *front) serve(listener net.Listener) (stop func()) {
	server := &http.Server{
		Handler: f, TLSConfig: &tls.Config{Certificates: []tls.Certificate{f.pair}, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintf(f.out, "dev: taking no calls any more: %v\n", err)
		}
	}()
	return func() { _ = server.Close() } // an error does not keep it from ending
}

// name sets the names of the webhooks for the lines of calls.
func (f *front) name(o objects) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = o.webhookNames()
}

// starting has calls wait for the next program. Earlier calls that have no program yet wait for the same one.
func (f *front) starting() {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case <-f.ready:
		f.ready = make(chan struct{})
	default:
	}
}

// started sends calls to the program at the address, or has them fail with an error. It follows a call of starting.
func (f *front) started(address string, down error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.address, f.down = address, down
	close(f.ready)
}

// ended has calls fail if the program at an address has ended, and is not replaced yet.
func (f *front) ended(address string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.address == address {
		f.down = fmt.Errorf("the program ended: %w", err)
	}
}

// program waits for the program and returns its address.
func (f *front) program(ctx context.Context) (string, error) {
	f.mu.Lock()
	ready := f.ready
	f.mu.Unlock()
	select {
	case <-ready:
	case <-ctx.Done():
		return "", errors.New("the program does not serve yet")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.address, f.down
}

func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == sessionPath {
		_, _ = io.WriteString(w, f.session.ID) // the caller may have gone
		return
	}
	began := time.Now()
	sent, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestReview))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, err)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	answer := answer{ResponseWriter: w, code: http.StatusOK}
	if _, err := f.program(r.Context()); err != nil {
		refuse(&answer, http.StatusServiceUnavailable, err)
	} else {
		f.proxy.ServeHTTP(&answer, r)
	}
	f.mu.Lock()
	name := f.names[r.URL.Path]
	f.mu.Unlock()
	took := time.Since(began)
	fmt.Fprintf(f.out, "%s %s %s\n", began.Format(time.TimeOnly), describe(r.URL.Path, name, sent, answer.code, answer.body.Bytes()), took.Round(100*time.Microsecond))
	w.WriteHeader(answer.code)
	_, _ = w.Write(answer.body.Bytes()) // the caller may have gone
}

// refuse answers in place of the program, with a Status: API servers show its message to users.
func refuse(w http.ResponseWriter, code int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(metav1.Status{ // the caller may have gone
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: int32(code), Message: "webhook-gen dev: " + err.Error(),
	})
}

// answer is a response that was not sent yet, except its header.
type answer struct {
	http.ResponseWriter
	code int
	body bytes.Buffer
}

func (a *answer) WriteHeader(code int) {
	if code >= http.StatusOK { // not one before the response
		a.code = code
	}
}

func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }
