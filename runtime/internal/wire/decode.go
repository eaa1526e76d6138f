// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/api/resource"
	kjson "k8s.io/apimachinery/pkg/util/json"
)

// decodeError is the error of a value that its Go type cannot hold.
//
// Errors of this package contain the path and the type, never the value: it may be a secret, and errors reach users and
// logs.
type decodeError struct {
	path  string
	cause error
	whole bool // whether the path begins at the value that is decoded
}

func (e *decodeError) Error() string {
	if e.path == "" {
		return e.cause.Error()
	}
	return e.path + ": " + e.cause.Error()
}

func (e *decodeError) Unwrap() error { return e.cause }

// Below puts a step, to a member or an element, in front of the path of an error. Long paths are cut.
func Below(step string, err error) error {
	e, ok := err.(*decodeError)
	if !ok {
		return &decodeError{path: ShortPath(step), cause: err}
	}
	switch {
	case e.path == "", e.path[0] == '[':
		step += e.path
	default:
		step += "." + e.path
	}
	return &decodeError{path: ShortPath(step), cause: e.cause}
}

// wrong returns the error of the value at a place, with its path. The error of a place below stays as it is.
func (p *place) wrong(err error) error {
	if e, ok := err.(*decodeError); p == nil || ok && e.whole {
		return err
	}
	err = Below(p.text(), err)
	err.(*decodeError).whole = true
	return err
}

// longKey is the length from which an error shows only the beginning of a key, because users choose the keys of maps.
const longKey = 64

// shownKey returns a key as errors show it: short, and on one line.
func shownKey(key string) string {
	if len(key) > longKey {
		key = strings.ToValidUTF8(key[:longKey], "") + "…"
	}
	if strings.ContainsFunc(key, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(key)
	}
	return key
}

// invalid returns the error of a value that its type refuses to read. The type's own error may quote the value, so
// invalid keeps only the name of the field.
func (s *Shape) invalid(err error) error {
	wrong := fmt.Errorf("not a valid %s", s.Typ)
	if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) && mismatch.Field != "" {
		return Below(shownKey(mismatch.Field), wrong)
	}
	return wrong
}

// misfit returns the error of a number that a Go type cannot hold.
func misfit(err error, typ reflect.Type) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("the number does not fit %s", typ)
	}
	return fmt.Errorf("the number is not whole, which %s needs", typ)
}

// Decoder reads a value of a known shape from JSON that has been scanned. For input that it accepts, the result is the
// same as with sigs.k8s.io/json, which the API server uses: keys are case-sensitive, and a whole number in an "any" is
// an int64. Members that the shape does not have are skipped. Another duplicate key is an error.
type Decoder struct {
	Src   []byte
	I     int      // the first byte of the next value
	texts *Texts   // strings to be used again, or nil
	unfit *[]Unfit // notes values that do not fit; they are errors if it is nil
	taken uint64   // the memory for elements so far
}

// Unfit is a value in JSON that its Go type cannot hold.
type Unfit struct {
	Path string
	Is   []byte
}

// mostDecoded bounds the memory that lists, pointers and maps of one value take. Elements that are empty in JSON,
// [{},{}], may take hundreds of times their text. An honest object of 3 MiB takes far less.
const mostDecoded = 256 << 20

// take counts memory for elements of a type, and fails if the total is too much.
func (d *Decoder) take(elements int, of reflect.Type) error {
	if d.taken += uint64(elements) * uint64(of.Size()); d.taken > mostDecoded {
		return fmt.Errorf("the value decodes to more than %d MiB", mostDecoded>>20)
	}
	return nil
}

// Decode reads the value at the given span into v, which must be settable and zero.
func Decode(src []byte, at Span, texts *Texts, s *Shape, v reflect.Value) error {
	d := Decoder{Src: src, I: at.Start, texts: texts}
	return d.value(s, v, nil)
}

// DecodeLeaving reads the value of a field of a struct. Values that do not fit are left zero and noted, as single
// members and elements as deep in the field as possible.
func DecodeLeaving(src []byte, texts *Texts, f *Member, into reflect.Value, unfit *[]Unfit) {
	d := Decoder{Src: src, texts: texts, unfit: unfit}
	_ = d.inside(f.Shape, f.Make(into), nil, f.Name, member) // inside notes every error
}

