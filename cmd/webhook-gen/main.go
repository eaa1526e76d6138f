// SPDX-License-Identifier: Apache-2.0

// Command webhook-gen reads +webhook markers on Go types and writes the manifests and Go code that serve them.
//
//	webhook-gen                    generate for the module of the current folder
//	webhook-gen generate ./api/... generate for these packages
//	webhook-gen verify             print the changes that generate would make; for CI
//	webhook-gen markers            the markers and their arguments
//	webhook-gen import             turn +kubebuilder:webhook markers into +webhook markers
//
// It exits with 0 on success, with 1 when it found mistakes or drift, and with 2 when it was called wrongly or could
// not do its work. webhook-gen.yaml at the module's root has the settings that go:generate, make and CI share.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{os.Stdout, os.Stderr, thisBuild().origin(), runGo})
	stop()
	os.Exit(code)
}

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitTrouble  = 2
)

// errFindings ends a command whose findings are printed already.
var errFindings = errors.New("findings")

// run is the whole command, for main and for tests.
func run(ctx context.Context, args []string, s streams) int {
	root := rootCommand(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	switch {
	case err == nil:
		return exitClean
	case errors.Is(err, errFindings):
		return exitFindings
	}
	fmt.Fprintf(s.err, "webhook-gen: %v\n", err)
	return exitTrouble
}
