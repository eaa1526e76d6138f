// SPDX-License-Identifier: Apache-2.0

package served

import (
	_ "embed"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kubernetesTable lists the resources of a kube-apiserver by default. A test of the module integration compares it with
// a running one, and writes it.
//
//go:embed kubernetes.txt
var kubernetesTable string

// Kubernetes returns the resources of a kube-apiserver without any CustomResourceDefinition. A line of the table has a
// group and version, a resource, its kind's group and version, the kind, the scope.
func Kubernetes() *API {
	api := New()
	for line := range strings.Lines(kubernetesTable) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		gv, _ := schema.ParseGroupVersion(fields[0]) // TestServed writes the table
		of, _ := schema.ParseGroupVersion(fields[2])
		resource, subresource, _ := strings.Cut(fields[1], "/")
		api.Add(Resource{
			GroupVersionResource: gv.WithResource(resource), Subresource: subresource,
			Kind: of.WithKind(fields[3]), Namespaced: fields[4] == "Namespaced",
		})
	}
	return api
}

// ClusterScoped reports whether Kubernetes serves a resource of its own without namespaces.
func ClusterScoped(group, resource string) bool {
	for line := range strings.Lines(kubernetesTable) {
		fields := strings.Fields(line)
		if len(fields) == 5 && fields[1] == resource && fields[4] == "Cluster" {
			if gv, err := schema.ParseGroupVersion(fields[0]); err == nil && gv.Group == group {
				return true
			}
		}
	}
	return false
}
