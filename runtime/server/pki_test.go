// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// authority signs the certificates of a test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

// serial numbers the certificates of the test binary.
var serial atomic.Int64

func newAuthority(t testing.TB, name string) *authority {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(serial.Add(1)),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{certificate, key, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
}

// issue signs a certificate for a server or a client, as change makes it.
func (a *authority) issue(t testing.TB, change func(*x509.Certificate)) (certificate, key []byte) {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial.Add(1)),
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(time.Hour),
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	change(template)
	private := newKey(t)
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, private.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8})
}

// serving issues a certificate for the name that an API server sends.
func (a *authority) serving(t testing.TB) (certificate, key []byte) {
	t.Helper()
	return a.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{serviceName} })
}

// client issues a client certificate that is ready for a tls.Config.
func (a *authority) client(t testing.TB, change func(*x509.Certificate)) *tls.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair(a.issue(t, change))
	if err != nil {
		t.Fatal(err)
	}
	return &pair
}

// named gives a client certificate a common name.
func named(name string) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.Subject.CommonName = name }
}

// dnsNamed gives a certificate a DNS name.
func dnsNamed(name string) func(*x509.Certificate) {
	return func(c *x509.Certificate) { c.DNSNames = []string{name} }
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// write puts content into a file of dir and returns its path.
func write(t testing.TB, dir, name string, content ...[]byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	var all []byte
	for _, c := range content {
		all = append(all, c...)
	}
	// In one step, because a file that a server finds empty twice revokes all callers.
	if err := os.WriteFile(path+".new", all, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}
