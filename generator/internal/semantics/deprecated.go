// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"go/ast"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// deprecated is a +webhook:deprecated.
type deprecated struct {
	diag.Range
	message string
	field   diag.Range // of the field's name, or of the type of an embedded field
	// typ is the type of a constant, and value its value.
	typ   model.GoType
	value string
	used  bool // a kind has it
}

// addDeprecated records a marker. The kinds are known after all packages are read.
func (b *builder) addDeprecated(p *load.Package, f *load.File, d marker.Decoded, args *registry.Deprecated) {
	found := &deprecated{Range: d.Range, message: args.Message.V}
	switch c := d.Constant; {
	case d.Field != nil && len(d.Field.Names) > 0:
		found.field = f.Range(d.Field.Names[0].Pos(), d.Field.Names[0].End())
	case d.Field != nil:
		found.field = f.Range(d.Field.Type.Pos(), d.Field.Type.End())
	default:
		typ, named := c.Type.(*ast.Ident)
		ok := named && len(c.Names) == 1 && len(c.Values) == 1
		if ok {
			found.value, ok = b.resolver(p.Module).Text(p, f, c.Values[0])
		}
		if !ok || found.value == "" {
			b.diags.Add(diag.Errorf(d.Range, model.RuleDeprecated, "this is no value of a string type").
				WithHint("write the constant with its type: const %s Mode = \"fast\"", c.Names[0].Name))
			return
		}
		found.typ = model.GoType{Path: p.Path, Name: typ.Name}
	}
	b.deprecated = append(b.deprecated, found)
}

func (b *builder) resolver(from *load.Module) *resolve.Resolver {
	if b.types == nil {
		b.types = resolve.New(b.ctx, from)
	}
	return b.types
}

// deprecate gives each kind with deprecated fields or values a warning: in the handler of its validating webhook, or
// in a policy.
func (b *builder) deprecate(packages []*packageMarkers) {
	if len(b.deprecated) == 0 {
		return
	}
	for _, m := range packages {
		for _, f := range m.FilesWith("TypeMeta") {
			for spec := range load.Types(f.AST) {
				t := load.Type{File: f, Spec: spec}
				if !load.HasMetadata(spec) || NotKind(m.Package, t) != "" {
					continue
				}
				resolved, err := b.resolver(m.Module).Named(m.Path, spec.Name.Name)
				if err != nil {
					continue // reported where the kind is used
				}
				if all, at := b.deprecations(resolved); len(all) > 0 {
					b.warn(m, t, all, at)
				}
			}
		}
	}
	for _, d := range b.deprecated {
		if !d.used && !b.incomplete {
			b.diags.Add(diag.Errorf(d.Range, model.RuleDeprecated, "no kind has this field or value, so nobody is warned").
				WithHint("kinds are structs with metav1.TypeMeta and metav1.ObjectMeta, in a package with a marker of webhook-gen; write a marker such as this one on a field there, or remove this one"))
		}
	}
}

// deprecations returns what is deprecated in a kind, and the first marker.
func (b *builder) deprecations(kind *resolve.Type) (all []model.Deprecation, at diag.Range) {
	w := deprecationWalk{deprecated: b.deprecated}
	w.fields(kind, nil, nil)
	return w.found, w.first
}

type deprecationWalk struct {
	deprecated []*deprecated
	found      []model.Deprecation
	first      diag.Range
}

func (w *deprecationWalk) add(d *deprecated, path []model.Step) {
	d.used = true
	if len(w.found) == 0 {
		w.first = d.Range
	}
	w.found = append(w.found, model.Deprecation{Path: path, Value: d.value, Message: d.message})
}

// fields visits the fields of a struct. inside has the structs around it, so that a recursive type ends.
func (w *deprecationWalk) fields(t *resolve.Type, path []model.Step, inside []*resolve.Type) {
	if t.Err() != nil || t.Kind() != resolve.Struct || slices.Contains(inside, t) || strings.HasPrefix(t.Package, "k8s.io/") {
		return
	}
	inside = append(slices.Clip(inside), t)
	for _, f := range t.Fields() {
		below := path
		if f.JSON != "" {
			below = append(slices.Clip(path), model.Step{Member: f.JSON})
			for _, d := range w.deprecated {
				if d.value == "" && d.field == f.Range {
					w.add(d, below)
				}
			}
		} else if !f.Inline {
			continue
		}
		w.value(f.Type, below, inside)
	}
}

