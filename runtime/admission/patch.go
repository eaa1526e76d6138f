// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// patcher writes the JSON Patch (RFC 6902) from the object in src to its decoded and edited value.
//
// It walks the original text and the edited value side by side and writes an operation for each difference. Operations
// are in the order of the text; additions come last, in the order of the Go type. Members that are unknown to the type
// are skipped, equal values are never written again, and a missing parent is added together with its content.
//
// A text and a value are equal if decoding the text gives the value. So some edits are not differences: an edit that
// JSON cannot express, such as from nil to empty under omitempty, and the zero value of a member that is not in the
// text.
type patcher struct {
	src   []byte
	path  []step      // the current path
	out   []byte      // the operations, each but the first behind a comma
	spans []wire.Span // the elements of the arrays being compared, the innermost array last
	probe bool        // only find out whether there is a difference
	found bool        // what a probe found
	err   error       // why there is no patch: a value that cannot be marshalled, or an edit that is too deep
	room  int         // how many bytes of paths the patch may still have
	lists int         // how many lists with differences are around the current value
}

// A JSON Patch has the whole path of each edited value, and an object may have many levels, or keys of a megabyte. So
// the paths of a patch have a bound: pathRoom bytes, and pathFactor more for each byte of the object. Paths of more
// than longPath bytes count longFactor times. An edit that exceeds the bound is an error, as is one in more than
// nestedLists lists: each of them is compared with the original text by itself.
const (
	pathRoom    = 1 << 20
	pathFactor  = 32
	longPath    = 256
	longFactor  = 16
	nestedLists = 16
)

// diff returns the patch from the object at src[at.start:at.end] to v, and nothing if they are equal. The patch is
// valid until the next call. The members kind and apiVersion are left alone: a webhook cannot change them, and a
// program that replaces an object may forget them.
func (p *patcher) diff(src []byte, at wire.Span, s *wire.Shape, v reflect.Value) ([]byte, error) {
	*p = patcher{src: src, path: p.path[:0], out: append(p.out[:0], '['), spans: p.spans[:0], room: pathRoom + pathFactor*len(at.Of(src))}
	p.value(s, nil, at.Start, v)
	p.src = nil
	if p.err != nil || len(p.out) == len("[") {
		return nil, p.err
	}
	p.out = append(p.out, ']')
	return p.out, nil
}

// done reports whether a probe has found a difference and can stop.
func (p *patcher) done() bool { return p.probe && p.found }

// step is one level of a path: to a member or to an element.
type step struct {
	member  string
	element int
}

// noElement marks the step to a member.
const noElement = -1

func (p *patcher) push(member string) { p.path = append(p.path, step{member, noElement}) }

func (p *patcher) pushElement(i int) { p.path = append(p.path, step{"", i}) }

func (p *patcher) pop() { p.path = p.path[:len(p.path)-1] }

// pointer returns the path as a JSON Pointer (RFC 6901).
func (p *patcher) pointer() string {
	var pointer strings.Builder
	for _, step := range p.path {
		pointer.WriteByte('/')
		if step.element != noElement {
			pointer.WriteString(strconv.Itoa(step.element))
			continue
		}
		pointer.WriteString(pointerEscapes.Replace(step.member))
	}
	return pointer.String()
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// begin starts an operation at the path. It returns false if no operation may be written.
func (p *patcher) begin(op string) bool {
	if p.probe {
		p.found = true
		return false
	}
	if p.err != nil {
		return false
	}
	pointer := p.pointer()
	p.room -= len(pointer)
	if len(pointer) > longPath {
		p.room -= (longFactor - 1) * len(pointer)
	}
	if p.room < 0 {
		p.fail(fmt.Errorf("%s: the paths of its edits are too long for a patch", wire.ShortPath(pointer)))
		return false
	}
	if p.out[len(p.out)-1] != '[' {
		p.out = append(p.out, ',')
	}
	p.out = append(p.out, `{"op":"`...)
	p.out = append(p.out, op...)
	p.out = append(p.out, `","path":`...)
	p.out = wire.AppendText(p.out, pointer)
	return true
}

func (p *patcher) remove() {
	if p.begin("remove") {
		p.out = append(p.out, '}')
	}
}

// set writes an operation with the JSON of v.
func (p *patcher) set(op string, v reflect.Value) {
	if p.begin(op) {
		p.out = append(p.out, `,"value":`...)
		p.marshal(v)
		p.out = append(p.out, '}')
	}
}

func (p *patcher) marshal(v reflect.Value) {
	encoded, err := encode(v)
	if err != nil {
		p.unwritable(v)
	}
	p.out = append(p.out, encoded...)
}

// encode returns the JSON of v, by its address, because MarshalJSON may be declared on the pointer.
func encode(v reflect.Value) ([]byte, error) {
	return json.Marshal(address(v).Interface())
}

// address returns a pointer to v, or to a copy if v has no address, as an element of a map.
func address(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v.Addr()
	}
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	return copied
}

