// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gobuffalo/flect"
	"k8s.io/gengo/v2/namer"
	"k8s.io/gengo/v2/types"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// subject is the kind of a webhook or policy.
type subject struct {
	kind *model.Kind // nil if the marker has its own rules
	// foreign is true if the kind belongs to another project.
	foreign bool
	// object is the kind's Go type, or zero if it is unknown.
	object model.GoType
}

// subject returns the kind of a webhook or policy.
func (b *builder) subject(m *packageMarkers, d *declaration, at declared[*registry.Subject]) subject {
	args := at.marker
	switch {
	case args.For.IsSet():
		return b.foreign(m, at)
	case d.typ == nil:
		return subject{}
	}
	if !b.isKind(m, d, at.Range) {
		return subject{}
	}
	return subject{kind: b.kind(m.Package, m.groupVersion, *d.typ, at), object: model.GoType{Path: m.Path, Name: d.typ.Spec.Name.Name}}
}

// isKind reports whether a type can be a kind. It adds one error for a declaration that cannot.
func (b *builder) isKind(m *packageMarkers, d *declaration, at diag.Range) bool {
	if d.isKind == nil {
		what := NotKind(m.Package, *d.typ)
		d.isKind = new(what == "")
		if what != "" {
			b.diags.Add(diag.Errorf(at, model.RuleTarget, "%s is %s, and no kind", d.typ.Spec.Name.Name, what).
				WithHint("put the marker on the type of the kind, a struct with metav1.TypeMeta and metav1.ObjectMeta"))
		}
	}
	return *d.isKind
}

// checkTypes reports a second Go type for the same group, version and kind, because an API server has one schema for
// them.
func (b *builder) checkTypes(packages []*packageMarkers) {
	first := map[string]diag.Range{}
	for _, m := range packages {
		if !m.groupVersion.group.IsSet() || !m.groupVersion.version.IsSet() {
			continue // reported already
		}
		for _, d := range m.declarations {
			if d.isKind == nil || !*d.isKind {
				continue
			}
			name := d.typ.Spec.Name
			at := d.typ.File.Range(name.Pos(), name.End())
			kind := m.groupVersion.group.V + "/" + m.groupVersion.version.V + " " + name.Name
			if other, twice := first[kind]; twice {
				b.diags.Add(diag.Errorf(at, model.RuleOneType, "a second type of %s", kind).
					WithHint("give one of the packages another +groupName or +versionName, or have the markers on one of the types").
					WithRelated(other, "the first is here"))
				continue
			}
			first[kind] = at
		}
	}
}

// foreign resolves the argument "for".
func (b *builder) foreign(m *packageMarkers, at declared[*registry.Subject]) subject {
	t := at.marker.For.V
	if kind, ok := t.Builtin(); ok {
		kind.Plural, _ = plurals(kind.Kind)
		switch {
		case !model.IsBuiltinGroup(kind.Group) && !at.marker.Resources.IsSet():
			kind.Plural = b.plural(kind.Kind, at)
		case model.IsBuiltinGroup(kind.Group) && !b.hasBuiltin(m.Module, kind):
			b.unknownBuiltin(at.marker.For, kind)
			return subject{}
		}
		s := subject{kind: &kind, foreign: true, object: model.GoType{Path: t.ImportPath, Name: t.Type}}
		if model.IsBuiltinGroup(kind.Group) {
			s.object = BuiltinType(kind)
		}
		return s
	}
	p, typ, gv, ok := b.locate(m.Module, at.marker.For, `, or name the kind: for: "group/version/Kind"`)
	if !ok {
		return subject{}
	}
	return subject{
		kind: b.kind(p, gv, typ, at), foreign: p.Module == nil || p.Module.Path != m.Module.Path,
		object: model.GoType{Path: t.ImportPath, Name: t.Type},
	}
}

// hasBuiltin reports whether Kubernetes has a kind. The kind is in the table of resources, or a type of the module's
// version of k8s.io/api, which may be newer.
func (b *builder) hasBuiltin(from *load.Module, kind model.Kind) bool {
	if slices.ContainsFunc(model.BuiltinResources(), func(r model.BuiltinResource) bool { return r.Group == kind.Group && r.Name == kind.Plural }) {
		return true
	}
	p, err := from.Locate(b.ctx, BuiltinType(kind).Path)
	if err != nil {
		return false
	}
	t, ok := p.Type(kind.Kind)
	return ok && slices.Contains(load.Markers(t.Comments()...), "+genclient") // without it, not a resource
}

