// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	peer "sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	"github.com/webhook-gen/webhook-gen/hack/peers/controllerruntime/reviews"
	"github.com/webhook-gen/webhook-gen/runtime/admission"
	ourconversion "github.com/webhook-gen/webhook-gen/runtime/conversion"
	"github.com/webhook-gen/webhook-gen/runtime/server"
)

// checkImages is what both servers do with a Pod.
func checkImages(p *corev1.Pod) error {
	for i := range p.Spec.Containers {
		if p.Spec.Containers[i].Image == "" {
			return errors.New("a container has no image")
		}
	}
	return nil
}

// podValidator is checkImages for controller-runtime, which decodes the old object, too.
type podValidator struct{}

func (podValidator) ValidateCreate(_ context.Context, p *corev1.Pod) (peer.Warnings, error) {
	return nil, checkImages(p)
}

func (podValidator) ValidateUpdate(_ context.Context, _, p *corev1.Pod) (peer.Warnings, error) {
	return nil, checkImages(p)
}

func (podValidator) ValidateDelete(context.Context, *corev1.Pod) (peer.Warnings, error) {
	return nil, nil
}

// ourValidator is the same for both objects of a Pod's update.
func ourValidator() http.Handler {
	return admission.Validating("pods.example.com", admission.ForKind("v1", "Pod"),
		admission.OnCreate(func(_ context.Context, r *admission.CreateRequest[corev1.Pod]) error { return checkImages(r.Object) }),
		admission.OnUpdate(func(_ context.Context, r *admission.UpdateRequest[corev1.Pod]) error {
			if _, err := r.OldObject(); err != nil {
				return err
			}
			return checkImages(r.Object)
		}))
}

func theirValidator() http.Handler {
	return peer.WithValidator[*corev1.Pod](scheme.Scheme, podValidator{})
}

// process is what a server in a process of its own needs to know.
type process struct {
	Server        string // ours or theirs
	Port          int
	Dir           string // of its certificate
	BytesInFlight int64
}

// processVariable names the environment variable by which the test binary runs itself as a server.
const processVariable = "ATTACKS_SERVER"

// figures are what a server says when it ends.
type figures struct {
	Heap     uint64        // by how much the memory that Go has of the system grew at most
	Resident uint64        // the most that was resident
	Busy     time.Duration // of processors
}

// TestServer is the main function of a server.
func TestServer(t *testing.T) {
	environment, ok := os.LookupEnv(processVariable)
	if !ok {
		t.Skip("run by the tests of load")
	}
	log.SetLogger(logr.Discard())
	var p process
	if err := json.Unmarshal([]byte(environment), &p); err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	go func() { // until its standard input is closed
		_, _ = io.Copy(io.Discard, os.Stdin)
		end()
	}()
	stop := peak()
	var err error
	if p.Server == "ours" {
		s := &server.Server{
			Address: fmt.Sprint("127.0.0.1:", p.Port), CertFile: filepath.Join(p.Dir, "tls.crt"), KeyFile: filepath.Join(p.Dir, "tls.key"),
			DrainPeriod: -1, ShutdownTimeout: time.Second, MaxBytesInFlight: p.BytesInFlight,
		}
		s.Handle("/validate", ourValidator())
		s.Handle("/convert", ourconversion.NewHandler())
		err = s.Run(ctx)
	} else {
		s := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: p.Port, CertDir: p.Dir})
		s.Register("/validate", theirValidator())
		s.Register("/convert", conversion.NewWebhookHandler(scheme.Scheme, conversion.NewRegistry()))
		err = s.Start(ctx)
	}
	if err != nil {
		t.Log("the server ended with", err) // connections that it had to cut
	}
	var f figures
	f.Heap = stop()
	status, _ := os.ReadFile("/proc/self/status") // of Linux
	_, resident, _ := bytes.Cut(status, []byte("VmHWM:"))
	_, _ = fmt.Sscan(string(resident), &f.Resident)
	f.Resident <<= 10
	text, _ := json.Marshal(f)
	fmt.Printf("\nfigures %s\n", text)
}

// peak samples the memory that Go has of the system. When asked to stop it returns by how much that grew at most.
func peak() (stop func() uint64) {
	debug.FreeOSMemory()
	in := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.Sys - m.HeapReleased
	}
	before := in()
	most := before
	ended, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		for {
			most = max(most, in())
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(ended); <-sampled; return most - before }
}

// running is a server in a process of its own.
type running struct {
	address string
	config  *tls.Config
	open    []net.Conn
	end     func() (figures, error)
}

// dial opens a connection that stays open until hangUp.
func (r *running) dial(t *testing.T) net.Conn {
	t.Helper()
	connection, err := tls.Dial("tcp", r.address, r.config)
	if err != nil {
		t.Fatal(err)
	}
	r.open = append(r.open, connection)
	return connection
}

// hangUp closes the connections that dial opened.
func (r *running) hangUp() {
	for _, connection := range r.open {
		connection.Close()
	}
}

