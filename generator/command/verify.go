// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

func verifyCommand(s streams) *cobra.Command {
	var flags runFlags
	c := &cobra.Command{
		Use:   "verify [packages]",
		Short: "Show what generate would change, and fail if anything would",
		Long: "verify prints a unified diff of what generate would change (files that are missing, differ, or are\n" +
			"left over) and exits with 1 if there is any, or if the runtime in go.mod is older than generated code needs. It\n" +
			"writes nothing.",
		RunE: func(c *cobra.Command, patterns []string) error {
			config, err := flags.config(patterns)
			if err != nil {
				return err
			}
			result, err := flags.run(c, s, config, engine.Generate)
			if err != nil {
				return err
			}
			outdated := s.reportOutdated(result.Root)
			if len(result.Changes) == 0 {
				return outdated
			}
			if err := result.Diff(s.out); err != nil {
				return err
			}
			for _, note := range result.Notes() {
				fmt.Fprintln(s.err, "webhook-gen:", note)
			}
			fmt.Fprintf(s.err, "webhook-gen: %d file(s) out of date: run webhook-gen and commit the result\n", len(result.Changes))
			return errFindings
		},
	}
	flags.add(c)
	return c
}

// reportOutdated prints that go.mod requires a runtime that is older than generated code needs; the error is
// errFindings if it does.
func (s streams) reportOutdated(root string) error {
	version, outdated := project.Outdated(root, s.origin)
	if !outdated {
		return nil
	}
	fmt.Fprintf(s.err, "webhook-gen: go.mod requires the runtime %s, and generated code needs %s or later: run\n%s\n",
		version, project.RuntimeMinimum, indented(s.origin.Commands()))
	return errFindings
}
