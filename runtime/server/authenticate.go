// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// knownClients are the callers that a server knows, by certificate, bearer token or password: the three ways by which
// an API server authenticates itself to a webhook (k8s.io/apiserver pkg/util/webhook, authentication.go). A nil way is
// not in use.
type knownClients struct {
	authorities *reloaded[x509.CertPool]
	names       []string
	commonNames *reloaded[[]string]
	tokens      *reloaded[secrets]
	passwords   *reloaded[secrets]
	refused     *serving.Tally
}

// wrap passes on the requests of known callers. If no way to authenticate is in use, it passes on all requests.
func (c *knownClients) wrap(next http.Handler) http.Handler {
	if c.authorities == nil && c.tokens == nil && c.passwords == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := c.recognize(r); refusal != nil {
			c.refused.Add(r.Context(), "last", refusal)
			refuse(w, refusal)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// recognize returns nil for a caller that passes one of the ways in use, and otherwise the status for the caller.
func (c *knownClients) recognize(r *http.Request) *serving.Problem {
	var refusal *serving.Problem
	if c.authorities != nil && len(r.TLS.PeerCertificates) > 0 {
		if refusal = c.byCertificate(r); refusal == nil {
			return nil
		}
	}
	scheme, credential, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case c.tokens != nil && strings.EqualFold(scheme, "Bearer"):
		if c.tokens.get().has(strings.TrimSpace(credential)) {
			return nil
		}
		return problemOf(http.StatusUnauthorized, "the bearer token is not known")
	case c.passwords != nil && strings.EqualFold(scheme, "Basic"):
		if user, password, ok := r.BasicAuth(); ok && c.passwords.get().has(user+":"+password) {
			return nil
		}
		return problemOf(http.StatusUnauthorized, "the user or password is not known")
	case refusal != nil:
		return refusal
	}
	return problemOf(http.StatusUnauthorized, "this webhook authenticates its caller: send %s", c.ways())
}

// ways names the credentials that a caller may present.
func (c *knownClients) ways() string {
	var ways []string
	if c.authorities != nil {
		ways = append(ways, "a client certificate")
	}
	if c.tokens != nil {
		ways = append(ways, "a bearer token")
	}
	if c.passwords != nil {
		ways = append(ways, "a user and password")
	}
	return strings.Join(ways, " or ")
}

// secrets are kept as hashes: the time of their comparison reveals nothing of the secret, not even its length.
type secrets [][sha256.Size]byte

// has reports whether a secret is in the list. It compares with all of them.
func (s *secrets) has(secret string) bool {
	hash, found := sha256.Sum256([]byte(secret)), 0
	for i := range *s {
		found |= subtle.ConstantTimeCompare(hash[:], (*s)[i][:])
	}
	return found == 1
}

// parseTokens reads one bearer token a line. Blank lines are skipped.
func parseTokens(_ *secrets, contents [][]byte) (*secrets, error) {
	return parseSecrets(contents[0], func([]byte) bool { return true })
}

// parsePasswords reads one "user:password" a line. Blank lines are skipped.
func parsePasswords(_ *secrets, contents [][]byte) (*secrets, error) {
	return parseSecrets(contents[0], func(line []byte) bool { return bytes.IndexByte(line, ':') > 0 })
}

// parseSecrets never puts a secret into its error.
func parseSecrets(content []byte, wellFormed func(line []byte) bool) (*secrets, error) {
	var found secrets
	number := 0
	for line := range bytes.Lines(content) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !wellFormed(line) {
			return nil, fmt.Errorf("line %d is not of the form user:password", number)
		}
		found = append(found, sha256.Sum256(line))
	}
	if len(found) == 0 {
		return nil, errors.New("it is empty")
	}
	return &found, nil
}
