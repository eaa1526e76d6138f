// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// dev runs `webhook-gen dev` in the project. The cluster calls its validator, calls the changed one after a change, and
// has no trace of it in the end.
func (p project) dev(t *testing.T, c cluster) {
	kubectl := func(manifest string, args ...string) (string, error) { return c.kubectl(p, manifest, args...) }
	conversion := func() string {
		out, err := kubectl("", "get", "crd", "orders.shop.example.com", "-o", "jsonpath={.spec.conversion}")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	configurations := func() string {
		out, err := kubectl("", "get", "mutatingwebhookconfigurations,validatingwebhookconfigurations", "-o", "name")
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if _, err := kubectl("", "delete", "mutatingwebhookconfigurations,validatingwebhookconfigurations", "--all"); err != nil {
		t.Fatal(err)
	}
	before, conversionBefore := configurations(), conversion()

	command := exec.Command(p.webhookGen, "dev", "--kubectl", p.kubectl, "--listen", freeAddress(t))
	var log lockedBuffer
	command.Dir, command.Env, command.Stderr = p.dir, append(p.env, c.env[len(c.env)-1]), &log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			command.Process.Kill()
			command.Wait()
		}
	}()
	denied := func(message string) {
		t.Helper()
		var err error
		for range 600 {
			_, err = kubectl("apiVersion: shop.example.com/v1\nkind: Order\nmetadata: {name: nothing, namespace: default}\n", "create", "--dry-run=server")
			if err != nil && strings.Contains(err.Error(), message) {
				return
			}
			time.Sleep(200 * time.Millisecond)
		}
		t.Fatalf("not denied with %q: %v\n%s", message, err, log.String())
	}
	denied("sku is required")
	if now := conversion(); now == conversionBefore || !strings.Contains(now, "/convert") {
		t.Errorf("the CRD is not converted by the session: %s", now)
	}
	const code = "internal/webhook/v1/order_webhook.go"
	was := p.read(code)
	p.replace(code, "sku is required", "which article?")
	denied("which article?")
	p.write(code, was)

	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	ended = true
	if err := command.Wait(); err != nil {
		t.Errorf("dev: %v\n%s", err, log.String())
	}
	if after := configurations(); after != before {
		t.Errorf("left behind: %s", after)
	}
	if after := conversion(); after != conversionBefore {
		t.Errorf("the CRD's conversion was\n%s\nand is\n%s", conversionBefore, after)
	}
}

// lockedBuffer is a buffer that one goroutine writes while another reads.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
