// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/evaluate"
	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/report"
	"github.com/webhook-gen/webhook-gen/explain/internal/request"
)

// requestFlags are the flags of the command.
type requestFlags struct {
	world           worldFlags
	options         request.Options
	file, old       string
	namespaceLabels string
	authorizer      string
	kubeVersion     string
	program         string
	authorities     string
	calledOnly      bool
	format          string
}

func requestCommand() *cobra.Command {
	f := &requestFlags{}
	c := &cobra.Command{
		Use:   "request",
		Short: "Say what an API server does with a request: policies and webhooks, in its order",
		Args:  cobra.NoArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	flags := c.Flags()
	f.world.add(flags)
	flags.StringVarP(&f.file, "filename", "f", "", "file of the object that is sent, or deleted; or of an AdmissionReview")
	flags.StringVar(&f.old, "old", "", "file of the object before an update")
	flags.StringVar(&f.options.Operation, "operation", "", "CREATE, UPDATE, DELETE or CONNECT")
	flags.StringVar(&f.options.Resource, "resource", "", "the resource")
	flags.StringVar(&f.options.Subresource, "subresource", "", "the subresource")
	flags.StringVarP(&f.options.Namespace, "namespace", "n", "", "the namespace")
	flags.StringVar(&f.options.Name, "name", "", "the object's name")
	flags.StringVar(&f.options.User.Name, "as", "", "the user")
	flags.StringArrayVar(&f.options.User.Groups, "as-group", nil, "a group of the user")
	flags.BoolVar(&f.options.DryRun, "dry-run", false, "the request is a dry run")
	flags.StringVar(&f.namespaceLabels, "namespace-labels", "", "labels of the namespace")
	flags.StringVar(&f.authorizer, "authorizer", "", "what the authorizer answers: allow or deny")
	flags.StringVar(&f.kubeVersion, "kube-version", "", "version of Kubernetes")
	flags.StringVar(&f.program, "webhooks", "", "URL of a running program that answers for the webhooks")
	flags.StringVar(&f.authorities, "webhooks-ca", "", "file of the program's certificate, or of its authority")
	flags.BoolVar(&f.calledOnly, "called-only", false, "leave out webhooks and policies that are skipped")
	flags.StringVar(&f.format, "format", "text", "form of the answer")
	return c
}

func (f *requestFlags) run(c *cobra.Command) error {
	if err := f.check(); err != nil {
		return err
	}
	world, err := f.world.read(c.Context(), c.InOrStdin())
	if err != nil {
		return err
	}
	if f.file != "" {
		if f.options.Object, err = object.ReadOne(f.file); err != nil {
			return err
		}
	}
	if f.old != "" {
		if f.options.Old, err = object.ReadOne(f.old); err != nil {
			return err
		}
	}
	r, err := request.New(f.options, world.api)
	if err != nil {
		return err
	}
	known := admit.Cluster{Configurations: world.configurations, API: world.api, Version: world.version, Authorized: admit.Answer(f.authorizer)}
	if f.kubeVersion != "" {
		if known.Version, err = version.ParseGeneric(f.kubeVersion); err != nil {
			return fmt.Errorf("--kube-version: %w", err)
		}
	}
	if err := f.namespace(c.Context(), world, r, &known); err != nil {
		return err
	}
	program, err := f.called()
	if err != nil {
		return err
	}
	hooks, err := admit.NewSession(known, r.Defaulted, program)
	if err != nil {
		return err
	}
	e, err := evaluate.New(world.policies, world.typesOf(r), world.api)
	if err != nil {
		return err
	}
	params, err := world.paramsOf(c.Context(), r)
	if err != nil {
		return err
	}
	before := evaluate.Content(r.GetObject())
	result, err := e.Explain(c.Context(), r, evaluate.Surroundings{
		Namespace: known.Namespace, Params: params, Authorized: known.Authorized, Webhooks: hooks,
	})
	if err != nil {
		return err
	}
	for i := range result.Mutating {
		world.locate(&result.Mutating[i], true)
	}
	for i := range result.Validating {
		world.locate(&result.Validating[i], false)
	}
	for _, name := range world.passedOver {
		r.Assumed = append(r.Assumed, fmt.Sprintf("%s is for an API server's own disk, and not looked at", name))
	}
	r.Assumed = append(r.Assumed, world.unbound...)
	answer := report.New(report.NewRequest(r), before, result, r.Assumed)
	if f.calledOnly {
		answer = answer.WithoutSkipped()
	}
	return answer.Write(c.OutOrStdout(), f.format, width(c.OutOrStdout()))
}

// width is the width of the terminal that the text is written to; 0 if it is no terminal.
func width(out io.Writer) int {
	if file, ok := out.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
			return columns
		}
	}
	return 0
}

// called is the program that answers for the webhooks; nil without one.
func (f *requestFlags) called() (*admit.Program, error) {
	if f.program == "" {
		if f.authorities != "" {
			return nil, errors.New("--webhooks-ca needs --webhooks, the URL of the program")
		}
		return nil, nil
	}
	var authorities []byte
	if f.authorities != "" {
		var err error
		if authorities, err = os.ReadFile(f.authorities); err != nil {
			return nil, fmt.Errorf("--webhooks-ca: %w", err)
		}
	}
	program, err := admit.NewProgram(f.program, authorities)
	if err != nil {
		return nil, err
	}
	return program, nil
}

func (f *requestFlags) check() error {
	for _, word := range []struct {
		flag, value string
		words       []string
	}{{"authorizer", f.authorizer, []string{"", "allow", "deny"}}, {"format", f.format, report.Formats()}} {
		if !slices.Contains(word.words, word.value) {
			return fmt.Errorf("--%s is %q: use %s", word.flag, word.value, strings.TrimPrefix(strings.Join(word.words, " or "), " or "))
		}
	}
	return nil
}

// namespace sets the request's namespace as the API server knows it. For a request about the namespace itself, it is
// the old object.
func (f *requestFlags) namespace(ctx context.Context, world *world, r *request.Request, known *admit.Cluster) error {
	name := r.GetNamespace()
	if name == "" {
		return nil
	}
	if f.namespaceLabels != "" {
		set, err := labels.ConvertSelectorToLabelsMap(f.namespaceLabels)
		if err != nil {
			return fmt.Errorf("--namespace-labels: %w", err)
		}
		known.Namespace = object.Namespace(name, set)
		return nil
	}
	if world.cluster != nil {
		found, err := world.cluster.Namespace(ctx, name)
		if err != nil {
			return err
		}
		if found != nil {
			known.Namespace = found
			return nil
		}
	}
	var set map[string]string
	if old, err := meta.Accessor(r.GetOldObject()); r.GetKind().Kind == "Namespace" && err == nil {
		set = maps.Clone(old.GetLabels())
	} else if r.GetKind().Kind != "Namespace" && world.selectsNamespaces() {
		r.Assumed = append(r.Assumed, fmt.Sprintf("the namespace %s has no labels but its name: --namespace-labels says them", name))
	}
	known.Namespace = object.Namespace(name, set)
	return nil
}
