// SPDX-License-Identifier: Apache-2.0

// Command webhook-gen-explain predicts what an API server does with webhooks and policies, by the API server's own
// code. `webhook-gen explain request` and `webhook-gen lint` run it; `webhook-gen explain request --help` describes the
// flags.
//
// It exits with 0 when it has an answer, with 2 when it was called wrongly or could not find out, and with 3 when --for
// names another release of webhook-gen.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
	"k8s.io/klog/v2"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // takes a quarter less time for short answers, and some MiB more
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

const (
	exitTrouble      = 2
	exitOtherRelease = 3
)

// run is the whole command, for main and for tests.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	klog.SetLogger(logr.Discard()) // the API server's code logs errors that answers contain, too
	release := releasedVersion()
	args, err := handshake(args, release)
	if err != nil {
		fmt.Fprintf(errOut, "webhook-gen-explain: %v\n", err)
		return exitOtherRelease
	}
	root := &cobra.Command{
		Use:           "webhook-gen-explain",
		Short:         "Say what an API server will do with webhooks",
		Version:       cmp.Or(release, "devel"),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	root.SetArgs(args)
	root.AddCommand(requestCommand(), conditionsCommand(), evaluateCommand(), policyCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(errOut, "webhook-gen-explain: %v\n", err)
		return exitTrouble
	}
	return 0
}

// command returns a command without flags and arguments: it reads its input.
func command(name, short string, run func(*cobra.Command) error) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return run(c) },
	}
}

// writeJSON writes the answer of a command for webhook-gen.
func writeJSON(c *cobra.Command, answer any) error {
	e := json.NewEncoder(c.OutOrStdout())
	e.SetEscapeHTML(false)
	return e.Encode(answer)
}

// handshake takes the argument --for=RELEASE, by which webhook-gen names its own release, from the beginning of the
// arguments. It fails if that is another release than this program's: the flags and forms of the two may differ.
// Programs without a release, which are built from a work tree, go with any other.
func handshake(args []string, release string) (rest []string, err error) {
	if len(args) == 0 {
		return args, nil
	}
	caller, ok := strings.CutPrefix(args[0], "--for=")
	switch {
	case !ok:
		return args, nil
	case caller != "" && release != "" && caller != release:
		return nil, fmt.Errorf("this is %s, and webhook-gen is %s", release, caller)
	}
	return args[1:], nil
}

// releasedVersion is the release that this program belongs to; empty for a program built from a work tree.
func releasedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || !strings.HasPrefix(info.Main.Version, "v") || strings.Contains(info.Main.Version, "+") || module.IsPseudoVersion(info.Main.Version) {
		return ""
	}
	return info.Main.Version
}
