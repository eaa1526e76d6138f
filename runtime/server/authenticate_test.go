// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// bearing sets an Authorization header.
func bearing(authorization string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", authorization) }
}

// as sets a user and password.
func as(user, password string) func(*http.Request) {
	return func(r *http.Request) { r.SetBasicAuth(user, password) }
}

func TestTokensAndPasswords(t *testing.T) {
	t.Parallel()
	tokens := func(s *site) { s.TokenFile = write(t, s.dir, "tokens", []byte("first\n\n  second \r\nthird")) }
	passwords := func(s *site) {
		s.BasicAuthFile = write(t, s.dir, "passwords", []byte("apiserver:secret\napiserver:a:b\nempty:\n"))
	}
	both := func(s *site) { tokens(s); passwords(s) }
	type call struct {
		change func(*http.Request)
		code   int
		text   string
	}
	ok := func(change func(*http.Request)) call { return call{change, http.StatusOK, ""} }
	no := func(change func(*http.Request), text string) call { return call{change, http.StatusUnauthorized, text} }
	nothing := func(*http.Request) {}

	for name, test := range map[string]struct {
		configure func(*site)
		calls     map[string]call
	}{
		"open to all": {nil, map[string]call{
			"nothing":   ok(nothing),
			"any token": ok(bearing("Bearer whatever")),
		}},
		"tokens": {tokens, map[string]call{
			"first":           ok(bearing("Bearer first")),
			"trimmed":         ok(bearing("Bearer second")),
			"last":            ok(bearing("Bearer third")),
			"scheme in lower": ok(bearing("bearer first")),
			"unknown":         no(bearing("Bearer fourth"), "the bearer token is not known"),
			"a prefix":        no(bearing("Bearer firs"), "the bearer token is not known"),
			"empty":           no(bearing("Bearer "), "the bearer token is not known"),
			"no scheme":       no(bearing("first"), "send a bearer token"),
			"nothing":         no(nothing, "send a bearer token"),
			"a password":      no(as("first", "first"), "send a bearer token"),
		}},
		"passwords": {passwords, map[string]call{
			"right":             ok(as("apiserver", "secret")),
			"with a colon":      ok(as("apiserver", "a:b")),
			"an empty password": ok(as("empty", "")),
			"wrong":             no(as("apiserver", "guess"), "the user or password is not known"),
			"wrong user":        no(as("kubelet", "secret"), "the user or password is not known"),
			"not base64":        no(bearing("Basic §"), "the user or password is not known"),
			"a token":           no(bearing("Bearer secret"), "send a user and password"),
			"nothing":           no(nothing, "send a user and password"),
		}},
		"either": {both, map[string]call{
			"token":                ok(bearing("Bearer first")),
			"password":             ok(as("apiserver", "secret")),
			"password as a token":  no(bearing("Bearer apiserver:secret"), "the bearer token is not known"),
			"token as a password":  no(as("first", ""), "the user or password is not known"),
			"neither of the known": no(nothing, "send a bearer token or a user and password"),
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, answer, test.configure)
			client := s.client(t, nil)
			for name, call := range test.calls {
				t.Run(name, func(t *testing.T) { s.expect(t, client, call.code, call.text, call.change) })
			}
			if got := s.health(t, "/readyz"); got.StatusCode != http.StatusOK {
				t.Errorf("/readyz wants credentials: HTTP %d", got.StatusCode)
			}
		})
	}
}

func TestTokenIsEnoughWhereCertificatesAreAskedForToo(t *testing.T) {
	t.Parallel()
	signer := newAuthority(t, "clients")
	s := serve(t, answer, func(s *site) {
		s.ClientCAFile = write(t, s.dir, "ca.crt", signer.pem)
		s.TokenFile = write(t, s.dir, "tokens", []byte("first"))
	})
	stranger := newAuthority(t, "strangers").client(t, named("a"))
	s.expect(t, s.client(t, nil), http.StatusOK, "", bearing("Bearer first"))
	s.expect(t, s.client(t, stranger), http.StatusOK, "", bearing("Bearer first"))
	s.expect(t, s.client(t, signer.client(t, named("a"))), http.StatusOK, "")
	s.expect(t, s.client(t, stranger), http.StatusUnauthorized, "the client certificate is not accepted")
	s.expect(t, s.client(t, nil), http.StatusUnauthorized, "send a client certificate or a bearer token")
}

func TestSecretsRotate(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) { s.TokenFile = write(t, s.dir, "tokens", []byte("old")) })
	client := s.client(t, nil)
	becomes := func(token string, code int) {
		t.Helper()
		eventually(t, "token "+token+" is decided anew", func() bool {
			got, err := s.review(client, bearing("Bearer "+token))
			return err == nil && got.StatusCode == code
		})
	}
	s.expect(t, client, http.StatusOK, "", bearing("Bearer old"))
	write(t, s.dir, "tokens", []byte("old\nnew"))
	becomes("new", http.StatusOK)
	s.expect(t, client, http.StatusOK, "", bearing("Bearer old"))
	write(t, s.dir, "tokens", []byte("new"))
	becomes("old", http.StatusUnauthorized)
	s.expect(t, client, http.StatusOK, "", bearing("Bearer new"))

	// Emptied, it revokes; gone or broken, it does not.
	write(t, s.dir, "tokens", []byte("\n"))
	becomes("new", http.StatusUnauthorized)
	eventually(t, "health tells of the empty file", func() bool {
		return strings.Contains(s.health(t, "/healthz").body, "tokens: the file is empty, no caller is known by it")
	})
	write(t, s.dir, "tokens", []byte("third"))
	becomes("third", http.StatusOK)
	eventually(t, "health tells of the empty file no longer", func() bool {
		return !strings.Contains(s.health(t, "/healthz").body, "[!]reload")
	})
	if err := os.Remove(filepath.Join(s.dir, "tokens")); err != nil {
		t.Fatal(err)
	}
	eventually(t, "health tells of the missing file", func() bool {
		return strings.Contains(s.health(t, "/healthz").body, "[!]reload: bearer tokens: the files hold something unusable")
	})
	s.expect(t, client, http.StatusOK, "", bearing("Bearer third"))
}

