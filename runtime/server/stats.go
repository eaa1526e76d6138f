// SPDX-License-Identifier: Apache-2.0

package server

import "time"

// Stats holds the figures of a Server for a metrics system.
type Stats struct {
	// InFlight is the number of requests being handled.
	InFlight int
	// BytesInFlight is the used part of MaxBytesInFlight.
	BytesInFlight int64
	// Connections is the number of open connections.
	Connections int
	// Refused counts the requests refused, to be made again, because
	// MaxInFlight or MaxBytesInFlight was reached.
	Refused uint64
	// Closed counts the connections closed in favor of others because
	// MaxConnections or MaxBytesInFlight was reached.
	Closed uint64
	// HandshakesFailed counts the connections that ended with an error in the
	// TLS handshake.
	HandshakesFailed uint64
	// Unauthenticated counts the requests refused because their caller is not
	// known or not allowed.
	Unauthenticated uint64
	// BodiesFailed counts the requests whose body did not arrive as announced,
	// arrived too slowly, or is too long for the server.
	BodiesFailed uint64
	// CertificateExpiry is the end of the current certificate.
	CertificateExpiry time.Time
}

// Stats returns the current figures; they are zero before the server runs.
func (s *Server) Stats() Stats {
	running := s.running.Load()
	if running == nil {
		return Stats{}
	}
	return Stats{
		InFlight:          int(running.limits.places.used.Load()),
		BytesInFlight:     running.limits.arriving.used.Load() + running.limits.worked.used.Load(),
		Connections:       int(running.limits.connections.used.Load()),
		Refused:           running.limits.refused.Load(),
		Closed:            running.limits.closed.Load(),
		HandshakesFailed:  running.handshakes.Count(),
		Unauthenticated:   running.callers.Count(),
		BodiesFailed:      running.limits.unread.Count(),
		CertificateExpiry: running.health.certificate.get().Leaf.NotAfter,
	}
}
