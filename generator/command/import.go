// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

func importCommand(s streams) *cobra.Command {
	var flags projectFlags
	var handlers string
	var policies []string
	c := &cobra.Command{
		Use:   "import [packages]",
		Short: "Rewrite +kubebuilder:webhook markers as +webhook markers",
		Long: "import rewrites +kubebuilder:webhook and +kubebuilder:webhookconfiguration markers as +webhook markers, and writes\n" +
			"only if the manifest stays the same. Fix the warnings about the old markers first. A new marker is on the package,\n" +
			"above its package clause in the same file. It names the Go type of the objects with for, if import finds it in a call\n" +
			"of NewWebhookManagedBy or in the methods of a validator or defaulter. No code is generated for it.\n\n" +
			"With --handlers stubs, the markers are on types, and import generates their handlers, with methods to fill in. The\n" +
			"types are in the packages of the old markers; a marker in the package of the objects' type moves to that type. A\n" +
			"marker whose type is not found stays as it is, with a warning.\n\n" +
			"With --policies, import writes the admission policies and bindings of YAML files as +webhook:policy markers, into a\n" +
			"new file policies.go of the package in the folder that is named. It compares the policies that the markers make, and\n" +
			"writes nothing if one differs. It leaves the YAML files as they are.",
		Example: "  webhook-gen import --dry-run\n" +
			"  webhook-gen import --handlers stubs ./internal/webhook/...\n" +
			"  webhook-gen import --policies config/policies.yaml ./policies",
		RunE: func(c *cobra.Command, patterns []string) error {
			switch {
			case len(policies) > 0 && (len(patterns) != 1 || handlers != ""):
				return errors.New("--policies needs the folder of one package, and goes with no --handlers")
			case len(policies) > 0:
				return flags.run(c, s, func(ctx context.Context, config project.Config) (project.Result, error) {
					return project.ImportPolicies(ctx, config, policies, filepath.Join(config.Dir, patterns[0]))
				})
			case handlers != "":
				if handlers != "stubs" {
					return fmt.Errorf("--handlers is %q: use stubs. To keep existing validators and defaulters, wrap them by FromValidator and "+
						"FromDefaulter of %s: docs/start/migration.md", handlers, engine.AdaptersModule)
				}
				return flags.run(c, s, func(ctx context.Context, config project.Config) (project.Result, error) {
					config.Patterns = patterns
					return project.Import(ctx, config, project.ImportOptions{Handlers: true, DryRun: flags.dryRun})
				})
			}
			config, err := flags.config()
			if err != nil {
				return err
			}
			config.Patterns = patterns
			if !flags.dryRun {
				release, err := s.lock(c.Context(), config)
				if err != nil {
					return err
				}
				defer release()
			}
			var failure error
			result, err := flags.runFlags.run(c, s, config, func(ctx context.Context, config engine.Config) engine.Result {
				result, err := project.Import(ctx, project.Config{Config: config}, project.ImportOptions{})
				failure = err
				return result.Result
			})
			if err := errors.Join(failure, err); err != nil {
				return err
			}
			return flags.write(s, config.Dir, result, flags.dryRun)
		},
	}
	flags.runFlags.add(c)
	flags.addWriting(c)
	addWord(c, &handlers, "handlers", "", "write handlers, too: stubs", "stubs")
	c.Flags().StringSliceVar(&policies, "policies", nil, "YAML files of admission policies, to write as markers")
	return c
}
