// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

func initCommand(s streams) *cobra.Command {
	var flags projectFlags
	var options project.Options
	c := &cobra.Command{
		Use:   "init",
		Short: "Start a project, or add webhook-gen to one",
		Long: "init creates a project that builds, passes its tests and serves at once: a program, go.mod, tools/go.mod with\n" +
			"webhook-gen as a tool, Makefile, Dockerfile, GitHub workflow, README. In a module with Go code it writes\n" +
			"webhook-gen.yaml, the generated files and tools/go.mod, adds requirements to go.mod, changes nothing else, and prints\n" +
			"the one line that the program needs. A second run writes nothing.",
		Example: "  webhook-gen init --module example.com/app\n  webhook-gen init # in a project of kubebuilder or operator-sdk",
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return flags.run(c, s, func(ctx context.Context, config project.Config) (project.Result, error) {
				return project.Init(ctx, config, options)
			})
		},
	}
	flags.add(c)
	c.Flags().StringVar(&options.Module, "module", "", "path of the new module")
	c.Flags().StringVar(&options.Domain, "domain", "", "domain that ends the names of API groups (default the first element of the module's path)")
	c.Flags().StringVar(&options.Name, "name", "", "name of the project (default the last element of the module's path)")
	c.Flags().StringVar(&options.Program, "program", "", "folder of the program that serves the webhooks (default the existing one, or cmd/webhook)")
	addWord(c, &options.Certificates, "certificates", "", "where the server's certificate comes from: cert-manager (default), self-managed or secret", "cert-manager", "self-managed", "secret")
	addWord(c, &options.Topology, "topology", "", "how API servers reach the webhooks: service (default), or aggregated, through kube-aggregator", "service", "aggregated")
	c.Flags().StringVar(&flags.version, "tool-version", "", "version of webhook-gen that go.mod and tools/go.mod require (default this program's, if it is a release)")
	c.MarkFlagsMutuallyExclusive("source", "tool-version")
	return c
}