// unknownBuiltin reports a kind that Kubernetes does not have. It suggests the group that has the kind, or a similar
// kind in the group.
func (b *builder) unknownBuiltin(target diag.Sourced[registry.Target], kind model.Kind) {
	var others, names []string
	kinds := map[string]string{}
	for _, r := range model.BuiltinResources() {
		if r.Name == kind.Plural && r.Group != "extensions" { // no longer served
			others = append(others, groupText(r.Group))
		}
		if r.Group == kind.Group {
			names = append(names, r.Name)
			kinds[r.Name] = r.Kind
		}
	}
	d := diag.Errorf(target.At, model.RuleTarget, "%s of Kubernetes has no kind %s", groupText(kind.Group), kind.Kind)
	if near, ok := diag.Nearest(kind.Plural, names); ok {
		d = d.WithHint("did you mean %s?", strings.TrimPrefix(kind.Group+"/"+kind.Version+"/"+kinds[near], "/"))
	}
	if len(others) > 0 {
		d = d.WithHint("%s has it", strings.Join(others, " and "))
	}
	b.diags.Add(d)
}

// groupText returns the name of an API group for messages.
func groupText(group string) string {
	if group == "" {
		return "the core group"
	}
	return "the group " + group
}

// locate returns a type that a module can import, with the group and version of its package.
func (b *builder) locate(from *load.Module, target diag.Sourced[registry.Target], instead string) (p *load.Package, t load.Type, gv groupVersion, ok bool) {
	p, err := from.Locate(b.ctx, target.V.ImportPath)
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "; to add it:\n") // without the go command's own advice
		d := diag.Errorf(target.At, model.RuleTarget, "%s", reason).WithHint("add the module to go.mod%s", instead)
		if builtin, _, ok := registry.BuiltinMeant(target.V.ImportPath + "." + target.V.Type); ok && !strings.Contains(target.V.ImportPath, "k8s.io/") {
			d = d.WithHint("write for: %q", builtin)
		}
		b.diags.Add(d)
		return nil, t, gv, false
	}
	if t, ok = p.Type(target.V.Type); !ok {
		b.diags.Add(diag.Errorf(target.At, model.RuleTarget, "package %s has no type %s", target.V.ImportPath, target.V.Type))
		return nil, t, gv, false
	}
	gv, bad := findGroupVersion(b.ctx, p)
	b.goNames[p.Path] = gv.goName.V
	b.diags.Add(bad...)
	return p, t, gv, true
}

// kind returns the kind of a Go type with its group, version, plural and scope.
func (b *builder) kind(p *load.Package, gv groupVersion, t load.Type, at declared[*registry.Subject]) *model.Kind {
	args := at.marker
	lacksGroup, lacksVersion := !gv.group.IsSet() && !args.Groups.IsSet(), !gv.version.IsSet() && !args.Versions.IsSet()
	first := (lacksGroup || lacksVersion) && b.isFirstError(p.Path)
	if lacksGroup && first {
		b.diags.Add(diag.Errorf(at.Range, model.RuleGroupVersion, "the API group of %s is not known: package %s has neither +groupName nor a schema.GroupVersion variable", t.Spec.Name.Name, p.Path).
			WithHint("add a comment +groupName=your.group above the package clause"))
	}
	if lacksVersion && first {
		b.diags.Add(diag.Errorf(at.Range, model.RuleGroupVersion, "the API version of %s is not known: package %s has neither +versionName nor a schema.GroupVersion variable, nor is it called like a version", t.Spec.Name.Name, p.Path).
			WithHint("add a comment +versionName=v1 above the package clause"))
	}
	kind := &model.Kind{Group: gv.group.V, Version: gv.version.V, Kind: t.Spec.Name.Name}
	if !gv.group.IsSet() && args.Groups.IsSet() {
		kind.Group = registry.GroupName(args.Groups.V[0])
	}
	if !gv.version.IsSet() && args.Versions.IsSet() {
		kind.Version = args.Versions.V[0]
	}
	marked := Marked(t)
	kind.Plural, kind.Scope, kind.Subresources = marked.Plural, marked.Scope, marked.Subresources
	if tag := func(name string) bool { return findTag(t.File, t.Comments(), name).IsSet() }; kind.Plural == "" {
		gengo, _ := plurals(kind.Kind)
		if kind.Plural = gengo; !args.Resources.IsSet() && !tag("genclient") {
			kind.Plural = b.plural(kind.Kind, at)
		}
	}
	return kind
}

