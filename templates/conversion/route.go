package conversion

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// route leads from one version of a kind to another one.
type route struct {
	// apiVersion and kind are what an object has at the end.
	apiVersion, kind string
	// from and to are what is read of the one type and written of the other: what is not the same in both.
	from, to *shape
	same     Same
	// hidden says that the metadata are the same.
	hidden bool
	// convert reads an object, has it converted, and returns both: pointers to the types of the two versions.
	convert func(ctx context.Context, read func(into reflect.Value) error) (source, converted any, err error)
	texts   *sync.Pool // of *texts
}

// newRoute makes a route of a function on Go types.
func newRoute[S, D any](apiVersion, kind string, f func(context.Context, *S, *D) error, same Same) *route {
	r := &route{apiVersion: apiVersion, kind: kind, same: maps.Clone(same), texts: &sync.Pool{New: func() any { return new(texts) }}}
	_, r.hidden = same.of("metadata")
	delete(r.same, "metadata") // they have a place of their own
	made := new(shapes)
	r.from = made.of(reflect.TypeFor[S]()).less(r.same)
	if r.hidden {
		r.from = r.from.with(func(f *member) bool {
			if f.name == "metadata" {
				f.shape = f.shape.nameOnly()
			}
			return true
		})
	}
	r.to = made.of(reflect.TypeFor[D]()).with(func(f *member) bool { return !isCommon(f.name) })
	r.convert = func(ctx context.Context, read func(reflect.Value) error) (any, any, error) {
		src, dst := new(S), new(D)
		if err := read(reflect.ValueOf(src).Elem()); err != nil {
			return nil, nil, err
		}
		return src, dst, f(ctx, src, dst)
	}
	return r
}

// text converts the text of an object. The code of others runs in here, that of their types included, so a panic is an error.
func (r *route) text(ctx context.Context, object []byte) (converted []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	from, to, err := r.convert(ctx, func(into reflect.Value) error {
		known := r.texts.Get().(*texts)
		defer r.texts.Put(known)
		return decode(object, span{0, len(object)}, known, r.from, into)
	})
	if err != nil {
		return nil, err
	}
	return r.join(from.(metav1.Object), to, object)
}

// join writes a converted object with what is the same, which is taken from the text of the object that it was.
func (r *route) join(source metav1.Object, converted any, was []byte) ([]byte, error) {
	var few [16]entry
	var metadata []byte
	members := few[:0]
	for m := range entries(was) {
		switch {
		case m.is("metadata"):
			metadata = m.value
		case !m.is("apiVersion") && !m.is("kind"):
			members = append(members, m)
		}
	}
	e := encoder{out: append(make([]byte, 0, len(was)+len(was)/4), '{')}
	e.key("kind")
	e.out = appendText(e.out, r.kind)
	e.key("apiVersion")
	e.out = appendText(e.out, r.apiVersion)
	e.key("metadata")
	if r.hidden {
		e.sameMetadata(source, converted.(metav1.Object), metadata)
	} else {
		e.metadata(converted.(metav1.Object), metadata)
	}
	e.members(r.to, reflect.ValueOf(converted).Elem(), r.same, members)
	return append(e.out, '}'), e.err
}

// PanicError is a panic of a conversion.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }
