// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/migrate"
)

func importCommand(s streams) *cobra.Command {
	var flags runFlags
	var dryRun bool
	c := &cobra.Command{
		Use:   "import [packages]",
		Short: "Rewrite +kubebuilder:webhook markers as +webhook markers",
		Long: "import rewrites +kubebuilder:webhook and +kubebuilder:webhookconfiguration markers as +webhook markers on the\n" +
			"package, above its package clause in the same file. It moves no code, and writes only if the manifest stays the\n" +
			"same. Fix the warnings about the old markers first.",
		RunE: func(c *cobra.Command, patterns []string) error {
			config, err := flags.config(patterns)
			if err != nil {
				return err
			}
			result, err := flags.run(c, s, config, migrate.Import)
			if err != nil {
				return err
			}
			return flags.write(s, config.Dir, result, dryRun)
		},
	}
	flags.add(c)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be written and write nothing")
	return c
}
