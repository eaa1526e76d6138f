// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

func explainPolicyCommand(s streams) *cobra.Command {
	flags := runFlags{format: "text"} // findings are for people; --format applies to the answer
	var format string
	companion := companion{own: s.origin}
	c := &cobra.Command{
		Use:   "policy KIND [packages]",
		Short: "Show which checks of a kind's validators an admission policy could make, with their CEL",
		Long: "policy reads the Go validators of a kind, and prints a +webhook:policy:validation marker for each check that CEL can\n" +
			"say: comparisons of fields, enums, patterns, required labels, immutable fields, loops over lists. The API server's\n" +
			"own code compiles each expression for minKubernetesVersion in webhook-gen.yaml, and compares it with the Go type if\n" +
			"the project has a webhook or policy for it. A missing field has its zero value in them, as in Go. A check that policy\n" +
			"does not understand stays with the validator, and is listed with the reason. No code of the project is run.",
		Example: "  webhook-gen explain policy Order",
		Args:    cobra.MinimumNArgs(1),
		RunE: flags.with(func(c *cobra.Command, config engine.Config, args []string) error {
			described, diags := inspect.Describe(c.Context(), config, args[0])
			if err := flags.report(s, config.Dir, diags); err != nil {
				return err
			}
			request := map[string]any{"kind": args[0], "format": format}
			if len(args) > 1 {
				request["packages"] = args[1:]
			}
			return companion.run(c.Context(), s.out, config.Dir, "policy", question{described, request})
		}),
	}
	c.Flags().StringVarP(&flags.Dir, "directory", "C", "", "run as if started in this folder")
	addWord(c, &format, "format", "", "form of the answer: text (default) or json", "text", "json")
	companion.add(c)
	return c
}
