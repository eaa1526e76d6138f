// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/webhook-gen/webhook-gen/explain/internal/served"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// Kind is a kind that policies match or read as params, for tests that make objects of it.
type Kind struct {
	project.Type
	// Resource is its plural; empty for the kind of a subresource.
	Resource   string `json:"resource"`
	Namespaced bool   `json:"namespaced"`
	// Builtin reports a kind of Kubernetes' own. Its schema has types, and no limits.
	Builtin bool `json:"builtin"`
}

// Describe returns the kinds of a project's types.
func Describe(p *project.Project) []Kind {
	api := served.Kubernetes()
	kinds := []Kind{}
	for _, t := range p.Types {
		of := schema.GroupVersionKind(t.GroupVersionKind)
		k := Kind{Type: t, Namespaced: true, Builtin: scheme.Scheme.Recognizes(of)}
		if found := api.ForKind(of); len(found) > 0 && found[0].Subresource == "" {
			k.Resource, k.Namespaced = found[0].Resource, found[0].Namespaced
		}
		for _, known := range p.Kinds {
			if k.Resource == "" && known.GroupVersionKind == t.GroupVersionKind {
				k.Resource, k.Namespaced = known.Plural, known.Scope != "Cluster"
			}
		}
		kinds = append(kinds, k)
	}
	return kinds
}
