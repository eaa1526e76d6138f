// SPDX-License-Identifier: Apache-2.0

// Package cluster reads from a running API server: its webhook configurations and policies, its resources, its
// namespaces.
package cluster

import (
	"context"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/webhook-gen/webhook-gen/explain/internal/configuration"
	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
)

// Cluster is a connection to an API server.
type Cluster struct {
	client  kubernetes.Interface
	objects dynamic.Interface
}

// Connect connects to the cluster of a context. An empty file is where kubectl looks; an empty context is the current
// one.
func Connect(file, name string) (*Cluster, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = file
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &clientcmd.ConfigOverrides{CurrentContext: name}).ClientConfig()
	if err != nil {
		return nil, err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	objects, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Cluster{client, objects}, nil
}

// Configurations reads the webhook configurations.
func (c *Cluster) Configurations(ctx context.Context) (configuration.Set, error) {
	var set configuration.Set
	mutating, err := c.client.AdmissionregistrationV1().MutatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	if err != nil {
		return set, err
	}
	for i := range mutating.Items {
		set.Mutating = append(set.Mutating, &mutating.Items[i])
	}
	validating, err := c.client.AdmissionregistrationV1().ValidatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	if err != nil {
		return set, err
	}
	for i := range validating.Items {
		set.Validating = append(set.Validating, &validating.Items[i])
	}
	return set, nil
}

// Namespace reads a namespace; nil if it does not exist.
func (c *Cluster) Namespace(ctx context.Context, name string) (*corev1.Namespace, error) {
	namespace, err := c.client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return namespace, err
}

// Version returns the version of the API server.
func (c *Cluster) Version() (*version.Version, error) {
	info, err := c.client.Discovery().ServerVersion()
	if err != nil {
		return nil, err
	}
	return version.ParseGeneric(info.GitVersion)
}

// API reads the API server's resources: custom resources from their definitions, which it returns too, others from its
// lists.
func (c *Cluster) API(ctx context.Context) (*served.API, []*apiextensionsv1.CustomResourceDefinition, error) {
	api := served.New()
	definitions, err := c.definitions(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range definitions {
		if err := api.Define(d); err != nil {
			return nil, nil, err
		}
	}
	_, lists, err := c.client.Discovery().ServerGroupsAndResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) { // a group whose server is away is left out
		return nil, nil, err
	}
	for _, list := range lists {
		gv, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, nil, err
		}
		for _, r := range list.APIResources {
			if resource := served.Discovered(gv, r); api.Definition(resource.GroupResource()) == nil {
				api.Add(resource)
			}
		}
	}
	return api, definitions, nil
}

// Policies reads the admission policies and their bindings, in the newest version that is served.
func (c *Cluster) Policies(ctx context.Context, api *served.API) ([]unstructured.Unstructured, error) {
	var found []unstructured.Unstructured
	for _, resource := range []string{
		"mutatingadmissionpolicies", "mutatingadmissionpolicybindings", "validatingadmissionpolicies", "validatingadmissionpolicybindings",
	} {
		for _, version := range []string{"v1", "v1beta1", "v1alpha1"} {
			r := schema.GroupVersionResource{Group: configuration.Group, Version: version, Resource: resource}
			if !api.Serves(r) {
				continue
			}
			list, err := c.objects.Resource(r).List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, err
			}
			found = append(found, list.Items...)
			break
		}
	}
	return found, nil
}

// Params reads the objects of a resource that a binding names or selects. The namespace is empty for cluster-scoped
// objects.
func (c *Cluster) Params(ctx context.Context, resource schema.GroupVersionResource, namespace string, ref *admissionregistrationv1.ParamRef) ([]unstructured.Unstructured, error) {
	client := c.objects.Resource(resource).Namespace(namespace)
	if ref.Name != "" {
		found, err := client.Get(ctx, ref.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return []unstructured.Unstructured{*found}, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(ref.Selector)
	if err != nil || ref.Selector == nil {
		return nil, err
	}
	list, err := client.List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// Definition reads the definition of a kind. Without one it returns nil.
func (c *Cluster) Definition(ctx context.Context, kind schema.GroupKind) (*apiextensionsv1.CustomResourceDefinition, error) {
	all, err := c.definitions(ctx)
	i := slices.IndexFunc(all, func(d *apiextensionsv1.CustomResourceDefinition) bool {
		return d.Spec.Group == kind.Group && d.Spec.Names.Kind == kind.Kind
	})
	if i < 0 {
		return nil, err
	}
	return all[i], err
}

func (c *Cluster) definitions(ctx context.Context) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	text, err := c.client.Discovery().RESTClient().Get().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	var list unstructured.UnstructuredList
	if err := list.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	var definitions []*apiextensionsv1.CustomResourceDefinition
	for i := range list.Items {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := object.Decode(&list.Items[i], crd); err != nil {
			return nil, err
		}
		definitions = append(definitions, crd)
	}
	return definitions, nil
}
