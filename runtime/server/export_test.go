// SPDX-License-Identifier: Apache-2.0

package server

import "time"

// SetClock sets the clock by which certificates are valid. Call it before Serve.
func (s *Server) SetClock(now func() time.Time) { s.now = now }

// LookAtFiles has the running server look at its files now, as it does once a ReloadInterval.
func (s *Server) LookAtFiles() { s.running.Load().health.files.look() }
