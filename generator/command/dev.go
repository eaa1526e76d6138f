// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/internal/dev"
)

func devCommand(s streams) *cobra.Command {
	var flags runFlags
	var listen, advertise, kubectl, kubeContext, program string
	c := &cobra.Command{
		Use:   "dev [-- program's arguments]",
		Short: "Run the program on this machine, and let a cluster call it",
		Long: "dev generates, builds and runs the program on this machine, and applies the configurations to the cluster of kubectl\n" +
			"with a URL instead of the Service. It repeats that after every change to a Go file. At the end (Ctrl-C) it restores the\n" +
			"cluster: it removes the configurations, and CRDs get their previous conversions back.\n\n" +
			"The cluster must reach --advertise, a host and port: this machine's address, or host.docker.internal and the like for\n" +
			"a cluster in containers. The program gets -address, -cert and -key, the flags of programs from webhook-gen init; for\n" +
			"another program, give all of its arguments, in which {address}, {cert}, {key} and {dir} are filled in.",
		Example: "  webhook-gen dev --listen :9443 --advertise host.docker.internal:9443\n" +
			"  webhook-gen dev --program cmd -- --webhook-cert-path={dir}",
		RunE: func(c *cobra.Command, arguments []string) error {
			config, err := flags.config(nil)
			if err != nil {
				return err
			}
			root, configured, err := engine.Program(config)
			if err != nil {
				return err
			}
			if configured == "" && program == "" {
				return errors.New("which program? Name its folder with --program, or in webhook-gen.yaml")
			}
			command := []string{kubectl}
			if kubeContext != "" {
				command = append(command, "--context", kubeContext)
			}
			return dev.Run(c.Context(), dev.Options{
				Root: root, Program: cmp.Or(program, configured), Arguments: arguments,
				Listen: listen, Advertise: cmp.Or(advertise, listen), Kubectl: command, Out: s.err,
				Generate: func(ctx context.Context) ([][]byte, error) {
					result := engine.Generate(ctx, config)
					if flags.report(s, config.Dir, result.Diagnostics) != nil || flags.report(s, config.Dir, result.Write()) != nil {
						return nil, errors.New("nothing was generated")
					}
					return result.Direct, nil
				},
			})
		},
	}
	flags.format = "text"
	c.Flags().StringVarP(&flags.dir, "directory", "C", "", "run as if started in this folder")
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:9443", "address that the program listens on")
	c.Flags().StringVar(&advertise, "advertise", "", "host and port at which the cluster reaches it (default that of --listen)")
	c.Flags().StringVar(&program, "program", "", "folder of the program (default what webhook-gen.yaml says)")
	c.Flags().StringVar(&kubectl, "kubectl", "kubectl", "the command that talks to the cluster")
	c.Flags().StringVar(&kubeContext, "context", "", "context of kubectl (default the current one)")
	return c
}
