// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	pathpkg "path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

func generateCommand(s streams) *cobra.Command {
	var flags runFlags
	var output string
	var dryRun bool
	c := &cobra.Command{
		Use:   "generate [packages]",
		Short: "Write the files for the markers",
		Long: "generate reads the packages, by default the list in webhook-gen.yaml or the whole module, and writes\n" +
			"the files of their markers: all of them, or none if there is a mistake.",
		Example: "  webhook-gen generate ./...\n  webhook-gen generate --output - ./api/...",
		RunE: flags.with(func(c *cobra.Command, config engine.Config, patterns []string) error {
			config.Patterns = patterns
			config.ComparesNothing = dryRun || output == "-"
			if err := checkManifest(output); err != nil {
				return err
			}
			if output != "" && output != "-" {
				config.Manifest = absolute(config.Dir, output)
			}
			if !dryRun && output != "-" {
				release, err := s.lock(c.Context(), config)
				if err != nil {
					return err
				}
				defer release()
			}
			result, err := flags.run(c, s, config, inspect.Generate)
			if err != nil {
				return err
			}
			if output == "-" {
				_, err := s.out.Write(result.Manifest())
				return err
			}
			if err := flags.write(s, config.Dir, result, dryRun); err != nil {
				return err
			}
			if result.LacksRuntime {
				fmt.Fprintf(s.err, "webhook-gen: go.mod lacks the runtime that generated code imports: run\n%s\n", indented(s.origin.Commands()))
			}
			return nil
		}),
	}
	flags.add(c)
	c.Flags().StringVarP(&output, "output", "o", "", "path of the manifest, or - to print the manifest alone (default config/webhook/manifests.yaml in the module)")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "list the changes, and write nothing")
	return c
}

// write carries out the changes and names them, or with dryRun only names them.
func (f *runFlags) write(s streams, dir string, result engine.Result, dryRun bool) error {
	if !dryRun && f.report(s, dir, result.Write()) != nil {
		return errors.New("nothing was written") // trouble, not a finding
	}
	return printChanges(s, dir, result, dryRun)
}

// printChanges names the files that changed. Of many in one folder, the folder is enough.
func printChanges(s streams, dir string, result engine.Result, dryRun bool) error {
	const many = 8
	would := ""
	if dryRun {
		would = "would "
	}
	lines := func(c output.Change) (file, folder string) {
		path := c.Path
		if rel, err := filepath.Rel(dir, path); err == nil {
			path = filepath.ToSlash(rel)
		}
		action := would + c.Action.String() + " "
		return action + path + "\n", action + pathpkg.Dir(path) + "/...\n"
	}
	count := map[string]int{} // by the line of a folder
	for _, c := range result.Changes {
		_, folder := lines(c)
		count[folder]++
	}
	for _, c := range result.Changes {
		line, folder := lines(c)
		switch n := count[folder]; {
		case n == 0:
			continue
		case n > many:
			line, count[folder] = folder, 0
		}
		if _, err := fmt.Fprint(s.out, line); err != nil {
			return err
		}
	}
	return nil
}

// checkManifest refuses a path of a manifest that kubectl and kustomize would pass over.
func checkManifest(path string) error {
	if ext := filepath.Ext(path); path == "" || path == "-" || ext == ".yaml" || ext == ".yml" {
		return nil
	}
	return fmt.Errorf("--output is %q: the name of a manifest ends in .yaml or .yml", path)
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