// value visits a value of a type.
func (w *deprecationWalk) value(t *resolve.Type, path []model.Step, inside []*resolve.Type) {
	switch t.Kind() {
	case resolve.Pointer:
		w.value(t.Elem(), path, inside)
		return
	case resolve.Slice, resolve.Array:
		w.value(t.Elem(), append(slices.Clip(path), model.Step{}), inside)
	case resolve.Map:
		w.value(t.Elem(), append(slices.Clip(path), model.Step{Map: true}), inside)
	}
	for _, d := range w.deprecated {
		if d.value != "" && d.typ.Path == t.Package && d.typ.Name == t.Name {
			w.add(d, path)
		}
	}
	w.fields(t, path, inside)
}

// warn has a kind's validating webhook warn, or a policy.
func (b *builder) warn(m *packageMarkers, t load.Type, all []model.Deprecation, at diag.Range) {
	name := t.Spec.Name.Name
	for _, w := range b.webhooks {
		if h := w.Handler; h != nil && !w.Mutating && h.Object.Path == m.Path && h.Object.Name == name && isCalledAlways(w) {
			h.Deprecations = all
			return
		}
	}
	before := len(b.diags)
	on := declared[*registry.Subject]{Range: at, marker: &registry.Subject{}}
	s := subject{kind: b.kind(m.Package, m.groupVersion, t, on), object: model.GoType{Path: m.Path, Name: name}}
	if len(b.diags) > before {
		return
	}
	p := &model.Policy{Source: model.Source{Range: at, At: model.Positions{}}, Package: m.Path, PackageName: m.Name, Kind: s.kind, Deprecations: true,
		Name: strings.ToLower(strings.Join([]string{"deprecated", s.kind.Plural, s.kind.Version, s.kind.Group}, "."))}
	rule := kindRule(s)
	rule.Operations = []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update}
	p.Spec.FailurePolicy = new(admissionregistrationv1.Ignore)
	// In other versions the conversion may have set the field.
	p.Spec.MatchConstraints = &admissionregistrationv1.MatchResources{MatchPolicy: new(admissionregistrationv1.Exact),
		ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: rule}}}
	for i, d := range all {
		if name := d.Unreadable(); name != "" {
			b.diags.Add(diag.Errorf(at, model.RuleDeprecated, "a policy of %s cannot read %s: CEL has no name %q", s.kind.Kind, d.Field(), name).
				WithHint("have a webhook warn: +webhook:validating(operations: \"create;update\")"))
			return
		}
		path := p.Element("validations", i, at)
		p.Text(path+".expression", diag.Sourced[string]{V: d.Expression(), At: at})
		p.Spec.Validations = append(p.Spec.Validations, admissionregistrationv1.Validation{Expression: d.Expression(), Message: d.Warning()})
	}
	p.Bindings = []*model.Binding{{Source: model.Source{Range: at, At: model.Positions{}}, Name: p.Name,
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: p.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn}}}}
	p.Kinds = b.typedKinds(m.Module, s, []admissionregistrationv1.RuleWithOperations{rule})
	b.policies = append(b.policies, p)
}

// isCalledAlways reports whether a webhook is called for each creation and each update of its kind.
func isCalledAlways(w *model.Webhook) bool {
	for _, o := range []string{"Create", "Update"} {
		if !slices.Contains(w.Handler.Operations, o) {
			return false
		}
	}
	return w.Spec.ObjectSelector == nil && (w.Spec.NamespaceSelector == nil || w.KeptOut) &&
		!slices.ContainsFunc(w.Spec.MatchConditions, func(c admissionregistrationv1.MatchCondition) bool { return c.Name != model.DeletingCondition })
}
