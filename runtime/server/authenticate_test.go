package server_test

import (
	"net/http"
	"strings"
	"testing"
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

	write(t, s.dir, "tokens", []byte("\n"))
	eventually(t, "health tells of the empty file", func() bool {
		return strings.Contains(s.health(t, "/healthz").body, "[!]reload: bearer tokens: ")
	})
	s.expect(t, client, http.StatusOK, "", bearing("Bearer new"))
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

// TestSecretsStayOutOfTheLog looks for what a broken file holds.
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
