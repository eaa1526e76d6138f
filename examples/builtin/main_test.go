// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"

	"example.com/builtin/webhook"
)

// TestProgram takes the program through its life: it becomes ready, answers over TLS, counts, and is told to stop while
// it is called. No call fails, neither the calls that arrive until API servers have turned away nor the call that is
// under way when the listener closes.
func TestProgram(t *testing.T) {
	p := start(t, "-drain", "1s")

	if code, body := p.get(t, "https://"+p.address+"/readyz"); code != http.StatusOK {
		t.Fatalf("/readyz: %d %s", code, body)
	}
	pod := request{operation: admissionv1.Create, resource: pods, object: `{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {containers: [{name: web, image: nginx}]}}`}
	url := "https://" + p.address + webhook.ValidatePodWebhookPath
	if v := pod.send(t, p.client, url, "v1"); v.Code != http.StatusUnprocessableEntity || v.Failed {
		t.Errorf("the pod is not denied with 422: %+v", v)
	}
	p.wantMetrics(t,
		`webhook_admission_requests_total{code="422",operation="CREATE",verdict="denied",webhook="validate.pods.v1.builtin.example.com"} 1`,
		`webhook_admission_duration_seconds_bucket{operation="CREATE",webhook="validate.pods.v1.builtin.example.com",le="1"} 1`,
		`webhook_server_requests_in_flight 0`,
		`webhook_server_requests_refused_total 0`,
	)

	underWay := p.begin(t, pod, webhook.ValidatePodWebhookPath)
	calls := callAll(t, p.client, url, marshal(t, pod.review(t, "v1")))
	time.Sleep(100 * time.Millisecond)
	if err := p.process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.waitFor(t, "draining")
	if code, body := p.get(t, "https://"+p.address+"/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("/readyz of a server that was told to stop: %d %s", code, body)
	}
	time.Sleep(500 * time.Millisecond) // API servers turn away within the drain period.
	calls.stop(t)
	p.client.CloseIdleConnections() // A server that shuts down waits 5 seconds for a request on a new one.

	p.waitClosed(t)
	if answer := underWay(); !strings.HasPrefix(answer, "HTTP/1.1 200 OK") || !strings.Contains(answer, `"code":422`) {
		t.Errorf("the call under way got %q", answer)
	}
	if err := p.wait(); err != nil {
		t.Errorf("the program ended with %v\n%s", err, p.log())
	}
}

// callers call a webhook one after the other, until they are stopped.
type callers struct {
	running sync.WaitGroup
	stopped chan struct{}
	results [8]struct {
		calls int
		err   error
	}
}

func callAll(t *testing.T, client *http.Client, url string, body []byte) *callers {
	t.Helper()
	c := &callers{stopped: make(chan struct{})}
	for i := range c.results {
		c.running.Go(func() {
			result := &c.results[i]
			for result.err == nil {
				select {
				case <-c.stopped:
					return
				default:
					result.calls, result.err = result.calls+1, call(client, url, body)
				}
			}
		})
	}
	return c
}

// call makes one call, and wants an answer.
func call(client *http.Client, url string, body []byte) error {
	response, err := client.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// stop ends the calls, and wants none to have failed.
func (c *callers) stop(t *testing.T) {
	t.Helper()
	close(c.stopped)
	c.running.Wait()
	for i, result := range c.results {
		if result.err != nil || result.calls < 2 {
			t.Errorf("call %d of caller %d: %v", result.calls, i, result.err)
		}
	}
}

// TestCommandLine has what ends the program at once.
func TestCommandLine(t *testing.T) {
	var stderr bytes.Buffer
	if err := run([]string{"-nonsense"}, &stderr); err == nil || !strings.Contains(stderr.String(), "-max-replicas") {
		t.Errorf("an unknown flag: %v, %s", err, &stderr)
	}
	if err := run([]string{"-address", "127.0.0.1:0", "-cert", "missing", "-key", "missing", "-metrics-address", "127.0.0.1:0"}, &stderr); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a certificate that is not there: %v", err)
	}
}
