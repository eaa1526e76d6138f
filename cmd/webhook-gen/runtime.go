// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator"
)

func runtimeCommand(s streams) *cobra.Command {
	var flags scaffoldFlags
	c := &cobra.Command{
		Use:   "runtime import|vendor",
		Short: "Import the runtime as a module, or keep a copy of it in the project",
		Long: "runtime sets handlers.runtime in webhook-gen.yaml, generates, and rewrites the import paths in your own files:\n" +
			"nothing else in them changes. With import, generated code imports the module " + generator.RuntimeModule + ".\n" +
			"With vendor, the project has a copy of the packages that it uses, and no requirement on webhook-gen in go.mod.",
		Example: "  webhook-gen runtime vendor\n  webhook-gen runtime import",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(generator.RuntimeModes(), args[0]) {
				return fmt.Errorf("pass %s", strings.Join(generator.RuntimeModes(), " or "))
			}
			return nil
		},
		ValidArgs: generator.RuntimeModes(),
		RunE: func(c *cobra.Command, args []string) error {
			return flags.run(c, s, func(ctx context.Context, config generator.Config) (generator.Scaffold, error) {
				return generator.SetRuntime(ctx, config, args[0])
			})
		},
	}
	flags.add(c)
	return c
}
