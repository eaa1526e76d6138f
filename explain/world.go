// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/webhook"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/cluster"
	"github.com/webhook-gen/webhook-gen/explain/internal/configuration"
	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// Sources name files, folders and a cluster with configurations, policies and kinds.
type Sources struct {
	Configurations []string
	CRDs           []string
	Params         []string
	Kubeconfig     string
	// Refused are the policies and bindings of Configurations that an API server refuses, with the reasons.
	Refused map[Registered]string
	// Dir is the absolute folder to which the report's positions are relative.
	Dir     string
	Context string
}

// Registered names a policy or a binding.
type Registered struct{ Kind, Name string }

// world is the surroundings of a request: the API server's resources, configurations and policies, and the cluster, if
// any.
type world struct {
	api            *served.API
	configurations configuration.Set
	policies       []project.Policy
	bindings       []unstructured.Unstructured // of policies that are still to be read
	types          []project.Type
	objects        []*unstructured.Unstructured // that may be params
	cluster        *cluster.Cluster             // nil where none is asked
	version        *version.Version             // of the cluster
	positions      map[webhookKey]project.Position
	dir            string // of Sources
	// passedOver are the names of configurations for an API server's own disk.
	passedOver []string
	// unbound describes policies and bindings without the other.
	unbound []string
}

// webhookKey names a webhook.
type webhookKey struct {
	mutating      bool
	configuration string
	index         int
}

func (f *Sources) read(ctx context.Context, p *project.Project) (*world, error) {
	w := &world{dir: f.Dir, positions: map[webhookKey]project.Position{}}
	if err := f.connect(ctx, w); err != nil {
		return nil, err
	}
	if err := w.addProject(p); err != nil {
		return nil, err
	}
	for _, from := range []struct {
		paths []string
		add   func(*unstructured.Unstructured) error
	}{{f.CRDs, w.addDefinition}, {f.Configurations, w.addConfiguration}, {f.Params, w.addObject}} {
		if err := eachObject(from.paths, from.add); err != nil {
			return nil, err
		}
	}
	if len(f.Configurations) > 0 && len(w.configurations.Mutating)+len(w.configurations.Validating)+len(w.passedOver)+len(w.policies)+len(w.bindings) == 0 {
		return nil, fmt.Errorf("there is no webhook configuration and no policy in %s", strings.Join(f.Configurations, ", "))
	}
	return w, w.bind(f.Refused)
}

// connect reads from the cluster, if one is named; else it takes the resources of Kubernetes itself.
func (f *Sources) connect(ctx context.Context, w *world) (err error) {
	if f.Kubeconfig == "" && f.Context == "" {
		w.api = served.Kubernetes()
		return nil
	}
	if w.cluster, err = cluster.Connect(f.Kubeconfig, f.Context); err != nil {
		return err
	}
	if w.version, err = w.cluster.Version(); err != nil {
		return err
	}
	if w.configurations, err = w.cluster.Configurations(ctx); err != nil {
		return err
	}
	api, definitions, err := w.cluster.API(ctx)
	if err != nil {
		return err
	}
	w.api = api
	for _, d := range definitions {
		w.addTypes(d)
	}
	registrations, err := w.cluster.Policies(ctx, api)
	for i := range registrations {
		w.addPolicy(&registrations[i])
	}
	return err
}

func (w *world) addProject(p *project.Project) error {
	if err := eachObject(p.Definitions, w.addDefinition); err != nil {
		return err
	}
	for _, k := range p.Kinds {
		resource := schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Plural}
		if !w.api.Serves(resource) {
			w.api.Add(served.Resource{
				GroupVersionResource: resource, Kind: resource.GroupVersion().WithKind(k.Kind), Namespaced: k.Scope != "Cluster",
			})
		}
		if k.Converted {
			w.api.Convert(resource.GroupResource())
		}
	}
	w.policies = append(w.policies, p.Policies...)
	w.types = append(w.types, p.Types...)
	for _, c := range p.Configurations {
		if err := w.configurations.Add(&c.Object); err != nil {
			return err
		}
		for i, at := range c.Webhooks {
			w.positions[webhookKey{c.Object.GetKind() == "MutatingWebhookConfiguration", c.Object.GetName(), i}] = at.At
		}
	}
	return nil
}

// addDefinition adds the kind of a CustomResourceDefinition, and passes over other objects.
func (w *world) addDefinition(o *unstructured.Unstructured) error {
	if o.GetKind() != "CustomResourceDefinition" {
		return nil
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if o.GroupVersionKind() != apiextensionsv1.SchemeGroupVersion.WithKind(o.GetKind()) {
		return fmt.Errorf("CustomResourceDefinitions are read in apiextensions.k8s.io/v1, not in %s", o.GetAPIVersion())
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, crd); err != nil {
		return err
	}
	w.addTypes(crd)
	return w.api.Define(crd)
}

func (w *world) addConfiguration(o *unstructured.Unstructured) error {
	switch {
	case !configuration.Is(o) && !isPolicy(o):
		return w.addObject(o)
	case configuration.IsStatic(o):
		w.passedOver = append(w.passedOver, o.GetName())
	case isPolicy(o):
		w.addPolicy(o)
	default:
		return w.configurations.Add(o)
	}
	return nil
}

func (w *world) addObject(o *unstructured.Unstructured) error {
	w.objects = append(w.objects, o)
	return nil
}

// eachObject visits the objects of files, and of the YAML and JSON files in folders. An error gets the file's name.
func eachObject(paths []string, visit func(*unstructured.Unstructured) error) error {
	for _, path := range paths {
		files := []string{path}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if info.IsDir() {
			entries, err := os.ReadDir(path)
			if err != nil {
				return err
			}
			files = nil
			for _, e := range entries {
				if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) {
					files = append(files, filepath.Join(path, e.Name()))
				}
			}
		}
		for _, file := range files {
			objects, err := object.Read(file)
			if err != nil {
				return err
			}
			for _, o := range objects {
				if err := visit(o); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
			}
		}
	}
	return nil
}

// relative is the path of a file from the folder of the sources.
func (w *world) relative(file string) string {
	if rel, err := filepath.Rel(w.dir, file); err == nil {
		return filepath.ToSlash(rel)
	}
	return file
}

// locate sets the positions of the markers that declare webhooks.
func (w *world) locate(webhooks []admit.Webhook, mutating bool) {
	for i := range webhooks {
		at, ok := w.positions[webhookKey{mutating, webhooks[i].Configuration, webhooks[i].Index}]
		if !ok {
			continue
		}
		webhooks[i].Position = fmt.Sprintf("%s:%d:%d", w.relative(at.File), at.Line, at.Column)
	}
}

// selectsNamespaces reports whether a webhook or a policy selects namespaces by labels other than their name.
func (w *world) selectsNamespaces() bool {
	selects := func(h webhook.WebhookAccessor) bool { return asksMoreThanName(h.GetNamespaceSelector()) }
	return slices.ContainsFunc(w.configurations.Webhooks(), selects) || slices.ContainsFunc(w.policies, policySelectsNamespaces)
}

func asksMoreThanName(s *metav1.LabelSelector) bool {
	for key := range s.MatchLabels {
		if key != corev1.LabelMetadataName {
			return true
		}
	}
	return slices.ContainsFunc(s.MatchExpressions, func(e metav1.LabelSelectorRequirement) bool { return e.Key != corev1.LabelMetadataName })
}
