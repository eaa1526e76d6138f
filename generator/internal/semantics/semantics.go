// SPDX-License-Identifier: Apache-2.0

// Package semantics gives markers their meaning. It builds the model from them and from the source that load has read,
// and reports markers that have none. Package check has the rules of finished models.
package semantics

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Options are a project's settings outside of its markers.
type Options struct {
	// Domain is the suffix of webhook names on types of other projects.
	Domain string
	// API is the version of admissionregistration.k8s.io in the manifest: "v1" or "v1beta1".
	API string
	// Handlers is the folder of generated handlers in the module, with slashes. If it is empty, no handlers are
	// generated.
	Handlers string
	// Conversions is the same folder if conversions are generated, or "".
	Conversions string
	// NamePrefix is the prefix of configurations without a name in a marker.
	NamePrefix string
	// Service serves the webhooks whose markers name no service. The default is the Service in kubebuilder's bases.
	Service ServiceName
	// CABundle verifies that service's certificate. It is nil if something in the cluster sets it.
	CABundle []byte
	// MinKubernetes is the oldest API server that the project supports, as in webhook-gen.yaml.
	MinKubernetes diag.Sourced[string]
	// KeepOut are namespaces whose pods must start without the project's webhooks. The project's own namespace is one
	// of them.
	KeepOut []string
	// Manifests are the absolute paths of manifests, by the import paths of the packages whose webhooks they have. The
	// other packages have the project's manifest.
	Manifests map[string]string
}

// Project derives the project from the packages' markers. It reports and skips invalid markers, so that later checks
// can use the rest. The project also contains the webhooks of others, which another front end has read.
func Project(ctx context.Context, module *load.Module, packages []*load.Package, others []*model.Configuration, o Options) (*model.Project, diag.List) {
	o.Service.Name = cmp.Or(o.Service.Name, model.DefaultServiceName)
	o.Service.Namespace = cmp.Or(o.Service.Namespace, model.PlaceholderNamespace)
	b := &builder{ctx: ctx, module: module, options: o, objects: map[objectKey]*model.Configuration{}, goNames: map[string]string{}}
	var read []*packageMarkers
	for _, p := range packages {
		if m, ok := b.addPackage(p); ok {
			read = append(read, m)
		}
	}
	for _, c := range others {
		b.addConfiguration(c)
	}
	b.deprecate(read)
	for _, m := range read {
		b.allow(m)
	}
	if o.Conversions != "" {
		b.addConversions(read)
	}
	b.checkTypes(read)
	p := &model.Project{API: o.API, Configurations: b.configurations(), Policies: b.policies, MinKubernetes: o.MinKubernetes, Incomplete: b.incomplete}
	for _, policy := range p.Policies {
		policy.Manifest = o.Manifests[policy.Package]
	}
	model.SortPolicies(p.Policies)
	if o.Conversions != "" {
		p.Conversions, p.ConversionRules = b.conversions, b.conversionRules
	}
	if module != nil {
		p.Module = model.Module{Path: module.Path, Dir: module.Dir}
	}
	return p, b.diags
}

type ServiceName struct{ Namespace, Name string }

type builder struct {
	ctx      context.Context
	module   *load.Module
	options  Options
	webhooks []*model.Webhook
	policies []*model.Policy
	types    *resolve.Resolver // created for the first marker that needs it
	objects  map[objectKey]*model.Configuration
	diags    diag.List

	deprecated      []*deprecated
	conversions     []*model.Conversion
	conversionRules []model.ConversionRule
	incomplete      bool              // a marker could not be read, or a spoke has no hub
	unversioned     []string          // import paths whose group or version was reported as unknown
	goNames         map[string]string // of groups, by import path
}

// objectKey identifies a configuration object.
type objectKey struct {
	mutating bool
	name     string
	manifest string
}

// isFirstError reports whether this is the first call for a package. A package without group or version gets one error.
func (b *builder) isFirstError(importPath string) bool {
	if slices.Contains(b.unversioned, importPath) {
		return false
	}
	b.unversioned = append(b.unversioned, importPath)
	return true
}

