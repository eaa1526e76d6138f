// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

func lintCommand(s streams) *cobra.Command {
	var flags runFlags
	var files []string
	var kubeVersion string
	var code bool
	c := &cobra.Command{
		Use:   "lint [packages]",
		Short: "Find webhook settings that an API server accepts but that hurt a cluster",
		Long: "lint checks the webhooks and policies of the markers, or with -f those in files, against the rules of\n" +
			"docs/reference/rules.md. It finds webhooks that are never called, that keep their own server from starting, or that\n" +
			"users can avoid. It reads any webhook configuration and writes nothing. Findings go to standard output. Notes alone\n" +
			"leave the exit code 0. lint compiles nothing of the project, unless --code is set.",
		Example: "  webhook-gen lint\n  webhook-gen lint --code\n  webhook-gen lint -f config/webhook/manifests.yaml\n  helm template ./charts/shop | webhook-gen lint -f - --format sarif",
		RunE: flags.with(func(c *cobra.Command, config engine.Config, patterns []string) error {
			config.Patterns = patterns
			var result inspect.LintResult
			switch {
			case len(files) > 0 && len(patterns) > 0:
				return errors.New("packages and --file exclude each other")
			case len(files) > 0 && code:
				return errors.New("--code and --file exclude each other: manifests have no code")
			case len(files) > 0:
				var err error
				if result, err = inspect.LintManifests(config.Dir, files, c.InOrStdin(), kubeVersion); err != nil {
					return err
				}
				if result.Webhooks+result.Policies == 0 && len(result.Diagnostics) == 0 {
					return fmt.Errorf("no webhook and no policy in %s%s", strings.Join(files, ", "), aboutFolders(config.Dir, files))
				}
			default:
				var err error
				result = progress(s.err, func() (r inspect.LintResult) { r, err = inspect.Lint(c.Context(), config, kubeVersion); return r })
				if err != nil {
					return err
				}
				if result.Webhooks == 0 && len(result.Diagnostics) == 0 {
					fmt.Fprintln(s.err, "webhook-gen: no marker declares a webhook here; -f reads manifests")
				}
			}
			if code {
				found, err := inspect.LintCode(c.Context(), config)
				if err != nil {
					return fmt.Errorf("--code: %w", err)
				}
				result.Code, result.Diagnostics = nil, append(result.Diagnostics, found...).Sorted()
			}
			return flags.reportLint(s, config.Dir, result)
		}),
	}
	flags.addReading(c)
	c.Flags().StringSliceVarP(&files, "file", "f", nil, "read webhook configurations and admission policies from YAML instead of markers: files, folders, or - for standard input")
	c.Flags().BoolVar(&code, "code", false, "also compile the packages, and check the code of handlers: rules W17, W27 and W33")
	c.Flags().StringVar(&kubeVersion, "kube-version", "", "version of Kubernetes, as 1.34, by which match conditions are read (default the newest known)")
	return c
}

// aboutFolders names the files that lint reads in folders, if a folder is among the paths.
func aboutFolders(dir string, paths []string) string {
	for _, path := range paths {
		if info, err := os.Stat(absolute(dir, path)); err == nil && info.IsDir() {
			return "; of a folder, the YAML files directly in it are read"
		}
	}
	return ""
}

// reportLint prints the findings, and the rules that lint could not check.
func (f *runFlags) reportLint(s streams, dir string, result inspect.LintResult) error {
	if err := f.print(s, s.out, dir, result.Diagnostics); err != nil {
		return err
	}
	if len(result.Code) > 0 {
		fmt.Fprintf(s.err, "webhook-gen: %s are about code, which lint --code reads\n", strings.Join(result.Code, ", "))
	}
	if result.HasFindings() {
		return errFindings
	}
	return nil
}
