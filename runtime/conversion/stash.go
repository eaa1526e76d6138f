// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Annotation is the annotation in which an object carries values of other versions that its own version cannot
// represent.
const Annotation = "webhook-gen.github.io/conversion"

// Signature is the annotation in which a handler with [Keys] stores the signature of [Annotation].
const Signature = "webhook-gen.github.io/conversion-signature"

// maxAnnotations is the total size of keys and values that the API server accepts
// (k8s.io/apimachinery/pkg/api/validation, TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

// Object is a pointer to an API type.
type Object[T any] interface {
	*T
	metav1.Object
}

// Stash keeps the values of one version of a kind that another version cannot represent. T is the Go type of the one
// version.
type Stash[T any, P Object[T]] struct{ *stash }

type stash struct {
	version  string
	key      []byte // the version as it is written in the annotation
	lossless bool
	layout   func() layout
	notes    sync.Pool // of *notes
}

// layout describes the type of a version. It is made when an object first needs it, because some versions never keep
// values.
type layout struct {
	plan  *plan
	hooks *plan // plan, or nil if no function of the user converts a part of the version
	keys  *plan // with nothing but the keys of lists
	shape *wire.Shape
	whole *wire.Shape // with the entries in metadata that the schema names
	// omitsZero means that a field of the type has the option omitzero.
	omitsZero bool
}

// notes is the memory to keep and to restore one object after another.
type notes struct {
	steps                   []step
	work                    work
	names                   wire.Texts
	kept                    kepts
	changes                 []change
	read, list, text, value []byte
	texts                   []byte
}

// NewStash returns the stash of a version.
func NewStash[T any, P Object[T]](version string, schema Schema) Stash[T, P] {
	return Stash[T, P]{&stash{version: version, lossless: schema.Lossless, key: wire.AppendText(nil, version),
		layout: sync.OnceValue(func() layout { return layoutOf[T](schema) }),
		notes:  sync.Pool{New: func() any { return &notes{steps: make([]step, 0, 16), kept: make(kepts, 0, 4)} }}}}
}

func layoutOf[T any](schema Schema) layout {
	none := new(plan)
	none.elements = none
	var l layout
	var custom bool
	if l.plan, custom = planOf(schema.withEntries(), none, false); custom {
		l.hooks = l.plan
	}
	l.keys, _ = planOf(schema, none, true)
	all := new(wire.Shapes).Of(reflect.TypeFor[T]())
	l.shape = all.With(func(f *wire.Member) bool { return !isCommon(f.Name) })
	l.whole = all.With(func(f *wire.Member) bool {
		if f.Name == "metadata" {
			f.Shape = f.Shape.With(func(f *wire.Member) bool { return l.plan.member("metadata").Members[f.Name].Scattered })
		}
		return f.Name == "metadata" || !isCommon(f.Name)
	})
	var below wire.Shapes
	for _, f := range l.shape.Fields {
		below.Of(f.Shape.Typ)
	}
	omits := func(f wire.Member) bool { return f.OmitZero }
	l.omitsZero = slices.ContainsFunc(l.shape.Fields, omits)
	for _, s := range below.Made {
		l.omitsZero = l.omitsZero || slices.ContainsFunc(s.Fields, omits)
	}
	return l
}

// keep compares two objects of this version: the original, said, and the result of converting it there and back,
// returned. It stores the values that did not come back in the annotation of the object in the other version.
//
// Nothing is kept on an object without a name, because this is a partial object, as server-side apply converts it. It
// is an error if the annotation has no room for the values, unless the object comes from storage. Then the largest
// values are left out, with a mark.
func (s Stash[T, P]) keep(ctx context.Context, on metav1.Object, said, returned P, with settings.Conversion) error {
	if on.GetName() == "" && on.GetGenerateName() == "" {
		return nil
	}
	n := s.notes.Get().(*notes)
	defer s.notes.Put(n)
	n.work = *unbounded(ctx)
	c := comparison{work: &n.work, hooks: s.layout().hooks, list: encoder{out: n.list[:0]}, value: encoder{out: n.value}, texts: n.texts}
	s.compare(&c, n.steps[:0], s.layout().whole, returned, said)
	unfit := with.Omitted != nil && len(with.Omitted.Unfit) > 0
	annotation, ok := on.GetAnnotations()[Annotation]
	n.work.ctx = nil
	if n.value, n.texts = c.value.out, c.texts; n.work.err != nil || c.changes == 0 && !ok && !unfit {
		return n.work.err
	}
	kept, rest := n.keptIn(annotation).without(s.version), room(on, with)
	all := kept
	if n.list = c.list.out; c.changes > 0 {
		n.list = c.text()
		all = append(all, entry{s.key, n.list})
	}
	if !unfit && c.changes <= maxChanges && c.lost == 0 {
		if text := n.textOf(all); len(text) <= rest {
			write(on, text)
			return nil
		}
	}
	if with.Omitted == nil {
		return fmt.Errorf("%s: what this version cannot say takes %d bytes in %d changes: there is room for %d changes, and for %d bytes of annotations in all",
			nameOf(on), len(n.list), c.changes, maxChanges, maxAnnotations)
	}
	write(on, n.cut(kept, s.key, rest, c.lost, with.Omitted))
	return nil
}

