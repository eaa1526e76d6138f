// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// A demand is one request to the program, and the answer that it must give. README.md has both.
type demand struct{ title, path, review, answer string }

var demands = []demand{{
	title:  `create an Order with the spec {"sku":"tea"}`,
	path:   "/mutate-shop-example-com-v1-order",
	review: creation(`{"sku":"tea"}`),
	answer: `allowed, with the patch [{"op":"add","path":"/spec/priority","value":"normal"}]`,
}, {
	title:  `create an Order with the spec {"priority":"high"}`,
	path:   "/validate-shop-example-com-v1-order",
	review: creation(`{"priority":"high"}`),
	answer: `denied: Order.shop.example.com "tea" is invalid: spec.sku: Required value: sku is required`,
}, {
	title: `read the Order of v1 with the spec {"sku":"tea","pieces":2} as v2`,
	path:  "/convert",
	review: `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {
		"uid": "3", "desiredAPIVersion": "shop.example.com/v2", "objects": [` + order(`{"sku":"tea","pieces":2}`) + `]}}`,
	answer: `converted to shop.example.com/v2 with the spec {"article":"tea","pieces":2}`,
}}

// response has the members of a review's response that demo prints.
type response struct {
	Allowed          bool
	Patch            []byte
	Status           struct{ Message string }
	ConvertedObjects []struct {
		APIVersion string
		Spec       json.RawMessage
	}
}

func (r response) String() string {
	switch {
	case len(r.ConvertedObjects) == 1:
		return fmt.Sprintf("converted to %s with the spec %s", r.ConvertedObjects[0].APIVersion, r.ConvertedObjects[0].Spec)
	case r.Allowed:
		return fmt.Sprintf("allowed, with the patch %s", r.Patch)
	}
	return "denied: " + r.Status.Message
}

// order is an Order of v1 with a spec.
func order(spec string) string {
	return `{"apiVersion": "shop.example.com/v1", "kind": "Order", "metadata": {"name": "tea", "namespace": "default"}, "spec": ` + spec + `}`
}

// creation is the AdmissionReview that an API server sends when a user creates an Order.
func creation(spec string) string {
	return `{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
		"uid": "1", "operation": "CREATE", "name": "tea", "namespace": "default", "userInfo": {"username": "jane"},
		"kind": {"group": "shop.example.com", "version": "v1", "kind": "Order"},
		"resource": {"group": "shop.example.com", "version": "v1", "resource": "orders"}, "object": ` + order(spec) + `}}`
}

// serve runs the project's program until it has answered all demands.
func (p project) serve() error {
	certFile, keyFile, roots, err := certificate(filepath.Join(p.dir, "bin"))
	if err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	var log bytes.Buffer
	c := p.command(p.dir, filepath.Join(p.dir, "bin", "webhook"), "-address", address, "-cert", certFile, "-key", keyFile)
	c.Stdout, c.Stderr = &log, &log
	if err := c.Start(); err != nil {
		return err
	}
	client := &http.Client{
		Timeout:   10 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}},
	}
	err = meet(client, "https://"+address)
	_ = c.Process.Kill()
	_ = c.Wait() // writes the rest of the log
	if err != nil {
		return fmt.Errorf("%w\nThe program printed:\n%s", err, log.Bytes())
	}
	return nil
}

// meet waits until the program is ready, sends it all demands and prints the answers.
func meet(client *http.Client, url string) error {
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		answer, err := client.Get(url + "/readyz")
		if err == nil {
			_ = answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the program is not ready: %w", err)
		}
	}
	for _, d := range demands {
		answer, err := client.Post(url+d.path, "application/json", bytes.NewBufferString(d.review))
		if err != nil {
			return err
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if err != nil {
			return err
		}
		var review struct{ Response response }
		if err := json.Unmarshal(body, &review); err != nil {
			return fmt.Errorf("%s: %s: %w: %s", d.path, answer.Status, err, body)
		}
		fmt.Printf("%s\n    %s\n", d.title, review.Response)
		if review.Response.String() != d.answer {
			return fmt.Errorf("%s: want %s; the answer is %s", d.path, d.answer, body)
		}
	}
	return nil
}

// freeAddress returns an address of loopback that no server has.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// certificate writes a certificate for loopback, signed by itself, and its key.
func certificate(dir string) (certFile, keyFile string, roots *x509.CertPool, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "demo"},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return "", "", nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", "", nil, err
	}
	roots = x509.NewCertPool()
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	roots.AppendCertsFromPEM(cert)
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	if err := os.WriteFile(certFile, cert, 0o600); err != nil {
		return "", "", nil, err
	}
	return certFile, keyFile, roots, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600)
}
