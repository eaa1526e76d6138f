// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/server"
)

func TestServerSpeaksHTTP11OverTLS12OrNewer(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) {
		s.TLSConfig = &tls.Config{CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384}}
	})
	address := strings.TrimPrefix(s.url, "https://")

	connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2", "http/1.1"}})
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if got := connection.ConnectionState().NegotiatedProtocol; got != "http/1.1" {
		t.Errorf("a client that offers h2 first got %q, want http/1.1", got)
	}

	if old, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		old.Close()
		t.Error("a TLS 1.1 client was served")
	}

	suite, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12})
	if err != nil {
		t.Fatal(err)
	}
	defer suite.Close()
	if got := suite.ConnectionState().CipherSuite; got != tls.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 {
		t.Errorf("cipher suite %s, want the one of TLSConfig", tls.CipherSuiteName(got))
	}
	s.expect(t, s.client(t, nil), http.StatusOK, "")
}

func TestServerNamesThePathThatNoWebhookHas(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, nil)
	got, err := s.do(s.client(t, nil), http.MethodPost, "/reviews", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if got.StatusCode != http.StatusNotFound {
		t.Errorf("HTTP %d, want 404", got.StatusCode)
	}
	got.wantStatus(t, `"/reviews"`)
}

func TestServerSaysWhyItDoesNotStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certificate, key := newAuthority(t, "serving").serving(t)
	certFile, keyFile := write(t, dir, "tls.crt", certificate), write(t, dir, "tls.key", key)
	empty, junk := write(t, dir, "empty"), write(t, dir, "junk", []byte("junk\n"))
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()

	for name, test := range map[string]struct {
		server *server.Server
		want   string
	}{
		"no default certificate": {&server.Server{}, "certificate: open /etc/webhook/certs/tls.crt"},
		"one of the pair":        {&server.Server{CertFile: certFile}, "CertFile and KeyFile go together"},
		"not a pair":             {&server.Server{CertFile: certFile, KeyFile: certFile}, "certificate: " + certFile},
		"names without authorities": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, AllowedClients: []string{"a"}}, "AllowedClients needs ClientCAFile"},
		"allowed clients in a file without an authority": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, AllowedClientsFile: empty}, "AllowedClientsFile needs ClientCAFile"},
		"an aggregated API for everybody": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, Aggregated: "shop.svc/v1"}, "an Aggregated server needs ClientCAFile"},
		"an aggregated API without a group": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, ClientCAFile: certFile, Aggregated: "v1"}, `field Aggregated is "v1": want a group and a version`},
		"no authority in the file": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, ClientCAFile: junk}, "client authorities: " + junk + ": no PEM certificate"},
		"no token in the file": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, TokenFile: empty}, "bearer tokens: " + empty + ": it is empty"},
		"not user:password": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, BasicAuthFile: junk}, "passwords: " + junk + ": line 1 is not of the form"},
		"no name in the file": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, ClientCAFile: certFile, AllowedClientsFile: empty}, "allowed clients: " + empty + ": it is empty"},
		"no connections for all places": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, MaxConnections: 200}, "MaxConnections is 200, but there are places for 200 requests"},
		"negative bytes": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, MaxBytesInFlight: -1}, "MaxBytesInFlight is -1"},
		"negative limit": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, MaxInFlight: -1}, "MaxInFlight is -1"},
		"address taken": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, Address: taken.Addr().String()}, "webhook server: listen tcp"},
		"health address taken": {
			&server.Server{CertFile: certFile, KeyFile: keyFile, HealthAddress: taken.Addr().String()}, "webhook server: listen tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			if test.server.Address == "" {
				test.server.Address = "127.0.0.1:0"
			}
			err := test.server.Run(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Run: %v, want %q", err, test.want)
			}
		})
	}
}

func TestServerRunsOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) { s.Address = "127.0.0.1:0" })
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "already ran") {
		t.Errorf("Run again: %v", err)
	}
}

func TestServerEndsWithItsListener(t *testing.T) {
	t.Parallel()
	s := &server.Server{DrainPeriod: -1}
	dir := t.TempDir()
	certificate, key := newAuthority(t, "serving").serving(t)
	s.CertFile, s.KeyFile = write(t, dir, "tls.crt", certificate), write(t, dir, "tls.key", key)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.Background(), listener) }()
	eventually(t, "the server is ready", func() bool { return s.Ready(nil) == nil })
	listener.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Serve: %v, want %v", err, net.ErrClosed)
	}
	if err := s.Ready(nil); err == nil {
		t.Error("ready without a listener")
	}
}

// TestServerIsRunnableByAManager checks that the Server implements the two interfaces by which a controller-runtime
// manager (sigs.k8s.io/controller-runtime/pkg/manager, Runnable and LeaderElectionRunnable) starts it on every replica.
func TestServerIsRunnableByAManager(t *testing.T) {
	t.Parallel()
	var runnable interface {
		Start(context.Context) error
		NeedLeaderElection() bool
	} = &server.Server{CertFile: "missing.crt", KeyFile: "missing.key", Address: "127.0.0.1:0"}
	if runnable.NeedLeaderElection() {
		t.Error("webhooks would be served by the leader alone")
	}
	if err := runnable.Start(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Start: %v, want what Run returns", err)
	}
}

