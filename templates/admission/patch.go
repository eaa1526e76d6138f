package admission

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// patcher writes the JSON Patch (RFC 6902) that makes the object in src say what its decoded and then edited form says.
//
// It walks the original text and the edited value side by side and writes an operation where they differ, in the order
// of the text, additions last and in the order of the Go type. What the text has and the type does not know is never
// looked at, nothing equal is ever written again, and a missing parent is added together with what is in it.
//
// A text and a value are equal if the value is what decoding the text gives. Hence an edit that JSON cannot express,
// such as from nil to empty under omitempty, is none, and neither is the zero value of a member that the text leaves out.
type patcher struct {
	src   []byte
	path  []step // where the patcher stands
	out   []byte // the operations, each but the first behind a comma
	spans []span // where the elements of the arrays stand that are being compared, those of the innermost last
	probe bool   // only find out whether there is a difference
	found bool   // what a probe found
	err   error  // the first value that cannot be marshalled
}

// diff returns the patch from the object at src[at.start:at.end] to v, and nothing if they are equal. It is valid until
// the next one. The members kind and apiVersion are left alone: a webhook cannot change them, and a program that replaces
// an object forgets them.
func (p *patcher) diff(src []byte, at span, s *shape, v reflect.Value) ([]byte, error) {
	*p = patcher{src: src, path: p.path[:0], out: append(p.out[:0], '['), spans: p.spans[:0]}
	p.value(s, nil, at.start, v)
	p.src = nil
	if p.err != nil || len(p.out) == len("[") {
		return nil, p.err
	}
	p.out = append(p.out, ']')
	return p.out, nil
}

// done says that a probe needs no further look.
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

// begin starts an operation at the path. It is false if none may be written.
func (p *patcher) begin(op string) bool {
	if p.probe {
		p.found = true
		return false
	}
	if p.out[len(p.out)-1] != '[' {
		p.out = append(p.out, ',')
	}
	p.out = append(p.out, `{"op":"`...)
	p.out = append(p.out, op...)
	p.out = append(p.out, `","path":`...)
	p.out = appendText(p.out, p.pointer())
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
	if err != nil && p.err == nil {
		p.err = err
	}
	p.out = append(p.out, encoded...)
}

// encode gives the JSON of v, by its address, since MarshalJSON may have been declared on the pointer.
func encode(v reflect.Value) ([]byte, error) {
	return json.Marshal(address(v).Interface())
}

// address returns a pointer to v, or to a copy if v has no address, being an element of a map.
func address(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v.Addr()
	}
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	return copied
}

// value compares the value at src[i] with v and returns the offset behind it. listKeys tell the elements of a list apart.
func (p *patcher) value(s *shape, listKeys []string, i int, v reflect.Value) int {
	switch s.kind {
	case self, opaque:
		return p.whole(s, i, v)
	case dynamic:
		return p.dynamic(s, i, v)
	}
	if isNull(p.src, i) {
		if !v.IsZero() {
			p.set("replace", v)
		}
		return i + len("null")
	}
	switch s.kind {
	case pointer:
		if !v.IsNil() {
			return p.value(s.elem, listKeys, i, v.Elem())
		}
		p.set("replace", v)
		return skip(p.src, i)
	case structure:
		return p.structure(s, i, v)
	case dict:
		if !v.IsNil() {
			return p.dict(s, i, v)
		}
		p.set("replace", v)
		return skip(p.src, i)
	case list:
		if !v.IsNil() {
			return p.list(s, listKeys, i, v)
		}
		p.set("replace", v)
		return skip(p.src, i)
	}
	end := skip(p.src, i)
	if !isScalar(s.kind, p.src, span{i, end}, v) {
		p.set("replace", v)
	}
	return end
}

// isScalar says whether the text is what v is written as.
func isScalar(k kind, src []byte, at span, v reflect.Value) bool {
	raw := at.of(src)
	switch k {
	case boolean:
		return (raw[0] == 't') == v.Bool()
	case integer:
		n, err := strconv.ParseInt(string(raw), 10, 64)
		return err == nil && n == v.Int()
	case unsigned:
		n, err := strconv.ParseUint(string(raw), 10, 64)
		return err == nil && n == v.Uint()
	case float:
		x, err := strconv.ParseFloat(string(raw), v.Type().Bits())
		return err == nil && x == v.Float()
	case binary64:
		decoded, err := base64.StdEncoding.AppendDecode(nil, text(src, at))
		return err == nil && !v.IsNil() && string(decoded) == string(v.Bytes())
	}
	return isText(src, at, v.String())
}

// isText says whether the string in the text reads s.
func isText(src []byte, at span, s string) bool {
	raw := src[at.start+1 : at.end-1]
	return string(raw) == s && isPlain(raw) || string(text(src, at)) == s
}

// whole compares a value that only its type can read: with what decoding gives or, since values that are written alike
// may differ inside (a resource.Quantity remembers how it was printed), with what is written.
func (p *patcher) whole(s *shape, i int, v reflect.Value) int {
	at := span{i, skip(p.src, i)}
	before := reflect.New(s.typ)
	if err := s.unmarshal(at.of(p.src), before); err != nil {
		p.fail(err)
		return at.end
	}
	if reflect.DeepEqual(before.Interface(), address(v).Interface()) {
		return at.end
	}
	was, err := encode(before)
	is, err2 := encode(v)
	switch {
	case err != nil:
		p.fail(err)
	case err2 != nil:
		p.fail(err2)
	case string(was) != string(is):
		p.set("replace", v)
	}
	return at.end
}

