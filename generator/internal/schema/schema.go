// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Schema is a part of openAPIV3Schema in a CustomResourceDefinition.
type Schema struct {
	Type                 string             `json:"type,omitempty"`
	Format               string             `json:"format,omitempty"`
	Properties           map[string]*Schema `json:"properties,omitempty"`
	AdditionalProperties *Schema            `json:"additionalProperties,omitempty"`
	Items                *Schema            `json:"items,omitempty"`
	Required             []string           `json:"required,omitempty"`
	Nullable             bool               `json:"nullable,omitempty"`
	Default              json.RawMessage    `json:"default,omitempty"`
	Enum                 []json.RawMessage  `json:"enum,omitempty"`
	Minimum              json.Number        `json:"minimum,omitempty"`
	Maximum              json.Number        `json:"maximum,omitempty"`
	ExclusiveMinimum     bool               `json:"exclusiveMinimum,omitempty"`
	ExclusiveMaximum     bool               `json:"exclusiveMaximum,omitempty"`
	MultipleOf           json.Number        `json:"multipleOf,omitempty"`
	MinLength            *int               `json:"minLength,omitempty"`
	MaxLength            *int               `json:"maxLength,omitempty"`
	MinItems             *int               `json:"minItems,omitempty"`
	MaxItems             *int               `json:"maxItems,omitempty"`
	MinProperties        *int               `json:"minProperties,omitempty"`
	MaxProperties        *int               `json:"maxProperties,omitempty"`
	Pattern              string             `json:"pattern,omitempty"`
	UniqueItems          bool               `json:"uniqueItems,omitempty"`
	IntOrString          bool               `json:"x-kubernetes-int-or-string,omitempty"`
	Preserve             bool               `json:"x-kubernetes-preserve-unknown-fields,omitempty"`
	EmbeddedResource     bool               `json:"x-kubernetes-embedded-resource,omitempty"`
	ListType             string             `json:"x-kubernetes-list-type,omitempty"`
	ListMapKeys          []string           `json:"x-kubernetes-list-map-keys,omitempty"`
	MapType              string             `json:"x-kubernetes-map-type,omitempty"`
	Rules                []Rule             `json:"x-kubernetes-validations,omitempty"`
}

// Rule is a validation rule, from a marker +kubebuilder:validation:XValidation.
type Rule struct {
	Rule              string `json:"rule"`
	MessageExpression string `json:"messageExpression,omitempty"`
	OptionalOldSelf   bool   `json:"optionalOldSelf,omitempty"`

	literal        string // the rule as it is written, with its quotes
	file           *load.File
	before, behind token.Pos
}

