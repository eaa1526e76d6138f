// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"os"

	"github.com/spf13/cobra"
)

func explainPolicyCommand(s streams) *cobra.Command {
	var dir, format string
	companion := companion{own: s.origin}
	c := &cobra.Command{
		Use:   "policy KIND [packages]",
		Short: "Show which checks of a kind's validators an admission policy could make, with their CEL",
		Long: "policy reads the Go validators of a kind, and prints a +webhook:policy:validation marker for each check that CEL can\n" +
			"say: comparisons of fields, enums, patterns, required labels, immutable fields, loops over lists. The API server's\n" +
			"own code compiles each expression. A missing field has its zero value in them, as in Go. A check that policy does not\n" +
			"understand stays with the validator, and is listed with the reason. No code of the project is run.",
		Example: "  webhook-gen explain policy Order",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if dir == "" {
				var err error
				if dir, err = os.Getwd(); err != nil {
					return err
				}
			}
			return companion.run(c.Context(), s.out, dir, append([]string{"policy", "--format=" + cmp.Or(format, "text"), "--"}, args...), nil)
		},
	}
	c.Flags().StringVarP(&dir, "directory", "C", "", "run as if started in this folder")
	c.Flags().StringVar(&format, "format", "", "form of the answer: text (default) or json")
	companion.add(c)
	complete(c, "format", "text", "json")
	return c
}
