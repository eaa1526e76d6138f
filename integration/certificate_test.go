// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// certificate is one that signs itself.
type certificate struct {
	certFile, keyFile string
	ca                []byte // PEM
}

// newCertificate makes a certificate for some names.
func newCertificate(folder string, names ...string) (*certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(time.Hour),
		DNSNames:     names,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	c := &certificate{
		certFile: filepath.Join(folder, "tls.crt"),
		keyFile:  filepath.Join(folder, "tls.key"),
		ca:       pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
	}
	if err := os.WriteFile(c.certFile, c.ca, 0o600); err != nil {
		return nil, err
	}
	return c, os.WriteFile(c.keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)
}
