// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"maps"
	"math/big"
	"slices"
	"time"
)

// The keys of the Secret's data, with the keys of kubernetes.io/tls among them.
const (
	certKey         = "tls.crt"
	keyKey          = "tls.key"
	authoritiesKey  = "ca.crt" // all trusted authorities, the newest first
	authorityKeyKey = "ca.key" // of the newest
)

// understand decodes the content of a Secret, as far as it can be read.
func understand(data map[string][]byte) *held {
	h := &held{data: maps.Clone(data)}
	if h.data == nil {
		h.data = map[string][]byte{}
	}
	h.trusted = certificates(data[authoritiesKey])
	if leaf := certificates(data[certKey]); len(leaf) > 0 && key(data[keyKey]) != nil && key(data[keyKey]).PublicKey.Equal(leaf[0].PublicKey) {
		h.leaf = leaf[0]
	}
	if k := key(data[authorityKeyKey]); k != nil && len(h.trusted) > 0 && k.PublicKey.Equal(h.trusted[0].PublicKey) {
		h.authorityKey = k
	}
	return h
}

// certificates returns the certificates of a PEM text; nil if one of them cannot be read.
func certificates(text []byte) []*x509.Certificate {
	var all []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil
		}
		all = append(all, c)
	}
	return all
}

// key returns the private key of a PEM text; nil if it cannot be read.
func key(text []byte) *ecdsa.PrivateKey {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil
	}
	k, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil
	}
	private, _ := k.(*ecdsa.PrivateKey)
	return private
}

// newAuthority adds a new authority before the trusted ones.
func (h *held) newAuthority(now time.Time) error {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "webhook authority"}, NotBefore: now, NotAfter: now.Add(authorityLife),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true, KeyUsage: x509.KeyUsageCertSign,
	}
	private, der, err := sign(template, nil, nil)
	if err != nil {
		return err
	}
	c, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	h.trusted, h.authorityKey = slices.Insert(h.trusted, 0, c), private
	var all bytes.Buffer
	for _, c := range h.trusted {
		if err := pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}); err != nil {
			return err
		}
	}
	h.data[authoritiesKey] = all.Bytes()
	h.data[authorityKeyKey], err = encode(private)
	return err
}

// newLeaf has the newest authority sign a serving certificate.
func (h *held) newLeaf(names []string, now time.Time) error {
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: names[0]}, DNSNames: names, NotBefore: now.Add(-time.Minute), NotAfter: now.Add(leafLife),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	private, der, err := sign(template, h.trusted[0], h.authorityKey)
	if err != nil {
		return err
	}
	if h.leaf, err = x509.ParseCertificate(der); err != nil {
		return err
	}
	h.data[certKey] = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	h.data[keyKey], err = encode(private)
	return err
}

// sign makes a key and its certificate. Without an authority, the certificate signs itself.
func sign(template, authority *x509.Certificate, by crypto.Signer) (*ecdsa.PrivateKey, []byte, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)); err != nil {
		return nil, nil, err
	}
	if authority == nil {
		authority, by = template, private
	}
	der, err := x509.CreateCertificate(rand.Reader, template, authority, private.Public(), by)
	return private, der, err
}

func encode(private *ecdsa.PrivateKey) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(private)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
}
