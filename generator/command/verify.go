// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

func verifyCommand(s streams) *cobra.Command {
	var flags runFlags
	var manifest string
	c := &cobra.Command{
		Use:   "verify [packages]",
		Short: "Show what generate would change, and fail if anything would",
		Long: "verify prints a unified diff of what generate would change (files that are missing, differ, or are\n" +
			"left over) and exits with 1 if there is any, or if the runtime in go.mod is older than generated code needs. It\n" +
			"writes nothing, and waits for a run that does.",
		RunE: flags.with(func(c *cobra.Command, config engine.Config, patterns []string) error {
			config.Patterns = patterns
			remedy := "webhook-gen"
			if manifest == "-" {
				return errors.New("verify compares files: --output is the path of a manifest, and not -")
			}
			if err := checkManifest(manifest); err != nil {
				return err
			}
			if manifest != "" {
				config.Manifest = absolute(config.Dir, manifest)
				remedy += " generate --output " + manifest
			}
			read := func() engine.Result { return inspect.Generate(c.Context(), config) }
			result := progress(s.err, read)
			if len(result.Changes) > 0 || result.Diagnostics.HasErrors() { // another run may have been writing
				release, err := s.lock(c.Context(), config)
				if err != nil {
					return err
				}
				result = progress(s.err, read)
				release()
			}
			result.Diagnostics.Add(project.Dropping(config, result.Webhooks())...)
			stale := output.Stale(result.Changes)
			outdated := s.outdated(result.Root)
			stale.Add(outdated...)
			if flags.format != "text" {
				if flags.format == "github" { // whose log is read, too
					if err := result.Diff(s.out); err != nil {
						return err
					}
				}
				return flags.report(s, config.Dir, append(result.Diagnostics, stale...))
			}
			if err := flags.report(s, config.Dir, result.Diagnostics); err != nil {
				return err
			}
			if len(stale) == 0 {
				return nil
			}
			if err := result.Diff(s.out); err != nil {
				return err
			}
			for _, note := range result.Notes() {
				fmt.Fprintln(s.err, "webhook-gen:", note)
			}
			if n := len(result.Changes); n > 0 {
				fmt.Fprintf(s.err, "webhook-gen: %d file(s) out of date: %s\n", n, s.named("run "+remedy+" and commit the result"))
			}
			if err := flags.report(s, config.Dir, outdated); err != nil {
				return err
			}
			return errFindings
		}),
	}
	flags.add(c)
	c.Flags().StringVarP(&manifest, "output", "o", "", "path of the manifest (default config/webhook/manifests.yaml in the module)")
	return c
}

// outdated reports a runtime in go.mod that is older than generated code needs.
func (s streams) outdated(root string) diag.List {
	version, outdated := project.Outdated(root, s.origin)
	if !outdated {
		return nil
	}
	at := diag.InFile(filepath.Join(root, "go.mod"))
	return diag.List{diag.Errorf(at, output.RuleRuntime, "go.mod requires the runtime %s, and generated code needs %s or later", version, project.RuntimeMinimum).
		WithHint("run\n%s", indented(s.origin.Commands()))}
}