// arrived returns an object as it is after it has been sent. A struct with omitzero and nothing but an empty list is
// written as an empty object, which is read as a zero struct and not written again.
func (l layout) arrived(object reflect.Value) reflect.Value {
	if !l.omitsZero {
		return object
	}
	e := encoder{}
	e.value(l.whole, object)
	if e.err != nil || !bytes.Contains(e.out, []byte("{}")) {
		return object
	}
	arrived := reflect.New(object.Type()).Elem()
	if wire.Decode(e.out, wire.Whole(e.out), nil, l.whole, arrived) != nil {
		return object
	}
	return arrived
}

// kepts is the content of the annotation: for each version, the changes from the object that the conversion into it
// makes to the object that the version really had. Changes for other versions are passed on as they are written.
type kepts []entry

// keptIn returns the content of an annotation, or nothing if it is broken.
func (n *notes) keptIn(annotation string) kepts {
	n.kept = n.kept[:0]
	n.read = append(n.read[:0], strings.TrimSpace(annotation)...)
	if isJSON(n.read) {
		n.kept = collect(n.kept, n.read)
	}
	return n.kept
}

// without returns the changes of all other versions.
func (k kepts) without(version string) kepts {
	return slices.DeleteFunc(k, func(e entry) bool { return e.is(version) })
}

// changesIn reads the changes of a list, as encoder.next has written them, and how many values were left out of it for
// lack of room. Changes that do not fit the type are from somebody else, or of a type that had other fields. It returns
// no changes if there are more than this package ever writes.
func (n *notes) changesIn(list []byte, l layout) (changes []change, cut int) {
	n.steps, changes = n.steps[:0], n.changes[:0]
	for e := range elements(list) {
		var c change
		var at, order []byte
		left, around := 0, false
		for m := range entries(e.value) {
			switch {
			case m.is("at") && at == nil:
				at = m.value
			case m.is("was"):
				c.Was, _ = stringOf(m.value)
			case m.is("is"):
				c.Is = m.value
			case m.is("index"):
				c.Index, _ = strconv.Atoi(string(m.value))
			case m.is("around"):
				around = true
			case m.is("each"):
				c.Each = sumsIn(m.value)
			case m.is("order"):
				order = m.value
			case m.is("custom"):
				c.Custom = true
			case m.is("cut"):
				left, _ = strconv.Atoi(string(m.value))
			}
		}
		cut += max(0, left)
		steps, ok := readPath(at, n.steps, l, &n.names)
		c.At, n.steps = steps[len(n.steps):], steps
		if p := l.plan.at(c.At); around {
			c.Around, ok = &p.one, ok && p.One != nil
		}
		for key := range elements(order) {
			next, is := l.plan.at(c.At).key.read(key.value, &n.names)
			c.Order, ok = append(c.Order, next), ok && is
		}
		switch {
		case left != 0 || !ok:
		case len(changes) == maxChanges:
			return nil, cut
		default:
			changes = append(changes, c)
		}
	}
	n.changes = changes
	return changes, cut
}

// sumsIn reads the digests of elements. Without them, nothing is restored unless the whole list is as it was.
func sumsIn(list []byte) (all []uint64) {
	for e := range elements(list) {
		sum, ok := sumIn(e.value)
		if !ok {
			return nil
		}
		all = append(all, sum)
	}
	return all
}