// At returns the source range from a byte of the rule on. It is not valid for a rule in an unnamed type.
func (r Rule) At(from int) diag.Range {
	if r.file == nil {
		return diag.Range{}
	}
	if r.literal[0] == '"' && strings.Contains(r.literal[:min(from+1, len(r.literal))], `\`) {
		from = 0 // an escape takes more bytes than its character
	}
	const quote = 1
	return r.file.Range(r.before+quote+token.Pos(from), r.behind-quote)
}

// At returns the schema at a path: names of properties, * for the elements of a list or map; nil without one.
func (s *Schema) At(path []string) *Schema {
	for _, name := range path {
		switch {
		case s == nil:
			return nil
		case name != "*":
			s = s.Properties[name]
		case s.Items != nil:
			s = s.Items
		default:
			s = s.AdditionalProperties
		}
	}
	return s
}

// HasRules reports whether the schema or a schema in it has validation rules.
func (s *Schema) HasRules() bool {
	if s == nil {
		return false
	}
	for _, property := range s.Properties {
		if property.HasRules() {
			return true
		}
	}
	return len(s.Rules) > 0 || s.Items.HasRules() || s.AdditionalProperties.HasRules()
}

// addRules adds the rules of comments in a file, which may be nil.
func (s *Schema) addRules(file *load.File, groups []*ast.CommentGroup) {
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.List {
			for prefix, to := range map[string]*Schema{"XValidation:": s, "items:XValidation:": s.Items} {
				at := strings.Index(c.Text, validation+prefix)
				if at < 0 || to == nil || strings.TrimSpace(c.Text[len("//"):at]) != "" {
					continue
				}
				arguments := c.Text[at+len(validation+prefix):]
				literal, ok := argument(arguments, "rule")
				if !ok {
					continue
				}
				message, _ := argument(arguments, "messageExpression")
				start := c.Pos() + token.Pos(len(c.Text)-len(arguments)+strings.Index(arguments, "rule="+literal)+len("rule="))
				to.Rules = append(to.Rules, Rule{Rule: Unquoted(literal), MessageExpression: Unquoted(message), OptionalOldSelf: strings.Contains(arguments, "optionalOldSelf=true"),
					literal: literal, file: file, before: start, behind: start + token.Pos(len(literal))})
			}
		}
	}
}

// quantity is the pattern of resource.Quantity in the definitions that controller-gen writes.
const quantity = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// Of derives the schema of a type. Of a type that contains itself, the inner occurrence keeps all fields without a
// schema, as does a type that encodes itself.
func Of(t *resolve.Type) *Schema { return of(t, nil) }

func of(t *resolve.Type, inside []*resolve.Type) *Schema {
	s := encoded(t)
	if s == nil {
		s = derive(t, inside)
	}
	s.read(t.Doc())
	s.addRules(t.File, t.Doc())
	return s
}

// encoded returns the schema of a type that encodes itself; nil for other types.
func encoded(t *resolve.Type) *Schema {
	switch t.Package + "." + t.Name {
	case "k8s.io/apimachinery/pkg/apis/meta/v1.Time", "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime", "time.Time":
		return &Schema{Type: "string", Format: "date-time"}
	case "k8s.io/apimachinery/pkg/apis/meta/v1.Duration":
		return &Schema{Type: "string"}
	case "k8s.io/apimachinery/pkg/api/resource.Quantity":
		return &Schema{IntOrString: true, Pattern: quantity}
	case "k8s.io/apimachinery/pkg/util/intstr.IntOrString":
		return &Schema{IntOrString: true}
	case "k8s.io/apimachinery/pkg/runtime.RawExtension", "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured.Unstructured",
		"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":
		return &Schema{Type: "object", Preserve: true}
	}
	return nil
}

// derive makes a schema of a type's declaration.
func derive(t *resolve.Type, inside []*resolve.Type) *Schema {
	encodesItself := func() bool { return t.HasPromoted("MarshalJSON") || t.HasPromoted("MarshalText") }
	if t.Err() != nil || t.Name != "" && t.AST != nil && t.Kind() != resolve.Pointer && encodesItself() {
		return &Schema{Preserve: true}
	}
	switch t.Kind() {
	case resolve.Pointer:
		return of(t.Elem(), inside)
	case resolve.Basic:
		return basic(t.Basic())
	case resolve.Slice, resolve.Array:
		if t.Elem().Kind() == resolve.Basic && t.Elem().Basic() == "uint8" {
			return &Schema{Type: "string", Format: "byte"}
		}
		return &Schema{Type: "array", Items: of(t.Elem(), inside)}
	case resolve.Map:
		return &Schema{Type: "object", AdditionalProperties: of(t.Elem(), inside)}
	case resolve.Struct:
		if slices.Contains(inside, t) {
			return &Schema{Type: "object", Preserve: true}
		}
		s := &Schema{Type: "object", Properties: map[string]*Schema{}}
		s.fields(t, append(slices.Clip(inside), t))
		slices.Sort(s.Required)
		return s
	}
	return &Schema{Preserve: true}
}

func basic(name string) *Schema {
	switch name {
	case "string":
		return &Schema{Type: "string"}
	case "bool":
		return &Schema{Type: "boolean"}
	case "int64", "uint64":
		return &Schema{Type: "integer", Format: "int64"}
	case "int8", "int16", "int32", "uint8", "uint16", "uint32":
		return &Schema{Type: "integer", Format: "int32"}
	case "int", "uint", "uintptr":
		return &Schema{Type: "integer"}
	case "float32":
		return &Schema{Type: "number", Format: "float"}
	case "float64":
		return &Schema{Type: "number", Format: "double"}
	}
	return &Schema{Preserve: true}
}

// fields adds the fields of a struct. A field that is there, of an outer struct, precedes one of its embedded structs.
func (s *Schema) fields(t *resolve.Type, inside []*resolve.Type) {
	outer := maps.Clone(s.Properties)
	for _, f := range t.Fields() {
		if outer[f.JSON] != nil || f.JSON == "" || !f.Exported && !f.Embedded {
			continue
		}
		property := of(f.Type, inside)
		property.read(f.Doc)
		property.addRules(t.File, f.Doc)
		if f.String && f.Type.Kind() == resolve.Basic {
			property = &Schema{Type: "string"}
		}
		if text := DefaultJSON(f); text != "" {
			property.Default = json.RawMessage(text)
		}
		s.Properties[f.JSON] = property
		if Requires(t, f) {
			s.Required = append(s.Required, f.JSON)
		}
	}
	for _, f := range t.Fields() {
		if !f.Inline {
			continue
		}
		inner := f.Type.Pointee()
		if inner.Err() != nil || slices.Contains(inside, inner) {
			s.Preserve = true
			continue
		}
		s.fields(inner, append(slices.Clip(inside), inner))
	}
}

// Requires reports whether an object must have a field of a struct: as controller-gen decides, from markers of the
// field and of its package, and then from the tag.
func Requires(of *resolve.Type, f *resolve.Field) bool {
	return IsRequired(f) || !hasMarker(f, "+optional", "+k8s:optional", validation+"Optional") &&
		!f.OmitEmpty && !f.OmitZero && !of.PackageMarked(validation+"Optional")
}

// read adds what markers of a type or a field set.
func (s *Schema) read(groups []*ast.CommentGroup) {
	s.limit(groups, false)
	if s.Items != nil {
		s.Items.limit(groups, true)
	}
	s.ListMapKeys = append(s.ListMapKeys, load.ListMapKeys(groups...)...)
	for _, m := range load.Markers(groups...) {
		name, value, _ := strings.Cut(m, "=")
		value = Unquoted(strings.TrimSpace(value))
		switch strings.TrimSuffix(name, ":") {
		case "+nullable":
			s.Nullable = true
		case "+listType", "+k8s:listType":
			s.ListType = value
		case "+mapType", "+structType":
			s.MapType = value
		case "+kubebuilder:pruning:PreserveUnknownFields", validation + "XPreserveUnknownFields":
			s.Preserve = true
		case validation + "Schemaless":
			*s = Schema{Preserve: true}
		case validation + "XEmbeddedResource", "+kubebuilder:validation:EmbeddedResource":
			s.EmbeddedResource = true
		case validation + "XIntOrString":
			s.Type, s.IntOrString = "", true
		case validation + "Type":
			if value != s.Type { // it replaces what follows from the Go type
				*s = Schema{Type: value, Nullable: s.Nullable, Preserve: value == "object"}
			}
		}
	}
}

// limit adds the limits from comments, as Limits.Read reads them.
func (s *Schema) limit(groups []*ast.CommentGroup, items bool) {
	var l Limits
	l.Read(groups, items)
	if len(l.Enum) > 0 {
		s.Enum = nil
		for _, value := range l.Enum {
			text := json.RawMessage(value)
			if s.Type == "string" || !json.Valid(text) {
				text = json.RawMessage(strconv.Quote(value))
			}
			s.Enum = append(s.Enum, text)
		}
	}
	number := func(to *json.Number, value string) {
		if _, err := strconv.ParseFloat(value, 64); err == nil && json.Valid([]byte(value)) {
			*to = json.Number(value)
		}
	}
	number(&s.Minimum, l.Minimum)
	number(&s.Maximum, l.Maximum)
	number(&s.MultipleOf, l.MultipleOf)
	s.ExclusiveMinimum = s.ExclusiveMinimum || l.ExclusiveMinimum
	s.ExclusiveMaximum = s.ExclusiveMaximum || l.ExclusiveMaximum
	s.UniqueItems = s.UniqueItems || l.Unique
	s.Pattern = cmp.Or(l.Pattern, s.Pattern)
	s.Format = cmp.Or(l.Format, s.Format)
	for name, to := range map[string]**int{
		"MinLength": &s.MinLength, "MaxLength": &s.MaxLength, "MinItems": &s.MinItems, "MaxItems": &s.MaxItems,
		"MinProperties": &s.MinProperties, "MaxProperties": &s.MaxProperties,
	} {
		if n, ok := l.Counts[name]; ok {
			*to = new(n)
		}
	}
}

// Rules returns the rules of a type and of the fields below it. Rules of elements of lists and maps are left out.
func Rules(t *resolve.Type) []model.DefinitionRule { return collect(t, nil, nil) }

func collect(t *resolve.Type, path []string, inside []*resolve.Type) (all []model.DefinitionRule) {
	for t.Kind() == resolve.Pointer {
		t = t.Elem()
	}
	if t.Err() != nil || t.Kind() != resolve.Struct || slices.Contains(inside, t) || strings.HasPrefix(t.Package, "k8s.io/") {
		return nil
	}
	add := func(groups []*ast.CommentGroup, path []string, at diag.Range) {
		for _, m := range load.Markers(groups...) {
			if rest, ok := strings.CutPrefix(m, validation+"XValidation:"); ok {
				if expression, ok := ruleOf(rest); ok {
					all = append(all, model.DefinitionRule{Path: path, Expression: expression, At: at})
				}
			}
		}
	}
	add(t.Doc(), path, t.Range)
	inside = append(slices.Clip(inside), t)
	for _, f := range t.Fields() {
		below := path
		switch {
		case f.Inline:
		case f.JSON == "":
			continue
		default:
			below = append(slices.Clip(path), f.JSON)
			add(f.Doc, below, f.Range)
		}
		all = append(all, collect(f.Type, below, inside)...)
	}
	return all
}

// Expressions returns the validation rules in comments, with single spaces. Rules of the elements of a list come behind
// items.
func Expressions(groups []*ast.CommentGroup) (all []string) {
	for _, m := range load.Markers(groups...) {
		rest, ok := strings.CutPrefix(m, validation)
		where, rest, isRule := strings.Cut(rest, "XValidation:")
		if expression, found := ruleOf(rest); ok && isRule && found && (where == "" || where == "items:") {
			all = append(all, where+strings.Join(strings.Fields(expression), " "))
		}
	}
	return all
}

// ruleOf finds the argument `rule` of a marker: rule="..." or rule=`...`.
func ruleOf(arguments string) (string, bool) {
	literal, ok := argument(arguments, "rule")
	return Unquoted(literal), ok
}

// argument finds a quoted argument of a marker, with its quotes.
func argument(arguments, name string) (literal string, ok bool) {
	_, rest, _ := strings.Cut(","+arguments, ","+name+"=")
	prefix, err := strconv.QuotedPrefix(rest)
	return prefix, err == nil
}
