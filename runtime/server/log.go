// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"context"
	stdlog "log"
	"log/slog"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// connectionLog is the http.Server.ErrorLog over a slog.Logger.
func connectionLog(log *slog.Logger, handshakes *serving.Tally) *stdlog.Logger {
	return stdlog.New(connectionLines{log, handshakes}, "", 0)
}

// connectionLines handles the log lines of http.Server. Clients that connect and leave without a handshake, as load
// balancers and TCP probes do all day, are logged at the debug level. Failed handshakes are counted, because anybody
// who reaches the port can make as many as they like.
type connectionLines struct {
	log        *slog.Logger
	handshakes *serving.Tally
}

func (c connectionLines) Write(line []byte) (int, error) {
	text, level := bytes.TrimSpace(line), slog.LevelWarn
	if bytes.HasPrefix(text, []byte("http: TLS handshake error")) {
		if !bytes.HasSuffix(text, []byte(": EOF")) && !bytes.Contains(text, []byte("connection reset by peer")) &&
			!bytes.Contains(text, []byte("use of closed network connection")) {
			c.handshakes.Add(context.Background(), "last", string(text))
			return len(line), nil
		}
		level = slog.LevelDebug
	}
	c.log.Log(context.Background(), level, string(text))
	return len(line), nil
}
