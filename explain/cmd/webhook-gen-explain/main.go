// Command webhook-gen-explain says what an API server will do with webhooks, by the API server's own code. It is what
// `webhook-gen explain request` and `webhook-gen lint` run; `webhook-gen explain request --help` describes the flags.
//
// It exits with 0 when it has an answer, and with 2 when it was called wrongly or could not find out.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

const exitTrouble = 2

// run is the whole command, for main and for tests.
func run(ctx context.Context, args []string, in io.Reader, out, errOut io.Writer) int {
	klog.SetLogger(logr.Discard()) // the API server's code logs what is said in answers
	root := &cobra.Command{
		Use:           "webhook-gen-explain",
		Short:         "Say what an API server will do with webhooks",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(errOut)
	root.SetArgs(args)
	root.AddCommand(requestCommand(), conditionsCommand())
	if err := root.ExecuteContext(ctx); err != nil {
		fmt.Fprintf(errOut, "webhook-gen-explain: %v\n", err)
		return exitTrouble
	}
	return 0
}
