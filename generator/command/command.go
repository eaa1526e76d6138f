// SPDX-License-Identifier: Apache-2.0

// Package command is the command line of webhook-gen: its commands, flags, printing and exit codes.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1
	exitTrouble  = 2
)

// errFindings ends a command whose findings are printed already.
var errFindings = errors.New("findings")

// Run runs a command with its arguments and returns the exit code: 0 on success, 1 if it found mistakes or drift, and 2
// if it was called wrongly or could not do its work. The version of a released program is set by the linker; released
// is empty for another program.
func Run(ctx context.Context, args []string, released string, out, err io.Writer) int {
	b := thisBuild(released)
	return run(ctx, args, streams{in: os.Stdin, out: out, err: err, origin: b.origin(), version: b.version(), called: called(os.Args[0]), goCommand: runGo})
}

// run is Run, for tests too.
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
	fmt.Fprintln(s.err, "webhook-gen:", s.named(err.Error()))
	return exitTrouble
}
