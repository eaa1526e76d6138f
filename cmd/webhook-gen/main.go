// SPDX-License-Identifier: Apache-2.0

// Command webhook-gen reads +webhook markers on Go types and writes what Kubernetes and Go
// need to serve them.
//
//	webhook-gen                    generate for the module that it stands in
//	webhook-gen generate ./api/... generate for these packages
//	webhook-gen verify             say what generate would change; for CI
//	webhook-gen markers            the markers and their arguments
//	webhook-gen import             turn +kubebuilder:webhook markers into +webhook markers
//
// It exits with 0 when all is well, with 1 when it found mistakes or drift, and with 2 when
// it was called wrongly or could not do its work. webhook-gen.yaml at the module's root says
// what go:generate, make and CI should all know.
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
