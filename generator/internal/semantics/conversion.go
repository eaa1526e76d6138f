// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"cmp"
	"go/ast"
	"reflect"
	"slices"
	"strconv"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// hub is a type with the hub marker.
type hub struct {
	diag.Range
	model.VersionedType
	crd *model.CRD
}

// versioned returns a type with the group and version of its package.
func (b *builder) versioned(gv groupVersion, importPath, name string, at diag.Range) model.VersionedType {
	if (!gv.group.IsSet() || !gv.version.IsSet()) && b.isFirstError(importPath) {
		b.diags.Add(diag.Errorf(at, model.RuleGroupVersion, "the API group and version of %s are not known: package %s has neither +groupName and +versionName nor a schema.GroupVersion variable", name, importPath).
			WithHint("add comments +groupName=your.group and +versionName=v1 above the package clause"))
	}
	return model.VersionedType{
		GoType: model.GoType{Path: importPath, Alias: b.alias(importPath, gv.group.V, gv.version.V), Name: name},
		Group:  gv.group.V, Version: gv.version.V,
	}
}

// addConversions finds the hub of every spoke.
func (b *builder) addConversions(packages []*packageMarkers) {
	var hubs []hub
	spokes := map[*model.Conversion]declared[*registry.Spoke]{}
	for _, m := range packages {
		for _, d := range m.declarations {
			if d.hub.IsValid() {
				b.isKind(m, d, d.hub)
				hubs = append(hubs, b.hub(m, d))
			}
			for _, at := range marked[*registry.Spoke](d) {
				c, ok := b.spoke(m, d, at)
				if !ok {
					b.incomplete = true
					continue
				}
				b.conversions = append(b.conversions, c)
				spokes[c] = at
			}
		}
	}
	for i, h := range hubs {
		first := slices.IndexFunc(hubs, func(o hub) bool { return o.Group == h.Group && o.Name == h.Name })
		if first < i && h.Group != "" {
			b.incomplete = true
			b.diags.Add(diag.Errorf(h.Range, model.RuleHub, "a second hub of %s in group %s", h.Name, h.Group).
				WithHint("mark all versions but one with +webhook:conversion:spoke").WithRelated(hubs[first].Range, "the first is here"))
		}
	}
	b.conversions = slices.DeleteFunc(b.conversions, func(c *model.Conversion) bool {
		ok := b.findHub(c, spokes[c].marker, hubs)
		b.incomplete = b.incomplete || !ok
		return !ok
	})
	b.addConvertible()
	slices.SortStableFunc(b.conversions, func(a, b *model.Conversion) int {
		return cmp.Or(strings.Compare(a.Package.Dir, b.Package.Dir), strings.Compare(a.Spoke.Name, b.Spoke.Name))
	})
}

// hub returns the hub for a declaration's marker.
func (b *builder) hub(m *packageMarkers, d *declaration) hub {
	h := hub{Range: d.hub, VersionedType: b.versioned(m.groupVersion, m.Path, d.typ.Spec.Name.Name, d.hub)}
	if h.Group == "" || h.Version == "" {
		return h
	}
	kind := b.kind(m.Package, m.groupVersion, *d.typ, declared[*registry.Subject]{Range: d.hub, marker: &registry.Subject{}})
	h.crd = &model.CRD{Plural: kind.Plural, Service: serviceOf(m.service, b.options.Service), CABundle: b.options.CABundle}
	return h
}

// serviceOf returns the service of a package's conversions, with controller-runtime's URL path.
func serviceOf(m registry.Service, preset ServiceName) admissionregistrationv1.ServiceReference {
	s := admissionregistrationv1.ServiceReference{Name: cmp.Or(m.Name.V, preset.Name), Namespace: cmp.Or(m.Namespace.V, preset.Namespace), Path: new("/convert")}
	if m.Port.IsSet() {
		s.Port = new(int32(m.Port.V))
	}
	return s
}

// spoke builds a conversion. findHub adds the hub later.
func (b *builder) spoke(m *packageMarkers, d *declaration, at declared[*registry.Spoke]) (*model.Conversion, bool) {
	c := &model.Conversion{Range: at.Range, Declared: m.Path, Convertible: at.marker.Convertible, Reads: at.marker.Reads.V}
	switch target := at.marker.For; {
	case target.IsSet() && c.Convertible.V:
		b.diags.Add(diag.Errorf(c.Convertible.At, model.RuleConvertible, "no method can be declared on %s of another package", target.V.Type).
			WithHint("put the marker on the type itself or, where its source is not yours, "+withoutMethods).WithRelated(target.At, "the type is named here"))
		return nil, false
	case target.IsSet():
		spoke, ok := b.locatedType(target)
		c.Spoke = spoke
		c.Package = packageOf(m.Package)
		if p, err := b.module.Locate(b.ctx, spoke.Path); ok && err == nil {
			t, found := p.Type(spoke.Name)
			c.Stored = found && isStored(t)
		}
		return c, ok
	case d.typ == nil:
		b.diags.Add(diag.Errorf(at.Range, model.RuleNeeds, "a spoke on a package needs its type").
			WithHint(`add for: "import/path.Type"`))
		return nil, false
	case d.hub.IsValid():
		b.diags.Add(diag.Errorf(at.Range, model.RuleHub, "%s is a hub and cannot be a spoke too", d.typ.Spec.Name.Name).
			WithHint("all versions of a kind are converted through one hub, not from each to the next").WithRelated(d.hub, "the hub is here"))
		return nil, false
	case !b.isKind(m, d, at.Range):
		return nil, false
	}
	c.Spoke = b.versioned(m.groupVersion, m.Path, d.typ.Spec.Name.Name, at.Range)
	c.Stored = isStored(*d.typ)
	c.Package = b.handlerPackage(m.Package, b.options.Conversions)
	if c.Convertible.V {
		c.Package = packageOf(m.Package)
	}
	return c, true
}