// value compares the value at src[i] with v and returns the offset behind it. listKeys tell the elements of a list
// apart.
func (p *patcher) value(s *wire.Shape, listKeys []string, i int, v reflect.Value) int {
	switch s.Kind {
	case wire.Self, wire.Opaque:
		return p.whole(s, i, v)
	case wire.Dynamic:
		return p.dynamic(s, i, v)
	}
	if wire.IsNull(p.src, i) {
		if !v.IsZero() {
			p.set("replace", v)
		}
		return i + len("null")
	}
	switch s.Kind {
	case wire.Pointer:
		if !v.IsNil() {
			return p.value(s.Elem, listKeys, i, v.Elem())
		}
		p.set("replace", v)
		return wire.Skip(p.src, i)
	case wire.Structure:
		return p.structure(s, i, v)
	case wire.Dict:
		if !v.IsNil() {
			return p.dict(s, i, v)
		}
		p.set("replace", v)
		return wire.Skip(p.src, i)
	case wire.List:
		if !v.IsNil() {
			return p.list(s, listKeys, i, v)
		}
		p.set("replace", v)
		return wire.Skip(p.src, i)
	}
	if s.Kind == wire.Binary64 && p.src[i] == '[' {
		return p.numbers(s, i, v)
	}
	end := wire.Skip(p.src, i)
	if !isScalar(s.Kind, p.src, wire.Span{Start: i, End: end}, v) {
		p.set("replace", v)
	}
	return end
}

// numbers compares bytes that the text holds as an array of numbers. Different bytes are written as base64.
func (p *patcher) numbers(s *wire.Shape, i int, v reflect.Value) int {
	at := wire.Span{Start: i, End: wire.Skip(p.src, i)}
	before := reflect.New(s.Typ).Elem()
	if err := wire.Decode(p.src, at, nil, s, before); err != nil {
		p.fail(err)
	}
	if v.IsNil() || string(before.Bytes()) != string(v.Bytes()) {
		p.set("replace", v)
	}
	return at.End
}

// isScalar reports whether the text is the encoding of v.
func isScalar(k wire.Kind, src []byte, at wire.Span, v reflect.Value) bool {
	raw := at.Of(src)
	switch k {
	case wire.Boolean:
		return (raw[0] == 't') == v.Bool()
	case wire.Integer:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		return err == nil && n == v.Int()
	case wire.Unsigned:
		n, err := strconv.ParseUint(string(raw), 10, 64)
		return err == nil && n == v.Uint()
	case wire.Float:
		x, err := strconv.ParseFloat(string(raw), v.Type().Bits())
		return err == nil && x == v.Float()
	case wire.Binary64: // a string: see patcher.numbers
		decoded, err := base64.StdEncoding.AppendDecode(nil, wire.Text(src, at))
		return err == nil && !v.IsNil() && string(decoded) == string(v.Bytes())
	}
	return isText(src, at, v.String())
}

// isText reports whether the string in the text equals s.
func isText(src []byte, at wire.Span, s string) bool {
	raw := src[at.Start+1 : at.End-1]
	return string(raw) == s && wire.IsPlain(raw) || string(wire.Text(src, at)) == s
}

