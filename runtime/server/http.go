// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"crypto/tls"
	"log/slog"
	"net/http"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// httpServer is what the webhook and the health listener have in common.
func (s *Server) httpServer(handler http.Handler, log *slog.Logger, handshakes *wire.Tally) *http.Server {
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
		// An empty map keeps HTTP/2 off, which no API server asks a webhook for.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
}

// tlsConfig asks for a client certificate where authorities are set, but leaves
// its verification to clients.wrap: there every request is judged by the
// authorities of that moment, a refused caller can be told why, and the kubelet
// needs no certificate for its probes.
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
