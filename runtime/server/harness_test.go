// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/server"
)

// serviceName is the name that an API server sends in the TLS handshake, whatever address it dials.
const serviceName = "orders.default.svc"

// site is a Server on a real listener, with the authority that signed for it.
type site struct {
	*server.Server
	*authority
	dir  string
	url  string
	logs *logBuffer
	stop func() error // ends the server and returns what Serve returned

	ahead atomic.Int64 // nanoseconds by which the server's clock is ahead of ours
}

// serve starts a server that answers on /review, as configure makes it.
func serve(t testing.TB, review http.HandlerFunc, configure func(*site)) *site {
	t.Helper()
	s := &site{authority: newAuthority(t, "serving"), dir: t.TempDir(), logs: &logBuffer{}}
	certificate, key := s.serving(t)
	s.Server = &server.Server{
		CertFile:       write(t, s.dir, "tls.crt", certificate),
		KeyFile:        write(t, s.dir, "tls.key", key),
		ReloadInterval: 10 * time.Millisecond,
		DrainPeriod:    -1,
		Log:            slog.New(slog.NewTextHandler(s.logs, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	s.SetClock(func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) })
	s.Handle("/review", review)
	if configure != nil {
		configure(s)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.url = "https://" + listener.Addr().String()

	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener) }()
	s.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { s.stop() })
	eventually(t, "the server runs", func() bool { return s.Stats().CertificateExpiry != (time.Time{}) })
	return s
}

// answer is a review handler that takes in the body and agrees.
func answer(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusRequestTimeout)
		return
	}
	io.WriteString(w, "reviewed")
}

// client is an http.Client set up as an API server sets up its own: HTTP/1.1,
// the name of the service, and a client certificate or none.
func (s *site) client(t testing.TB, certificate *tls.Certificate) *http.Client {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.pem)
	config := &tls.Config{RootCAs: roots, ServerName: serviceName, NextProtos: []string{"http/1.1"}}
	if certificate != nil {
		config.Certificates = []tls.Certificate{*certificate}
	}
	transport := &http.Transport{TLSClientConfig: config, MaxIdleConnsPerHost: 1000}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// reply is a response that has been read.
type reply struct {
	*http.Response
	body string
}

// review posts a review of 4.5 kB, the size of a common Pod's review.
func (s *site) review(client *http.Client, change ...func(*http.Request)) (reply, error) {
	return s.do(client, http.MethodPost, "/review?timeout=10s", bytes.Repeat([]byte("r"), 4500), change...)
}

func (s *site) do(
	client *http.Client, method, path string, body []byte, change ...func(*http.Request),
) (reply, error) {
	url := path
	if strings.HasPrefix(path, "/") {
		url = s.url + path
	}
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	for _, c := range change {
		c(r)
	}
	response, err := client.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return reply{response, string(content)}, err
}

// expect posts a review and wants an HTTP code and, where text is not empty, a
// metav1.Status of that code whose message has the text.
func (s *site) expect(t testing.TB, client *http.Client, code int, text string, change ...func(*http.Request)) reply {
	t.Helper()
	got, err := s.review(client, change...)
	if err != nil {
		t.Fatalf("review: %v", err)
	}
	if got.StatusCode != code {
		t.Fatalf("review: HTTP %d (%s), want %d", got.StatusCode, got.body, code)
	}
	if text != "" {
		got.wantStatus(t, text)
	}
	return got
}

// wantStatus wants the body to be a metav1.Status that agrees with the HTTP code
// and whose message has a text.
func (r reply) wantStatus(t testing.TB, text string) {
	t.Helper()
	var status metav1.Status
	if err := json.Unmarshal([]byte(r.body), &status); err != nil {
		t.Fatalf("the body is no metav1.Status: %v: %s", err, r.body)
	}
	if status.Kind != "Status" || status.APIVersion != "v1" || status.Status != metav1.StatusFailure ||
		int(status.Code) != r.StatusCode || !strings.Contains(status.Message, text) {
		t.Errorf("status %+v, want a failure of code %d that says %q", status, r.StatusCode, text)
	}
}

// health gets /healthz or /readyz, on a connection of its own as the kubelet does.
func (s *site) health(t testing.TB, path string) reply {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // as the kubelet does
	}}
	got, err := s.do(client, http.MethodGet, path, nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return got
}

// eventually waits until a condition is true, for at most a minute, which a machine with other work to do may need.
func eventually(t testing.TB, what string, true func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !true(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came true that %s", what)
		}
	}
}

// logBuffer collects the log of a server.
type logBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
