package server

import (
	"bytes"
	"context"
	stdlog "log"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// connectionLog is the http.Server.ErrorLog over a slog.Logger.
func connectionLog(log *slog.Logger, handshakes *tally) *stdlog.Logger {
	return stdlog.New(connectionLines{log, handshakes}, "", 0)
}

// connectionLines takes what http.Server logs. Clients that connect and leave
// without a handshake, as load balancers and TCP probes do all day, are worth no
// more than the debug level. Handshakes that fail are counted: whoever reaches the
// port can make as many as they like.
type connectionLines struct {
	log        *slog.Logger
	handshakes *tally
}

func (c connectionLines) Write(line []byte) (int, error) {
	text, level := bytes.TrimSpace(line), slog.LevelWarn
	if bytes.HasPrefix(text, []byte("http: TLS handshake error")) {
		if !bytes.HasSuffix(text, []byte(": EOF")) && !bytes.Contains(text, []byte("connection reset by peer")) &&
			!bytes.Contains(text, []byte("use of closed network connection")) {
			c.handshakes.add(text)
			return len(line), nil
		}
		level = slog.LevelDebug
	}
	c.log.Log(context.Background(), level, string(text))
	return len(line), nil
}

// tallyInterval is how often a tally logs at most.
const tallyInterval = time.Minute

// tally counts what anybody can make happen, and logs the first and then one a minute, so that nobody fills the log.
type tally struct {
	what  string
	log   *slog.Logger
	count atomic.Uint64

	mu     sync.Mutex
	logged time.Time
	told   uint64 // the count at that time
}

// add counts one more. The example is a text or an error.
func (t *tally) add(example any) {
	count := t.count.Add(1)
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if !t.logged.IsZero() && now.Sub(t.logged) < tallyInterval {
		return
	}
	if text, ok := example.([]byte); ok {
		example = string(text)
	}
	t.log.Warn(t.what, "times", count-t.told, "last", example)
	t.logged, t.told = now, count
}