// findHub sets the hub that the spoke's marker names, or else the hub of the spoke's group and kind.
func (b *builder) findHub(c *model.Conversion, args *registry.Spoke, hubs []hub) bool {
	if args.Hub.IsSet() {
		for _, other := range b.conversions {
			if t := args.Hub.V; other.Spoke.Path == t.ImportPath && other.Spoke.Name == t.Type {
				b.diags.Add(diag.Errorf(args.Hub.At, model.RuleHub, "%s of %s is a spoke itself", t.Type, other.Spoke.Version).
					WithHint("all versions of a kind are converted through one hub, not from each to the next").WithRelated(other.Range, "it is marked as spoke here"))
				return false
			}
		}
		var ok bool
		if c.Hub, ok = b.locatedType(args.Hub); !ok {
			return false
		}
		for _, h := range hubs {
			if h.GoType == c.Hub.GoType {
				c.CRD = h.crd
			}
		}
		return true
	}
	found := slices.DeleteFunc(slices.Clone(hubs), func(h hub) bool { return h.Group != c.Spoke.Group || h.Name != c.Spoke.Name })
	switch {
	case len(found) == 1:
		c.Hub, c.CRD = found[0].VersionedType, found[0].crd
		return true
	case len(found) == 0 && c.Spoke.Group != "":
		b.diags.Add(diag.Errorf(c.Range, model.RuleHub, "no type %s of group %s is marked as hub among the packages of this run", c.Spoke.Name, c.Spoke.Group).
			WithHint(`put +webhook:conversion:hub on the version that the others are converted to and from, or name it: hub: "import/path.%s"`, c.Spoke.Name))
	}
	return false // the other errors are reported already
}

// locatedType returns a type of any package.
func (b *builder) locatedType(target diag.Sourced[registry.Target]) (model.VersionedType, bool) {
	_, _, gv, ok := b.locate(b.module, target, "")
	if !ok {
		return model.VersionedType{}, false
	}
	return b.versioned(gv, target.V.ImportPath, target.V.Type, target.At), true
}

