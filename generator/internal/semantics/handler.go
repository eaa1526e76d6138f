// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"cmp"
	"fmt"
	"go/ast"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// packageOf returns a package for generated code that is written beside the package's own files.
func packageOf(p *load.Package) model.HandlerPackage {
	return model.HandlerPackage{Dir: p.Dir, Path: p.Path, Name: p.Name}
}

// builtinKind returns the kind of a type of k8s.io/api.
func builtinKind(t model.GoType) model.Kind {
	kind, _ := registry.Target{ImportPath: t.Path, Type: t.Name}.Builtin()
	return kind
}

// handler plans the Go code of a webhook. It returns nil if the webhook has no generated code.
func (b *builder) handler(m *packageMarkers, d *declaration, at declared[*registry.Webhook], s subject, w *model.Webhook) *model.Handler {
	if b.options.Handlers == "" || d.typ == nil || s.kind == nil {
		return nil
	}
	args, spec := at.marker, d.typ.Spec
	name := spec.Name.Name
	if spec.TypeParams != nil {
		b.diags.Add(diag.Errorf(at.Range, model.RuleHandler, "%s is generic, so that no object can be decoded into it", name).
			WithHint("mark an alias of it: type Some%s = %s[...]", name, name))
	}
	projection := args.For.IsSet() && isProjection(spec)
	h := &model.Handler{
		Type:           name,
		Suffix:         suffix(d, at, s.kind),
		Implementation: name + "Webhook",
		Holder:         args.For.IsSet() && !projection,
		Operations:     handlerOperations(w, args.Subresource.V, s.kind.Plural),
		HandlerOptions: w.HandlerOptions(),
	}
	for _, rule := range w.Spec.Rules {
		h.Resources = union(h.Resources, rule.Resources)
	}
	local := model.GoType{Path: m.Path, Alias: b.alias(m.Path, s.kind.Group, s.kind.Version), Name: name}
	switch {
	case args.For.IsSet() && (h.Holder || m.onlyForeign()):
		h.Package = packageOf(m.Package)
	default:
		h.Package = b.handlerPackage(m.Package, b.options.Handlers)
		if !ast.IsExported(name) {
			b.diags.Add(diag.Errorf(at.Range, model.RuleHandler, "%s is not exported, and its handler goes to another package", name))
		}
	}
	if h.Holder {
		h.Implementation = name
	}
	carried := carriedType(w, s.kind, b.ownType(&args.Subject, s, local))
	h.Kinds = expectedKinds(w, s.kind, carried)
	switch {
	case args.Decode.V == "none":
		return h
	case projection:
		h.Object = local
	default:
		h.Object = carried
		b.otherVersions(w, s.kind, carried)
	}
	h.ListKeys = b.listKeys(m.Package, h.Object, h.Ratchet)
	return h
}

// shareHandlers gives the webhooks of a declaration with the same path one handler, that of the first webhook.
// Webhooks with objects of different types keep their own handlers, and check reports them.
func (b *builder) shareHandlers(webhooks []*model.Webhook) {
	for i, w := range webhooks {
		first := slices.IndexFunc(webhooks[:i], func(other *model.Webhook) bool {
			return w.Handler != nil && other.Handler != nil && w.Mutating == other.Mutating &&
				w.Path() != "" && w.Path() == other.Path() && w.Handler.Object == other.Handler.Object
		})
		if first < 0 {
			continue
		}
		h, further := webhooks[first].Handler, w.Handler
		h.HandlerOptions = h.HandlerOptions.Or(further.HandlerOptions)
		if further.Ratchet {
			h.ListKeys = further.ListKeys // with sets
		}
		h.Operations = inOrder(func(o string) bool { return slices.Contains(h.Operations, o) || slices.Contains(further.Operations, o) })
		h.Resources = union(h.Resources, further.Resources)
		if len(h.Kinds) > 0 && len(further.Kinds) > 0 {
			h.Kinds = union(h.Kinds, further.Kinds)
		} else {
			h.Kinds = nil
		}
		w.Handler = h
	}
}

