// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
	"github.com/webhook-gen/webhook-gen/internal/lock"
)

// streams are the outputs of a command, and its other inputs besides the arguments.
type streams struct {
	in        io.Reader
	out, err  io.Writer
	origin    project.Origin // of this program
	version   string         // the line that webhook-gen version prints
	called    string         // the words by which the user calls this program; empty for webhook-gen
	goCommand goCommand
}

// lock keeps other runs from writing to the module of a run. A run reads the module after it.
func (s streams) lock(ctx context.Context, config engine.Config) (release func(), err error) {
	return lock.Module(ctx, config.Root(), s.err)
}

func rootCommand(s streams) *cobra.Command {
	generate := generateCommand(s)
	root := &cobra.Command{
		Use:   "webhook-gen",
		Short: "Generate Kubernetes webhooks from +webhook markers on Go types",
		Long: "webhook-gen reads +webhook markers on Go types and generates manifests, handlers, conversions and tests.\n" +
			"Without a command it generates for the current module, with the settings of its webhook-gen.yaml.",
		Args:          noArguments,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       s.version,
		RunE:          generate.RunE,

		PersistentPreRunE:          checkWords,
		SuggestionsMinimumDistance: 2,
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.Flags().AddFlagSet(generate.Flags())
	root.AddCommand(generate, verifyCommand(s), lintCommand(s), markersCommand(s), explainCommand(s), graphCommand(s), importCommand(s),
		initCommand(s), createCommand(s), deleteCommand(s), devCommand(s), superviseCommand(s), assetsCommand(s), versionCommand(s))
	return root
}

// flagError suggests the flag that was meant.
func flagError(c *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	if text := instead(c, unknown); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near, ok := diag.Nearest(unknown.GetSpecifiedName(), names); ok {
		return fmt.Errorf("%w: did you mean --%s?", err, near)
	}
	return fmt.Errorf("%w: `%s --help` lists the flags", err, c.CommandPath())
}

// noArguments refuses an argument that is neither a command nor a flag, and suggests the command that was meant.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if err := checkWords(c, args); err != nil {
		return err
	}
	err := fmt.Sprintf("unknown command %q", args[0])
	if text := argumentElsewhere(args[0]); text != "" {
		return errors.New(err + ": " + text)
	}
	if near := c.SuggestionsFor(args[0]); len(near) > 0 {
		return fmt.Errorf("%s: did you mean %q?", err, near[0])
	}
	if strings.HasPrefix(args[0], "./") || strings.HasSuffix(args[0], "...") { // as go commands have packages
		return fmt.Errorf("%s: packages need a command before them: `webhook-gen generate %s`", err, args[0])
	}
	return errors.New(err + ": `webhook-gen help` lists the commands")
}

// runFlags are the flags of every command that reads packages.
type runFlags struct {
	engine.Config // with the folder as the user writes it
	format        string
}

func (f *runFlags) add(c *cobra.Command) {
	f.addReading(c)
	flags := c.Flags()
	flags.BoolVar(&f.Strict, "strict", false, "treat warnings as errors")
	flags.StringSliceVar(&f.Outputs, "outputs", nil, "what to generate: manifests, handlers, conversions, tests, delivery (default outputs in webhook-gen.yaml, or everything)")
	addAccept(c, &f.AcceptRemoval)
	complete(c, "outputs", "manifests", "handlers", "conversions", "tests", "delivery")
}

// addAccept adds the flag that lets enforcement go.
func addAccept(c *cobra.Command, accept *bool) {
	c.Flags().BoolVar(accept, "accept-removal", false, "accept the removal of webhooks, policies, definitions and conversions that you have not removed yourself")
}

// addReading adds the flags that select the input and the format of findings.
func (f *runFlags) addReading(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVarP(&f.Dir, "directory", "C", "", "run as if started in this folder")
	flags.StringSliceVar(&f.Tags, "tags", nil, "build tags, comma-separated")
	addWord(c, &f.AdmissionRegistration, "admissionregistration", "", "version of admissionregistration.k8s.io to write: v1 (default) or v1beta1", "v1", "v1beta1")
	addWord(c, &f.format, "format", "text", "form of the findings: "+strings.Join(diag.Formats(), ", "), diag.Formats()...)
}

// addWord adds a flag for one of several words, which the shell completes.
func addWord(c *cobra.Command, value *string, flag, preset, usage string, words ...string) {
	c.Flags().StringVar(value, flag, preset, usage)
	complete(c, flag, words...)
}

// addFormat adds the flag for the form of an answer. The first form is the default.
func addFormat(c *cobra.Command, format *string, formats []string) {
	addWord(c, format, "format", formats[0], "form: "+strings.Join(formats, ", "), formats...)
}

// must panics with the error about a flag that does not exist: a mistake in this package.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// complete offers words for a flag in the shell.
func complete(c *cobra.Command, flag string, words ...string) {
	must(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

// with is the function of a command that works with the configuration that the flags make.
func (f *runFlags) with(work func(*cobra.Command, engine.Config, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, arguments []string) error {
		config, err := f.config()
		if err != nil {
			return err
		}
		return work(c, config, arguments)
	}
}

// config checks the flags and makes a generator's configuration of them.
func (f *runFlags) config() (engine.Config, error) {
	if err := oneOf("format", f.format, diag.Formats()); err != nil {
		return engine.Config{}, err
	}
	if f.AdmissionRegistration != "" {
		if err := oneOf("admissionregistration", f.AdmissionRegistration, []string{"v1", "v1beta1"}); err != nil {
			return engine.Config{}, err
		}
	}
	config := f.Config
	var err error
	if config.Dir, err = filepath.Abs(f.Dir); err != nil {
		return engine.Config{}, err
	}
	if info, err := os.Stat(config.Dir); err != nil || !info.IsDir() {
		return engine.Config{}, fmt.Errorf("%s is not a folder", f.Dir)
	}
	return config, nil
}

// run does the work and prints its findings; the error is errFindings if they stop the command.
func (f *runFlags) run(c *cobra.Command, s streams, config engine.Config, work func(context.Context, engine.Config) engine.Result) (engine.Result, error) {
	result := progress(s.err, func() engine.Result { return work(c.Context(), config) })
	return result, f.report(s, config.Dir, result.Diagnostics)
}

func oneOf(flag, value string, words []string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return fmt.Errorf("--%s is %q: use one of %s", flag, value, strings.Join(words, ", "))
}

// report prints the findings; the error is errFindings if one of them stops the run.
func (f *runFlags) report(s streams, dir string, list diag.List) error {
	if len(list) > 0 || f.format == "json" {
		if err := f.print(s, s.err, dir, list); err != nil {
			return err
		}
	}
	if list.HasErrors() {
		return errFindings
	}
	return nil
}

// print prints findings in the form that the user chose, on a terminal with colours.
func (f *runFlags) print(s streams, w io.Writer, dir string, list diag.List) error {
	format := f.format
	if format == "text" && hasColours(w) {
		format = diag.Terminal
	}
	list = slices.Clone(list)
	for i := range list {
		list[i].Hint = s.named(list[i].Hint)
	}
	return engine.PrintDiagnostics(w, format, dir, list)
}
