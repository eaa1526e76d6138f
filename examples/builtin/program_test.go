// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the program of this folder, built and running.
type program struct {
	address, metrics string // that it listens on
	client           *http.Client
	process          *os.Process
	ended            chan error

	mu    sync.Mutex
	lines []string // of its log
}

// start builds the program and waits until it serves, with a certificate of its own, on ports that are free.
func start(t *testing.T, arguments ...string) *program {
	t.Helper()
	folder := t.TempDir()
	binary := filepath.Join(folder, "builtin")
	if output, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	cert, key := filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key")
	roots := writeCertificate(t, cert, key)

	command := exec.Command(binary, append([]string{"-cert", cert, "-key", key,
		"-address", "127.0.0.1:0", "-metrics-address", "127.0.0.1:0"}, arguments...)...)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: 100,
		}},
		process: command.Process,
		ended:   make(chan error, 1),
	}
	t.Cleanup(func() { command.Process.Kill() })
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, lines.Text())
			p.mu.Unlock()
		}
		p.ended <- command.Wait()
	}()
	p.metrics = p.waitFor(t, `serving metrics address=(\S+)`)
	p.address = p.waitFor(t, `serving webhooks address=(\S+)`)
	return p
}

// writeCertificate makes a certificate for 127.0.0.1 that signs itself.
func writeCertificate(t *testing.T, certFile, keyFile string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    time.Now().Add(-time.Minute),
		NotAfter:     time.Now().Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})
	for file, data := range map[string][]byte{
		certFile: certPEM,
		keyFile:  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
	} {
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(certPEM)
	return roots
}

// waitFor waits for a line in the log, and returns what the group in the pattern matches.
func (p *program) waitFor(t *testing.T, pattern string) string {
	t.Helper()
	wanted := regexp.MustCompile(pattern)
	for range 500 {
		if match := wanted.FindStringSubmatch(p.log()); match != nil {
			return match[len(match)-1]
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("no %q in the log:\n%s", pattern, p.log())
	return ""
}

func (p *program) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// get returns the code and the body of a page.
func (p *program) get(t *testing.T, url string) (int, string) {
	t.Helper()
	response, err := p.client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// wantMetrics wants lines in /metrics.
func (p *program) wantMetrics(t *testing.T, lines ...string) {
	t.Helper()
	_, metrics := p.get(t, "http://"+p.metrics+"/metrics")
	for _, line := range lines {
		if !strings.Contains(metrics, "\n"+line+"\n") {
			t.Errorf("/metrics does not have %s:\n%s", line, metrics)
		}
	}
}

// begin sends the first half of a review. The function that it returns sends the rest, and returns the whole answer.
func (p *program) begin(t *testing.T, r request, path string) (end func() string) {
	t.Helper()
	connection, err := tls.Dial("tcp", p.address, p.client.Transport.(*http.Transport).TLSClientConfig)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	body := marshal(t, r.review(t, "v1"))
	half := len(body) / 2
	fmt.Fprintf(connection, "POST %s?timeout=10s HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, len(body), body[:half])
	return func() string {
		t.Helper()
		if _, err := io.Copy(connection, bytes.NewReader(body[half:])); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(connection)
		if err != nil {
			t.Fatal(err)
		}
		return string(answer)
	}
}

// waitClosed waits until nothing listens any more.
func (p *program) waitClosed(t *testing.T) {
	t.Helper()
	for range 500 {
		connection, err := net.Dial("tcp", p.address)
		if err != nil {
			return
		}
		connection.Close()
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("the listener does not close:\n%s", p.log())
}

// wait waits for the program to end.
func (p *program) wait() error {
	select {
	case err := <-p.ended:
		return err
	case <-time.After(10 * time.Second):
		return fmt.Errorf("it still runs")
	}
}
