// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"net"
	"os"
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
		"webhook-gen.yaml": "version: 1\noutputs: [manifests]\nprogram: cmd/webhook\n",
		"cmd/webhook/main.go": `package main

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
`,
	})
	kubectl := p.dir + "/kubectl" // a local cluster without objects: hack/delivery has a real one
	script := `#!/bin/sh
case "$*" in
*"config view"*) echo '{"current-context": "kind-test", "clusters": [{"cluster": {"server": "https://127.0.0.1:6443"}}]}' ;;
*) echo '{"items": []}' ;;
esac
`
	if err := os.WriteFile(kubectl, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
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