// union returns the elements of two lists, each once.
func union[T comparable](a, b []T) []T {
	all := slices.Clone(a)
	for _, e := range b {
		if !slices.Contains(all, e) {
			all = append(all, e)
		}
	}
	return all
}

// inOrder returns the accepted operations in the order of an object's life.
func inOrder(has func(operation string) bool) []string {
	return slices.DeleteFunc([]string{"Create", "Update", "Delete", "Connect"}, func(o string) bool { return !has(o) })
}

// onlyForeign reports whether every webhook of the package is for a type of another package.
func (m *packageMarkers) onlyForeign() bool {
	for _, d := range m.declarations {
		for _, w := range d.webhooks {
			if d.typ != nil && !w.marker.For.IsSet() {
				return false
			}
		}
	}
	return true
}

// handlerPackage returns the package for the handlers and conversions of an API package. It is below the configured
// folder, under the API package's own path after api or apis.
func (b *builder) handlerPackage(p *load.Package, folder string) model.HandlerPackage {
	rel := strings.TrimPrefix(strings.TrimPrefix(p.Path, p.Module.Path), "/")
	elements := strings.Split(rel, "/")
	api := slices.IndexFunc(elements, func(e string) bool { return e == "api" || e == "apis" }) // -1 keeps all
	below := path.Join(folder, path.Join(elements[api+1:]...))
	return model.HandlerPackage{
		Dir:       filepath.Join(p.Module.Dir, filepath.FromSlash(below)),
		Path:      path.Join(p.Module.Path, below),
		Name:      packageName(path.Base(below), p.Name),
		Generated: true,
	}
}

// packageName returns the name of a generated package: the folder's name, if it is a valid package name.
func packageName(folder, fallback string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, folder)
	if name == "" || unicode.IsDigit(rune(name[0])) {
		return fallback
	}
	return name
}

// alias returns an API package's import alias, like Alias. It uses the group's name from a +groupGoName comment.
func (b *builder) alias(importPath, group, version string) string {
	if name := b.goNames[importPath]; name != "" {
		return strings.ToLower(name) + version
	}
	return Alias(group, version)
}

// Alias returns an API package's import alias for generated code: the group's first word and the version.
func Alias(group, version string) string {
	word, _, _ := strings.Cut(group, ".")
	return strings.ReplaceAll(cmp.Or(word, "core"), "-", "") + version
}

// suffix returns a suffix that distinguishes the names of this webhook from those of the type's other webhooks. It
// consists of the webhook's subresources and, if a webhook of the same sort precedes it, of one more word. This is
// the first part of the webhook's name or else its kind.
func suffix(d *declaration, at declared[*registry.Webhook], kind *model.Kind) string {
	args := at.marker
	var suffix string
	for _, other := range d.webhooks {
		if other.Range == at.Range {
			break
		}
		if other.marker.Mutating == args.Mutating && slices.Equal(other.marker.Subresource.V, args.Subresource.V) {
			word, _, _ := strings.Cut(args.Name.V, ".")
			suffix = model.Camel(cmp.Or(word, kind.Kind))
		}
	}
	for _, s := range args.Subresource.V {
		suffix += model.Camel(s)
	}
	return suffix
}

// isProjection reports whether a type is a struct with JSON tags, into which requests are decoded.
func isProjection(spec *ast.TypeSpec) bool {
	s, ok := spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool {
		_, _, tagged := jsonTag(f)
		return tagged
	})
}

// ownType returns the Go type of the webhook's kind. It is zero if the type is unknown.
func (b *builder) ownType(args *registry.Subject, s subject, local model.GoType) model.GoType {
	t := args.For.V
	switch {
	case !args.For.IsSet():
		return local
	case t.ImportPath == "":
		return BuiltinType(*s.kind)
	}
	return model.GoType{Path: t.ImportPath, Alias: b.alias(t.ImportPath, s.kind.Group, s.kind.Version), Name: t.Type}
}

