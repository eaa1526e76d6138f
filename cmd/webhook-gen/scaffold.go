package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/webhook-gen/webhook-gen/generator"
)

// scaffoldFlags are the flags of every command that starts a project or changes its types.
type scaffoldFlags struct {
	runFlags
	dryRun bool
}

func (f *scaffoldFlags) add(c *cobra.Command) {
	f.runFlags.format = "text"
	flags := c.Flags()
	flags.StringVarP(&f.dir, "directory", "C", "", "run as if started in this folder")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be written and write nothing")
}

// run does the work, writes what it comes to, and says what is left to do.
func (f *scaffoldFlags) run(c *cobra.Command, s streams, work func(context.Context, generator.Config) (generator.Scaffold, error)) error {
	config, err := f.config(nil)
	if err != nil {
		return err
	}
	result, err := work(c.Context(), config)
	if found := f.report(s, config.Dir, result.Diagnostics); found != nil {
		return found
	}
	if err != nil {
		return err
	}
	if err := f.write(s, config.Dir, result.Result, f.dryRun); err != nil {
		return err
	}
	if len(result.Changes) == 0 {
		fmt.Fprintln(s.out, "nothing to do")
		return nil
	}
	if f.dryRun {
		return nil
	}
	fmt.Fprintln(s.out, "\nnext:")
	for _, step := range result.Next {
		fmt.Fprintf(s.out, "  %s\n", step)
	}
	return nil
}

// resourceFlags name a kind in kubebuilder's words.
type resourceFlags struct{ generator.Resource }

func (f *resourceFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.Group, "group", "", "API group, in full or without the domain of webhook-gen.yaml; without it, Kubernetes' core group")
	flags.StringVar(&f.Version, "version", "", "API version, as v1 or v2beta1")
	flags.StringVar(&f.Kind, "kind", "", "kind, as Order")
	for _, name := range []string{"version", "kind"} {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a mistake in this file
		}
	}
}

// group is a command that only holds others.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Args: noArguments, RunE: func(c *cobra.Command, _ []string) error { return c.Help() }}
	c.AddCommand(commands...)
	return c
}
