// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestDevListensOnLoopback runs a program as dev does by default, but for the port: dev and the program listen on
// loopback alone, and only the owner can read the folder of the key.
func TestDevListensOnLoopback(t *testing.T) {
	listen := devCommand(streams{}).Flag("listen").DefValue
	host, _, err := net.SplitHostPort(listen)
	if err != nil || !net.ParseIP(host).IsLoopback() {
		t.Fatalf("dev listens on %s, %v", listen, err)
	}
	free, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	p := newHostile(t, map[string]string{
		"webhook-gen.yaml":    "version: 1\noutputs: [manifests]\nprogram: cmd/webhook\n",
		"cmd/webhook/main.go": devProgram,
	})
	kubectl := emptyCluster(t, p)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	out := &until{text: "dev: serving on " + address, then: cancel}
	if code := run(ctx, []string{"dev", "-C", p.dir, "--listen", address, "--kubectl", kubectl}, streams{out: out, err: out}); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if got := out.written.String(); !strings.Contains(got, "listens on 127.0.0.1:") || !strings.Contains(got, ", keys in drwx------\n") || !strings.Contains(got, out.text) {
		t.Errorf("got\n%s", got)
	}
}

// devProgram listens as dev tells it, and prints where.
const devProgram = `package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	address, cert, key := flag.String("address", "", ""), flag.String("cert", "", ""), flag.String("key", "", "")
	flag.Duration("drain", 0, "")
	flag.Parse()
	pair, err := tls.LoadX509KeyPair(*cert, *key)
	if err != nil {
		panic(err)
	}
	l, err := tls.Listen("tcp", *address, &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		panic(err)
	}
	dir, err := os.Stat(filepath.Dir(*key))
	if err != nil {
		panic(err)
	}
	fmt.Printf("listens on %s, keys in %v\n", l.Addr(), dir.Mode())
	for {
		c, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go c.(*tls.Conn).Handshake()
	}
}
`

// emptyCluster returns a kubectl for a local cluster without objects: hack/delivery has a real one.
func emptyCluster(t *testing.T, p hostile) string {
	t.Helper()
	kubectl := p.dir + "/kubectl"
	script := `#!/bin/sh
case "$*" in
*"config view"*) echo '{"current-context": "kind-test", "clusters": [{"cluster": {"server": "https://127.0.0.1:6443"}}]}' ;;
*) echo '{"items": []}' ;;
esac
`
	if err := os.WriteFile(kubectl, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return kubectl
}

// TestDevAcceptsRemovals runs dev in a project of which it reads fewer packages than the last generate did: dev
// generates nothing and starts no program, unless the removal is accepted.
func TestDevAcceptsRemovals(t *testing.T) {
	p := newHostile(t, map[string]string{
		"webhook-gen.yaml":    "version: 1\noutputs: [manifests]\nprogram: cmd/webhook\n",
		"cmd/webhook/main.go": devProgram,
		"api/cart.go":         "// +groupName=shop.example.com\n// +versionName=v1\npackage api\n\n// +webhook:validating(operations: \"create\")\ntype Cart struct{}\n",
	})
	manifest := filepath.Join(p.dir, "config", "webhook", "manifests.yaml")
	read := func() string {
		text, err := os.ReadFile(manifest)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if out, code := inProcess(p.dir, "generate"); code != 0 {
		t.Fatal(out)
	}
	before := read()
	settings := []byte("version: 1\noutputs: [manifests]\nprogram: cmd/webhook\npackages: [./api]\n")
	if err := os.WriteFile(filepath.Join(p.dir, "webhook-gen.yaml"), settings, 0o644); err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	dev := func(end string, flags ...string) string {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		out := &until{text: end, then: cancel}
		run(ctx, append([]string{"dev", "-C", p.dir, "--listen", address, "--kubectl", emptyCluster(t, p)}, flags...), streams{out: out, err: out})
		return out.written.String()
	}
	const gone = "no longer enforced: validate.orders.v1.shop.example.com"
	if out := dev("dev: waiting for a change"); !strings.Contains(out, gone) || !strings.Contains(out, "[O12]") || !strings.Contains(out, "nothing was generated") || read() != before {
		t.Errorf("without the flag: the manifest is as before: %v\n%s", read() == before, out)
	}
	if out := dev("dev: serving on "+address, "--accept-removal"); !strings.Contains(out, "dev: serving on ") || strings.Contains(read(), "orders") || !strings.Contains(read(), "carts") {
		t.Errorf("with the flag:\n%s\n%s", out, read())
	}
}

// until calls a function once a text was written.
type until struct {
	mu      sync.Mutex
	written strings.Builder
	text    string
	then    func()
}

func (u *until) Write(p []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	n, err := u.written.Write(p)
	if strings.Contains(u.written.String(), u.text) {
		u.then()
	}
	return n, err
}