// carriedType returns the Go type of the objects in all requests that match the rules. It is zero if there are several
// types or if one is unknown.
func carriedType(w *model.Webhook, kind *model.Kind, own model.GoType) model.GoType {
	var carried model.GoType
	for _, rule := range w.Spec.Rules {
		if slices.Contains(rule.APIGroups, "*") || slices.Contains(rule.APIVersions, "*") {
			return model.GoType{}
		}
		for _, r := range rule.Resources {
			resource, _, _ := strings.Cut(r, "/")
			t, ok := model.SubresourceType(r)
			if !ok && resource == kind.Plural {
				t = own
			}
			if t.IsZero() || !carried.IsZero() && carried != t {
				return model.GoType{}
			}
			carried = t
		}
	}
	return carried
}

// BuiltinType returns the type of k8s.io/api for a kind of Kubernetes itself.
func BuiltinType(k model.Kind) model.GoType {
	for folder, group := range model.BuiltinGroups() {
		if group == k.Group {
			return model.GoType{Path: "k8s.io/api/" + folder + "/" + k.Version, Alias: Alias(k.Group, k.Version), Name: k.Kind}
		}
	}
	return model.GoType{}
}

// otherVersions reports a webhook's groups and versions whose objects have another Go type than the handler decodes.
// Decoding would keep members with the same name and drop the others.
func (b *builder) otherVersions(w *model.Webhook, kind *model.Kind, carried model.GoType) {
	for i, rule := range w.Spec.Rules {
		if !slices.Contains(rule.Resources, kind.Plural) {
			continue
		}
		report := func(field, value, own string) {
			b.diags.Add(diag.Errorf(w.Where(field), model.RuleHandler, "%s.%s is a type of %s: objects of %s do not decode into it", carried.Alias, carried.Name, own, value).
				WithHint("leave it out: with matchPolicy Equivalent, API servers call the webhook for all versions and convert the objects; or set decode: none"))
		}
		for j, group := range rule.APIGroups {
			if group != kind.Group {
				report(fmt.Sprintf("rules[%d].apiGroups[%d]", i, j), cmp.Or(group, "core"), cmp.Or(kind.Group, "core"))
			}
		}
		for j, version := range rule.APIVersions {
			if version != kind.Version {
				report(fmt.Sprintf("rules[%d].apiVersions[%d]", i, j), version, kind.Version)
			}
		}
	}
}

// handlerOperations returns the operations of all rules, in the order of an object's life.
func handlerOperations(w *model.Webhook, subresources []string, plural string) []string {
	var has []admissionregistrationv1.OperationType
	for _, rule := range w.Spec.Rules {
		has = append(has, rule.Operations...)
	}
	connects := slices.ContainsFunc(subresources, func(s string) bool {
		return strings.HasSuffix(model.SubresourceTypes()[plural+"/"+s].Name, "Options")
	})
	return inOrder(func(o string) bool {
		return slices.Contains(has, admissionregistrationv1.OperationType(strings.ToUpper(o))) || slices.Contains(has, "*") && (o == "Connect") == connects
	})
}

// expectedKinds returns the kinds that match the rules. It is nil if the rules match any kind.
func expectedKinds(w *model.Webhook, kind *model.Kind, carried model.GoType) []model.ObjectKind {
	for _, t := range model.SubresourceTypes() {
		if t == carried {
			k := builtinKind(t)
			return []model.ObjectKind{{APIVersion: k.APIVersion(), Kind: k.Kind}}
		}
	}
	var kinds []model.ObjectKind
	for _, rule := range w.Spec.Rules {
		if slices.Contains(rule.APIGroups, "*") || slices.Contains(rule.APIVersions, "*") {
			return nil
		}
		for _, r := range rule.Resources {
			if resource, _, _ := strings.Cut(r, "/"); resource != kind.Plural || carried.IsZero() && r != resource {
				return nil
			}
		}
		for _, group := range rule.APIGroups {
			for _, version := range rule.APIVersions {
				k := model.Kind{Group: group, Version: version}
				kinds = union(kinds, []model.ObjectKind{{APIVersion: k.APIVersion(), Kind: kind.Kind}})
			}
		}
	}
	return kinds
}
