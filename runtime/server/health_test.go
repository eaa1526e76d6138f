// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/server"
)

func TestHealthBesideTheWebhooks(t *testing.T) {
	t.Parallel()
	var synced atomic.Bool
	s := serve(t, answer, func(s *site) {
		s.DrainPeriod = time.Second
		s.ReadyCheck = func(r *http.Request) error {
			if !synced.Load() {
				return errors.New("caches are not synced")
			}
			return nil
		}
	})
	want := func(path string, code int, lines ...string) {
		t.Helper()
		got := s.health(t, path)
		if got.StatusCode != code {
			t.Errorf("%s: HTTP %d, want %d: %s", path, got.StatusCode, code, got.body)
		}
		for _, line := range lines {
			if !strings.Contains(got.body, line+"\n") {
				t.Errorf("%s does not say %q: %s", path, line, got.body)
			}
		}
		if got := got.Header.Get("Content-Type"); got != "text/plain; charset=utf-8" {
			t.Errorf("%s: Content-Type %q", path, got)
		}
	}
	valid := "[+]certificate ok, valid until " + s.Stats().CertificateExpiry.UTC().Format(time.RFC3339)

	want("/healthz", http.StatusOK, "[+]listener ok", valid, "[+]not draining ok", "healthz check passed")
	want("/readyz", http.StatusServiceUnavailable, "[-]ready check: caches are not synced", "readyz check failed")
	synced.Store(true)
	want("/readyz", http.StatusOK, "[+]listener ok", valid, "[+]not draining ok", "[+]ready check ok", "readyz check passed")

	go s.stop()
	eventually(t, "the drain began", func() bool { return s.Ready(nil) != nil })
	want("/readyz", http.StatusServiceUnavailable, "[-]not draining: the server was told to stop", "readyz check failed")
	want("/healthz", http.StatusOK, "healthz check passed")
}

func TestHealthOnAnAddressOfItsOwn(t *testing.T) {
	t.Parallel()
	var address string
	s := serve(t, answer, func(s *site) {
		address = freeAddress(t)
		s.HealthAddress = address
		s.TokenFile = write(t, s.dir, "tokens", []byte("first"))
	})
	eventually(t, "the server is ready", func() bool { return s.Ready(nil) == nil })
	if want := `msg="serving health checks" address=` + address; !strings.Contains(s.logs.String(), want) {
		t.Errorf("the log does not contain %s: %s", want, s.logs.String())
	}
	for path, code := range map[string]int{
		"/healthz": http.StatusOK, "/readyz": http.StatusOK, "/review": http.StatusNotFound, "/": http.StatusNotFound,
	} {
		if got := s.health(t, "http://"+address+path); got.StatusCode != code {
			t.Errorf("%s on the health address: HTTP %d, want %d", path, got.StatusCode, code)
		}
	}
	if got := "https://" + s.Addr().String(); got != s.url {
		t.Errorf("Addr is that of %s, want that of %s", got, s.url)
	}
	if got := s.health(t, "/healthz"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("/healthz on the webhooks' address: HTTP %d, want 401 as for any path", got.StatusCode)
	}
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := http.Get("http://" + address + "/healthz"); err == nil {
		t.Error("health is served after the end")
	}
}

func TestNotReadyBeforeTheStart(t *testing.T) {
	t.Parallel()
	idle := &server.Server{}
	if err := idle.Ready(nil); err == nil || !strings.Contains(err.Error(), "not started") {
		t.Errorf("Ready: %v", err)
	}
	if got := idle.Addr(); got != nil {
		t.Errorf("Addr: %v, want nil", got)
	}
	if got := idle.Stats(); got != (server.Stats{}) {
		t.Errorf("Stats: %+v, want zero", got)
	}
}
