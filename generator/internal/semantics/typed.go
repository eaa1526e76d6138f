// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"go/ast"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// typedKinds returns the kinds in requests that match the rules, if their Go types are known. It knows the subject's
// kind, kinds of subresources, and kinds in the module's version of k8s.io/api.
func (b *builder) typedKinds(from *load.Module, s subject, rules []admissionregistrationv1.RuleWithOperations) []model.TypedKind {
	var all []model.TypedKind
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, version := range rule.APIVersions {
				for _, resource := range rule.Resources {
					if k, ok := b.typedKind(from, s, group, version, resource); ok && !slices.Contains(all, k) {
						all = append(all, k)
					}
				}
			}
		}
	}
	return all
}

func (b *builder) typedKind(from *load.Module, s subject, group, version, resource string) (model.TypedKind, bool) {
	if t, ok := model.SubresourceType(resource); ok {
		k := builtinKind(t)
		return model.TypedKind{Group: k.Group, Version: k.Version, Kind: k.Kind, Type: withoutAlias(t)}, true
	}
	resource, _, _ = strings.Cut(resource, "/")
	if k := s.kind; k != nil && k.Group == group && k.Version == version && k.Plural == resource {
		return model.TypedKind{Group: group, Version: version, Kind: k.Kind, Type: withoutAlias(s.object)}, !s.object.IsZero()
	}
	if !model.IsBuiltinGroup(group) || !model.IsVersion(version) {
		return model.TypedKind{}, false
	}
	folder := BuiltinType(model.Kind{Group: group, Version: version}).Path
	p, err := from.Locate(b.ctx, folder)
	if err != nil {
		return model.TypedKind{}, false
	}
	for _, f := range p.FilesWith("+genclient") { // types with clients
		for spec := range load.Types(f.AST) {
			name := spec.Name.Name
			if plural, _ := plurals(name); plural == resource && ast.IsExported(name) {
				return model.TypedKind{Group: group, Version: version, Kind: name, Type: model.GoType{Path: folder, Name: name}}, true
			}
		}
	}
	return model.TypedKind{}, false
}

// definedTypes returns the types of kinds outside of Kubernetes, if they can be found. The limits of Kubernetes' own
// types are in Go code.
func (b *builder) definedTypes(from *load.Module, kinds []model.TypedKind) (all []*resolve.Type) {
	for _, k := range kinds {
		if strings.HasPrefix(k.Type.Path, "k8s.io/api/") {
			continue
		}
		if t, err := b.resolver(from).Named(k.Type.Path, k.Type.Name); err == nil { // without it, expressions are untyped
			all = append(all, t)
		}
	}
	return all
}

// withoutAlias returns a type without its import alias.
func withoutAlias(t model.GoType) model.GoType { return model.GoType{Path: t.Path, Name: t.Name} }
