// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/evaluate"
	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/report"
	"github.com/webhook-gen/webhook-gen/explain/internal/request"
	"github.com/webhook-gen/webhook-gen/explain/project"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Options are a request, and the facts about its surroundings.
type Options struct {
	Sources
	request.Options
	// Filename and OldFile are files with the object and the old object.
	Filename, OldFile string
	// NamespaceLabels are the labels of the request's namespace, as in environment=prod,team=a. If it is empty, they
	// are the cluster's, or the namespace has its name alone.
	NamespaceLabels string
	// Authorizer is allow or deny: the authorizer's answer in expressions. If it is empty, the answer is undecided.
	Authorizer string
	// KubeVersion is a version of Kubernetes, such as 1.34. Empty is the cluster's, or the newest known.
	KubeVersion string
	// Webhooks is the URL of a program that answers for the webhooks, and WebhooksCA the file of its authority.
	Webhooks, WebhooksCA string
	// CalledOnly leaves out webhooks and policies that are skipped.
	CalledOnly bool
	// Format is the form of the report: text or json.
	Format string
}

// Request writes everything that happens to a request in an API server: policies and webhooks in its order.
func Request(ctx context.Context, out io.Writer, f Options, p *project.Project) error {
	quiet()
	if err := f.check(); err != nil {
		return err
	}
	world, err := f.read(ctx, p)
	if err != nil {
		return err
	}
	if f.Filename != "" {
		if f.Object, f.Twice, err = object.ReadOne(f.Filename); err != nil {
			return err
		}
	}
	if f.OldFile != "" {
		if f.Old, _, err = object.ReadOne(f.OldFile); err != nil {
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
	if known.Namespace, err = f.namespace(ctx, world, r); err != nil {
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
	params, err := world.paramsOf(ctx, r)
	if err != nil {
		return err
	}
	before := evaluate.Content(r.GetObject())
	result, err := e.Explain(ctx, r, evaluate.Cluster{
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
	return answer.Write(out, f.Format, width(out))
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
func (f *Options) called() (*admit.Program, error) {
	if f.Webhooks == "" {
		if f.WebhooksCA != "" {
			return nil, errors.New("--webhooks-ca needs --webhooks, the URL of the program")
		}
		return nil, nil
	}
	var authorities []byte
	if f.WebhooksCA != "" {
		var err error
		if authorities, err = regular.ReadArgument(f.WebhooksCA, regular.Settings); err != nil {
			return nil, fmt.Errorf("--webhooks-ca: %w", err)
		}
	}
	return admit.NewProgram(f.Webhooks, authorities)
}

func (f *Options) check() error {
	for _, word := range []struct {
		flag, value string
		words       []string
	}{{"authorizer", f.Authorizer, []string{"", "allow", "deny"}}, {"format", f.Format, report.Formats()},
		{"field-validation", f.FieldValidation, []string{"", metav1.FieldValidationStrict, metav1.FieldValidationWarn, metav1.FieldValidationIgnore}}} {
		if !slices.Contains(word.words, word.value) {
			return fmt.Errorf("--%s is %q: use %s", word.flag, word.value, strings.TrimPrefix(strings.Join(word.words, " or "), " or "))
		}
	}
	return nil
}

// namespace returns the request's namespace as the API server knows it; nil without one. For a request about the
// namespace itself, it is the old object.
func (f *Options) namespace(ctx context.Context, world *world, r *request.Request) (*corev1.Namespace, error) {
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
