// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

func runtimeCommand(s streams) *cobra.Command {
	return projectCommand(s, &cobra.Command{
		Use:   "runtime import|vendor",
		Short: "Import the runtime as a module, or keep a copy of it in the project",
		Long: "runtime sets handlers.runtime in webhook-gen.yaml, generates, and rewrites the import paths in your own files.\n" +
			"With import, generated code imports the module " + engine.RuntimeModule + ".\n" +
			"With vendor, the project has a copy of the packages that it uses, and no requirement on webhook-gen in go.mod.\n" +
			"The commands scan and convert need the module: with vendor, main of a new project loses the statement for them.",
		Example: "  webhook-gen runtime vendor\n  webhook-gen runtime import",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 || !slices.Contains(engine.RuntimeModes(), args[0]) {
				return fmt.Errorf("pass %s", strings.Join(engine.RuntimeModes(), " or "))
			}
			return nil
		},
		ValidArgs: engine.RuntimeModes(),
	}, func(ctx context.Context, config project.Config, args []string) (project.Result, error) {
		return project.SetRuntime(ctx, config, args[0])
	})
}