// declared is a decoded marker with its name and position.
type declared[T any] struct {
	diag.Range
	name   string
	marker T
}

// declaration is a type or the package itself, with its markers.
type declaration struct {
	typ      *load.Type // nil for the package
	webhooks []declared[*registry.Webhook]
	hub      diag.Range       // the +webhook:conversion:hub
	others   []marker.Decoded // the other markers; marked returns them by type

	built []*model.Webhook // built from the webhook markers
	// builtPolicies are built from the markers of policies.
	builtPolicies []*model.Policy
	broken        bool  // one webhook could not be built
	isKind        *bool // nil until a marker needs to know
}

// marked returns a declaration's markers of type T.
func marked[T any](d *declaration) (all []declared[T]) {
	for _, m := range d.others {
		if t, ok := m.Target.(T); ok {
			all = append(all, declared[T]{m.Range, m.Name, t})
		}
	}
	return all
}

// packageMarkers holds the markers of one package.
type packageMarkers struct {
	*load.Package
	defaults       registry.Settings
	service        registry.Service
	configurations []declared[*registry.Configuration]
	declarations   []*declaration
	groupVersion   groupVersion
	broken         bool // a marker could not be read
}

// addPackage builds the webhooks of a package's +webhook markers.
func (b *builder) addPackage(p *load.Package) (m *packageMarkers, ok bool) {
	m, ok = b.read(p)
	if !ok {
		return nil, false
	}
	var bad diag.List
	m.groupVersion, bad = findGroupVersion(b.ctx, p)
	b.goNames[p.Path] = m.groupVersion.goName.V
	b.diags.Add(bad...)
	for _, c := range m.configurations {
		b.declareObject(c, p.Path)
	}
	for _, d := range m.declarations {
		b.addDeclaration(m, d)
		b.addPolicies(m, d)
	}
	return m, true
}

// read decodes a package's markers and groups them by declaration.
func (b *builder) read(p *load.Package) (m *packageMarkers, ok bool) {
	m = &packageMarkers{Package: p}
	onPackage := &declaration{}
	m.declarations = append(m.declarations, onPackage)
	once := map[string]diag.Range{}
	markers := registry.Markers()
	for _, f := range p.Files {
		bad := markers.Misspelt(f.AST, f.Position, registry.Prefix)
		placed, unread := marker.InFile(f.AST, f.Position, registry.Prefix)
		decoded, wrong := markers.Decode(placed)
		bad = slices.Concat(bad, unread, wrong)
		m.broken = m.broken || bad.HasErrors()
		b.incomplete = b.incomplete || bad.HasErrors()
		b.diags.Add(bad...)
		var current *declaration
		for _, d := range decoded {
			ok = true
			on := onPackage
			if d.Type != nil {
				if current == nil || current.typ.Spec != d.Type {
					current = &declaration{typ: &load.Type{File: f, Spec: d.Type}}
					m.declarations = append(m.declarations, current)
				}
				on = current
			}
			switch t := d.Target.(type) {
			case *registry.Webhook:
				on.webhooks = append(on.webhooks, declared[*registry.Webhook]{d.Range, d.Name, t})
			case *registry.Hub:
				on.hub = d.Range
			case *registry.Field:
				b.addConversionRule(p, f, d, t)
			case *registry.Deprecated:
				b.addDeprecated(p, f, d, t)
			case *registry.Configuration:
				m.configurations = append(m.configurations, declared[*registry.Configuration]{d.Range, d.Name, t})
			case *registry.Defaults:
				if b.isFirst(once, d) {
					m.defaults = t.Settings
				}
			case *registry.Service:
				if b.isFirst(once, d) {
					m.service = *t
				}
			default:
				on.others = append(on.others, d)
			}
		}
	}
	return m, ok
}

// isFirst reports whether a marker that a package may have once occurs first. Otherwise, it adds an error.
func (b *builder) isFirst(once map[string]diag.Range, d marker.Decoded) bool {
	at, again := once[d.Name]
	if again {
		b.diags.Add(diag.Errorf(d.Range, model.RuleTwice, "a second +%s in the package", d.Name).WithRelated(at, "the first is here"))
		return false
	}
	once[d.Name] = d.Range
	return true
}