// whole compares a value that only its type can read. It compares the decoded values and then the encoded texts, since
// equal texts may have different values (a resource.Quantity caches its text).
func (p *patcher) whole(s *wire.Shape, i int, v reflect.Value) int {
	at := wire.Span{Start: i, End: wire.Skip(p.src, i)}
	before := reflect.New(s.Typ)
	if err := s.Unmarshal(at.Of(p.src), before); err != nil {
		p.fail(err)
		return at.End
	}
	if reflect.DeepEqual(before.Interface(), address(v).Interface()) {
		return at.End
	}
	was, err := encode(before)
	is, err2 := encode(v)
	switch {
	case err != nil || err2 != nil:
		p.unwritable(v)
	case string(was) != string(is):
		p.set("replace", v)
	}
	return at.End
}

// unwritable notes that v cannot be marshalled. It drops the error of MarshalJSON, which may quote the value. For a
// probe the value is a difference: it may be in a member that is left out.
func (p *patcher) unwritable(v reflect.Value) {
	if p.probe {
		p.found = true
		return
	}
	p.fail(fmt.Errorf("%s: %s cannot be written as JSON", wire.ShortPath(p.pointer()), v.Type()))
}

func (p *patcher) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// dynamic compares a value without a type: objects and arrays member by member, anything else as a whole.
func (p *patcher) dynamic(s *wire.Shape, i int, v reflect.Value) int {
	inner := v.Elem()
	switch {
	case p.src[i] == '{' && inner.IsValid() && inner.Type() == anyDict.Typ && !inner.IsNil():
		return p.dict(anyDict, i, inner)
	case p.src[i] == '[' && inner.IsValid() && inner.Type() == anyList.Typ && !inner.IsNil():
		return p.list(anyList, nil, i, inner)
	}
	return p.whole(s, i, v)
}

// The shapes of the values that JSON without a type decodes into.
var (
	anyValue = &wire.Shape{Kind: wire.Dynamic, Typ: reflect.TypeFor[any]()}
	anyDict  = &wire.Shape{Kind: wire.Dict, Typ: reflect.TypeFor[map[string]any](), Elem: anyValue}
	anyList  = &wire.Shape{Kind: wire.List, Typ: reflect.TypeFor[[]any](), Elem: anyValue}
)

func (p *patcher) structure(s *wire.Shape, i int, v reflect.Value) int {
	var few [64]bool
	seen := few[:]
	if len(s.Fields) > len(few) {
		seen = make([]bool, len(s.Fields))
	}
	next, root := 0, len(p.path) == 0 && !p.probe
	d := wire.Decoder{Src: p.src, I: i}
	for more := d.Open('}'); more; more = d.More() {
		if p.done() {
			return d.I
		}
		n := s.Find(d.Src, d.RawKey(), next)
		if n < 0 {
			d.I = wire.Skip(d.Src, d.I)
			continue
		}
		seen[n], next = true, n+1
		f := &s.Fields[n]
		if root && isTypeMeta(f.Name) {
			d.I = wire.Skip(d.Src, d.I)
			continue
		}
		p.push(f.Name)
		d.I = p.member(f, d.I, v)
		p.pop()
	}
	for n := range s.Fields {
		f := &s.Fields[n]
		if seen[n] || root && isTypeMeta(f.Name) {
			continue
		}
		member, ok := f.In(v)
		if !ok || member.IsZero() || f.Omits(member) {
			continue
		}
		p.push(f.Name)
		p.set("add", member)
		p.pop()
	}
	return d.I
}

func isTypeMeta(name string) bool { return name == "kind" || name == "apiVersion" }

// member compares the member at src[i] with the field f of the struct v.
func (p *patcher) member(f *wire.Member, i int, v reflect.Value) int {
	value, ok := f.In(v)
	if ok && !f.Omits(value) {
		return p.value(f.Shape, f.ListKeys, i, value)
	}
	// The field is not written any more. That is a change only if its value differs from the text.
	if ok {
		if end, differs := p.probing(func() int { return p.omitted(f, i, value) }); !differs {
			return end
		}
	}
	p.remove()
	if p.done() {
		return i
	}
	return wire.Skip(p.src, i)
}

