package main

import (
	"io"
	"net"
	"testing"
)

// TestDevListensOnLoopback holds the default address of dev's program to this machine: others reach it only if --listen says so.
func TestDevListensOnLoopback(t *testing.T) {
	host, _, err := net.SplitHostPort(devCommand(streams{out: io.Discard, err: io.Discard}).Flags().Lookup("listen").DefValue)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(host); !ip.IsLoopback() {
		t.Errorf("dev listens on %q, want a loopback address", host)
	}
}