func TestSlowClientIsCutOffAndHoldsUpNobody(t *testing.T) {
	t.Parallel()
	const patience = 150 * time.Millisecond
	var handled atomic.Int32
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		handled.Add(1)
		answer(w, r)
	}, func(s *site) { s.ReadTimeout, s.ReadHeaderTimeout = patience, patience })
	client := s.client(t, nil)
	s.expect(t, client, http.StatusOK, "")

	calls := int32(1)
	for name, test := range map[string]struct {
		sent, wantAnswer string
		least            time.Duration
	}{
		"half a header": {"POST /review HTTP/1.1\r\nHost: webhook\r\n", "", patience},
		"half of a small body": {
			"POST /review HTTP/1.1\r\nHost: webhook\r\nContent-Length: 4500\r\n\r\n{", "HTTP/1.1 408 Request Timeout", patience / 2},
		"half of a large body": {
			"POST /review HTTP/1.1\r\nHost: webhook\r\nContent-Length: 1000000\r\n\r\n{", "HTTP/1.1 408 Request Timeout", patience},
		"a chunk and no end": {
			"POST /review HTTP/1.1\r\nHost: webhook\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", "HTTP/1.1 408 Request Timeout", patience},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now() // the server may begin to wait before dial returns
			connection := s.dial(t)
			io.WriteString(connection, test.sent)
			s.expect(t, client, http.StatusOK, "") // beside the slow one
			calls++

			first, rest := bufio.NewReader(connection), ""
			line, err := first.ReadString('\n')
			if err == nil {
				more, _ := io.ReadAll(first)
				rest = string(more)
			}
			if took := time.Since(began); took < test.least || took > test.least+2*time.Second {
				t.Errorf("the connection was open for %s, want about %s", took, test.least)
			}
			if strings.TrimSpace(line) != test.wantAnswer {
				t.Errorf("answer %q %q, want %q and the end of the connection", line, rest, test.wantAnswer)
			}
			if got := handled.Load(); got != calls {
				t.Errorf("the handler was called %d times for %d whole requests", got, calls)
			}
		})
	}
}

func TestHandlerMayRunLongerThanReadTimeout(t *testing.T) {
	t.Parallel()
	const patience = 500 * time.Millisecond // for the body, too, on a machine that has other work
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
			http.Error(w, r.Context().Err().Error(), http.StatusInternalServerError)
		case <-time.After(2 * patience):
		}
	}, func(s *site) { s.ReadTimeout = patience })
	client := s.client(t, nil)
	s.expect(t, client, http.StatusOK, "")
	s.expect(t, client, http.StatusOK, "") // on the same connection
	chunked := func(r *http.Request) { r.ContentLength, r.Body = -1, io.NopCloser(bytes.NewReader(make([]byte, 9000))) }
	s.expect(t, client, http.StatusOK, "", chunked)
}

// TestWriteTimeout lets a handler stream an answer that the client never reads:
// only a deadline ends that.
func TestWriteTimeout(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		query     string
		configure func(*site)
		want      time.Duration
	}{
		"from the server":     {"", func(s *site) { s.WriteTimeout = 300 * time.Millisecond }, 300 * time.Millisecond},
		"from the API server": {"?timeout=100ms", nil, 1100 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			took := make(chan time.Duration, 1)
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				began := time.Now()
				for page := make([]byte, 64<<10); ; {
					if _, err := w.Write(page); err != nil {
						took <- time.Since(began)
						return
					}
				}
			}, test.configure)
			fmt.Fprintf(s.dial(t), "GET /review%s HTTP/1.1\r\nHost: webhook\r\n\r\n", test.query)
			if got := <-took; got < test.want-50*time.Millisecond || got > test.want+2*time.Second {
				t.Errorf("writing ended after %s, want %s", got, test.want)
			}
		})
	}
}

func TestProbesWithoutHandshakeAreNoWarning(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, nil)
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.url, "https://"))
	if err != nil {
		t.Fatal(err)
	}
	connection.Close()
	eventually(t, "the probe is logged", func() bool { return strings.Contains(s.logs.String(), "TLS handshake error") })
	if log := s.logs.String(); strings.Contains(log, "level=WARN") || !strings.Contains(log, "level=DEBUG") {
		t.Errorf("a TCP probe is logged as more than debug:\n%s", log)
	}

	untrusting := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{ServerName: serviceName}}}
	if _, err := s.review(untrusting); err == nil {
		t.Fatal("a client trusted an unknown authority")
	}
	eventually(t, "a failed handshake is a warning", func() bool { return strings.Contains(s.logs.String(), "level=WARN") })
}

// dial opens a TLS connection on which a test writes HTTP by hand.
func (s *site) dial(t testing.TB) *tls.Conn {
	t.Helper()
	connection, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return connection
}

// BenchmarkServer measures one review over an open TLS connection, with the server of this package and with http.Server
// alone.
func BenchmarkServer(b *testing.B) {
	b.Run("server", func(b *testing.B) {
		s := serve(b, answer, nil)
		benchmarkReviews(b, s)
	})
	b.Run("net-http", func(b *testing.B) {
		s := serve(b, answer, nil) // for its certificate
		bare := &http.Server{Handler: http.HandlerFunc(answer)}
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			b.Fatal(err)
		}
		go bare.ServeTLS(listener, s.CertFile, s.KeyFile)
		defer bare.Close()
		s.url = "https://" + listener.Addr().String()
		benchmarkReviews(b, s)
	})
}

func benchmarkReviews(b *testing.B, s *site) {
	client := s.client(b, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.review(client); err != nil {
			b.Fatal(err)
		}
	}
}
