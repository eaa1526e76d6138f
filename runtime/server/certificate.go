// SPDX-License-Identifier: Apache-2.0

package server

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"
)

// keyPairAt returns the parser of the PEM certificate chain and key of the server. The Leaf of its result is set, so
// that a handshake parses nothing again.
//
// A pair that is not valid now is refused while the current pair is valid. It is accepted as the first pair, and in
// place of another invalid pair: then the server runs, is not ready, and waits for a valid one.
func keyPairAt(clock func() time.Time) func(current *tls.Certificate, contents [][]byte) (*tls.Certificate, error) {
	return func(current *tls.Certificate, contents [][]byte) (*tls.Certificate, error) {
		pair, err := tls.X509KeyPair(contents[0], contents[1])
		if err != nil {
			return nil, err
		}
		if pair.Leaf, err = x509.ParseCertificate(pair.Certificate[0]); err != nil {
			return nil, err
		}
		now := clock()
		if err := validAt(pair.Leaf, now); err != nil && current != nil && validAt(current.Leaf, now) == nil {
			return nil, err
		}
		return &pair, nil
	}
}

// validAt returns the reason why a certificate is not valid at a time, or nil.
func validAt(certificate *x509.Certificate, now time.Time) error {
	switch {
	case now.Before(certificate.NotBefore):
		return fmt.Errorf("the certificate is not valid before %s", certificate.NotBefore.UTC().Format(time.RFC3339))
	case now.After(certificate.NotAfter):
		return fmt.Errorf("the certificate expired at %s", certificate.NotAfter.UTC().Format(time.RFC3339))
	}
	return nil
}
