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
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// running is the program of this folder, built and running.
type running struct {
	address, metrics, health string // that it listens on
	client                   *http.Client
	process                  *os.Process
	ended                    chan error

	mu    sync.Mutex
	lines []string // of its log
}

// kubeconfig names an API server that is not there: a program that only serves webhooks never calls it.
const kubeconfig = `apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: none, context: {cluster: none}}]
current-context: none
`

// start builds the program and waits until it is ready, with a certificate of its own, on ports that are free.
func start(t *testing.T, arguments ...string) *running {
	t.Helper()
	folder := t.TempDir()
	binary := filepath.Join(folder, "manager")
	if output, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	roots := writeCertificate(t, filepath.Join(folder, "tls.crt"), filepath.Join(folder, "tls.key"))
	config := filepath.Join(folder, "kubeconfig")
	if err := os.WriteFile(config, []byte(kubeconfig), 0o600); err != nil {
		t.Fatal(err)
	}

	ports := freePorts(t, 3)
	p := &running{
		address: "127.0.0.1:" + ports[0], metrics: "127.0.0.1:" + ports[1], health: "127.0.0.1:" + ports[2],
		client: &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
			TLSClientConfig: &tls.Config{RootCAs: roots}, MaxIdleConnsPerHost: 100,
		}},
		ended: make(chan error, 1),
	}
	command := exec.Command(binary, append([]string{"-kubeconfig", config, "-cert-dir", folder,
		"-webhook-port", ports[0], "-metrics-address", p.metrics, "-health-address", p.health}, arguments...)...)
	stderr, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p.process = command.Process
	t.Cleanup(func() { command.Process.Kill() })
	go func() {
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, lines.Text())
			p.mu.Unlock()
		}
		p.ended <- command.Wait()
	}()
	p.waitReady(t, http.StatusOK)
	return p
}

// freePorts returns ports that were free a moment ago: controller-runtime takes no 0 for any free one.
func freePorts(t *testing.T, n int) []string {
	t.Helper()
	var ports []string
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		ports = append(ports, strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
	}
	return ports
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

// waitReady waits until /readyz answers with a code.
func (p *running) waitReady(t *testing.T, code int) {
	t.Helper()
	for range 500 {
		if response, err := p.client.Get("http://" + p.health + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == code {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("/readyz does not come to %d:\n%s", code, p.log())
}

func (p *running) log() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// wantMetrics wants lines in /metrics.
func (p *running) wantMetrics(t *testing.T, lines ...string) {
	t.Helper()
	response, err := p.client.Get("http://" + p.metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	metrics, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if !strings.Contains(string(metrics), "\n"+line+"\n") {
			t.Errorf("/metrics does not have %s:\n%s", line, metrics)
		}
	}
}

// begin sends the first half of a review. The function that it returns sends the rest, and returns the whole answer.
func (p *running) begin(t *testing.T, path, body string) (end func() string) {
	t.Helper()
	connection, err := tls.Dial("tcp", p.address, &tls.Config{RootCAs: p.client.Transport.(*http.Transport).TLSClientConfig.RootCAs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	half := len(body) / 2
	fmt.Fprintf(connection, "POST %s?timeout=10s HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, len(body), body[:half])
	return func() string {
		t.Helper()
		if _, err := io.WriteString(connection, body[half:]); err != nil {
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
func (p *running) waitClosed(t *testing.T) {
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
func (p *running) wait() error {
	select {
	case err := <-p.ended:
		return err
	case <-time.After(10 * time.Second):
		return fmt.Errorf("it still runs")
	}
}

// call makes one call of a webhook, and returns the answer.
func call(client *http.Client, url, body string) (string, error) {
	response, err := client.Post(url, "application/json", bytes.NewReader([]byte(body)))
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", response.Status, answer)
	}
	return string(answer), err
}
