// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is the way in which values of a type are read from JSON and compared with it.
type Kind int

// The kinds.
const (
	Opaque Kind = iota // by sigs.k8s.io/json and json.Marshal, as a whole
	Self               // by the type's own UnmarshalJSON and MarshalJSON, as a whole
	Boolean
	Integer
	Unsigned
	Float
	Str
	Binary64 // []byte, which JSON writes as base64
	Pointer
	List
	Dict
	Structure
	Dynamic // any
)

// Shape describes a Go type, for reading its values from JSON and for finding changes in them. It follows the rules of
// encoding/json, whose tags Kubernetes types carry, and is made once for each handler.
//
// A type that the rules allow but Kubernetes types do not use is opaque: arrays, string-encoded numbers, keys that
// marshal themselves. The value is left to sigs.k8s.io/json, and is patched as a whole.
type Shape struct {
	Kind   Kind
	Typ    reflect.Type
	Elem   *Shape // of a pointer, list or dict
	Fields []Member
	Index  map[string]int // the fields by name
	// IsTime and IsQuantity are set for metav1.Time and resource.Quantity, which are Self.
	IsTime, IsQuantity bool
	// HasMissing is set for a structure if a member of it, or of a structure in it or in its lists, MayBeMissing.
	HasMissing bool
}

// Member is one member of a structure.
type Member struct {
	Name      string
	Key       []byte // the name as it is written in front of a value
	path      []int  // for reflect.Value.FieldByIndex
	tagged    bool
	omitEmpty bool
	OmitZero  bool
	ListKeys  []string // of a list: the members that identify its elements
	Set       bool     // of a list: its values identify its elements
	Shape     *Shape
}

// Shapes holds the shapes of all types met so far, because types may be recursive. It also holds the list-map keys that
// have been declared for the fields of a type. A list without keys is a set.
type Shapes struct {
	Made map[reflect.Type]*Shape
	Keys map[ListField][]string
}

// ListField identifies a list by its struct and its member there.
type ListField struct {
	Structure reflect.Type
	Member    string
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	number          = reflect.TypeFor[json.Number]()
)

// Of returns the shape of typ.
func (m *Shapes) Of(typ reflect.Type) *Shape {
	if s := m.Made[typ]; s != nil {
		return s
	}
	if m.Made == nil {
		m.Made = make(map[reflect.Type]*Shape)
	}
	s := &Shape{Typ: typ}
	m.Made[typ] = s
	addressed := reflect.PointerTo(typ)
	switch {
	case typ.Kind() == reflect.Pointer:
		s.Kind, s.Elem = Pointer, m.Of(typ.Elem())
	case addressed.Implements(unmarshaler):
		s.Kind, s.IsTime, s.IsQuantity = Self, typ == reflect.TypeFor[metav1.Time](), typ == reflect.TypeFor[resource.Quantity]()
	case addressed.Implements(textUnmarshaler), typ == number:
		s.Kind = Opaque
	default:
		m.complete(s)
	}
	return s
}

// complete fills in the shape of a type that has no JSON methods of its own.
func (m *Shapes) complete(s *Shape) {
	switch s.Typ.Kind() {
	case reflect.Bool:
		s.Kind = Boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.Kind = Integer
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.Kind = Unsigned
	case reflect.Float32, reflect.Float64:
		s.Kind = Float
	case reflect.String:
		s.Kind = Str
	case reflect.Interface:
		if s.Typ.NumMethod() == 0 {
			s.Kind = Dynamic
		}
	case reflect.Slice:
		s.Elem = m.Of(s.Typ.Elem())
		switch {
		case s.Typ.Elem().Kind() != reflect.Uint8:
			s.Kind = List
		case s.Elem.Kind == Unsigned:
			s.Kind = Binary64
		}
	case reflect.Map:
		key := s.Typ.Key()
		if key.Kind() == reflect.String && !reflect.PointerTo(key).Implements(textUnmarshaler) {
			s.Kind, s.Elem = Dict, m.Of(s.Typ.Elem())
		}
	case reflect.Struct:
		m.structure(s)
	}
}

// structure collects the members of a struct, including members of embedded structs. Of several members of one name,
// the shallowest wins, or at equal depth the only tagged one; the documentation of json.Marshal has the rule.
func (m *Shapes) structure(s *Shape) {
	fields, ok := m.members(s.Typ, nil, nil)
	if !ok {
		return
	}
	byName := make(map[string][]Member)
	for _, f := range fields {
		byName[f.Name] = append(byName[f.Name], f)
	}
	s.Kind, s.Index = Structure, make(map[string]int)
	for _, f := range fields {
		if winner, ok := dominant(byName[f.Name]); ok && slices.Equal(winner.path, f.path) {
			s.Index[f.Name] = len(s.Fields)
			s.Fields = append(s.Fields, f)
			s.HasMissing = s.HasMissing || f.MayBeMissing() || f.Shape.Inside().HasMissing
		}
	}
}

// MemberOf returns the shape of a member, or of what it points to; nil without one.
func (s *Shape) MemberOf(name string) *Shape {
	if s == nil {
		return nil
	}
	if i, ok := s.Index[name]; ok {
		return s.Fields[i].Shape.Target()
	}
	return nil
}

