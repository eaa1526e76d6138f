// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/explain"
	"github.com/webhook-gen/webhook-gen/generator/internal/check"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// RefusedPolicies returns the policies and bindings in files and folders that an API server refuses for another reason
// than an expression that does not compile.
func RefusedPolicies(paths []string) (map[explain.Registered]string, error) {
	sources, err := load.Arguments(paths, nil)
	if err != nil {
		return nil, err
	}
	contents, _ := manifest.Read(sources)
	refused := map[explain.Registered]string{}
	add := func(kind, name, reason string) {
		if key := (explain.Registered{Kind: kind, Name: name}); refused[key] == "" {
			refused[key] = reason
		}
	}
	for _, f := range check.RefusedPolicies(&model.Project{API: "v1", Policies: contents.Policies}) {
		of := slices.IndexFunc(contents.Policies, func(p *model.Policy) bool { return p == f.Policy || slices.Contains(p.Bindings, f.Binding) })
		kind := "ValidatingAdmissionPolicy"
		if contents.Policies[of].Mutating {
			kind = "MutatingAdmissionPolicy"
		}
		if f.Binding != nil {
			add(kind+"Binding", f.Binding.Name, f.Message)
		} else {
			add(kind, f.Policy.Name, f.Message)
		}
	}
	return refused, nil
}
