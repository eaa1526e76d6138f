// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/semver"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

// projectFlags are the flags of every command that starts a project or changes its types.
type projectFlags struct {
	runFlags
	dryRun, skipTidy bool
	source           string // folder of a work tree
	version          string // of webhook-gen, instead of this program's
}

func (f *projectFlags) add(c *cobra.Command) {
	f.runFlags.format = "text"
	c.Flags().StringVarP(&f.Dir, "directory", "C", "", "run as if started in this folder")
	f.addWriting(c)
	addAccept(c, &f.AcceptRemoval)
}

// addWriting adds the flags of commands that write files of the user's and go.mod.
func (f *projectFlags) addWriting(c *cobra.Command) {
	flags := c.Flags()
	flags.BoolVar(&f.dryRun, "dry-run", false, "list the changes, and write nothing")
	flags.BoolVar(&f.skipTidy, "skip-tidy", false, "do not run go mod tidy, but print the commands")
	flags.StringVar(&f.source, "source", "", "work tree of webhook-gen that go.mod replaces the runtime with (default the one this program was built from, unless it is a release)")
}

// origin returns where the project gets webhook-gen from.
func (f *projectFlags) origin(own project.Origin) (project.Origin, error) {
	switch {
	case f.version != "":
		if !semver.IsValid(f.version) {
			return project.Origin{}, fmt.Errorf("--tool-version: %q is not a version such as v0.1.0", f.version)
		}
		return project.Origin{Version: f.version}, nil
	case f.source != "":
		dir, err := filepath.Abs(f.source)
		if err == nil {
			own, err = project.WorkTree(dir)
		}
		if err != nil {
			return project.Origin{}, fmt.Errorf("--source: %w", err)
		}
	}
	return own, nil
}

// run does the work, writes the files, has the go command complete go.mod, and prints the remaining steps.
func (f *projectFlags) run(c *cobra.Command, s streams, work func(context.Context, project.Config) (project.Result, error)) error {
	config, err := f.config()
	if err != nil {
		return err
	}
	config.ComparesNothing = f.dryRun
	origin, err := f.origin(s.origin)
	if err != nil {
		return err
	}
	if !f.dryRun {
		release, err := s.lock(c.Context(), config)
		if err != nil {
			return err
		}
		defer release() // after the go command has changed go.mod
	}
	result, err := work(c.Context(), project.Config{Config: config, Origin: origin})
	// Warnings are about the files as the command leaves them, so they follow the writing.
	writes := err == nil && len(result.Changes) > 0 && !f.dryRun
	if !writes || result.Diagnostics.HasErrors() {
		if found := f.report(s, config.Dir, result.Diagnostics); found != nil {
			return found
		}
	}
	if err != nil {
		return err
	}
	if len(result.Changes) == 0 {
		fmt.Fprintln(s.out, "nothing to do")
		return nil
	}
	runsGo := !f.dryRun && !f.skipTidy
	steps := goSteps(result.Result, func(dir string) bool { // before anything is written
		return !runsGo || s.goCommand.isTidy(c.Context(), dir)
	})
	if err := f.write(s, config.Dir, result.Result, f.dryRun); err != nil {
		return err
	}
	if writes {
		if err := f.report(s, config.Dir, result.Diagnostics); err != nil {
			return err
		}
	}
	for _, note := range result.Notes() {
		fmt.Fprintln(s.out, "note:", note)
	}
	if f.dryRun {
		return nil
	}
	next := result.Next
	if runsGo {
		err = s.goCommand.do(c.Context(), s, result.Root, steps)
	} else {
		next = append(commands(result.Root, steps), next...)
	}
	fmt.Fprintln(s.out, "\nnext:")
	for _, step := range next {
		fmt.Fprintf(s.out, "  %s\n", s.named(step))
	}
	return err
}

// projectCommand completes a command that starts a project or changes its types.
func projectCommand(s streams, c *cobra.Command, work func(context.Context, project.Config, []string) (project.Result, error)) *cobra.Command {
	var flags projectFlags
	flags.add(c)
	c.RunE = func(c *cobra.Command, arguments []string) error {
		return flags.run(c, s, func(ctx context.Context, config project.Config) (project.Result, error) {
			return work(ctx, config, arguments)
		})
	}
	return c
}

// kindCommand completes a command that changes the types of one kind, which its flags name.
func kindCommand(s streams, c *cobra.Command, work func(context.Context, project.Config, project.Resource) (project.Result, error)) *cobra.Command {
	var kind resourceFlags
	c.Args = noArguments
	projectCommand(s, c, func(ctx context.Context, config project.Config, _ []string) (project.Result, error) {
		return work(ctx, config, kind.Resource)
	})
	kind.add(c)
	return c
}

// resourceFlags name a kind in kubebuilder's words.
type resourceFlags struct{ project.Resource }

func (f *resourceFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Group, "group", "", "API group, in full or without the domain of webhook-gen.yaml; without it, Kubernetes' core group")
	flags.StringVar(&f.Version, "version", "", "API version, as v1 or v2beta1")
	flags.StringVar(&f.Kind, "kind", "", "kind, as Order")
	for _, name := range []string{"version", "kind"} {
		must(c.MarkFlagRequired(name))
	}
	f.complete(c, "group", func(r project.Resource) string { return r.Group })
	f.complete(c, "version", func(r project.Resource) string { return r.Version })
	f.complete(c, "kind", func(r project.Resource) string { return r.Kind })
}

// complete has the shell complete a flag with the project's kinds that agree with the other flags.
func (f *resourceFlags) complete(c *cobra.Command, flag string, part func(project.Resource) string) {
	must(c.RegisterFlagCompletionFunc(flag, func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		dir, err := filepath.Abs(c.Flag("directory").Value.String())
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var words []string
		for _, r := range project.Kinds(c.Context(), project.Config{Config: engine.Config{Dir: dir}}) {
			first, _, _ := strings.Cut(r.Group, ".")
			fits := (f.Group == "" || f.Group == r.Group || f.Group == first || flag == "group") &&
				(f.Version == "" || f.Version == r.Version || flag == "version") &&
				(f.Kind == "" || f.Kind == r.Kind || flag == "kind")
			if word := part(r); fits && strings.HasPrefix(word, begun) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}))
}

// group is a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: noArguments, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(commands...)
	return c
}
