package conversion

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"

	kjson "k8s.io/apimachinery/pkg/util/json"
)

// decodeError is a value that its Go type cannot hold. The path to it grows as the error travels up.
type decodeError struct {
	path  string
	cause error
}

func (e *decodeError) Error() string {
	if e.path == "" {
		return e.cause.Error()
	}
	return e.path + ": " + e.cause.Error()
}

func (e *decodeError) Unwrap() error { return e.cause }

// below says that an error stands below a member or an element.
func below(step string, err error) error {
	e, ok := err.(*decodeError)
	if !ok {
		return &decodeError{step, err}
	}
	switch {
	case e.path == "", e.path[0] == '[':
		e.path = step + e.path
	default:
		e.path = step + "." + e.path
	}
	return e
}

// decoder reads a value of a known shape from JSON that has been scanned. It gives what sigs.k8s.io/json gives, by
// which the API server decodes, in the cases that it accepts: keys count with their case, and a whole number under any
// is an int64. A key that stands twice where the shape looks is an error; what the shape has no member for is skipped.
type decoder struct {
	src   []byte
	i     int    // the first byte of the next value
	texts *texts // strings to be used again, or nil
}

// decode reads the value at the given place into v, which must be settable and zero.
func decode(src []byte, at span, texts *texts, s *shape, v reflect.Value) error {
	d := decoder{src, at.start, texts}
	return d.value(s, v)
}

func (d *decoder) value(s *shape, v reflect.Value) error {
	switch s.kind {
	case self, opaque:
		return d.whole(s, v)
	case dynamic:
		x, err := d.any()
		if x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return err
	}
	c := d.src[d.i]
	if c == 'n' {
		d.i += len("null")
		return nil
	}
	switch s.kind {
	case pointer:
		v.Set(reflect.New(s.elem.typ))
		return d.value(s.elem, v.Elem())
	case structure:
		if c == '{' {
			return d.structure(s, v)
		}
	case str:
		if c == '"' {
			v.SetString(d.text())
			return nil
		}
	case list:
		if c == '[' {
			return d.list(s, v)
		}
	case dict:
		if c == '{' {
			return d.dict(s, v)
		}
	case boolean:
		if c == 't' || c == 'f' {
			v.SetBool(c == 't')
			d.i = skip(d.src, d.i)
			return nil
		}
	case integer:
		if c == '-' || '0' <= c && c <= '9' {
			n, err := strconv.ParseInt(string(d.literal()), 10, v.Type().Bits())
			v.SetInt(n)
			return err
		}
	case unsigned:
		if '0' <= c && c <= '9' {
			n, err := strconv.ParseUint(string(d.literal()), 10, v.Type().Bits())
			v.SetUint(n)
			return err
		}
	case float:
		if c == '-' || '0' <= c && c <= '9' {
			x, err := strconv.ParseFloat(string(d.literal()), v.Type().Bits())
			v.SetFloat(x)
			return err
		}
	case binary64:
		if c == '"' {
			return d.binary(v)
		}
	}
	return fmt.Errorf("%s cannot be read as %s", found(c), s.typ)
}

// found names the JSON type of the value that begins with c.
func found(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	}
	return "a number"
}

// literal returns a number as it stands.
func (d *decoder) literal() []byte {
	start := d.i
	d.i = skip(d.src, d.i)
	return d.src[start:d.i]
}

func (d *decoder) text() string {
	at := span{d.i, skipString(d.src, d.i)}
	d.i = at.end
	return d.texts.of(text(d.src, at))
}

// whole leaves a value to its type, or to sigs.k8s.io/json.
func (d *decoder) whole(s *shape, v reflect.Value) error {
	start := d.i
	end, err := unique(d.src, start)
	if err != nil {
		return err
	}
	d.i = end
	return s.unmarshal(d.src[start:end], v.Addr())
}

// unmarshal reads a value of a type that is self or opaque into what v points to.
func (s *shape) unmarshal(src []byte, v reflect.Value) error {
	if s.kind == self {
		return v.Interface().(json.Unmarshaler).UnmarshalJSON(src)
	}
	return kjson.Unmarshal(src, v.Interface())
}

func (d *decoder) binary(v reflect.Value) error {
	encoded := d.text()
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	v.SetBytes(decoded)
	return err
}

// key reads a member's name and goes on to its value.
func (d *decoder) key() []byte { return text(d.src, d.rawKey()) }

// rawKey returns where a member's name stands and goes on to its value.
func (d *decoder) rawKey() span {
	at := span{d.i, skipString(d.src, d.i)}
	d.i = at.end
	if d.src[d.i] != ':' {
		d.i = space(d.src, d.i)
	}
	d.i = space(d.src, d.i+1)
	return at
}

// open steps into an object or array and says whether there is anything in it.
func (d *decoder) open(end byte) bool {
	d.i = space(d.src, d.i+1)
	if d.src[d.i] == end {
		d.i++
		return false
	}
	return true
}

