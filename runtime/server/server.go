// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// Server serves webhooks over TLS. Its zero value is ready to use, and every field documents its zero value:
//
//	s := &server.Server{CertFile: "tls.crt", KeyFile: "tls.key"}
//	if err := webhooks.Register(s.Handle); err != nil { ... }
//	err := s.ListenAndServe()
//
// Files are read again within ReloadInterval of a change, without a restart and without a failed request. If a new file
// cannot be used, the content before it stays in use; the log and /healthz report the reason. An empty file of callers
// revokes all of them: ClientCAFile, AllowedClientsFile, TokenFile and BasicAuthFile.
//
// It speaks HTTP/1.1 only, which is all that an API server speaks to a webhook
// (k8s.io/apiserver pkg/util/webhook, ClientManager.HookClient), and TLS 1.2 or
// newer.
//
// Fields must not change once the server runs, and a Server runs once.
type Server struct {
	// Address is the TCP address of the webhooks, as net.Listen takes it.
	// Empty means ":9443".
	Address string

	// HealthAddress is a second address for /healthz and /readyz, served there
	// in plain HTTP and no longer on Address. Empty means that they are on
	// Address, over TLS and open to callers without credentials, as the
	// kubelet is one.
	HealthAddress string

	// CertFile and KeyFile hold the PEM certificate chain and key of the
	// server. Both empty means /etc/webhook/certs/tls.crt and tls.key.
	CertFile, KeyFile string

	// TLSConfig is a base for cipher suites, curves and the minimum version,
	// which is never below TLS 1.2. The server sets certificates, client
	// authentication and protocols itself. Nil means Go's defaults.
	TLSConfig *tls.Config

	// ClientCAFile holds the PEM certificates of the authorities that sign the client certificates of API servers. If
	// empty, the server requests no client certificates.
	//
	// ClientCAFile, TokenFile and BasicAuthFile are ways to authenticate an API server. If some of them are set, a
	// caller must pass one. If none is set, every caller is served. The kubeConfigFile of an API server's
	// AdmissionConfiguration has the credentials that it presents.
	ClientCAFile string

	// AllowedClients lists the names that a client certificate may have: one
	// must equal its common name or one of its DNS, URI or e-mail names. Empty
	// means that any client the authorities signed may call.
	AllowedClients []string

	// AllowedClientsFile holds names, one a line. The common name of a client certificate must be one of them; a line *
	// means any. It is for the names of kube-aggregator, which alone is identified by common names (k8s.io/apiserver
	// pkg/authentication/request/x509, NewDynamicCAVerifier). If empty, there is no such condition.
	AllowedClientsFile string

	// Aggregated is the group and version, as "shop.shop-system.svc/v1", under which an APIService has kube-aggregator
	// hand requests on to this server. The webhook of the path /validate is then also at
	// /apis/shop.shop-system.svc/v1/validate, beside the discovery documents that make the APIService available. It
	// needs ClientCAFile to authenticate kube-aggregator. The API server has authenticated and authorized the callers
	// that kube-aggregator passes on. If empty, there is no aggregated API.
	Aggregated string

	// TokenFile holds bearer tokens of API servers, one a line, so that an old
	// and a new one can be valid together. Empty means that none are accepted.
	TokenFile string

	// BasicAuthFile holds "user:password" pairs of API servers, one a line.
	// Empty means that none are accepted.
	BasicAuthFile string

	// ReloadInterval is how often files are looked at. Zero means 1 second.
	ReloadInterval time.Duration

	// MaxInFlight bounds the requests handled at once. Zero means 200, the
	// default of kube-apiserver's --max-mutating-requests-inflight. A request
	// counts from the moment at which its body has arrived to the one at which
	// its response begins, so that a slow client takes no place. A request over
	// the bound waits for MaxWait and is then refused so that the API server
	// tries it again.
	MaxInFlight int

	// MaxWait is how long a request over MaxInFlight waits for a place. Zero
	// means 20 milliseconds; negative means not at all.
	MaxWait time.Duration

	// MaxConnections bounds the connections that are open at once. At the bound a new connection is accepted and
	// another one closed: the connection of the latest client in a handshake, in sending a request or in reading a
	// response, or else the one that has been idle for longest. It must be more than MaxInFlight. Zero means 1000, or
	// twice MaxInFlight if that is more.
	MaxConnections int

	// MaxBytesInFlight bounds the memory for requests. A third of it is for bodies that arrive or wait, as long as they
	// were announced, and for headers over 24 KiB. The rest is for requests that handlers work on. Each of them counts
	// six times, because decoding takes that much. Of both parts, the last quarter is for small bodies: a body leaves
	// 16 times its length to smaller ones. A body of more than a quarter of MaxBytesInFlight is refused with 413.
	//
	// A request that does not fit waits for as long as its caller does. Meanwhile, the connections of late clients that
	// hold memory are closed, the largest product of bytes and time first. A client is late if a body or a response
	// takes longer than 2 seconds and a second for each megabyte that has moved.
	//
	// Zero means half of Go's memory limit, which GOMEMLIMIT sets, or 1 GiB without a limit.
	MaxBytesInFlight int64

	// ReadHeaderTimeout bounds the TLS handshake and the reading of a
	// request's header. Zero means 5 seconds.
	ReadHeaderTimeout time.Duration

	// ReadTimeout bounds the reading of a body, but not the handler that works on it. A body gets half of the time and
	// a second for each megabyte that is announced, at most ReadTimeout. Zero means 10 seconds.
	ReadTimeout time.Duration

	// WriteTimeout bounds the time from a request's header to the end of its
	// response. The timeout that an API server announces in its request
	// shortens it. Zero means 31 seconds, just over the longest timeout that a
	// webhook can have.
	WriteTimeout time.Duration

	// IdleTimeout is how long a connection without a request is kept. Zero
	// means 2 minutes: over the 90 seconds of an API server, so that it is the
	// client that hangs up and no request meets a closing connection.
	IdleTimeout time.Duration

	// DrainPeriod is how long the server goes on taking requests after it was
	// told to stop, so that API servers and endpoints can turn away from it.
	// Zero means 5 seconds; negative means not at all.
	DrainPeriod time.Duration

	// ShutdownTimeout bounds the wait, after DrainPeriod, for requests still
	// running. Zero means 30 seconds, the longest timeout that a webhook can
	// have. A pod's terminationGracePeriodSeconds must cover DrainPeriod and
	// the longest request.
	ShutdownTimeout time.Duration

	// ReadyCheck is a further condition of readiness, such as synced caches. Nil means no further condition.
	ReadyCheck func(*http.Request) error

	// Log receives reloads, failures and the steps of a drain. Nil means
	// slog.Default().
	Log *slog.Logger

	webhooks http.ServeMux
	paths    []string // of webhooks, as they came
	running  atomic.Pointer[runningServer]
	now      func() time.Time // nil means time.Now; tests let certificates expire by it
}

