package conversion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Annotation is the annotation in which an object carries values of other versions that its own version cannot represent.
const Annotation = "webhook-gen.github.io/conversion"

// maxAnnotations is the total size of keys and values that the API server accepts
// (k8s.io/apimachinery/pkg/api/validation, TotalAnnotationSizeLimitB).
const maxAnnotations = 256 << 10

// Object is a pointer to an API type.
type Object[T any] interface {
	*T
	metav1.Object
}

// Stash keeps the values of one version of a kind that another version cannot represent. T is the Go type of that version.
type Stash[T any, P Object[T]] struct {
	version string
	key     []byte // the version as it is written in the annotation
	schema  Schema
	layout  func() layout
	notes   *sync.Pool // of *notes
}

// layout is what there is to know of the type of a version. It is made when an object first needs it, for there are versions of which
// nothing is ever kept.
type layout struct {
	shape *wire.Shape
	// omitsZero says that a field of the type has the option omitzero.
	omitsZero bool
}

// notes are what is needed to keep and to restore one object after another.
type notes struct {
	steps            []step
	names            wire.Texts
	kept             kepts
	read, list, text []byte
}

// NewStash returns the stash of a version.
func NewStash[T any, P Object[T]](version string, schema Schema) Stash[T, P] {
	return Stash[T, P]{version: version, schema: schema, key: wire.AppendText(nil, version), layout: sync.OnceValue(layoutOf[T]),
		notes: &sync.Pool{New: func() any { return &notes{steps: make([]step, 0, 16), kept: make(kepts, 0, 4)} }}}
}

func layoutOf[T any]() layout {
	l := layout{shape: new(wire.Shapes).Of(reflect.TypeFor[T]()).With(func(f *wire.Member) bool { return !isCommon(f.Name) })}
	for _, f := range l.shape.Fields {
		l.omitsZero = l.omitsZero || f.OmitZero || omitsZero(f.Shape.Typ)
	}
	return l
}

// Keep stores, in the annotation of an object of another version, what this version would not get back: said is the object in this
// version, and returned is the result of converting on back to it.
//
// Nothing is kept on an object without a name: that is a partial object, as server-side apply converts it. It is an error if the
// annotations of the object would become larger than the API server accepts.
func (s Stash[T, P]) Keep(on metav1.Object, said, returned P) error {
	if on.GetName() == "" && on.GetGenerateName() == "" {
		return nil
	}
	n := s.notes.Get().(*notes)
	defer s.notes.Put(n)
	c := comparison{list: encoder{out: n.list[:0]}}
	l := s.layout()
	err := c.structs(n.steps[:0], l.shape, l.arrived(reflect.ValueOf(returned).Elem()), l.arrived(reflect.ValueOf(said).Elem()), s.schema)
	n.list = c.list.out
	if err != nil {
		return err
	}
	annotation, ok := on.GetAnnotations()[Annotation]
	if !c.any && !ok {
		return nil
	}
	kept := n.keptIn(annotation).without(s.version)
	if c.any {
		n.list = c.text()
		kept = append(kept, entry{s.key, n.list})
	}
	return n.write(on, kept)
}

// arrived is an object as it says it when it has arrived somewhere. A struct with omitzero that holds nothing but an empty list is
// written as an empty object, which is read as a zero struct and not written again.
func (l layout) arrived(object reflect.Value) reflect.Value {
	if !l.omitsZero {
		return object
	}
	e := encoder{}
	e.value(l.shape, object)
	if e.err != nil || !bytes.Contains(e.out, []byte("{}")) {
		return object
	}
	arrived := reflect.New(object.Type()).Elem()
	if wire.Decode(e.out, wire.Whole(e.out), nil, l.shape, arrived) != nil {
		return object
	}
	return arrived
}