// more steps behind a member or element and says whether another one follows.
func (d *decoder) more() bool {
	d.i = space(d.src, d.i)
	if d.src[d.i] != ',' {
		d.i++
		return false
	}
	d.i = space(d.src, d.i+1)
	return true
}

func (d *decoder) structure(s *shape, v reflect.Value) error {
	var few [64]bool
	seen := few[:]
	if len(s.fields) > len(few) {
		seen = make([]bool, len(s.fields))
	}
	next := 0
	for more := d.open('}'); more; more = d.more() {
		i := s.find(d.src, d.rawKey(), next)
		if i < 0 {
			d.i = skip(d.src, d.i)
			continue
		}
		if seen[i] {
			return duplicate([]byte(s.fields[i].name))
		}
		seen[i], next = true, i+1
		f := &s.fields[i]
		if err := d.value(f.shape, f.make(v)); err != nil {
			return below(f.name, err)
		}
	}
	return nil
}

// find returns the number of the field that a key stands for, or -1. Members mostly come in the order of the fields, so
// the one that is due next is tried first.
func (s *shape) find(src []byte, key span, next int) int {
	raw := src[key.start+1 : key.end-1]
	if next < len(s.fields) && s.fields[next].name == string(raw) {
		return next
	}
	if i, ok := s.index[string(raw)]; ok {
		return i
	}
	if !isPlain(raw) {
		if i, ok := s.index[string(text(src, key))]; ok {
			return i
		}
	}
	return -1
}

// firstElements is how many bytes a list has room for at first. A list of few elements seldom has to grow then.
const firstElements = 256

func (d *decoder) list(s *shape, v reflect.Value) error {
	if strings, ok := v.Addr().Interface().(*[]string); ok {
		return d.strings(strings)
	}
	n := 0
	for more := d.open(']'); more; more = d.more() {
		if n == v.Cap() {
			v.Grow(max(1, firstElements/int(s.elem.typ.Size()+1)))
		}
		v.SetLen(n + 1)
		if err := d.value(s.elem, v.Index(n)); err != nil {
			return below("["+strconv.Itoa(n)+"]", err)
		}
		n++
	}
	if n == 0 {
		v.Set(reflect.MakeSlice(s.typ, 0, 0))
	}
	return nil
}

// strings is list for the commonest list.
func (d *decoder) strings(list *[]string) error {
	*list = make([]string, 0, 4)
	for more := d.open(']'); more; more = d.more() {
		switch d.src[d.i] {
		case '"':
			*list = append(*list, d.text())
		case 'n':
			*list = append(*list, "")
			d.i += len("null")
		default:
			return below("["+strconv.Itoa(len(*list))+"]", fmt.Errorf("%s cannot be read as string", found(d.src[d.i])))
		}
	}
	return nil
}

func (d *decoder) dict(s *shape, v reflect.Value) error {
	if labels, ok := v.Addr().Interface().(*map[string]string); ok {
		return d.labels(labels)
	}
	v.Set(reflect.MakeMap(s.typ))
	n := 0
	name, elem := reflect.New(s.typ.Key()).Elem(), reflect.New(s.elem.typ).Elem()
	for more := d.open('}'); more; more = d.more() {
		key := d.texts.of(d.key())
		elem.SetZero()
		if err := d.value(s.elem, elem); err != nil {
			return below(key, err)
		}
		name.SetString(key)
		v.SetMapIndex(name, elem)
		if n++; v.Len() != n {
			return duplicate([]byte(key))
		}
	}
	return nil
}

// labels is dict for the commonest map.
func (d *decoder) labels(labels *map[string]string) error {
	m := make(map[string]string)
	*labels = m
	for more := d.open('}'); more; more = d.more() {
		key := d.texts.of(d.key())
		if _, ok := m[key]; ok {
			return duplicate([]byte(key))
		}
		switch d.src[d.i] {
		case '"':
			m[key] = d.text()
		case 'n':
			m[key] = ""
			d.i += len("null")
		default:
			return below(key, fmt.Errorf("%s cannot be read as string", found(d.src[d.i])))
		}
	}
	return nil
}

// any reads a value without a type.
func (d *decoder) any() (any, error) {
	switch c := d.src[d.i]; c {
	case '{':
		m := make(map[string]any)
		for more := d.open('}'); more; more = d.more() {
			key := d.texts.of(d.key())
			if _, ok := m[key]; ok {
				return nil, duplicate([]byte(key))
			}
			x, err := d.any()
			if err != nil {
				return nil, below(key, err)
			}
			m[key] = x
		}
		return m, nil
	case '[':
		l := []any{}
		for more := d.open(']'); more; more = d.more() {
			x, err := d.any()
			if err != nil {
				return nil, below("["+strconv.Itoa(len(l))+"]", err)
			}
			l = append(l, x)
		}
		return l, nil
	case '"':
		return d.text(), nil
	case 'n':
		d.i += len("null")
		return nil, nil
	case 't', 'f':
		d.i = skip(d.src, d.i)
		return c == 't', nil
	}
	literal := string(d.literal())
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return n, nil
	}
	return strconv.ParseFloat(literal, 64)
}