// inside decodes the value of a member or element below a place.
//
// A list or an object with an error of its own, such as a duplicate key, reads on to its end, so that no text is read
// once for each level around it.
func (d *Decoder) inside(s *Shape, v reflect.Value, at *place, name string, index int) error {
	here := at.below(name, index)
	if d.unfit == nil {
		if err := d.value(s, v, &here); err != nil {
			return here.wrong(err)
		}
		return nil
	}
	start, noted := d.I, len(*d.unfit)
	if err := d.value(s, v, &here); err != nil {
		if d.I == start {
			d.I = Skip(d.Src, start)
		}
		v.SetZero()
		if noted == cap(*d.unfit) {
			*d.unfit = slices.Grow(*d.unfit, noted+1) // as lists do
		}
		*d.unfit = append((*d.unfit)[:noted], Unfit{here.text(), d.Src[start:d.I]})
	}
	return nil
}

// rest returns the error of a list or an object. If errors are noted, it passes over the value of the current member or
// element, and then over all others.
func (d *Decoder) rest(end byte, err error) error {
	if d.unfit != nil {
		d.I = Skip(d.Src, d.I)
	}
	return d.after(end, err)
}

// after is rest behind the value of a member or element.
func (d *Decoder) after(end byte, err error) error {
	for d.unfit != nil && d.More() {
		if end == '}' {
			d.RawKey()
		}
		d.I = Skip(d.Src, d.I)
	}
	return err
}

// value decodes a value at a place. After an error that is to be noted, the decoder is behind the value or still at its
// beginning.
func (d *Decoder) value(s *Shape, v reflect.Value, at *place) error {
	switch s.Kind {
	case Self, Opaque:
		return d.whole(s, v)
	case Dynamic:
		start := d.I
		x, err := d.any(at)
		if err != nil {
			d.I = start
			return err
		}
		if x != nil {
			v.Set(reflect.ValueOf(x))
		}
		return nil
	}
	c := d.Src[d.I]
	if c == 'n' {
		d.I += len("null")
		return nil
	}
	switch s.Kind {
	case Pointer:
		if err := d.take(1, s.Elem.Typ); err != nil {
			return err
		}
		v.Set(reflect.New(s.Elem.Typ))
		return d.value(s.Elem, v.Elem(), at)
	case Structure:
		if c == '{' {
			return d.structure(s, v, at)
		}
	case Str:
		if c == '"' {
			v.SetString(d.text())
			return nil
		}
	case List:
		if c == '[' {
			return d.list(s, v, at)
		}
	case Dict:
		if c == '{' {
			return d.dict(s, v, at)
		}
	case Boolean:
		if c == 't' || c == 'f' {
			v.SetBool(c == 't')
			d.I = Skip(d.Src, d.I)
			return nil
		}
	case Integer:
		if c == '-' || '0' <= c && c <= '9' {
			n, err := strconv.ParseInt(string(d.literal()), 10, v.Type().Bits())
			v.SetInt(n)
			return misfit(err, s.Typ)
		}
	case Unsigned:
		if '0' <= c && c <= '9' {
			n, err := strconv.ParseUint(string(d.literal()), 10, v.Type().Bits())
			v.SetUint(n)
			return misfit(err, s.Typ)
		}
	case Float:
		if c == '-' || '0' <= c && c <= '9' {
			x, err := strconv.ParseFloat(string(d.literal()), v.Type().Bits())
			v.SetFloat(x)
			return misfit(err, s.Typ)
		}
	case Binary64:
		switch c {
		case '"':
			return d.binary(v)
		case '[': // encoding/json reads an array of numbers, too
			return d.list(s, v, at)
		}
	}
	return fmt.Errorf("%s cannot be read as %s", Found(c), s.Typ)
}