// cut returns the annotation with the changes that it has room for, the smallest first, and a mark for the others. If
// there is no room for a mark, it returns empty text. Some changes may be lost already.
func (n *notes) cut(others kepts, key []byte, room, lost int, read *settings.Omissions) string {
	var parts [][]byte
	for _, u := range read.Unfit {
		e := encoder{out: []byte(`{"cut":1`)}
		e.member("path", wire.AppendText(nil, u.Path))
		e.member("is", u.Is)
		parts = append(parts, append(e.out, '}'))
	}
	for e := range elements(n.list) {
		parts = append(parts, e.value)
	}
	order := make([]int, len(parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(parts[i]) - len(parts[j]) })
	const mark = `{"cut":%d}`
	size := len(n.textOf(append(slices.Clone(others), entry{key, nil}))) + len("[]") + len(mark) + len("1000000,")
	kept, left := 0, lost
	read.Cut += lost
	for _, i := range order {
		if size += len(parts[i]) + len(","); size <= room && kept < maxChanges {
			kept++
			continue
		}
		if parts[i] = nil; i >= len(read.Unfit) { // unfit values are counted already
			read.Cut++
		}
		left++
	}
	e := encoder{out: []byte{'['}}
	if left > 0 {
		e.out = fmt.Appendf(e.out, mark, left)
	}
	for _, part := range parts {
		if part != nil {
			e.comma()
			e.out = append(e.out, part...)
		}
	}
	text := n.textOf(append(slices.Clone(others), entry{key, append(e.out, ']')}))
	if len(text) > room {
		read.Unmarked = true
		return ""
	}
	return text
}

// room returns how long the annotation of an object may be.
func room(object metav1.Object, with settings.Conversion) int {
	left := maxAnnotations - len(Annotation) - with.Reserve
	for key, value := range object.GetAnnotations() {
		if key != Annotation && key != Signature {
			left -= len(key) + len(value)
		}
	}
	return left
}

// write sets the annotation of an object, or removes it if the text is empty. It also removes the signature. It
// replaces the map, because somebody else may use the map that is there.
func write(object metav1.Object, text string) {
	annotations := users(object)
	if text != "" {
		put(&annotations, Annotation, text)
	}
	object.SetAnnotations(annotations)
}

// users returns a copy of the annotations that are not of this package, or nil without any.
func users(object metav1.Object) map[string]string {
	annotations := maps.Clone(object.GetAnnotations())
	remove(&annotations, Annotation)
	remove(&annotations, Signature)
	return annotations
}

// textOf returns the annotation, with the same text every time. It is empty if nothing is kept.
func (n *notes) textOf(k kepts) string {
	if len(k) == 0 {
		return ""
	}
	slices.SortFunc(k, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	e := encoder{out: append(n.text[:0], '{')}
	for _, m := range k {
		e.entry(m)
	}
	n.text = append(e.out, '}')
	return string(n.text)
}

func nameOf(object metav1.Object) string {
	name := cmp.Or(object.GetName(), object.GetGenerateName())
	if namespace := object.GetNamespace(); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

// isCommon reports whether all versions have a member in common.
func isCommon(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

// compare writes the changes from one object of this version to another, as far as a shape of the version has them.
func (s Stash[T, P]) compare(c *comparison, steps []step, shape *wire.Shape, base, want P) {
	l := s.layout()
	c.structs(steps, shape, l.arrived(reflect.ValueOf(base).Elem()), l.arrived(reflect.ValueOf(want).Elem()), l.plan)
}

// decodedField returns a value of a field as JSON has it, with numbers as they are written. It is absent if JSON omits
// the field. A value that cannot be written ends the work.
func decodedField(f *wire.Member, v reflect.Value, present, inside bool, w *work) (value any) {
	if !present {
		return absent{}
	}
	var e encoder
	e.valueOf(f, v, inside)
	if w.fail(e.err); w.take(len(e.out)) {
		value, w.err = parsed(e.out)
	}
	return value
}

// scalar reads JSON of a text, a number, true, false or null.
func scalar(text []byte, names *wire.Texts) any {
	switch text[0] {
	case '"':
		return names.Of(wire.Text(text, wire.Whole(text)))
	case 't':
		return true
	case 'f':
		return false
	case 'n':
		return nil
	}
	return json.Number(text)
}

// parsed reads JSON, with numbers as they are written.
func parsed(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}
