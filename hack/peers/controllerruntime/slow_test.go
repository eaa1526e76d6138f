// SPDX-License-Identifier: Apache-2.0

package controllerruntime

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
	"github.com/webhook-gen/webhook-gen/runtime/server"
)

// TestSlowConnections has the same load for both servers, with their defaults: slow connections that each send a header and one byte
// of a body, and 400 calls, ten at a time, each on a connection of its own.
func TestSlowConnections(t *testing.T) {
	const calls = 400
	body := review(t, admissionv1.Create, podKind, pod, nil)
	for _, slow := range []int{0, 220, 1500} {
		for name, start := range map[string]func(t *testing.T, port int, certFile, keyFile string){
			"webhook-gen":        serveOurs,
			"controller-runtime": serveTheirs,
		} {
			t.Run(fmt.Sprintf("%s, %d slow", name, slow), func(t *testing.T) {
				certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
				if err != nil {
					t.Fatal(err)
				}
				dir := t.TempDir()
				certFile, keyFile := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
				if err := errors.Join(os.WriteFile(certFile, certificate, 0o600), os.WriteFile(keyFile, key, 0o600)); err != nil {
					t.Fatal(err)
				}
				port := freePort(t)
				start(t, port, certFile, keyFile)
				address := fmt.Sprint("127.0.0.1:", port)
				config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}
				for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
					connection, err := tls.Dial("tcp", address, config)
					if err == nil {
						connection.Close()
						break
					}
					if time.Now().After(end) {
						t.Fatal(err)
					}
				}
				for range slow {
					connection, err := tls.Dial("tcp", address, config)
					if err != nil {
						t.Fatal(err)
					}
					defer connection.Close()
					fmt.Fprintf(connection, "POST /validate HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", len(body))
				}

				client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
				work, results := make(chan struct{}, calls), make(chan error, calls)
				for range calls {
					work <- struct{}{}
				}
				close(work)
				began := time.Now()
				for range 10 {
					go func() {
						for range work {
							results <- post(client, "https://"+address+"/validate?timeout=10s", body)
						}
					}()
				}
				answered := 0
				var first error
				for range calls {
					if err := <-results; err == nil {
						answered++
					} else if first == nil {
						first = err
					}
				}
				t.Logf("%s: %d of %d calls were answered beside %d slow connections, in %s",
					name, answered, calls, slow, time.Since(began).Round(time.Millisecond))
				if answered < calls {
					t.Errorf("the first that was not: %v", first)
				}
			})
		}
	}
}

// post makes a call and wants 200.
func post(client *http.Client, url string, body []byte) error {
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("HTTP %d: %.200s", response.StatusCode, content)
	}
	return err
}

// run runs a server until the test ends.
func run(t *testing.T, serve func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Logf("the server ended with %v", err)
		}
	})
}

// serveOurs serves a validator of Pods with the server of this module.
func serveOurs(t *testing.T, port int, certFile, keyFile string) {
	s := &server.Server{Address: fmt.Sprint("127.0.0.1:", port), CertFile: certFile, KeyFile: keyFile, DrainPeriod: -1}
	s.Handle("/validate", admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error { return checkImages(r.Object) })))
	run(t, s.Run)
}

// serveTheirs serves the same with controller-runtime's.
func serveTheirs(t *testing.T, port int, certFile, keyFile string) {
	s := webhook.NewServer(webhook.Options{
		Host: "127.0.0.1", Port: port, CertDir: filepath.Dir(certFile), CertName: filepath.Base(certFile), KeyName: filepath.Base(keyFile),
	})
	s.Register("/validate", rows(t)[0].theirs)
	run(t, s.Start)
}

// freePort finds a port that nobody listens on.
func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