// StructureOf returns the structure that a member is, or points to; nil without one.
func (s *Shape) StructureOf(name string) *Shape {
	if found := s.MemberOf(name); found != nil && found.Kind == Structure {
		return found
	}
	return nil
}

// HoldsMissing reports whether a list or dict has structures with members that may be missing, and another one, if any,
// is a list or dict as it is.
func (s *Shape) HoldsMissing(like *Shape) bool {
	return (s.Kind == List || s.Kind == Dict) && like != nil && like.Kind == s.Kind && s.Inside().HasMissing
}

// MayBeMissing reports whether Go writes the member even if an object need not have it: a structure with omitempty. The
// types of Kubernetes do not count.
func (f *Member) MayBeMissing() bool {
	return f.omitEmpty && f.Shape.Kind == Structure && !strings.HasPrefix(f.Shape.Typ.PkgPath(), "k8s.io/")
}

// dominant returns the one field, among several of the same name, that encoding/json uses. It returns false if there is
// no such field.
func dominant(fields []Member) (Member, bool) {
	slices.SortStableFunc(fields, func(a, b Member) int {
		if len(a.path) != len(b.path) {
			return len(a.path) - len(b.path)
		}
		switch {
		case a.tagged == b.tagged:
			return 0
		case a.tagged:
			return -1
		}
		return 1
	})
	if len(fields) > 1 && len(fields[0].path) == len(fields[1].path) && fields[0].tagged == fields[1].tagged {
		return Member{}, false
	}
	return fields[0], true
}

// members lists the fields of typ, with the fields of embedded structs in the place of these. It returns false for a
// struct that needs a rule which is not followed here.
func (m *Shapes) members(typ reflect.Type, path []int, within []reflect.Type) ([]Member, bool) {
	if slices.Contains(within, typ) {
		return nil, false
	}
	within = append(within, typ)
	var all []Member
	for i := range typ.NumField() {
		f := typ.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		named, options, _ := strings.Cut(tag, ",")
		if !validName(named) {
			named = ""
		}
		here := append(slices.Clone(path), i)
		target := f.Type
		if f.Anonymous && target.Kind() == reflect.Pointer {
			target = target.Elem()
		}
		if f.Anonymous && named == "" && target.Kind() == reflect.Struct {
			if target != f.Type && !f.IsExported() {
				return nil, false
			}
			embedded, ok := m.members(target, here, within)
			if !ok {
				return nil, false
			}
			all = append(all, embedded...)
			continue
		}
		if !f.IsExported() {
			if target.Kind() == reflect.Struct {
				return nil, false
			}
			continue
		}
		found := Member{Name: named, path: here, tagged: named != "", Shape: m.Of(f.Type)}
		if named == "" {
			found.Name = f.Name
		}
		found.Key = append(AppendText(nil, found.Name), ':')
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				found.omitEmpty = true
			case "omitzero":
				found.OmitZero = true
			case "string":
				return nil, false
			}
		}
		keys, declared := m.Keys[ListField{typ, found.Name}]
		found.ListKeys, found.Set = keys, declared && len(keys) == 0
		if key := f.Tag.Get("patchMergeKey"); key != "" && !declared {
			found.ListKeys = []string{key}
		}
		all = append(all, found)
	}
	return all, true
}

// validName reports whether encoding/json accepts the name in a tag.
func validName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}

// In returns the field of the struct v, and false if it is behind an embedded pointer that is nil.
func (f *Member) In(v reflect.Value) (reflect.Value, bool) {
	for i, step := range f.path {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return reflect.Value{}, false
			}
			v = v.Elem()
		}
		v = v.Field(step)
	}
	return v, true
}

// Make returns the field of the struct v, and makes missing embedded structs on the way.
func (f *Member) Make(v reflect.Value) reflect.Value {
	for i, step := range f.path {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(step)
	}
	return v
}

// Omits reports whether encoding/json leaves the field out if its value is v. A pointer to the zero of a metav1.Time,
// which omitzero leaves out, is a time that somebody has set.
func (f *Member) Omits(v reflect.Value) bool {
	if f.Shape.Kind == Pointer && f.Shape.Elem.IsTime {
		return v.IsNil() && (f.omitEmpty || f.OmitZero)
	}
	return f.omitEmpty && isEmpty(v) || f.OmitZero && isZero(v)
}

// OmitsEmpty reports whether the field has the option omitempty, which has no effect on structs.
func (f *Member) OmitsEmpty() bool { return f.omitEmpty }

// isEmpty is the rule of the omitempty option.
func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero is the rule of the omitzero option: the type's own method IsZero decides, if the type has one.
func isZero(v reflect.Value) bool {
	zero := v.IsZero()
	switch v.Kind() {
	case reflect.Interface:
		return zero
	case reflect.Pointer:
		if zero {
			return true
		}
	default:
		if !v.CanAddr() {
			copied := reflect.New(v.Type())
			copied.Elem().Set(v)
			v = copied.Elem()
		}
		v = v.Addr()
	}
	if zeroer, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return zeroer.IsZero()
	}
	return zero
}