// Found names the JSON type of the value that begins with c.
func Found(c byte) string {
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

// literal returns a number as it is written.
func (d *Decoder) literal() []byte {
	start := d.I
	d.I = Skip(d.Src, d.I)
	return d.Src[start:d.I]
}

func (d *Decoder) text() string {
	at := Span{d.I, SkipString(d.Src, d.I)}
	d.I = at.End
	return d.texts.Of(Text(d.Src, at))
}

// whole has the type itself, or sigs.k8s.io/json, decode a value.
func (d *Decoder) whole(s *Shape, v reflect.Value) error {
	start := d.I
	end, err := Unique(d.Src, start)
	if err != nil {
		return err
	}
	d.I = end
	return s.Unmarshal(d.Src[start:end], v.Addr())
}

// longQuantity is the largest length of a quantity's text. The work of reading a quantity grows with the square of its
// digits, so an object of 3 MiB would take half a minute and 20 GB of memory. No quantity needs more than some 20
// digits.
const longQuantity = 1 << 10

// longExponent is the largest number of digits in the exponent of a quantity. A quantity is rounded to nanos, by a
// division by a power of ten that the exponent names: 1e-999999999 would take minutes.
const longExponent = 3

// exponentDigits returns the number of digits in the exponent of a quantity, without leading zeros.
func exponentDigits(src []byte) int {
	_, exponent, _ := bytes.Cut(bytes.ToLower(src), []byte("e"))
	exponent = bytes.TrimLeft(bytes.Trim(exponent, `"`), "+-0")
	return len(exponent) - len(bytes.TrimLeft(exponent, "0123456789"))
}

var quantity = reflect.TypeFor[resource.Quantity]()

// Unmarshal reads a value of the kind Self or Opaque into the variable that v points to.
func (s *Shape) Unmarshal(src []byte, v reflect.Value) error {
	if s.Typ == quantity {
		if len(src) > longQuantity {
			return fmt.Errorf("a quantity of more than %d bytes", longQuantity)
		}
		if exponentDigits(src) > longExponent {
			return fmt.Errorf("a quantity with an exponent of more than %d digits", longExponent)
		}
	}
	var err error
	if s.Kind == Self {
		err = v.Interface().(json.Unmarshaler).UnmarshalJSON(src)
	} else {
		err = kjson.Unmarshal(src, v.Interface())
	}
	if err != nil {
		return s.invalid(err)
	}
	return nil
}

func (d *Decoder) binary(v reflect.Value) error {
	encoded := d.text()
	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return errors.New("the string is not base64")
	}
	v.SetBytes(decoded)
	return nil
}

// Key reads a member's name and goes on to its value.
func (d *Decoder) Key() []byte { return Text(d.Src, d.RawKey()) }

// RawKey returns the span of a member's name and goes on to its value.
func (d *Decoder) RawKey() Span {
	at := Span{d.I, SkipString(d.Src, d.I)}
	d.I = at.End
	if d.Src[d.I] != ':' {
		d.I = Space(d.Src, d.I)
	}
	d.I = Space(d.Src, d.I+1)
	return at
}

// Open steps into an object or array and reports whether it has any content.
func (d *Decoder) Open(end byte) bool {
	d.I = Space(d.Src, d.I+1)
	if d.Src[d.I] == end {
		d.I++
		return false
	}
	return true
}

// More steps behind a member or element and reports whether another one follows.
func (d *Decoder) More() bool {
	d.I = Space(d.Src, d.I)
	if d.Src[d.I] != ',' {
		d.I++
		return false
	}
	d.I = Space(d.Src, d.I+1)
	return true
}

func (d *Decoder) structure(s *Shape, v reflect.Value, at *place) error {
	var few [64]bool
	seen := few[:]
	if len(s.Fields) > len(few) {
		seen = make([]bool, len(s.Fields))
	}
	next := 0
	for more := d.Open('}'); more; more = d.More() {
		i := s.Find(d.Src, d.RawKey(), next)
		if i < 0 {
			d.I = Skip(d.Src, d.I)
			continue
		}
		if seen[i] {
			return d.rest('}', Duplicate([]byte(s.Fields[i].Name)))
		}
		seen[i], next = true, i+1
		f := &s.Fields[i]
		if err := d.inside(f.Shape, f.Make(v), at, f.Name, member); err != nil {
			return err
		}
	}
	return nil
}

// Find returns the index of the field with a key, or -1. Members mostly come in the order of the fields, so Find first
// tries the field at index next.
func (s *Shape) Find(src []byte, key Span, next int) int {
	raw := src[key.Start+1 : key.End-1]
	if next < len(s.Fields) && s.Fields[next].Name == string(raw) {
		return next
	}
	if i, ok := s.Index[string(raw)]; ok {
		return i
	}
	if !IsPlain(raw) {
		if i, ok := s.Index[string(Text(src, key))]; ok {
			return i
		}
	}
	return -1
}

// firstElements is the first capacity of a list in bytes. A list of few elements then seldom has to grow.
const firstElements = 256

