package server

import (
	"bytes"
	"context"
	stdlog "log"
	"log/slog"
)

// connectionLog is the http.Server.ErrorLog over a slog.Logger.
func connectionLog(log *slog.Logger) *stdlog.Logger {
	return stdlog.New(connectionLines{log}, "", 0)
}

// connectionLines takes what http.Server logs. Clients that connect and leave
// without a handshake, as load balancers and TCP probes do all day, are worth no
// more than the debug level.
type connectionLines struct{ log *slog.Logger }

func (c connectionLines) Write(line []byte) (int, error) {
	text, level := bytes.TrimSpace(line), slog.LevelWarn
	if bytes.HasPrefix(text, []byte("http: TLS handshake error")) &&
		(bytes.HasSuffix(text, []byte(": EOF")) || bytes.Contains(text, []byte("connection reset by peer"))) {
		level = slog.LevelDebug
	}
	c.log.Log(context.Background(), level, string(text))
	return len(line), nil
}