// start starts a server.
func start(t *testing.T, p process, environment ...string) *running {
	t.Helper()
	certificate, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Dir, p.Port = t.TempDir(), freePort(t)
	if err := errors.Join(os.WriteFile(filepath.Join(p.Dir, "tls.crt"), certificate, 0o600), os.WriteFile(filepath.Join(p.Dir, "tls.key"), key, 0o600)); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(os.Args[0], "-test.run=^TestServer$", "-test.v")
	command.Env = append(append(os.Environ(), processVariable+"="+string(text)), environment...)
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	wait := func() (err error) {
		once.Do(func() {
			input.Close()
			// controller-runtime waits for slow connections.
			timer := time.AfterFunc(45*time.Second, func() { _ = command.Process.Kill() })
			defer timer.Stop()
			err = command.Wait()
		})
		return err
	}
	t.Cleanup(func() { _ = wait() })
	r := &running{address: fmt.Sprint("127.0.0.1:", p.Port), config: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}}
	r.end = func() (figures, error) {
		err := wait()
		var f figures
		_, text, found := strings.Cut(output.String(), "\nfigures ")
		if err == nil && !found {
			err = errors.New("no figures")
		}
		if err == nil {
			err = json.NewDecoder(strings.NewReader(text)).Decode(&f)
			f.Busy = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
		}
		if err != nil {
			err = fmt.Errorf("the server ended with %w:\n%.3000s", err, output.String())
		}
		return f, err
	}
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		connection, err := tls.Dial("tcp", r.address, r.config)
		if err == nil {
			connection.Close()
			return r
		}
		if time.Now().After(end) {
			_, failed := r.end()
			t.Fatalf("%v: %v", err, failed)
		}
	}
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

// calls makes calls, some at a time and each on a connection of its own, and returns how many got 200 and the first
// error.
func (r *running) calls(n, atOnce int, body []byte) (answered int, first error) {
	client := &http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{TLSClientConfig: r.config, DisableKeepAlives: true}}
	work, results := make(chan struct{}, n), make(chan error, n)
	for range n {
		work <- struct{}{}
	}
	close(work)
	for range atOnce {
		go func() {
			for range work {
				results <- post(client, "https://"+r.address+"/validate?timeout=30s", body)
			}
		}()
	}
	for range n {
		if err := <-results; err == nil {
			answered++
		} else if first == nil {
			first = err
		}
	}
	return answered, first
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

// largePod is a Pod of so many bytes, about.
func largePod(t testing.TB, length int) []byte {
	t.Helper()
	pod := new(corev1.Pod)
	if err := json.Unmarshal(reviews.Pod, pod); err != nil {
		t.Fatal(err)
	}
	const variables = 500
	for i := range length / (variables * 60) {
		container := corev1.Container{Name: fmt.Sprint("c", i), Image: "registry.example.com/image:v1"}
		for j := range variables {
			container.Env = append(container.Env, corev1.EnvVar{Name: fmt.Sprint("NAME_", j), Value: strings.Repeat("v", 32)})
		}
		pod.Spec.Containers = append(pod.Spec.Containers, container)
	}
	text, err := json.Marshal(pod)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestLoad has the same load for server.Server and for controller-runtime's server, each in a process of its own. It
// holds server.Server to its promises, and logs the figures of both.
func TestLoad(t *testing.T) {
	small := reviews.Of(t, admissionv1.Create, reviews.PodKind(), reviews.Pod, nil)
	half := largePod(t, 3_500_000)
	large := reviews.Of(t, admissionv1.Update, reviews.PodKind(), half, half)
	const request = "POST %s HTTP/1.1\r\nHost: w\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
	slow := func(n int) func(t *testing.T, r *running) {
		return func(t *testing.T, r *running) {
			for range n {
				fmt.Fprintf(r.dial(t), request+"{", "/validate", len(small))
			}
		}
	}
	announce := func(t *testing.T, r *running) {
		sent := bytes.Repeat([]byte(" "), 1_100_000)
		var senders sync.WaitGroup
		for range 150 {
			connection := r.dial(t)
			_ = connection.SetWriteDeadline(time.Now().Add(3 * time.Second)) // what the server does not take
			senders.Add(1)
			go func() {
				defer senders.Done()
				fmt.Fprintf(connection, request, "/convert", 128<<20)
				_, _ = connection.Write(sent)
			}()
		}
		senders.Wait()
	}
	for _, load := range []struct {
		name          string
		attack        func(t *testing.T, r *running)
		bytesInFlight int64
		calls, atOnce int
		body          []byte
		memory        string // GOMEMLIMIT
		most          uint64 // by which the heap of server.Server may grow, in MiB; three times what it was and more
	}{
		{name: "400 calls beside 1500 slow connections", attack: slow(1500), calls: 400, atOnce: 10, body: small, most: 500},
		{name: "150 connections announce 128 MiB and send 1.1 MB", attack: announce, bytesInFlight: 2 << 30, calls: 20, atOnce: 10, body: small, most: 1400},
		{name: "the same with 128 MiB in flight", attack: announce, bytesInFlight: 128 << 20, calls: 20, atOnce: 10, body: small, most: 300},
		{name: "50 calls of 7 MB at once", attack: slow(0), calls: 50, atOnce: 50, body: large, memory: "512000000", most: 512},
	} {
		for _, which := range []string{"ours", "theirs"} {
			t.Run(load.name+", "+which, func(t *testing.T) {
				var environment []string
				if load.memory != "" && which == "ours" { // as in the Deployments that init and kubebuilder write
					environment = append(environment, "GOMEMLIMIT="+load.memory)
				}
				r := start(t, process{Server: which, BytesInFlight: load.bytesInFlight}, environment...)
				load.attack(t, r)
				began := time.Now()
				answered, first := r.calls(load.calls, load.atOnce, load.body)
				took := time.Since(began).Round(time.Millisecond)
				r.hangUp()
				f, err := r.end()
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%d of %d calls answered in %s; the heap grew by %d MiB, at most %d MiB were resident", answered, load.calls, took, f.Heap>>20, f.Resident>>20)
				if which != "ours" {
					if first != nil {
						t.Logf("the first that was not: %v", first)
					}
					return
				}
				if answered < load.calls {
					t.Errorf("the first that was not: %v", first)
				}
				if f.Heap>>20 > load.most {
					t.Errorf("the heap grew by more than %d MiB", load.most)
				}
			})
		}
	}
}
