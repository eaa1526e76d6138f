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
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/evaluate"
	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/project"
	"github.com/webhook-gen/webhook-gen/explain/internal/report"
	"github.com/webhook-gen/webhook-gen/explain/internal/request"
)

// requestFlags are the flags of `webhook-gen explain request`, by their names.
type requestFlags struct {
	worldFlags
	request.Options
	Filename        string `json:"filename"`
	OldFile         string `json:"old"`
	NamespaceLabels string `json:"namespace-labels"`
	Authorizer      string `json:"authorizer"`
	KubeVersion     string `json:"kube-version"`
	Webhooks        string `json:"webhooks"`
	WebhooksCA      string `json:"webhooks-ca"`
	CalledOnly      bool   `json:"called-only"`
	Format          string `json:"format"`
}

func requestCommand() *cobra.Command {
	return command("request", "Say what an API server does with a request: policies and webhooks, in its order", func(c *cobra.Command) error {
		f := &requestFlags{Format: "text"}
		p, err := project.Read(c.InOrStdin(), f)
		if err != nil {
			return err
		}
		return f.run(c, p)
	})
}

func (f *requestFlags) run(c *cobra.Command, p *project.Project) error {
	if err := f.check(); err != nil {
		return err
	}
	world, err := f.read(c.Context(), p)
	if err != nil {
		return err
	}
	if f.Filename != "" {
		if f.Object, err = object.ReadOne(f.Filename); err != nil {
			return err
		}
	}
	if f.OldFile != "" {
		if f.Old, err = object.ReadOne(f.OldFile); err != nil {
			return err
		}
	}
	r, err := request.New(f.Options, world.api)
	if err != nil {
		return err
	}
	known := admit.Cluster{Configurations: world.configurations, API: world.api, Version: world.version, Authorized: admit.Answer(f.Authorizer)}
	if f.KubeVersion != "" {
		if known.Version, err = version.ParseGeneric(f.KubeVersion); err != nil {
			return fmt.Errorf("--kube-version: %w", err)
		}
	}
	if known.Namespace, err = f.namespace(c.Context(), world, r); err != nil {
		return err
	}
	program, err := f.called()
	if err != nil {
		return err
	}
	hooks := admit.NewSession(known, r.Defaulted, program)
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
	world.locate(result.Mutating, true)
	world.locate(result.Validating, false)
	for _, name := range world.passedOver {
		r.Assumed = append(r.Assumed, fmt.Sprintf("%s is for an API server's own disk, and not looked at", name))
	}
	r.Assumed = append(r.Assumed, world.unbound...)
	answer := report.New(report.NewRequest(r), before, result, r.Assumed)
	if f.CalledOnly {
		answer = answer.WithoutSkipped()
	}
	return answer.Write(c.OutOrStdout(), f.Format, width(c.OutOrStdout()))
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
	if f.Webhooks == "" {
		if f.WebhooksCA != "" {
			return nil, errors.New("--webhooks-ca needs --webhooks, the URL of the program")
		}
		return nil, nil
	}
	var authorities []byte
	if f.WebhooksCA != "" {
		var err error
		if authorities, err = os.ReadFile(f.WebhooksCA); err != nil {
			return nil, fmt.Errorf("--webhooks-ca: %w", err)
		}
	}
	return admit.NewProgram(f.Webhooks, authorities)
}

func (f *requestFlags) check() error {
	for _, word := range []struct {
		flag, value string
		words       []string
	}{{"authorizer", f.Authorizer, []string{"", "allow", "deny"}}, {"format", f.Format, report.Formats()}} {
		if !slices.Contains(word.words, word.value) {
			return fmt.Errorf("--%s is %q: use %s", word.flag, word.value, strings.TrimPrefix(strings.Join(word.words, " or "), " or "))
		}
	}
	return nil
}

// namespace returns the request's namespace as the API server knows it; nil without one. For a request about the
// namespace itself, it is the old object.
func (f *requestFlags) namespace(ctx context.Context, world *world, r *request.Request) (*corev1.Namespace, error) {
	name := r.GetNamespace()
	if name == "" {
		return nil, nil
	}
	if f.NamespaceLabels != "" {
		set, err := labels.ConvertSelectorToLabelsMap(f.NamespaceLabels)
		if err != nil {
			return nil, fmt.Errorf("--namespace-labels: %w", err)
		}
		return object.Namespace(name, set), nil
	}
	if world.cluster != nil {
		if found, err := world.cluster.Namespace(ctx, name); found != nil || err != nil {
			return found, err
		}
	}
	var set map[string]string
	if old, err := meta.Accessor(r.GetOldObject()); r.GetKind().Kind == "Namespace" && err == nil {
		set = maps.Clone(old.GetLabels())
	} else if r.GetKind().Kind != "Namespace" && world.selectsNamespaces() {
		r.Assumed = append(r.Assumed, fmt.Sprintf("the namespace %s has no labels but its name: --namespace-labels sets them", name))
	}
	return object.Namespace(name, set), nil
}
