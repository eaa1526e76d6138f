// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"time"
)

// SetClock sets the clock by which certificates are valid. Call it before Serve.
func (s *Server) SetClock(now func() time.Time) { s.now = now }

// LookAtFiles has the running server look at its files now, as it does once a ReloadInterval.
func (s *Server) LookAtFiles() { s.running.Load().health.files.look() }

// CheckLimits returns an error if one of the running server's budgets is exceeded, or differs from what its connections
// hold. It also returns how much is taken of each budget: connections, places, bytes that arrive, bytes worked on.
func (s *Server) CheckLimits() (taken [4]int64, err error) {
	l := s.running.Load().limits
	for i, b := range []*budget{l.connections, l.places, l.arriving, l.worked} {
		b.mu.Lock()
		held := int64(0)
		for _, n := range b.held {
			held += n
		}
		taken[i] = b.used.Load()
		if taken[i] != held || held > b.bound {
			err = fmt.Errorf("of %d, %d are taken and %d held", b.bound, taken[i], held)
		}
		b.mu.Unlock()
	}
	return taken, err
}
