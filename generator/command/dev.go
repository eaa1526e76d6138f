// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/internal/dev"
)

func devCommand(s streams) *cobra.Command {
	flags := runFlags{format: "text"}
	options := dev.Options{Out: s.err}
	var yes, restore bool
	c := &cobra.Command{
		Use:   "dev [-- program's arguments]",
		Short: "Run the program on this machine, and let a cluster call it",
		Long: "dev generates, builds and runs the program on this machine. It applies to the cluster of kubectl the configurations,\n" +
			"with a URL instead of the Service, the policies with their bindings, and the CRDs of config/crd/bases. It repeats that\n" +
			"after every change to a Go file, and prints a line for each call: operation, object, webhook, verdict and duration.\n\n" +
			"At the end (Ctrl-C, SIGTERM or SIGHUP) it restores the cluster: it removes the configurations, policies and bindings,\n" +
			"and CRDs get their previous specs and field managers back. It removes the CRDs that it created, and their objects. A\n" +
			"session that was killed is restored by the next one on the same machine, or by --restore on any machine.\n\n" +
			"dev asks before it changes a cluster that is not local. Local are the contexts minikube, docker-desktop,\n" +
			"rancher-desktop, kind-* and k3d-*, and servers on loopback.\n\n" +
			"The cluster must reach --advertise, a host and port: this machine's address, or host.docker.internal and the like for\n" +
			"a cluster in containers. dev takes the calls there, and hands them to the program. The program gets -address, -cert\n" +
			"and -key, the flags of programs from webhook-gen init; for another program, give all of its arguments, in which\n" +
			"{address}, {cert}, {key} and {dir} are filled in, or its address with --program-address.",
		Example: "  webhook-gen dev --listen :9443 --advertise host.docker.internal:9443\n" +
			"  webhook-gen dev --program cmd --program-address 127.0.0.1:9443 --listen 127.0.0.1:9444 -- --webhook-cert-path={dir}\n" +
			"  webhook-gen dev --restore",
		RunE: func(c *cobra.Command, arguments []string) error {
			ctx, stop := untilEnded(c.Context())
			defer stop()
			if restore {
				return dev.Restore(ctx, options)
			}
			config, err := flags.config()
			if err != nil {
				return err
			}
			root, module, configured, err := engine.Program(config)
			if err != nil {
				return err
			}
			if module == "" {
				return errors.New("there is no go.mod here or above: dev runs a program of a module")
			}
			if configured == "" && options.Program == "" {
				return errors.New("which program? Name its folder with --program, or in webhook-gen.yaml")
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			options.Root, options.Module, options.Program = root, module, cmp.Or(options.Program, configured)
			options.Arguments, options.Advertise = arguments, cmp.Or(options.Advertise, options.Listen)
			options.Supervise = []string{self, superviseName}
			options.Confirm = func(question string) error {
				if yes {
					return nil
				}
				return confirm(s, question)
			}
			options.Generate = func(ctx context.Context) ([][]byte, error) {
				release, err := s.lock(ctx, config)
				if err != nil {
					return nil, err
				}
				defer release()
				result := engine.Generate(ctx, config)
				if flags.report(s, config.Dir, result.Diagnostics) != nil || flags.report(s, config.Dir, result.Write()) != nil {
					return nil, errors.New("nothing was generated")
				}
				return result.Direct()
			}
			return dev.Run(ctx, options)
		},
	}
	c.Flags().StringVarP(&flags.Dir, "directory", "C", "", "run as if started in this folder")
	c.Flags().StringVar(&options.Listen, "listen", "127.0.0.1:9443", "address on which dev takes the calls of the cluster")
	c.Flags().StringVar(&options.Advertise, "advertise", "", "host and port at which the cluster reaches it (default: the one of --listen)")
	c.Flags().StringVar(&options.Program, "program", "", "folder of the program (default program in webhook-gen.yaml)")
	c.Flags().StringVar(&options.ProgramAddress, "program-address", "", "address on which the program listens, if its arguments do not contain {address}")
	c.Flags().StringVar(&options.Kubectl, "kubectl", "kubectl", "the command that talks to the cluster")
	c.Flags().StringVar(&options.Context, "context", "", "context of kubectl (default the current one)")
	addAccept(c, &flags.AcceptRemoval)
	c.Flags().BoolVar(&yes, "yes", false, "do not ask before changing a cluster that is not local")
	c.Flags().BoolVar(&restore, "restore", false, "restore what ended sessions have changed in the cluster, and exit")
	return c
}

// untilEnded returns a context that ends with the signals of terminals and service managers. Without SIGPIPE, a session
// whose output nobody reads any more would end before the cluster is restored.
func untilEnded(ctx context.Context) (context.Context, context.CancelFunc) {
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // by nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	return ctx, func() {
		stop()
		signal.Stop(pipe)
	}
}

// confirm asks the user a question. It is an error if the answer is no, or if nobody can answer.
func confirm(s streams, question string) error {
	unanswered := fmt.Errorf("%s Nobody can answer, because standard input is no terminal: use --yes", question)
	if !isTerminal(s.in) {
		return unanswered
	}
	fmt.Fprintf(s.err, "dev: %s [y/N] ", question)
	answer, err := bufio.NewReader(s.in).ReadString('\n')
	if errors.Is(err, io.EOF) && answer == "" { // such as of /dev/null, a device as well
		fmt.Fprintln(s.err)
		return unanswered
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("stopped: the cluster was not changed. --yes goes on without a question")
	}
	return nil
}

// superviseName is a command that dev starts: users do not see it.
const superviseName = "dev-supervise"

func superviseCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use: superviseName, Short: "Run a program for dev until standard input ends", Hidden: true, DisableFlagParsing: true,
		RunE: func(_ *cobra.Command, arguments []string) error {
			err := dev.Supervise(arguments, s.in)
			if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
				return errFindings // dev says that the program has ended
			}
			return err
		},
	}
}