func (p *patcher) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

// dynamic compares a value without a type: objects and arrays member by member, anything else as a whole.
func (p *patcher) dynamic(s *shape, i int, v reflect.Value) int {
	inner := v.Elem()
	switch {
	case p.src[i] == '{' && inner.IsValid() && inner.Type() == anyDict.typ && !inner.IsNil():
		return p.dict(anyDict, i, inner)
	case p.src[i] == '[' && inner.IsValid() && inner.Type() == anyList.typ && !inner.IsNil():
		return p.list(anyList, nil, i, inner)
	}
	return p.whole(s, i, v)
}

// The shapes of what a value without a type decodes into.
var (
	anyValue = &shape{kind: dynamic, typ: reflect.TypeFor[any]()}
	anyDict  = &shape{kind: dict, typ: reflect.TypeFor[map[string]any](), elem: anyValue}
	anyList  = &shape{kind: list, typ: reflect.TypeFor[[]any](), elem: anyValue}
)

func (p *patcher) structure(s *shape, i int, v reflect.Value) int {
	var few [64]bool
	seen := few[:]
	if len(s.fields) > len(few) {
		seen = make([]bool, len(s.fields))
	}
	next, root := 0, len(p.path) == 0 && !p.probe
	d := decoder{src: p.src, i: i}
	for more := d.open('}'); more; more = d.more() {
		if p.done() {
			return d.i
		}
		n := s.find(d.src, d.rawKey(), next)
		if n < 0 {
			d.i = skip(d.src, d.i)
			continue
		}
		seen[n], next = true, n+1
		f := &s.fields[n]
		if root && isTypeMeta(f.name) {
			d.i = skip(d.src, d.i)
			continue
		}
		p.push(f.name)
		d.i = p.member(f, d.i, v)
		p.pop()
	}
	for n := range s.fields {
		f := &s.fields[n]
		if seen[n] || root && isTypeMeta(f.name) {
			continue
		}
		member, ok := f.in(v)
		if !ok || member.IsZero() || f.omits(member) {
			continue
		}
		p.push(f.name)
		p.set("add", member)
		p.pop()
	}
	return d.i
}

func isTypeMeta(name string) bool { return name == "kind" || name == "apiVersion" }

// member compares the member at src[i] with the field f of the struct v.
func (p *patcher) member(f *member, i int, v reflect.Value) int {
	value, ok := f.in(v)
	if ok && !f.omits(value) {
		return p.value(f.shape, f.listKeys, i, value)
	}
	// The field is not written any more. That is a change only if it says something else than the text did.
	if !ok || p.differs(f.shape, i, value) {
		p.remove()
	}
	return skip(p.src, i)
}

// differs says whether the value at src[i] and v differ.
func (p *patcher) differs(s *shape, i int, v reflect.Value) bool {
	outer := p.probe
	p.probe, p.found = true, false
	p.value(s, nil, i, v)
	found := p.found
	p.probe, p.found = outer, outer && found
	return found
}

func (p *patcher) dict(s *shape, i int, v reflect.Value) int {
	if labels, ok := v.Interface().(map[string]string); ok {
		return p.labels(labels, i)
	}
	d := decoder{src: p.src, i: i}
	present := 0
	name := reflect.New(s.typ.Key()).Elem()
	for more := d.open('}'); more; more = d.more() {
		if p.done() {
			return d.i
		}
		key := string(d.key())
		p.push(key)
		name.SetString(key)
		if elem := v.MapIndex(name); elem.IsValid() {
			present++
			d.i = p.value(s.elem, nil, d.i, elem)
		} else {
			p.remove()
			d.i = skip(d.src, d.i)
		}
		p.pop()
	}
	if present < v.Len() {
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
	return d.i
}

// labels is dict for the commonest map.
func (p *patcher) labels(labels map[string]string, i int) int {
	d := decoder{src: p.src, i: i}
	present := 0
	for more := d.open('}'); more; more = d.more() {
		if p.done() {
			return d.i
		}
		key := d.key()
		at := span{d.i, skip(d.src, d.i)}
		d.i = at.end
		label, ok := labels[string(key)]
		switch {
		case !ok:
			p.push(string(key))
			p.remove()
			p.pop()
			continue
		case isNull(d.src, at.start) && label != "", !isNull(d.src, at.start) && !isText(d.src, at, label):
			p.push(string(key))
			p.set("replace", reflect.ValueOf(label))
			p.pop()
		}
		present++
	}
	if present < len(labels) {
		had := memberNames(p.src, i)
		for _, key := range slices.Sorted(maps.Keys(labels)) {
			if !had[key] {
				p.push(key)
				p.set("add", reflect.ValueOf(labels[key]))
				p.pop()
			}
		}
	}
	return d.i
}

// memberNames returns the names of the members of the object at src[i].
func memberNames(src []byte, i int) map[string]bool {
	names := make(map[string]bool)
	d := decoder{src: src, i: i}
	for more := d.open('}'); more; more = d.more() {
		names[string(d.key())] = true
		d.i = skip(src, d.i)
	}
	return names
}
