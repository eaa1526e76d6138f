// SPDX-License-Identifier: Apache-2.0

// Package served lists the resources of an API server: with their subresources, kinds and scopes, and with the
// resources that are the same in several versions.
//
// An API server without a cluster has the resources of Kubernetes itself, from kubernetes.txt, and the resources of
// CustomResourceDefinitions. The package cluster reads the resources of a running API server.
package served

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Resource is a resource in one version, or a subresource of one.
type Resource struct {
	schema.GroupVersionResource
	// Subresource is empty for the resource itself.
	Subresource string
	// Kind is the kind of the objects that clients send: for example autoscaling/v1 Scale for deployments/scale.
	Kind schema.GroupVersionKind
	// Namespaced reports that its objects lie in a namespace.
	Namespaced bool
}

// Name is the resource as rules of webhooks have it: "pods/eviction".
func (r Resource) Name() string { return strings.TrimSuffix(r.Resource+"/"+r.Subresource, "/") }

// String is the resource with its version and group: "pods/eviction of v1", "deployments of apps/v1".
func (r Resource) String() string { return r.Name() + " of " + r.GroupVersion().String() }

// API has the resources of one API server.
type API struct {
	resources   []Resource
	mapper      runtime.EquivalentResourceRegistry
	definitions map[schema.GroupResource]*Definition
}

// New returns an API without resources.
func New() *API {
	return &API{mapper: runtime.NewEquivalentResourceRegistryWithIdentity(identity), definitions: map[schema.GroupResource]*Definition{}}
}

// identity is the same for resources of several groups with one place in etcd, as in the storage factory of
// k8s.io/kubernetes/pkg/kubeapiserver (AddCohabitatingResources). Of these resources, today's API servers serve only
// events in two groups.
func identity(r schema.GroupResource) string {
	if r == (schema.GroupResource{Group: "events.k8s.io", Resource: "events"}) {
		return "events"
	}
	return ""
}

// Add adds a resource, unless it is there already.
func (a *API) Add(r Resource) {
	if slices.Contains(a.resources, r) {
		return
	}
	a.resources = append(a.resources, r)
	a.mapper.RegisterKindFor(r.GroupVersionResource, r.Subresource, r.Kind)
}

// Mapper finds the resources that are the same thing in other versions, by the API server's own code.
func (a *API) Mapper() runtime.EquivalentResourceMapper { return a.mapper }

// Serves reports whether there is a resource.
func (a *API) Serves(resource schema.GroupVersionResource) bool {
	return slices.ContainsFunc(a.resources, func(r Resource) bool { return r.GroupVersionResource == resource && r.Subresource == "" })
}

// ForKind lists the resources whose objects are of the kind: the resource itself first, then subresources.
func (a *API) ForKind(kind schema.GroupVersionKind) []Resource {
	var found []Resource
	for _, main := range []bool{true, false} {
		for _, r := range a.resources {
			if r.Kind == kind && (r.Subresource == "") == main {
				found = append(found, r)
			}
		}
	}
	return found
}

// Named lists the resources with a name as kubectl takes it: "deployments", "deployments.apps", "deployments.v1.apps".
func (a *API) Named(name, subresource string) []Resource {
	versioned, grouped := schema.ParseResourceArg(name)
	var found []Resource
	for _, r := range a.resources {
		exact := versioned != nil && r.GroupVersionResource == *versioned
		if r.Subresource == subresource && (exact || r.GroupResource() == grouped || r.Resource == name) {
			found = append(found, r)
		}
	}
	return found
}

// Subresources lists the names of a resource's subresources.
func (a *API) Subresources(resource schema.GroupVersionResource) []string {
	var names []string
	for _, r := range a.resources {
		if r.GroupVersionResource == resource && r.Subresource != "" {
			names = append(names, r.Subresource)
		}
	}
	return names
}

// Discovered is a resource as an API server lists it under a group and version.
func Discovered(listed schema.GroupVersion, r metav1.APIResource) Resource {
	resource, subresource, _ := strings.Cut(r.Name, "/")
	kind := listed.WithKind(r.Kind)
	if r.Version != "" {
		kind = schema.GroupVersionKind{Group: r.Group, Version: r.Version, Kind: r.Kind}
	}
	return Resource{GroupVersionResource: listed.WithResource(resource), Subresource: subresource, Kind: kind, Namespaced: r.Namespaced}
}
