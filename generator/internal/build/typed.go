// SPDX-License-Identifier: Apache-2.0

package build

import (
	"go/ast"
	"path"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// typedKinds returns the kinds of the objects in requests that match rules, as far as their Go types are known: the
// subject's kind, kinds of subresources, and kinds of Kubernetes itself in the k8s.io/api that the module requires.
func (b *builder) typedKinds(from *load.Module, s subject, rules []admissionregistrationv1.RuleWithOperations) []model.TypedKind {
	var all []model.TypedKind
	add := func(k model.TypedKind) {
		if !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, version := range rule.APIVersions {
				for _, resource := range rule.Resources {
					if k, ok := b.typedKind(from, s, group, version, resource); ok {
						add(k)
					}
				}
			}
		}
	}
	return all
}

func (b *builder) typedKind(from *load.Module, s subject, group, version, resource string) (model.TypedKind, bool) {
	if t, ok := model.SubresourceType(resource); ok {
		kind, _ := builtinKind(t)
		gv := strings.TrimSuffix(kind.APIVersion, "/"+path.Base(kind.APIVersion))
		if gv == kind.APIVersion {
			gv = ""
		}
		return model.TypedKind{Group: gv, Version: path.Base(kind.APIVersion), Kind: kind.Kind, Type: plain(t)}, true
	}
	resource, _, _ = strings.Cut(resource, "/")
	if k := s.kind; k != nil && k.Group == group && k.Version == version && k.Plural == resource {
		return model.TypedKind{Group: group, Version: version, Kind: k.Kind, Type: plain(s.object)}, !s.object.IsZero()
	}
	if !model.IsBuiltinGroup(group) || !model.IsVersion(version) {
		return model.TypedKind{}, false
	}
	folder := builtinType(model.Kind{Group: group, Version: version}).Path
	p, err := from.Locate(b.ctx, folder)
	if err != nil {
		return model.TypedKind{}, false
	}
	for _, name := range kindsOf(p) {
		if plural, _ := plurals(name); plural == resource {
			return model.TypedKind{Group: group, Version: version, Kind: name, Type: model.GoType{Path: folder, Name: name}}, true
		}
	}
	return model.TypedKind{}, false
}

// definitionRules returns the rules in the definitions of kinds whose types are not of Kubernetes itself.
func (b *builder) definitionRules(from *load.Module, kinds []model.TypedKind) (all []model.DefinitionRule) {
	for _, k := range kinds {
		if strings.HasPrefix(k.Type.Path, "k8s.io/api/") {
			continue
		}
		if b.types == nil {
			b.types = resolve.New(b.ctx, from)
		}
		t, err := b.types.Named(k.Type.Path, k.Type.Name)
		if err != nil {
			continue // the companion then has no schema of it either
		}
		for _, r := range schema.Rules(t) {
			all = append(all, model.DefinitionRule(r))
		}
	}
	return all
}

// kindsOf returns the exported types of a package that have clients.
func kindsOf(p *load.Package) []string {
	var names []string
	for _, f := range p.FilesWith("+genclient") {
		for _, d := range f.AST.Decls {
			if d, ok := d.(*ast.GenDecl); ok {
				for _, spec := range d.Specs {
					if spec, ok := spec.(*ast.TypeSpec); ok && ast.IsExported(spec.Name.Name) {
						names = append(names, spec.Name.Name)
					}
				}
			}
		}
	}
	return names
}

// plain is a type without the name of its import.
func plain(t model.GoType) model.GoType { return model.GoType{Path: t.Path, Name: t.Name} }
