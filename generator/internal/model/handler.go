// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"go/ast"
	"net/url"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Handler is the Go code that serves a webhook. docs/naming.md has the rules for its names.
type Handler struct {
	// Package is where the code goes.
	Package HandlerPackage
	// Type is the marked type's name, from which the names of the generated identifiers come.
	Type string
	// Suffix tells a further webhook of the type from the first: "Quota", "Scale".
	Suffix string
	// Implementation is the type that the user writes the policy on. Holder says that it is the
	// marked type itself.
	Implementation string
	Holder         bool
	// Object is what is decoded. It is zero where nothing is: the marker says so, or the rules
	// match several kinds, or a kind of which no Go type is known.
	Object GoType
	// Kinds are the kinds that the handler expects; none means any.
	Kinds []ObjectKind
	// Operations are "Create", "Update", "Delete" and "Connect", as far as the webhook has them.
	Operations []string
	// Path is where the handler is served.
	Path string
	// NeedsStub says that the user has not written a policy yet, and NeedsTestStub that there is no
	// function yet that makes the policy for tests.
	NeedsStub, NeedsTestStub bool
	// StubFile and TestStubFile are the names of the files that hold, or are to hold, the policy and the function.
	StubFile, TestStubFile string
	// Sample is the object that tests begin with; nil where nothing is decoded.
	Sample *Sample
	// Missing are the operations whose methods the user has not written, where the type is there.
	Missing []string
	// ListKeys are the lists in Object whose elements have keys.
	ListKeys []ListKey
}

// HandlerPackage is a Go package of handlers.
type HandlerPackage struct {
	// Dir is the absolute folder.
	Dir string
	// Path is the import path.
	Path string
	// Name is the package clause's.
	Name string
}

// packageOf is a package whose generated code goes in place.
func packageOf(p *load.Package) HandlerPackage {
	return HandlerPackage{Dir: p.Dir, Path: p.Path, Name: p.Name}
}

// GoType is a named type.
type GoType struct {
	// Path is the package's import path, Alias the name under which generated code imports it.
	Path, Alias string
	Name        string
}

// IsZero reports whether there is no type.
func (t GoType) IsZero() bool { return t.Name == "" }

// ObjectKind is the kind of an object as a request names it.
type ObjectKind struct {
	APIVersion, Kind string
}

// ListKey says which members tell the elements of a list apart.
type ListKey struct {
	// Struct has the list as its member of that JSON name.
	Struct GoType
	Member string
	Keys   []string
}

// subresourceTypes are the Go types of the objects that requests for subresources carry, by the
// subresource, or by resource and subresource where that makes a difference. For the others
// (status, ephemeralcontainers, resize, approval, finalize) it is the object's own type.
func subresourceTypes() map[string]GoType {
	return map[string]GoType{
		"scale":                 {"k8s.io/api/autoscaling/v1", "autoscalingv1", "Scale"},
		"pods/eviction":         {"k8s.io/api/policy/v1", "policyv1", "Eviction"},
		"pods/binding":          {"k8s.io/api/core/v1", "corev1", "Binding"},
		"pods/exec":             {"k8s.io/api/core/v1", "corev1", "PodExecOptions"},
		"pods/attach":           {"k8s.io/api/core/v1", "corev1", "PodAttachOptions"},
		"pods/portforward":      {"k8s.io/api/core/v1", "corev1", "PodPortForwardOptions"},
		"pods/proxy":            {"k8s.io/api/core/v1", "corev1", "PodProxyOptions"},
		"services/proxy":        {"k8s.io/api/core/v1", "corev1", "ServiceProxyOptions"},
		"nodes/proxy":           {"k8s.io/api/core/v1", "corev1", "NodeProxyOptions"},
		"serviceaccounts/token": {"k8s.io/api/authentication/v1", "authenticationv1", "TokenRequest"},
	}
}