// Marked returns what controller-gen's markers, and client-gen's, set for the kind of a type. Its plural is empty if no
// marker of controller-gen decides it.
func Marked(t load.Type) (kind model.Kind) {
	comments := t.Comments()
	tag := func(name string) diag.Sourced[string] { return findTag(t.File, comments, name) }
	resource := tag("kubebuilder:resource")
	kind.Plural = cmp.Or(option(resource.V, "path"), tag("resourceName").V)
	kind.Scope = option(resource.V, "scope")
	for _, comment := range load.Markers(comments...) {
		name, ok := strings.CutPrefix(comment, "+kubebuilder:")
		if ok && kind.Subresources == nil {
			kind.Subresources = []string{}
		}
		if name, ok = strings.CutPrefix(name, "subresource:"); ok {
			name, _, _ = strings.Cut(name, ":")
			kind.Subresources = append(kind.Subresources, name)
		}
	}
	if kind.Scope == "" && tag("genclient:nonNamespaced").IsSet() {
		kind.Scope = "Cluster"
	}
	if kind.Plural == "" && (resource.IsSet() || tag("kubebuilder:object:root").IsSet()) {
		_, kind.Plural = plurals(t.Spec.Name.Name)
	}
	return kind
}

// plural returns the plural of a kind if the generator of the CRD is unknown.
func (b *builder) plural(kind string, at declared[*registry.Subject]) string {
	gengo, controllerGen := plurals(kind)
	if gengo != controllerGen {
		b.diags.Add(diag.Errorf(at.Range, model.RulePlural, "the plural of %s is %q to controller-gen and %q to client-gen", kind, controllerGen, gengo).
			WithHint("decide with resources: %q, or +kubebuilder:resource:path=%s on the type", controllerGen, controllerGen))
	}
	return gengo
}

// name returns the webhook's name: the marker's or a derived one, [word.]verb.[subresource.]plural.version.group.
func (b *builder) name(s subject, at declared[*registry.Subject]) string {
	args := at.marker
	if strings.Contains(args.Name.V, ".") {
		return args.Name.V
	}
	if s.kind == nil {
		return ""
	}
	parts := []string{args.Name.V, model.VerbWord(args.Mutating), strings.Join(args.Subresource.V, "-"), s.kind.Plural, s.kind.Version, s.kind.Group}
	if s.foreign {
		parts = append(parts, b.options.Domain)
		if b.options.Domain == "" && model.IsBuiltinGroup(s.kind.Group) {
			b.diags.Add(diag.Errorf(at.Range, model.RuleDomain, "the name needs a domain: %s is not a kind of this project", s.kind.Kind).
				WithHint("write domain: example.com in webhook-gen.yaml, or give the webhook or policy a name of three segments or more"))
		}
	}
	return strings.ToLower(strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "."))
}

// webhookPath returns the webhook's URL path in the format of controller-runtime's builder.
func webhookPath(s subject, args *registry.Subject) string {
	if s.kind == nil {
		return ""
	}
	parts := []string{model.VerbWord(args.Mutating), strings.ReplaceAll(s.kind.Group, ".", "-"), s.kind.Version, s.kind.Kind}
	parts = append(parts, args.Subresource.V...)
	if word := args.Name.V; word != "" && !strings.Contains(word, ".") {
		parts = append(parts, word)
	}
	return "/" + strings.ToLower(strings.Join(parts, "-"))
}

// plurals returns the resource names that the two generators of CRDs and clients derive from a kind. client-gen uses
// k8s.io/gengo/v2/namer, and controller-gen uses github.com/gobuffalo/flect. Their results differ for some words
// ("Index"), and a rule with the wrong plural never matches.
func plurals(kind string) (gengo, controllerGen string) {
	n := namer.NewAllLowercasePluralNamer(map[string]string{"Endpoints": "endpoints"})
	return n.Name(&types.Type{Name: types.Name{Name: kind}}), flect.Pluralize(strings.ToLower(kind))
}

// isStored reports whether a type has controller-gen's marker for the storage version.
func isStored(t load.Type) bool {
	return slices.Contains(load.Markers(t.Comments()...), "+kubebuilder:storageversion")
}
