// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestClientCertificates(t *testing.T) {
	t.Parallel()
	signer := newAuthority(t, "clients")
	s := serve(t, answer, func(s *site) {
		s.ClientCAFile = write(t, s.dir, "ca.crt", signer.pem)
		s.AllowedClients = []string{"kube-apiserver", "apiserver.kube-system.svc", "spiffe://cluster/apiserver"}
	})

	for name, test := range map[string]struct {
		certificate *tls.Certificate
		code        int
		text        string
	}{
		"common name": {signer.client(t, named("kube-apiserver")), http.StatusOK, ""},
		"DNS name": {signer.client(t, func(c *x509.Certificate) {
			c.Subject.CommonName, c.DNSNames = "front", []string{"apiserver.kube-system.svc"}
		}), http.StatusOK, ""},
		"URI": {signer.client(t, func(c *x509.Certificate) {
			c.URIs = []*url.URL{{Scheme: "spiffe", Host: "cluster", Path: "/apiserver"}}
		}), http.StatusOK, ""},
		"none":           {nil, http.StatusUnauthorized, "send a client certificate"},
		"another name":   {signer.client(t, named("kubelet")), http.StatusForbidden, `["kubelet"], which is no allowed client`},
		"no name at all": {signer.client(t, named("")), http.StatusForbidden, "no allowed client"},
		"another authority": {newAuthority(t, "strangers").client(t, named("kube-apiserver")),
			http.StatusUnauthorized, "unknown authority"},
		"an authority of the same name": {newAuthority(t, "clients").client(t, named("kube-apiserver")),
			http.StatusUnauthorized, "unknown authority"},
		"for servers only": {signer.client(t, func(c *x509.Certificate) {
			c.Subject.CommonName, c.ExtKeyUsage = "kube-apiserver", []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
		}), http.StatusUnauthorized, "incompatible key usage"},
		"expired": {signer.client(t, func(c *x509.Certificate) {
			c.Subject.CommonName, c.NotAfter = "kube-apiserver", time.Now().Add(-time.Minute)
		}), http.StatusUnauthorized, "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			client := s.client(t, test.certificate)
			for range 2 { // on one connection, where the second verdict may be remembered
				s.expect(t, client, test.code, test.text)
			}
		})
	}

	t.Run("expires on an open connection", func(t *testing.T) {
		expires := signer.client(t, func(c *x509.Certificate) {
			c.Subject.CommonName, c.NotAfter = "kube-apiserver", time.Now().Add(10*time.Minute)
		})
		client := s.client(t, expires)
		s.expect(t, client, http.StatusOK, "")
		s.ahead.Store(int64(20 * time.Minute))
		s.expect(t, client, http.StatusUnauthorized, "expired")
	})
	t.Run("probes need none", func(t *testing.T) {
		if got := s.health(t, "/readyz"); got.StatusCode != http.StatusOK {
			t.Errorf("HTTP %d: %s", got.StatusCode, got.body)
		}
	})
}

func TestAnyNameWillDoWithoutAllowedClients(t *testing.T) {
	t.Parallel()
	signer := newAuthority(t, "clients")
	s := serve(t, answer, func(s *site) { s.ClientCAFile = write(t, s.dir, "ca.crt", signer.pem) })
	s.expect(t, s.client(t, signer.client(t, named("anybody"))), http.StatusOK, "")
	s.expect(t, s.client(t, nil), http.StatusUnauthorized, "send a client certificate")
}

// TestClientAuthorityRotationUnderLoadFailsNothing goes from an old authority to a new one by way of both. In the end
// the old authority's clients are refused, on open connections as on new ones.
func TestClientAuthorityRotationUnderLoadFailsNothing(t *testing.T) {
	t.Parallel()
	before, after := newAuthority(t, "before"), newAuthority(t, "after")
	s := serve(t, answer, func(s *site) { s.ClientCAFile = write(t, s.dir, "ca.crt", before.pem) })
	old, fresh := before.client(t, named("kube-apiserver")), after.client(t, named("kube-apiserver"))
	callers := func(certificate *tls.Certificate) func(int) func() (reply, error) {
		return func(worker int) func() (reply, error) {
			client := s.client(t, certificate)
			client.Transport.(*http.Transport).DisableKeepAlives = worker%2 == 0
			return func() (reply, error) { return s.review(client) }
		}
	}
	kept := s.client(t, old)

	olds := startLoad(4, callers(old))
	s.expect(t, kept, http.StatusOK, "")
	s.expect(t, s.client(t, fresh), http.StatusUnauthorized, "unknown authority")
	olds.goesOn(t)

	write(t, s.dir, "ca.crt", before.pem, after.pem)
	eventually(t, "the new authority is known", func() bool {
		got, err := s.review(s.client(t, fresh))
		return err == nil && got.StatusCode == http.StatusOK
	})
	freshes := startLoad(4, callers(fresh))
	freshes.goesOn(t)
	olds.goesOn(t)
	olds.wantNoFailure(t)

	write(t, s.dir, "ca.crt", after.pem)
	eventually(t, "the old authority is forgotten", func() bool {
		got, err := s.review(kept)
		return err == nil && got.StatusCode == http.StatusUnauthorized
	})
	s.expect(t, s.client(t, old), http.StatusUnauthorized, "unknown authority")

	write(t, s.dir, "ca.crt", after.pem[:len(after.pem)-40])
	eventually(t, "health tells of a broken file", func() bool {
		return strings.Contains(s.health(t, "/healthz").body, "[!]reload: client authorities: ")
	})
	freshes.goesOn(t)
	freshes.wantNoFailure(t)
	t.Logf("%d reviews with the old authority, %d with the new one", olds.reviews, freshes.reviews)
}