// builtinKind is the kind of a type of k8s.io/api.
func (t GoType) builtinKind() (ObjectKind, bool) {
	rest, ok := strings.CutPrefix(t.Path, "k8s.io/api/")
	folder, version, _ := strings.Cut(rest, "/")
	group, known := builtinGroups()[folder]
	return ObjectKind{strings.TrimPrefix(group+"/"+version, "/"), t.Name}, ok && known
}

// handler plans the Go code of a webhook; nil where there is none.
func (b *builder) handler(m *packageMarkers, d *declaration, at declared[*webhookMarker], s subject, w *Webhook) *Handler {
	if b.options.Handlers == "" || d.typ == nil || s.kind == nil {
		return nil
	}
	said, spec := at.marker, d.typ.spec
	name := spec.Name.Name
	if spec.TypeParams != nil {
		b.diags.Add(diag.Errorf(at.Range, RuleHandler, "%s is generic, so that no object can be decoded into it", name).
			WithHint("mark an alias of it: type Some%s = %s[...]", name, name))
		return nil
	}
	projection := said.For.IsSet() && isProjection(spec)
	h := &Handler{
		Type:           name,
		Suffix:         suffix(d, at, s.kind),
		Implementation: name + "Webhook",
		Holder:         said.For.IsSet() && !projection,
		Operations:     handlerOperations(w, said.Subresource.V, s.kind.Plural),
		Path:           w.ServedPath(),
	}
	local := GoType{Path: m.Path, Alias: alias(s.kind.Group, s.kind.Version), Name: name}
	switch {
	case said.For.IsSet() && (h.Holder || m.onlyPolicies()):
		h.Package = packageOf(m.Package)
	default:
		h.Package = b.handlerPackage(m.Package, b.options.Handlers)
		if !ast.IsExported(name) {
			b.diags.Add(diag.Errorf(at.Range, RuleHandler, "%s is not exported, and its handler goes to another package", name))
		}
	}
	if h.Holder {
		h.Implementation = name
	}
	carried := carriedType(w, s.kind, ownType(said, s, local))
	h.Kinds = expectedKinds(w, s.kind, carried)
	switch {
	case said.Decode.V == "none":
		return h
	case projection:
		h.Object = local
	default:
		h.Object = carried
	}
	h.ListKeys = b.listKeys(m.Package, h.Object)
	return h
}

// onlyPolicies reports whether every webhook of the package is for a type that is not the package's.
func (m *packageMarkers) onlyPolicies() bool {
	for _, d := range m.declarations {
		for _, w := range d.webhooks {
			if d.typ != nil && !w.marker.For.IsSet() {
				return false
			}
		}
	}
	return true
}

// handlerPackage is where the handlers and conversions of an API package go: below the configured
// folder, under the package's own path behind api or apis.
func (b *builder) handlerPackage(p *load.Package, folder string) HandlerPackage {
	rel := strings.TrimPrefix(strings.TrimPrefix(p.Path, p.Module.Path), "/")
	elements := strings.Split(rel, "/")
	for i, e := range elements {
		if e == "api" || e == "apis" {
			elements = elements[i+1:]
			break
		}
	}
	below := path.Join(append([]string{folder}, elements...)...)
	return HandlerPackage{
		Dir:  filepath.Join(p.Module.Dir, filepath.FromSlash(below)),
		Path: path.Join(p.Module.Path, below),
		Name: packageName(path.Base(below), p.Name),
	}
}

// packageName is the name of a generated package: the folder's, where that can be one.
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

// alias is how generated code calls an API package: the group's first word and the version.
func alias(group, version string) string {
	word, _, _ := strings.Cut(group, ".")
	if word == "" {
		word = "core"
	}
	return strings.ReplaceAll(word, "-", "") + version
}

// suffix is what tells this webhook's names from those of the type's other ones: its subresources
// and, if it is not the first of its kind, its own word or else what it is for.
func suffix(d *declaration, at declared[*webhookMarker], kind *Kind) string {
	said := at.marker
	var suffix string
	for _, other := range d.webhooks {
		if other.Range == at.Range {
			break
		}
		if other.marker.mutating == said.mutating && slices.Equal(other.marker.Subresource.V, said.Subresource.V) {
			word, _, _ := strings.Cut(said.Name.V, ".")
			suffix = camel(cmp.Or(word, kind.Kind))
		}
	}
	for _, s := range said.Subresource.V {
		suffix += camel(s)
	}
	return suffix
}