// declareObject records a +webhook:configuration for one object or, without the argument kind, for two.
func (b *builder) declareObject(c declared[*registry.Configuration], importPath string) {
	for _, mutating := range []bool{true, false} {
		if !c.marker.Holds(mutating) {
			continue
		}
		key := objectKey{mutating, b.objectName(c.marker, mutating), b.options.Manifests[importPath]}
		object, ok := b.objects[key]
		if !ok {
			object = &model.Configuration{Source: model.Source{Range: c.Range, At: model.Positions{}}, Mutating: mutating, Name: key.name, Manifest: key.manifest}
			b.objects[key] = object
		}
		if _, known := object.At["name"]; !known {
			object.At.Set("name", c.marker.Name.At)
		}
		object.Labels = b.mergeKeys(object, "labels", object.Labels, c.marker.Labels)
		object.Annotations = b.mergeKeys(object, "annotations", object.Annotations, c.marker.Annotations)
	}
}

// addConfiguration adds the webhooks of a configuration. It also adds the configuration itself if no marker declares
// it.
func (b *builder) addConfiguration(c *model.Configuration) {
	b.webhooks = append(b.webhooks, c.Webhooks...)
	key := objectKey{c.Mutating, c.Name, c.Manifest}
	if _, ok := b.objects[key]; !ok {
		c.Webhooks = nil // configurations adds the webhooks in b.webhooks
		b.objects[key] = c
	}
}

// mergeKeys adds the labels or annotations of a second declaration to those of the first. It reports different values
// for the same key.
func (b *builder) mergeKeys(object *model.Configuration, field string, have map[string]string, more diag.Sourced[map[string]string]) map[string]string {
	if !more.IsSet() {
		return have
	}
	if have == nil {
		have = map[string]string{}
		object.At[field] = more.At
	}
	for key, value := range more.V {
		if old, ok := have[key]; ok && old != value {
			b.diags.Add(diag.Errorf(more.At, model.RuleConfiguration, "%s of %q set %s=%q, and another package sets %q", field, object.Name, key, value, old).
				WithRelated(object.At[field], "the other is here"))
			continue
		}
		have[key] = value
	}
	return have
}

// objectName returns the name of the object that a +webhook:configuration declares.
func (b *builder) objectName(c *registry.Configuration, mutating bool) string {
	if c.Name.IsSet() {
		return c.Name.V
	}
	return b.options.NamePrefix + model.DefaultObjectName(mutating)
}

// addDeclaration builds the webhooks of one declaration.
func (b *builder) addDeclaration(m *packageMarkers, d *declaration) {
	plans := map[*model.Webhook]func() *model.Handler{}
	subjects := map[*model.Webhook]subject{}
	for _, at := range d.webhooks {
		if w, subject, ok := b.webhook(m, d, at); ok {
			d.built = append(d.built, w)
			subjects[w] = subject
			plans[w] = func() *model.Handler { return b.handler(m, d, at, subject, w) }
		}
	}
	// A webhook with an error is missing here. Errors about its rules and conditions would only repeat that.
	d.broken = m.broken || len(d.built) < len(d.webhooks)
	for _, r := range marked[*registry.Rule](d) {
		for _, w := range b.selectWebhooks(d.built, d.broken, r.Range, r.marker.Webhook, "+webhook:rule") {
			path := fmt.Sprintf("rules[%d]", len(w.Spec.Rules))
			w.Spec.Rules = append(w.Spec.Rules, ruleOver(w.Spec.Rules[0], r.marker.Operations, r.marker.Matched, path, w.At))
		}
	}
	for _, c := range marked[*registry.MatchCondition](d) {
		for _, w := range b.selectWebhooks(d.built, d.broken, c.Range, c.marker.Webhook, "+webhook:matchCondition") {
			addMatchCondition(w, c.marker)
		}
	}
	for _, w := range d.built {
		b.addDeleting(w)
	}
	for _, p := range marked[*registry.Patch](d) {
		for _, w := range b.selectWebhooks(d.built, d.broken, p.Range, p.marker.Webhook, "+webhook:patch") {
			if err := patch(w, p.marker.JSON); err != nil {
				b.diags.Add(diag.Errorf(p.marker.JSON.At, model.RulePatch, "%s", err))
			}
		}
	}
	for _, w := range d.built {
		if len(w.Spec.MatchConditions) > 0 {
			w.Kinds = b.typedKinds(m.Module, subjects[w], w.Spec.Rules)
		} else if s := subjects[w]; s.kind != nil && !s.object.IsZero() {
			w.Kinds = []model.TypedKind{{Group: s.kind.Group, Version: s.kind.Version, Kind: s.kind.Kind, Type: withoutAlias(s.object)}}
		}
		w.Handler = plans[w]() // needs the complete rules
		b.deliver(w)
	}
	b.shareHandlers(d.built)
	b.webhooks = append(b.webhooks, d.built...)
}

