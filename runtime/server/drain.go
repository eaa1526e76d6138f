// SPDX-License-Identifier: Apache-2.0

package server

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"
)

// drainState stops a server without failing a request. While endpoints and API servers still send requests, they are
// served; each response closes its connection, so that the next request dials anew and reaches another replica. Only
// then does the listener close. Idle connections stay open until then, because a request may be under way on one, and
// an API server does not repeat a POST whose connection broke.
type drainState struct {
	begun atomic.Bool
}

// run drains the server: see Server.Run. failed delivers the error of a server
// that stops by itself.
func (d *drainState) run(server *http.Server, failed <-chan error, period, timeout time.Duration, log *slog.Logger) error {
	d.begun.Store(true)
	log.Info("draining: not ready any more, still serving", "period", max(period, 0).String())
	select {
	case err := <-failed:
		server.Close()
		return err
	case <-time.After(period):
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
		return fmt.Errorf("requests still running %s after the listener closed were cut off: %w", timeout, err)
	}
	log.Info("drained")
	return nil
}

// wrap makes responses during the drain close their connection, including the responses to requests that began before
// it. So do responses to requests whose body has not been read, because they are no calls of a webhook or are refused.
func (d *drainState) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(connectionKey{}).(*connection)
		c.unread = r.ContentLength != 0
		last := &lastResponse{ResponseWriter: w, drain: d, connection: c}
		next.ServeHTTP(last, r)
		last.markOnce()
	})
}

// lastResponse decides when the response header is written, and no sooner,
// whether the connection closes. It tells the connection that the response begins.
type lastResponse struct {
	http.ResponseWriter
	drain      *drainState
	connection *connection
	marked     bool
}

func (l *lastResponse) markOnce() {
	if l.marked {
		return
	}
	l.marked = true
	if l.drain.begun.Load() || l.connection.unread { // net/http answers before it reads the body of a last request
		l.Header().Set("Connection", "close")
	}
	l.connection.limits.places.give(l.connection) // a client that reads the response slowly keeps no place
	l.connection.begin(moving)
}

// WriteHeader implements http.ResponseWriter.
func (l *lastResponse) WriteHeader(code int) {
	if code >= http.StatusOK {
		l.markOnce()
	}
	l.ResponseWriter.WriteHeader(code)
}

// Write implements http.ResponseWriter.
func (l *lastResponse) Write(p []byte) (int, error) {
	l.markOnce()
	return l.ResponseWriter.Write(p)
}

// Unwrap is for http.ResponseController.
func (l *lastResponse) Unwrap() http.ResponseWriter { return l.ResponseWriter }
