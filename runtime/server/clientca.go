// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/webhook-gen/webhook-gen/runtime/internal/serving"
)

// parseAuthorities parses the PEM certificates of the authorities that sign client certificates. Unlike
// x509.CertPool.AppendCertsFromPEM, it returns an error for a certificate that it cannot read.
func parseAuthorities(_ *x509.CertPool, contents [][]byte) (*x509.CertPool, error) {
	pool, found := x509.NewCertPool(), false
	for rest := contents[0]; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type != "CERTIFICATE" {
			continue
		}
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		pool.AddCert(certificate)
		found = true
	}
	if !found {
		return nil, errors.New("no PEM certificate in it")
	}
	return pool, nil
}

// verified caches the verification of the client certificate of one connection, so that its signatures are checked once
// and not with every request. It is valid for the authorities of that check, and until a certificate of the chain ends.
// A connection serves one request at a time, so it needs no lock.
type verified struct {
	pool  *x509.CertPool
	until time.Time
}

// verifiedKey is the context key of a connection's *verified.
type verifiedKey struct{}

// remember is the http.Server.ConnContext that gives a connection its *verified.
func (c *knownClients) remember(ctx context.Context, _ net.Conn) context.Context {
	if c.authorities == nil {
		return ctx
	}
	return context.WithValue(ctx, verifiedKey{}, &verified{})
}

// byCertificate returns nil if one of the current authorities signed the client certificate of a request, it is valid
// now, and it has an allowed name. Otherwise it returns the status for the caller.
func (c *knownClients) byCertificate(r *http.Request) *serving.Problem {
	leaf, authorities, now := r.TLS.PeerCertificates[0], c.authorities.get(), c.authorities.files.now()
	if seen, ok := r.Context().Value(verifiedKey{}).(*verified); !ok || seen.pool != authorities || now.After(seen.until) {
		intermediates := x509.NewCertPool()
		for _, certificate := range r.TLS.PeerCertificates[1:] {
			intermediates.AddCert(certificate)
		}
		chains, err := leaf.Verify(x509.VerifyOptions{
			Roots:         authorities,
			Intermediates: intermediates,
			CurrentTime:   now,
			KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		})
		if err != nil {
			return problemOf(http.StatusUnauthorized, "the client certificate is not accepted: %w", err)
		}
		if ok {
			seen.pool, seen.until = authorities, firstEnd(chains[0])
		}
	}
	if len(c.names) > 0 && !slices.ContainsFunc(certificateNames(leaf), c.isAllowed) {
		return problemOf(http.StatusForbidden,
			"the client certificate is for %q, which is no allowed client", certificateNames(leaf))
	}
	if c.commonNames != nil {
		if names := *c.commonNames.get(); !slices.Contains(names, anyName) && !slices.Contains(names, leaf.Subject.CommonName) {
			return problemOf(http.StatusForbidden,
				"the common name of the client certificate is %q, which is no allowed client", leaf.Subject.CommonName)
		}
	}
	return nil
}

// anyName is the line of AllowedClientsFile that allows every name. An empty file revokes all names.
const anyName = "*"

// parseNames reads one name a line. Blank lines are skipped.
func parseNames(_ *[]string, contents [][]byte) (*[]string, error) {
	names := []string{}
	for line := range bytes.Lines(contents[0]) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			names = append(names, string(line))
		}
	}
	if len(names) == 0 {
		return nil, errors.New("it is empty: write names, or * for any name")
	}
	return &names, nil
}

// isAllowed reports whether AllowedClients has a name.
func (c *knownClients) isAllowed(name string) bool { return slices.Contains(c.names, name) }

// certificateNames returns the names in a client certificate.
func certificateNames(certificate *x509.Certificate) []string {
	var names []string
	if certificate.Subject.CommonName != "" {
		names = append(names, certificate.Subject.CommonName)
	}
	names = append(names, certificate.DNSNames...)
	names = append(names, certificate.EmailAddresses...)
	for _, uri := range certificate.URIs {
		names = append(names, uri.String())
	}
	return names
}

// firstEnd returns the end of the first certificate of a chain to end.
func firstEnd(chain []*x509.Certificate) time.Time {
	end := chain[0].NotAfter
	for _, certificate := range chain[1:] {
		if certificate.NotAfter.Before(end) {
			end = certificate.NotAfter
		}
	}
	return end
}