func (d *Decoder) list(s *Shape, v reflect.Value, at *place) error {
	if strings, ok := v.Addr().Interface().(*[]string); ok {
		return d.strings(strings, at)
	}
	n := 0
	for more := d.Open(']'); more; more = d.More() {
		if n == v.Cap() {
			// The list doubles. For less, Go would let a long list grow by a quarter, and copy each element four times.
			// The growth is counted before it is taken.
			more := n + max(1, firstElements/int(s.Elem.Typ.Size()+1))
			if err := d.take(more, s.Elem.Typ); err != nil {
				return d.rest(']', err)
			}
			v.Grow(more)
		}
		v.SetLen(n + 1)
		if err := d.inside(s.Elem, v.Index(n), at, "", n); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		v.Set(reflect.MakeSlice(s.Typ, 0, 0))
	}
	return nil
}

// strings is list for []string, the most common list.
func (d *Decoder) strings(list *[]string, at *place) error {
	*list = make([]string, 0, 4)
	for more := d.Open(']'); more; more = d.More() {
		switch d.Src[d.I] {
		case '"':
			*list = append(*list, d.text())
		case 'n':
			*list = append(*list, "")
			d.I += len("null")
		default:
			here := at.below("", len(*list))
			return d.rest(']', here.wrong(fmt.Errorf("%s cannot be read as string", Found(d.Src[d.I]))))
		}
	}
	return nil
}

func (d *Decoder) dict(s *Shape, v reflect.Value, at *place) error {
	if labels, ok := v.Addr().Interface().(*map[string]string); ok {
		return d.labels(labels, at)
	}
	v.Set(reflect.MakeMap(s.Typ))
	n := 0
	name, elem := reflect.New(s.Typ.Key()).Elem(), reflect.New(s.Elem.Typ).Elem()
	for more := d.Open('}'); more; more = d.More() {
		key := d.texts.Of(d.Key())
		elem.SetZero()
		if err := d.take(1, s.Elem.Typ); err != nil {
			return d.rest('}', err)
		}
		if err := d.inside(s.Elem, elem, at, key, member); err != nil {
			return err
		}
		name.SetString(key)
		v.SetMapIndex(name, elem)
		if n++; v.Len() != n {
			return d.after('}', Duplicate([]byte(key)))
		}
	}
	return nil
}

// labels is dict for map[string]string, the most common map.
func (d *Decoder) labels(labels *map[string]string, at *place) error {
	m := make(map[string]string)
	*labels = m
	for more := d.Open('}'); more; more = d.More() {
		key := d.texts.Of(d.Key())
		if _, ok := m[key]; ok {
			return d.rest('}', Duplicate([]byte(key)))
		}
		switch d.Src[d.I] {
		case '"':
			m[key] = d.text()
		case 'n':
			m[key] = ""
			d.I += len("null")
		default:
			here := at.below(key, member)
			return d.rest('}', here.wrong(fmt.Errorf("%s cannot be read as string", Found(d.Src[d.I]))))
		}
	}
	return nil
}

// any reads a value without a type.
func (d *Decoder) any(at *place) (any, error) {
	switch c := d.Src[d.I]; c {
	case '{':
		m := make(map[string]any)
		for more := d.Open('}'); more; more = d.More() {
			key := d.texts.Of(d.Key())
			if _, ok := m[key]; ok {
				return nil, at.wrong(Duplicate([]byte(key)))
			}
			x, err := d.anyBelow(at, key, member)
			if err != nil {
				return nil, err
			}
			m[key] = x
		}
		return m, nil
	case '[':
		l := []any{}
		for more := d.Open(']'); more; more = d.More() {
			x, err := d.anyBelow(at, "", len(l))
			if err != nil {
				return nil, err
			}
			l = append(l, x)
		}
		return l, nil
	case '"':
		return d.text(), nil
	case 'n':
		d.I += len("null")
		return nil, nil
	case 't', 'f':
		d.I = Skip(d.Src, d.I)
		return c == 't', nil
	}
	literal := string(d.literal())
	if n, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(literal, 64)
	if err != nil {
		return nil, at.wrong(misfit(err, reflect.TypeFor[float64]()))
	}
	return x, nil
}

// anyBelow is any for a member or element. A variable of a loop would be on the heap.
func (d *Decoder) anyBelow(at *place, name string, index int) (any, error) {
	here := at.below(name, index)
	return d.any(&here)
}