func camel(word string) string {
	var b strings.Builder
	up := true
	for _, r := range word {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isProjection reports whether a type is a struct with a JSON tag, and so meant to be decoded into.
func isProjection(spec *ast.TypeSpec) bool {
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if _, ok := reflect.StructTag(tag).Lookup("json"); ok && err == nil {
			return true
		}
	}
	return false
}

// ownType is the Go type of the webhook's kind; zero where none is known.
func ownType(said *webhookMarker, s subject, local GoType) GoType {
	t := said.For.V
	switch {
	case !said.For.IsSet():
		return local
	case t.ImportPath == "":
		return builtinType(*s.kind)
	}
	return GoType{Path: t.ImportPath, Alias: alias(s.kind.Group, s.kind.Version), Name: t.Type}
}

// carriedType is the one Go type of what all requests that the rules match carry; zero where
// there are several, or one that is not known.
func carriedType(w *Webhook, kind *Kind, own GoType) GoType {
	var carried GoType
	for _, rule := range w.Spec.Rules {
		if slices.Contains(rule.APIGroups, "*") || slices.Contains(rule.APIVersions, "*") {
			return GoType{}
		}
		for _, r := range rule.Resources {
			resource, sub, _ := strings.Cut(r, "/")
			t, ok := subresourceTypes()[r]
			if !ok {
				t, ok = subresourceTypes()[sub]
			}
			if !ok && resource == kind.Plural {
				t = own
			}
			if t.IsZero() || !carried.IsZero() && carried != t {
				return GoType{}
			}
			carried = t
		}
	}
	return carried
}

// builtinType is the type of k8s.io/api for a kind of Kubernetes itself.
func builtinType(k Kind) GoType {
	for folder, group := range builtinGroups() {
		if group == k.Group {
			return GoType{Path: "k8s.io/api/" + folder + "/" + k.Version, Alias: alias(k.Group, k.Version), Name: k.Kind}
		}
	}
	return GoType{}
}

// handlerOperations are the operations of all rules, in the order of an object's life.
func handlerOperations(w *Webhook, subresources []string, plural string) []string {
	var has []admissionregistrationv1.OperationType
	for _, rule := range w.Spec.Rules {
		has = append(has, rule.Operations...)
	}
	connects := false
	for _, s := range subresources {
		if t, ok := subresourceTypes()[plural+"/"+s]; ok && strings.HasSuffix(t.Name, "Options") {
			connects = true
		}
	}
	var operations []string
	for _, o := range []struct {
		name string
		api  admissionregistrationv1.OperationType
	}{{"Create", "CREATE"}, {"Update", "UPDATE"}, {"Delete", "DELETE"}, {"Connect", "CONNECT"}} {
		all := slices.Contains(has, "*") && (o.name == "Connect") == connects
		if all || slices.Contains(has, o.api) {
			operations = append(operations, o.name)
		}
	}
	return operations
}

// ServedPath is the path of the service, or of the URL.
func (w *Webhook) ServedPath() string {
	if p := w.Path(); p != "" || w.Spec.ClientConfig.URL == nil {
		return p
	}
	u, err := url.Parse(*w.Spec.ClientConfig.URL)
	if err != nil || u.Path == "" {
		return "/"
	}
	return u.Path
}

// expectedKinds are the kinds that the rules let through; nil where they are open.
func expectedKinds(w *Webhook, kind *Kind, carried GoType) []ObjectKind {
	for _, t := range subresourceTypes() {
		if k, ok := t.builtinKind(); ok && t == carried {
			return []ObjectKind{k}
		}
	}
	var kinds []ObjectKind
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
				k := ObjectKind{strings.TrimPrefix(group+"/"+version, "/"), kind.Kind}
				if !slices.Contains(kinds, k) {
					kinds = append(kinds, k)
				}
			}
		}
	}
	return kinds
}