// selectWebhooks returns the webhooks to which a rule, condition or patch applies.
func (b *builder) selectWebhooks(webhooks []*model.Webhook, broken bool, at diag.Range, name diag.Sourced[string], what string) []*model.Webhook {
	if len(webhooks) == 0 && !broken {
		b.diags.Add(diag.Errorf(at, model.RuleBelongs, "%s is on a declaration without a webhook", what).
			WithHint("write it beside a +webhook:mutating or +webhook:validating"))
		return nil
	}
	return named(b, webhooks, broken, name, "webhook", "webhooks", func(w *model.Webhook) (string, bool) { return w.Spec.Name, w.Mutating })
}

// named returns the webhooks or policies that an argument names, or all of the declaration if the argument is not
// set.
func named[T any](b *builder, all []T, broken bool, argument diag.Sourced[string], what, plural string, of func(T) (name string, mutating bool)) []T {
	if !argument.IsSet() {
		return all
	}
	var meant []T
	var names []string
	for _, one := range all {
		name, mutating := of(one)
		word := model.KindWord(mutating)
		if names = append(names, name); !slices.Contains(names, word) {
			names = append(names, word)
		}
		label, _, _ := strings.Cut(name, ".")
		if argument.V == name || argument.V == label || argument.V == word {
			meant = append(meant, one)
		}
	}
	if len(meant) == 0 && !broken {
		b.diags.Add(diag.Errorf(argument.At, model.RuleBelongs, "no %s of this declaration is called %q", what, argument.V).
			WithHint("its %s: %s", plural, strings.Join(names, ", ")).WithNearest(argument.V, names))
	}
	return meant
}

// configurations adds the webhooks to their objects and sorts everything as in the manifest.
func (b *builder) configurations() []*model.Configuration {
	for _, w := range b.webhooks {
		key := objectKey{w.Mutating, w.Configuration, b.options.Manifests[w.Package]}
		object, ok := b.objects[key]
		if !ok {
			object = &model.Configuration{Mutating: w.Mutating, Name: w.Configuration, Manifest: key.manifest}
			b.objects[key] = object
		}
		object.Webhooks = append(object.Webhooks, w)
	}
	var objects []*model.Configuration
	for _, object := range b.objects {
		if len(object.Webhooks) == 0 {
			continue
		}
		// The sort is stable, so that webhooks of +kubebuilder markers with equal names keep controller-gen's order.
		slices.SortStableFunc(object.Webhooks, func(a, b *model.Webhook) int {
			return cmp.Or(cmp.Compare(a.Order, b.Order), strings.Compare(a.Spec.Name, b.Spec.Name))
		})
		objects = append(objects, object)
	}
	slices.SortFunc(objects, func(a, b *model.Configuration) int {
		return cmp.Or(strings.Compare(model.KindWord(a.Mutating), model.KindWord(b.Mutating)), strings.Compare(a.Name, b.Name), strings.Compare(a.Manifest, b.Manifest))
	})
	return objects
}