// TestEmptiedFilesRevoke empties each file of callers.
func TestEmptiedFilesRevoke(t *testing.T) {
	t.Parallel()
	signer := newAuthority(t, "clients")
	files := func(s *site) {
		s.ClientCAFile = write(t, s.dir, "ca.crt", signer.pem)
		s.AllowedClientsFile = write(t, s.dir, "names", []byte("*\n"))
	}
	for file, test := range map[string]struct {
		configure func(*site)
		change    func(*http.Request)
		code      int
	}{
		"passwords": {func(s *site) { s.BasicAuthFile = write(t, s.dir, "passwords", []byte("a:b")) }, as("a", "b"), http.StatusUnauthorized},
		"ca.crt":    {files, func(*http.Request) {}, http.StatusUnauthorized},
		"names":     {files, func(*http.Request) {}, http.StatusForbidden},
	} {
		t.Run(file, func(t *testing.T) {
			s := serve(t, answer, test.configure)
			client := s.client(t, signer.client(t, named("kube-apiserver")))
			s.expect(t, client, http.StatusOK, "", test.change)
			before, err := os.ReadFile(filepath.Join(s.dir, file))
			if err != nil {
				t.Fatal(err)
			}
			becomes := func(code int) {
				t.Helper()
				eventually(t, fmt.Sprint("a call gets ", code), func() bool {
					got, err := s.review(client, test.change)
					return err == nil && got.StatusCode == code
				})
			}
			write(t, s.dir, file)
			becomes(test.code)
			write(t, s.dir, file, before)
			becomes(http.StatusOK)
		})
	}
}

// TestUnknownCallersAreCounted checks that unknown callers, which anybody can be, do not fill the log.
func TestUnknownCallersAreCounted(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) { s.TokenFile = write(t, s.dir, "tokens", []byte("first")) })
	client := s.client(t, nil)
	const calls = 50
	for range calls {
		s.expect(t, client, http.StatusUnauthorized, "", bearing("Bearer guess"))
		connection := s.connect(t)
		io.WriteString(connection, "GET / HTTP/1.1\r\n\r\n")
		io.Copy(io.Discard, connection)
		broken := s.dial(t)
		io.WriteString(broken, "POST /review HTTP/1.1\r\nHost: w\r\nAuthorization: Bearer first\r\nContent-Length: 9\r\n\r\n{")
		broken.CloseWrite()
		io.Copy(io.Discard, broken)
	}
	eventually(t, "all are counted", func() bool {
		stats := s.Stats()
		return stats.Unauthenticated == calls && stats.HandshakesFailed == calls && stats.BodiesFailed == calls
	})
	if lines := strings.Count(s.logs.String(), "level=WARN"); lines != 3 {
		t.Errorf("%d warnings, want one of each kind:\n%s", lines, s.logs)
	}
}

// TestMalformedCallsAreNotLoggedOneByOne sends bodies that are not reviews to both kinds of handlers.
func TestMalformedCallsAreNotLoggedOneByOne(t *testing.T) {
	var logs logBuffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&logs, nil)))
	defer slog.SetDefault(before)
	s := serve(t, answer, func(s *site) {
		s.Handle("/validate", admission.Validating("all.example.com"))
		s.Handle(conversion.Path, conversion.NewHandler())
	})
	client := s.client(t, nil)
	for range 50 {
		for _, path := range []string{"/validate", conversion.Path} {
			if got, err := s.do(client, http.MethodPost, path, []byte("{")); err != nil || got.StatusCode != http.StatusBadRequest {
				t.Fatalf("%s: %v, %v", path, err, got)
			}
		}
	}
	if lines := strings.Count(logs.String(), "\n"); lines != 2 {
		t.Errorf("%d lines, want one of each handler:\n%s", lines, &logs)
	}
}

// TestRefusalReachesAClientThatIsStillSending refuses before the body is read.
func TestRefusalReachesAClientThatIsStillSending(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) { s.TokenFile = write(t, s.dir, "tokens", []byte("first")) })
	client := s.client(t, nil)
	for range 3 {
		got, err := s.do(client, http.MethodPost, "/review", make([]byte, 6<<20))
		if err != nil {
			t.Fatal(err)
		}
		got.wantStatus(t, "send a bearer token")
	}
}

// TestSecretsStayOutOfTheLog looks in the log for the content of a broken file.
func TestSecretsStayOutOfTheLog(t *testing.T) {
	t.Parallel()
	s := serve(t, answer, func(s *site) { s.BasicAuthFile = write(t, s.dir, "passwords", []byte("user:hunter2")) })
	write(t, s.dir, "passwords", []byte("user:hunter2\nhunter3"))
	eventually(t, "health tells of the file", func() bool {
		return strings.Contains(s.health(t, "/healthz").body, "line 2 is not of the form user:password")
	})
	if all := s.logs.String() + s.health(t, "/healthz").body; strings.Contains(all, "hunter") {
		t.Errorf("a secret is in the log or in health:\n%s", all)
	}
}