// omitted is value for a member that is not written. A value that only its type can read differs from a text that the
// type would write, whatever the value: it may have no JSON, as an empty json.RawMessage.
func (p *patcher) omitted(f *wire.Member, i int, v reflect.Value) int {
	if f.Shape.Kind != wire.Self && f.Shape.Kind != wire.Opaque {
		return p.value(f.Shape, nil, i, v)
	}
	at := wire.Span{Start: i, End: wire.Skip(p.src, i)}
	before := reflect.New(f.Shape.Typ)
	if err := f.Shape.Unmarshal(at.Of(p.src), before); err != nil {
		p.fail(err)
	} else if !reflect.DeepEqual(before.Interface(), address(v).Interface()) && !f.Omits(before.Elem()) {
		p.found = true
	}
	return at.End
}

// differs reports whether the value at src[i] and v differ.
func (p *patcher) differs(s *wire.Shape, i int, v reflect.Value) bool {
	_, found := p.probing(func() int { return p.value(s, nil, i, v) })
	return found
}

// probing returns the offset of a comparison, and whether it found a difference. After a difference the offset has no
// meaning.
func (p *patcher) probing(compare func() int) (end int, found bool) {
	outer := p.probe
	p.probe, p.found = true, false
	end = compare()
	found = p.found
	p.probe, p.found = outer, outer && found
	return end, found
}

func (p *patcher) dict(s *wire.Shape, i int, v reflect.Value) int {
	if labels, ok := v.Interface().(map[string]string); ok {
		return p.labels(labels, i)
	}
	d := wire.Decoder{Src: p.src, I: i}
	present := 0
	name := reflect.New(s.Typ.Key()).Elem()
	for more := d.Open('}'); more; more = d.More() {
		if p.done() {
			return d.I
		}
		key := string(d.Key())
		p.push(key)
		name.SetString(key)
		if elem := v.MapIndex(name); elem.IsValid() {
			present++
			d.I = p.value(s.Elem, nil, d.I, elem)
		} else {
			p.remove()
			d.I = wire.Skip(d.Src, d.I)
		}
		p.pop()
	}
	if present < v.Len() && p.begun() {
		had := memberNames(p.src, i)
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int {
			return strings.Compare(a.String(), b.String())
		}) {
			if !had[key.String()] {
				p.push(key.String())
				p.set("add", v.MapIndex(key))
				p.pop()
			}
		}
	}
	return d.I
}

// labels is dict for map[string]string, the commonest map.
func (p *patcher) labels(labels map[string]string, i int) int {
	d := wire.Decoder{Src: p.src, I: i}
	present := 0
	for more := d.Open('}'); more; more = d.More() {
		if p.done() {
			return d.I
		}
		key := d.Key()
		at := wire.Span{Start: d.I, End: wire.Skip(d.Src, d.I)}
		d.I = at.End
		label, ok := labels[string(key)]
		switch {
		case !ok:
			p.push(string(key))
			p.remove()
			p.pop()
			continue
		case wire.IsNull(d.Src, at.Start) && label != "", !wire.IsNull(d.Src, at.Start) && !isText(d.Src, at, label):
			p.push(string(key))
			p.set("replace", reflect.ValueOf(label))
			p.pop()
		}
		present++
	}
	if present < len(labels) && p.begun() {
		had := memberNames(p.src, i)
		for _, key := range slices.Sorted(maps.Keys(labels)) {
			if !had[key] {
				p.push(key)
				p.set("add", reflect.ValueOf(labels[key]))
				p.pop()
			}
		}
	}
	return d.I
}

// begun reports whether additions are to be written. A probe notes only that there are some.
func (p *patcher) begun() bool {
	p.found = p.found || p.probe
	return !p.probe
}

// memberNames returns the names of the members of the object at src[i].
func memberNames(src []byte, i int) map[string]bool {
	names := make(map[string]bool)
	d := wire.Decoder{Src: src, I: i}
	for more := d.Open('}'); more; more = d.More() {
		names[string(d.Key())] = true
		d.I = wire.Skip(src, d.I)
	}
	return names
}
