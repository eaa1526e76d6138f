// SPDX-License-Identifier: Apache-2.0

package dev

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The whole of a session, with a real API server, is in hack/delivery.

func TestCertify(t *testing.T) {
	for address, host := range map[string]string{"127.0.0.1:9443": "127.0.0.1", "[::1]:9443": "::1", "host.docker.internal:9443": "host.docker.internal"} {
		dir := t.TempDir()
		authority, err := certify(dir, address)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"tls.crt", "tls.key"} {
			if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v: others than the owner may read it", name, info, err)
			}
		}
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM(authority)
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); err != nil {
			t.Errorf("%s: %v", address, err)
		}
		for _, file := range []string{"tls.crt", "tls.key"} {
			info, err := os.Stat(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != 0o600 && runtime.GOOS != "windows" {
				t.Errorf("%s has mode %v, want 0600", file, info.Mode())
			}
		}
	}
	if _, err := certify(t.TempDir(), "no-port"); err == nil {
		t.Error("an address without a port was accepted")
	}
}

func TestArguments(t *testing.T) {
	p := program{address: "127.0.0.1:9444", dir: "/d"}
	if diff := cmp.Diff([]string{"-address=127.0.0.1:9444", "-cert=/d/tls.crt", "-key=/d/tls.key", "-drain=-1s"}, p.arguments()); diff != "" {
		t.Error(diff)
	}
	p.Arguments = []string{"--webhook-cert-path={dir}", "--other"}
	if diff := cmp.Diff([]string{"--webhook-cert-path=/d", "--other"}, p.arguments()); diff != "" {
		t.Error(diff)
	}
}

func TestChanged(t *testing.T) {
	root := t.TempDir()
	write := func(name string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte("package x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("x.go")
	before := snapshot(root)
	write("zz_generated.webhook.go")
	write("notes.txt")
	if diff := cmp.Diff(before, snapshot(root)); diff != "" {
		t.Errorf("what is no source counts\n%s", diff)
	}
	write("y.go")
	if !changed(t.Context(), root, before) {
		t.Error("a new file was not seen")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if changed(ctx, root, snapshot(root)) {
		t.Error("something has changed where nothing has")
	}
}

// TestFirstProgram lets a call wait before the first program starts.
func TestFirstProgram(t *testing.T) {
	f := front{ready: make(chan struct{})}
	before := f.ready // of a call that waits
	f.starting()
	f.started("127.0.0.1:9444", nil)
	select {
	case <-before:
	default:
		t.Error("a call from before the first program waits on")
	}
	f.starting()
	select {
	case <-f.ready:
		t.Error("a call does not wait for the next program")
	default:
	}
}

func TestSessionWithoutID(t *testing.T) {
	var o object
	o.Labels = map[string]string{Label: ""}
	if found := sessionsOf([]object{o}); len(found) > 0 {
		t.Errorf("an empty label is the session %v, which would restore the objects of all", found)
	}
}
