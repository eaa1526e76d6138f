// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// httpServer returns the common base of the webhook server and the health server.
func (s *Server) httpServer(handler http.Handler, log *slog.Logger, handshakes *serving.Tally) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: cmp.Or(s.ReadHeaderTimeout, 5*time.Second),
		ReadTimeout:       cmp.Or(s.ReadTimeout, 10*time.Second),
		WriteTimeout:      cmp.Or(s.WriteTimeout, 31*time.Second),
		IdleTimeout:       cmp.Or(s.IdleTimeout, 2*time.Minute),
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          connectionLog(log, handshakes),
		ConnState:         follow,
		ConnContext:       remember,
		// An empty map keeps HTTP/2 off. No API server calls webhooks over HTTP/2.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
}

// tlsConfig requests a client certificate if authorities are set, but leaves its verification to clients.wrap. There,
// every request is verified with the current authorities, a refused caller can be told why, and the kubelet needs no
// certificate for its probes.
func (s *Server) tlsConfig(certificate *reloaded[tls.Certificate], clients *knownClients) *tls.Config {
	config := &tls.Config{}
	if s.TLSConfig != nil {
		config = s.TLSConfig.Clone()
	}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	config.NextProtos = []string{"http/1.1"}
	config.Certificates, config.GetConfigForClient = nil, nil
	config.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return certificate.get(), nil }
	config.ClientAuth = tls.NoClientCert
	if clients.authorities != nil {
		config.ClientAuth = tls.RequestClientCert
	}
	return config
}
