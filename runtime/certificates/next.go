// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"crypto/ecdsa"
	"crypto/x509"
	"slices"
	"time"
)

// How long certificates live, and how long an authority is trusted before it signs.
const (
	leafLife      = 90 * 24 * time.Hour
	authorityLife = 365 * 24 * time.Hour
	overlap       = 24 * time.Hour
)

// held is the decoded content of the Secret.
type held struct {
	data         map[string][]byte
	trusted      []*x509.Certificate // authorities, the newest first
	authorityKey *ecdsa.PrivateKey   // of the newest
	leaf         *x509.Certificate
}

// authorities returns the PEM of the trusted authorities.
func (h *held) authorities() []byte { return h.data[authoritiesKey] }

// next returns the content that a Secret must have at a time, given its present content, and the reason of a renewal;
// the reason is empty if nothing is due. Unreadable content is replaced by new content, because it would serve nobody.
func next(data map[string][]byte, names []string, now time.Time) (*held, string, error) {
	h := understand(data)
	h.trusted = slices.DeleteFunc(h.trusted, func(c *x509.Certificate) bool { return now.After(c.NotAfter) })
	switch {
	case h.authorityKey == nil || len(h.trusted) == 0:
		h.trusted = nil
		if err := h.newAuthority(now); err != nil {
			return nil, "", err
		}
		return h, "authority and certificate", h.newLeaf(names, now)
	case isDue(h.trusted[0], now):
		// The old authority signs once more, so that its certificate outlives the day on which the new one does not sign yet.
		if err := h.newLeaf(names, now); err != nil {
			return nil, "", err
		}
		return h, "authority", h.newAuthority(now)
	}
	signs := now.Sub(h.trusted[0].NotBefore) >= overlap || len(h.trusted) == 1
	fits := h.leaf != nil && !now.After(h.leaf.NotAfter) && slices.Equal(h.leaf.DNSNames, names) && h.isTrusted(h.leaf)
	if !fits || signs && (isDue(h.leaf, now) || h.leaf.CheckSignatureFrom(h.trusted[0]) != nil) {
		return h, "certificate", h.newLeaf(names, now)
	}
	return h, "", nil
}

// isDue reports whether two thirds of a certificate's life are over.
func isDue(c *x509.Certificate, now time.Time) bool {
	return now.Sub(c.NotBefore) > c.NotAfter.Sub(c.NotBefore)*2/3
}

// isTrusted reports whether one of the authorities has signed a certificate.
func (h *held) isTrusted(c *x509.Certificate) bool {
	return slices.ContainsFunc(h.trusted, func(authority *x509.Certificate) bool { return c.CheckSignatureFrom(authority) == nil })
}
