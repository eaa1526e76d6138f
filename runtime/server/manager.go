// SPDX-License-Identifier: Apache-2.0

package server

import "context"

// Start is Run under the name that a controller-runtime manager calls, so that mgr.Add(server) serves webhooks and
// drains them when the manager stops. The manager's GracefulShutdownTimeout must cover DrainPeriod and the longest
// request.
func (s *Server) Start(ctx context.Context) error { return s.Run(ctx) }

// NeedLeaderElection returns false: every replica serves webhooks, not the leader alone.
func (s *Server) NeedLeaderElection() bool { return false }
