// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// runningServer holds the state of a Server while it serves.
type runningServer struct {
	address net.Addr
	limits  *limits
	health  *healthChecks

	handshakes, callers *serving.Tally
}

// serve puts the parts of the server together, starts them, and waits for the end.
func (s *Server) serve(ctx context.Context, listener net.Listener) error {
	if err := s.check(); err != nil {
		return err
	}
	log := cmp.Or(s.Log, slog.Default())
	now := time.Now
	if s.now != nil {
		now = s.now
	}
	files := &fileReader{started: now(), now: now, interval: cmp.Or(s.ReloadInterval, time.Second), log: log}

	certFile, keyFile := s.CertFile, s.KeyFile
	if certFile == "" {
		certFile, keyFile = "/etc/webhook/certs/tls.crt", "/etc/webhook/certs/tls.key"
	}
	certificate, err := reloadFrom(files, "certificate", keyPairAt(now), nil, certFile, keyFile)
	if err != nil {
		return err
	}
	clients, err := s.clients(files)
	if err != nil {
		return err
	}
	clients.refused = &serving.Tally{What: "calls without known credentials were refused", Log: log}
	handshakes := &serving.Tally{What: "TLS handshakes failed", Log: log}

	drain := &drainState{}
	health := &healthChecks{certificate: certificate, files: files, drain: drain, check: s.ReadyCheck}
	limits := s.limits(log)
	running := &runningServer{
		address: listener.Addr(), limits: limits, health: health, handshakes: handshakes, callers: clients.refused,
	}
	if !s.running.CompareAndSwap(nil, running) {
		return errors.New("already ran")
	}

	handler := clients.wrap(s.aggregated(s.route(limits)))
	if s.HealthAddress == "" {
		handler = health.beside(handler)
	} else {
		healthServer, err := s.serveHealth(health, log)
		if err != nil {
			return err
		}
		defer healthServer.Close()
	}

	server := s.httpServer(drain.wrap(handler), log, handshakes)
	server.Handler = boundWrites(server.WriteTimeout, server.Handler)
	server.TLSConfig = s.tlsConfig(certificate, clients)
	server.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		return clients.remember(remember(ctx, c), c)
	}

	ended := make(chan struct{})
	defer close(ended)
	go files.watch(ended)

	failed := make(chan error, 1)
	health.listening.Store(true)
	server.RegisterOnShutdown(func() { health.listening.Store(false) })
	defer health.listening.Store(false)
	go func() { failed <- server.ServeTLS(limitedListener{listener, limits}, "", "") }()
	log.Info("serving webhooks", "address", listener.Addr().String())

	select {
	case err := <-failed:
		server.Close()
		return err
	case <-ctx.Done():
	}
	return drain.run(server, failed, cmp.Or(s.DrainPeriod, 5*time.Second), cmp.Or(s.ShutdownTimeout, 30*time.Second), log)
}

// limits returns the limits of a listener's connections. A third of the memory is for bodies that arrive, so that the
// largest body has a quarter of it. The rest is for bodies that handlers work on.
func (s *Server) limits(log *slog.Logger) *limits {
	places, bytes := cmp.Or(s.MaxInFlight, 200), cmp.Or(s.MaxBytesInFlight, defaultBytesInFlight())
	noPlace := problemOf(http.StatusServiceUnavailable,
		"the webhook server already handles %d requests, as many as it takes at once; try again", places)
	noMemory := problemOf(http.StatusServiceUnavailable,
		"the webhook server has %d bytes of memory for requests, and they are in use; try again", bytes)
	return &limits{
		connections: newBudget(int64(cmp.Or(s.MaxConnections, max(1000, 2*places))), 0, moving, nil),
		places:      newBudget(int64(places), 0, late, noPlace),
		arriving:    newBudget(bytes/3, bytes/12, late, noMemory),
		worked:      newBudget(bytes-bytes/3, bytes/6, late, noMemory),
		body:        cmp.Or(s.ReadTimeout, 10*time.Second),
		longest:     cmp.Or(s.WriteTimeout, 31*time.Second),
		queue:       cmp.Or(s.MaxWait, 20*time.Millisecond),
		unread:      &serving.Tally{What: "bodies of calls could not be read", Log: log},
	}
}

// serveHealth serves health on HealthAddress, through the drain and to its end.
func (s *Server) serveHealth(health *healthChecks, log *slog.Logger) (*http.Server, error) {
	listener, err := net.Listen("tcp", s.HealthAddress)
	if err != nil {
		return nil, err
	}
	log.Info("serving health checks", "address", listener.Addr().String())
	server := s.httpServer(health, log, nil) // no handshakes in plain HTTP
	go func() {
		if err := server.Serve(limitedListener{listener, s.limits(log)}); !errors.Is(err, http.ErrServerClosed) {
			log.Error("health checks stopped", "reason", err)
		}
	}()
	return server, nil
}

// check reports fields that contradict each other.
func (s *Server) check() error {
	switch {
	case (s.CertFile == "") != (s.KeyFile == ""):
		return errors.New("CertFile and KeyFile go together: one is set, the other is not")
	case len(s.AllowedClients) > 0 && s.ClientCAFile == "":
		return errors.New("AllowedClients needs ClientCAFile: without it no client certificate is asked for")
	case s.AllowedClientsFile != "" && s.ClientCAFile == "":
		return errors.New("AllowedClientsFile needs ClientCAFile: without it no client certificate is asked for")
	case s.Aggregated != "" && s.ClientCAFile == "":
		return errors.New("an Aggregated server needs ClientCAFile: it is by its certificate that kube-aggregator is known")
	case s.Aggregated != "" && !isGroupVersion(s.Aggregated):
		return fmt.Errorf("field Aggregated is %q: want a group and a version, as shop.shop-system.svc/v1", s.Aggregated)
	case s.MaxInFlight < 0:
		return fmt.Errorf("MaxInFlight is %d, but no request fits in fewer than 1", s.MaxInFlight)
	case s.MaxConnections < 0 || s.MaxConnections > 0 && s.MaxConnections <= cmp.Or(s.MaxInFlight, 200):
		return fmt.Errorf("MaxConnections is %d, but there are places for %d requests: set it to more than MaxInFlight",
			s.MaxConnections, cmp.Or(s.MaxInFlight, 200))
	case s.MaxBytesInFlight < 0:
		return fmt.Errorf("MaxBytesInFlight is %d, but no body fits in fewer than 1", s.MaxBytesInFlight)
	}
	return nil
}

// clients reads the files of the known callers.
func (s *Server) clients(files *fileReader) (*knownClients, error) {
	clients := &knownClients{names: s.AllowedClients}
	var err error
	if s.ClientCAFile != "" {
		if clients.authorities, err = reloadFrom(files, "client authorities", parseAuthorities, x509.NewCertPool(), s.ClientCAFile); err != nil {
			return nil, err
		}
	}
	if s.AllowedClientsFile != "" {
		if clients.commonNames, err = reloadFrom(files, "allowed clients", parseNames, &[]string{}, s.AllowedClientsFile); err != nil {
			return nil, err
		}
	}
	if s.TokenFile != "" {
		if clients.tokens, err = reloadFrom(files, "bearer tokens", parseTokens, &secrets{}, s.TokenFile); err != nil {
			return nil, err
		}
	}
	if s.BasicAuthFile != "" {
		if clients.passwords, err = reloadFrom(files, "passwords", parsePasswords, &secrets{}, s.BasicAuthFile); err != nil {
			return nil, err
		}
	}
	return clients, nil
}