// addConversionRule adds the rules of a marker for one field or for several.
func (b *builder) addConversionRule(p *load.Package, f *load.File, d marker.Decoded, m *registry.Field) {
	rule := model.ConversionRule{
		Range: d.Range, Verb: m.Verb, Declared: p.Path, Path: m.Path, As: m.As,
		From: m.From.V, To: m.To.V, Same: m.Same.V, Hub: m.Hub, Direction: m.Direction, With: m.With, Unless: m.Unless,
	}
	switch m.Verb {
	case model.Drop:
		rule.Reason = m.Text.V
	case model.Allow:
		rule.Rule, rule.Reason = m.Rule.V, m.Text.V
	case model.Enum:
		if named := m.From.IsSet() && m.To.IsSet(); named == m.Same.IsSet() || m.From.IsSet() != m.To.IsSet() {
			b.diags.Add(diag.Errorf(d.Range, model.RuleNeeds, "+%s needs from and to, or same", d.Name).
				WithHint(`from: "a", to: "A" is another name; same: "a;b" lists values that only one version has, and same: "*" is for all of them`))
			return
		}
	case model.Default:
		if m.Text.IsSet() == m.From.IsSet() {
			b.diags.Add(diag.Errorf(d.Range, model.RuleNeeds, "+%s needs a value, or from", d.Name).WithHint(`="value" is a constant, from: "metadata.namespace" is the object's own`))
			return
		}
		if rule.Default = m.Text; m.From.IsSet() {
			rule.Default = m.From
		}
	case model.ToHub:
		if m.Text.IsSet() && m.Path.IsSet() {
			b.exclusive("the value", m.Text.At, "path", m.Path.At)
		} else if m.Text.IsSet() {
			rule.Path = m.Text
		}
	}
	if d.Type != nil {
		rule.Struct = model.GoType{Path: p.Path, Name: d.Type.Name.Name}
	}
	if m.Of.IsSet() {
		rule.Struct = model.GoType{Path: m.Of.V.ImportPath, Name: m.Of.V.Type}
	}
	switch {
	case m.Type.IsSet():
		b.addTypeRule(rule, d, m)
	case d.Field != nil:
		if m.Field.IsSet() || m.Of.IsSet() {
			b.exclusive("field or of", d.Range, "the field below", f.Range(d.Field.Pos(), d.Field.End()))
			return
		}
		b.addFieldRule(rule, diag.Sourced[string]{V: strings.Join(fieldPath(d.Type.Type, d.Field), "."), At: d.NameAt})
	case m.Verb == model.Alike && rule.Struct.IsZero():
		b.diags.Add(diag.Errorf(d.Range, model.RuleNeeds, "+%s on a package needs the type that it is for", d.Name).WithHint(`add of: "import/path.Type"`))
	case m.Verb == model.Alike:
		b.conversionRules = append(b.conversionRules, rule)
	case m.Field.IsSet():
		var fields []diag.Sourced[string]
		for i, name := range m.Field.V {
			fields = append(fields, diag.Sourced[string]{V: name, At: m.Field.Each[i]})
		}
		if m.Verb == model.Custom && m.Hub.IsSet() {
			rule.Others, fields = fields[1:], fields[:1]
		}
		for _, field := range fields {
			b.addFieldRule(rule, field)
		}
	case m.Verb == model.Allow, (m.Hub.IsSet() || m.Verb == model.Custom) && !rule.Struct.IsZero():
		b.conversionRules = append(b.conversionRules, rule)
	default:
		hint := `put it on a field, or add field: "name", and on a package of: "import/path.Type"`
		if m.Verb == model.Custom {
			hint += `; of: "import/path.Type" alone completes a struct, type: "import/path.Type" is for all values of two types`
		}
		b.diags.Add(diag.Errorf(d.Range, model.RuleNeeds, "+%s needs the field that it is for", d.Name).WithHint("%s", hint))
	}
}

// addFieldRule adds a rule for one field that its marker names.
func (b *builder) addFieldRule(rule model.ConversionRule, field diag.Sourced[string]) {
	rule.Field = field
	if !rule.Path.IsSet() {
		rule.Path = field
	}
	if name := field.V[strings.LastIndexByte(field.V, '.')+1:]; name != "*" {
		rule.Path.V = withName(rule.Path.V, name)
	}
	b.conversionRules = append(b.conversionRules, rule)
}

// withName replaces a final * in a path by a name.
func withName(path, name string) string {
	if before, ok := strings.CutSuffix(path, "*"); ok && (before == "" || strings.HasSuffix(before, ".")) {
		return before + name
	}
	return path
}

// addTypeRule adds a custom rule for all values of two types.
func (b *builder) addTypeRule(rule model.ConversionRule, d marker.Decoded, m *registry.Field) {
	switch {
	case d.Field != nil || m.Field.IsSet() || m.Hub.IsSet():
		b.exclusive("type", m.Type.At, "a field", d.Range)
		return
	case m.Direction.IsSet():
		b.exclusive("type", m.Type.At, "direction", m.Direction.At)
		return
	case rule.Struct.IsZero():
		b.diags.Add(diag.Errorf(d.Range, model.RuleNeeds, "+%s needs the type of the spoke that it is for", d.Name).
			WithHint(`put it on a type, or add of: "import/path.Type"`))
		return
	}
	rule.Type = model.GoType{Path: m.Type.V.ImportPath, Name: m.Type.V.Type}
	b.conversionRules = append(b.conversionRules, rule)
}

// fieldPath returns the path from a type to a field of it or of an unnamed struct inside it.
func fieldPath(t ast.Expr, want *ast.Field) []string {
	var found []string
	ast.Inspect(t, func(n ast.Node) bool {
		s, ok := n.(*ast.StructType)
		if !ok || found != nil {
			return found == nil
		}
		for _, f := range s.Fields.List {
			if f == want {
				found = []string{jsonName(f)}
			} else if below := fieldPath(f.Type, want); below != nil {
				found = append([]string{jsonName(f)}, below...)
			}
		}
		return false
	})
	return found
}

// jsonName returns the JSON name of a field. An embedded field without one has the name of its type.
func jsonName(f *ast.Field) string {
	if name, _, _ := jsonTag(f); name != "" {
		return name
	}
	if len(f.Names) > 0 {
		return f.Names[0].Name
	}
	return load.TypeName(f.Type)
}

// jsonTag returns the JSON part of a field's struct tag.
func jsonTag(f *ast.Field) (name, options string, ok bool) {
	if f.Tag == nil {
		return "", "", false
	}
	text, _ := strconv.Unquote(f.Tag.Value)
	tag, ok := reflect.StructTag(text).Lookup("json")
	name, options, _ = strings.Cut(tag, ",")
	return name, options, ok
}
