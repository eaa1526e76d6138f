package conversion

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// kind says how the values of a type are read from JSON and compared with it.
type kind int

const (
	opaque kind = iota // by sigs.k8s.io/json and json.Marshal, as a whole
	self               // by the type's own UnmarshalJSON and MarshalJSON, as a whole
	boolean
	integer
	unsigned
	float
	str
	binary64 // []byte, which JSON writes as base64
	pointer
	list
	dict
	structure
	dynamic // any
)

// shape is what this package has to know of a Go type to read values of it from JSON and to find what has been changed
// in them. It follows the rules of encoding/json, whose tags Kubernetes types carry, and is made once for each handler.
//
// What the rules allow but Kubernetes types do not use (arrays, string-encoded numbers, keys that marshal themselves)
// is opaque: the value is left to sigs.k8s.io/json, and is patched as a whole.
type shape struct {
	kind   kind
	typ    reflect.Type
	elem   *shape // of a pointer, list or dict
	fields []member
	index  map[string]int // the fields by name
}

// member is one member of a structure.
type member struct {
	name      string
	key       []byte // the name as it is written in front of a value
	path      []int  // for reflect.Value.FieldByIndex
	tagged    bool
	omitEmpty bool
	omitZero  bool
	listKeys  []string // of a list: the members that tell its elements apart
	shape     *shape
}

// shapes holds the shape of every type met so far, for types may be recursive, and the list-map keys that have been
// declared for the fields of a type.
type shapes struct {
	made map[reflect.Type]*shape
	keys map[listField][]string
}

// listField names a list by its structure and its member there.
type listField struct {
	structure reflect.Type
	member    string
}

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	number          = reflect.TypeFor[json.Number]()
)

// of returns the shape of typ.
func (m *shapes) of(typ reflect.Type) *shape {
	if s := m.made[typ]; s != nil {
		return s
	}
	if m.made == nil {
		m.made = make(map[reflect.Type]*shape)
	}
	s := &shape{typ: typ}
	m.made[typ] = s
	addressed := reflect.PointerTo(typ)
	switch {
	case typ.Kind() == reflect.Pointer:
		s.kind, s.elem = pointer, m.of(typ.Elem())
	case addressed.Implements(unmarshaler):
		s.kind = self
	case addressed.Implements(textUnmarshaler), typ == number:
		s.kind = opaque
	default:
		m.complete(s)
	}
	return s
}

// complete fills in the shape of a type that says nothing of JSON itself.
func (m *shapes) complete(s *shape) {
	switch s.typ.Kind() {
	case reflect.Bool:
		s.kind = boolean
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s.kind = integer
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		s.kind = unsigned
	case reflect.Float32, reflect.Float64:
		s.kind = float
	case reflect.String:
		s.kind = str
	case reflect.Interface:
		if s.typ.NumMethod() == 0 {
			s.kind = dynamic
		}
	case reflect.Slice:
		s.elem = m.of(s.typ.Elem())
		switch {
		case s.typ.Elem().Kind() != reflect.Uint8:
			s.kind = list
		case s.elem.kind == unsigned:
			s.kind = binary64
		}
	case reflect.Map:
		key := s.typ.Key()
		if key.Kind() == reflect.String && !reflect.PointerTo(key).Implements(textUnmarshaler) {
			s.kind, s.elem = dict, m.of(s.typ.Elem())
		}
	case reflect.Struct:
		m.structure(s)
	}
}

// structure collects the members of a struct. Those of embedded structs belong to it, unless a shallower or, at equal
// depth, the only tagged one has their name; encoding/json states the rule at Marshal.
func (m *shapes) structure(s *shape) {
	fields, ok := m.members(s.typ, nil, nil)
	if !ok {
		return
	}
	byName := make(map[string][]member)
	for _, f := range fields {
		byName[f.name] = append(byName[f.name], f)
	}
	s.kind, s.index = structure, make(map[string]int)
	for _, f := range fields {
		if winner, ok := dominant(byName[f.name]); ok && slices.Equal(winner.path, f.path) {
			s.index[f.name] = len(s.fields)
			s.fields = append(s.fields, f)
		}
	}
}

// dominant returns the one field among several of a name that the name stands for.
func dominant(fields []member) (member, bool) {
	slices.SortStableFunc(fields, func(a, b member) int {
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
		return member{}, false
	}
	return fields[0], true
}

// members lists the fields of typ, those of embedded structs in their place. It is false for a struct that needs a rule
// which is not followed here.
func (m *shapes) members(typ reflect.Type, path []int, within []reflect.Type) ([]member, bool) {
	if slices.Contains(within, typ) {
		return nil, false
	}
	within = append(within, typ)
	var all []member
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
		found := member{name: named, path: here, tagged: named != "", shape: m.of(f.Type)}
		if named == "" {
			found.name = f.Name
		}
		found.key = append(appendText(nil, found.name), ':')
		for option := range strings.SplitSeq(options, ",") {
			switch option {
			case "omitempty":
				found.omitEmpty = true
			case "omitzero":
				found.omitZero = true
			case "string":
				return nil, false
			}
		}
		found.listKeys = m.keys[listField{typ, found.name}]
		if key := f.Tag.Get("patchMergeKey"); key != "" && found.listKeys == nil {
			found.listKeys = []string{key}
		}
		all = append(all, found)
	}
	return all, true
}

// validName says whether encoding/json takes the name that a tag gives.
func validName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}

// in returns the field of the struct v, and false if it is behind an embedded pointer that is nil.
func (f *member) in(v reflect.Value) (reflect.Value, bool) {
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

// make returns the field of the struct v, and makes the embedded structs on the way that are missing.
func (f *member) make(v reflect.Value) reflect.Value {
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

// omits says whether encoding/json leaves the field out when it holds v.
func (f *member) omits(v reflect.Value) bool {
	return f.omitEmpty && isEmpty(v) || f.omitZero && isZero(v)
}

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

// isZero is the rule of the omitzero option.
func isZero(v reflect.Value) bool {
	switch {
	case v.Kind() == reflect.Interface, v.Kind() == reflect.Pointer && v.IsNil():
		return v.IsNil()
	case v.Kind() != reflect.Pointer && v.CanAddr():
		v = v.Addr()
	}
	if zeroer, ok := v.Interface().(interface{ IsZero() bool }); ok {
		return zeroer.IsZero()
	}
	return v.Kind() == reflect.Pointer && v.Elem().IsZero() || v.Kind() != reflect.Pointer && v.IsZero()
}
