package server

import "time"

// Stats is what a Server can tell a metrics system about itself.
type Stats struct {
	// InFlight is the number of requests being handled.
	InFlight int
	// Refused counts the requests refused because MaxInFlight was reached.
	Refused uint64
	// CertificateExpiry is when the certificate being served ends.
	CertificateExpiry time.Time
}

// Stats returns the figures of this moment; they are zero before the server
// runs.
func (s *Server) Stats() Stats {
	running := s.running.Load()
	if running == nil {
		return Stats{}
	}
	return Stats{
		InFlight:          len(running.limit.places),
		Refused:           running.limit.refused.Load(),
		CertificateExpiry: running.health.certificate.get().Leaf.NotAfter,
	}
}