// Handle registers the handler of a path. It is the function to give to a
// generated Register. Like http.ServeMux, it panics if the path is taken.
//
// The handler is called when the whole body of a request has arrived. If the handler has a method MaxBody() int64, as
// the handlers of this module do, it gets at most one byte more than that. For other handlers, the server refuses a
// body of more than 8 MiB, admission.DefaultBodyLimit, with 413.
//
// Requests for other paths get 404 before their body is read. Among them are paths that are not clean, such as
// //validate, which http.ServeMux would redirect.
func (s *Server) Handle(path string, handler http.Handler) {
	s.webhooks.Handle(path, newWebhook(handler))
	s.paths = append(s.paths, path)
}

// ListenAndServe serves until the process is told to stop, by SIGTERM or an
// interrupt, and then drains as Run does. A second signal ends the process at
// once.
func (s *Server) ListenAndServe() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	return s.Run(ctx)
}

// Run listens on Address and serves until ctx is done. It then drains: readiness fails at once, requests are served for
// another DrainPeriod on connections that close after each response, and running requests get ShutdownTimeout to end.
// The contexts of requests do not derive from ctx: only the client cancels one, by closing its connection.
//
// Run returns nil after a clean drain, and an error if the server could not
// start, stopped by itself, or had to cut requests off.
func (s *Server) Run(ctx context.Context) error {
	listener, err := net.Listen("tcp", cmp.Or(s.Address, ":9443"))
	if err != nil {
		return fmt.Errorf("webhook server: %w", err)
	}
	return s.Serve(ctx, listener)
}

// Serve is Run on a listener that is already open, which it closes.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	defer listener.Close()
	if err := s.serve(ctx, listener); err != nil {
		return fmt.Errorf("webhook server: %w", err)
	}
	return nil
}

// Addr returns the address that the server listens on, with the port that the system chose if Address leaves it open.
// It is nil before the server listens.
func (s *Server) Addr() net.Addr {
	running := s.running.Load()
	if running == nil {
		return nil
	}
	return running.address
}

// Ready reports why the server should not be sent requests, or nil: it listens,
// its certificate is valid now, it does not drain, and ReadyCheck agrees. It is
// what /readyz answers.
func (s *Server) Ready(r *http.Request) error {
	running := s.running.Load()
	if running == nil {
		return errors.New("the server has not started")
	}
	return running.health.ready(r)
}