// Restore puts the kept values back into an object of this version, and removes them from its annotation.
//
// Each value is restored only if the object still has what the conversion made of it. What cannot be read or does not fit the type is
// dropped, because it is not the user's and no reason to reject an object. A value kept by an older program, whose other version had no
// field for it, is restored if that field is not set.
func (s Stash[T, P]) Restore(object P) error {
	annotation, ok := object.GetAnnotations()[Annotation]
	if !ok {
		return nil
	}
	n := s.notes.Get().(*notes)
	defer s.notes.Put(n)
	kept := n.keptIn(annotation)
	changes := named(kept, s.version)
	if err := n.write(object, kept.without(s.version)); err != nil {
		return err
	}
	for text := range elements(changes) {
		var c change
		c, n.steps = readChange(text, n.steps[:0], &n.names)
		if len(c.At) > 0 {
			c.carryOut(s.layout().shape, reflect.ValueOf(object).Elem(), c.At, s.schema)
		}
	}
	return nil
}

// omitsZero reports whether a field in a type has the option omitzero.
func omitsZero(t reflect.Type) bool {
	var within wire.Shapes
	within.Of(t)
	for _, s := range within.Made {
		if slices.ContainsFunc(s.Fields, func(f wire.Member) bool { return f.OmitZero }) {
			return true
		}
	}
	return false
}

// kepts are the annotation's content: by version, the changes that lead from what the conversion into that version makes to what the
// version really said. Those of other versions are passed on as they are written.
type kepts []entry

// keptIn returns what an annotation keeps, which is nothing if it is broken.
func (n *notes) keptIn(annotation string) kepts {
	n.kept = n.kept[:0]
	n.read = append(n.read[:0], strings.TrimSpace(annotation)...)
	if wire.ScanAll(n.read, func(i int) int { return wire.ScanValue(n.read, i, wire.MaxDepth) }) >= 0 {
		n.kept = collect(n.kept, n.read)
	}
	return n.kept
}

// without is what is kept of other versions.
func (k kepts) without(version string) kepts {
	return slices.DeleteFunc(k, func(e entry) bool { return e.is(version) })
}

// write puts what is kept into the object's annotations, or takes it out of them where that is nothing. The map is replaced, because
// the one that is there may be somebody else's too.
func (n *notes) write(object metav1.Object, k kepts) error {
	annotations := map[string]string{}
	size := 0
	for key, value := range object.GetAnnotations() {
		if key != Annotation {
			annotations[key] = value
			size += len(key) + len(value)
		}
	}
	if len(k) > 0 {
		text := n.textOf(k)
		if size += len(Annotation) + len(text); size > maxAnnotations {
			return fmt.Errorf("%s: what this version cannot say takes %d bytes, with which the annotations are larger than the %d that the API server accepts",
				nameOf(object), len(text), maxAnnotations)
		}
		annotations[Annotation] = text
	}
	if len(annotations) == 0 {
		annotations = nil
	}
	object.SetAnnotations(annotations)
	return nil
}

// textOf is the annotation, the same one every time.
func (n *notes) textOf(k kepts) string {
	slices.SortFunc(k, func(a, b entry) int { return bytes.Compare(a.key, b.key) })
	e := encoder{out: append(n.text[:0], '{')}
	for _, m := range k {
		e.entry(m)
	}
	n.text = append(e.out, '}')
	return string(n.text)
}

func nameOf(object metav1.Object) string {
	name := object.GetName()
	if name == "" {
		name = object.GetGenerateName()
	}
	if namespace := object.GetNamespace(); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

// isCommon reports the members that every version has alike.
func isCommon(name string) bool {
	return name == "apiVersion" || name == "kind" || name == "metadata"
}

// decodedField is a value of a field as JSON has it, with numbers as they are written; absent where JSON leaves the field out.
func decodedField(f *wire.Member, v reflect.Value, present bool) (any, error) {
	if !present {
		return absent{}, nil
	}
	var e encoder
	if e.value(f.Shape, v); e.err != nil {
		return nil, e.err
	}
	return parsed(e.out)
}

// decoded is a value as JSON has it, with numbers as they are written.
func decoded(object any) (any, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return parsed(text)
}

// parsed is JSON with numbers as they are written.
func parsed(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}
