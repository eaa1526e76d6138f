// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// route is the conversion from one version of a kind to another one.
type route struct {
	// apiVersion, group, version and kind belong to the converted object.
	apiVersion, group, version, kind string
	// whole is the complete source type, except for metadata that are the same.
	whole *wire.Shape
	// from and to are the shapes of the source and the target, without members that are the same in both.
	from, to *wire.Shape
	same     Same
	none     Same // for encoder
	// hidden means that the metadata are the same.
	hidden bool
	// convert has read fill a source object, converts it in the context that read returns, and returns a pointer to the
	// result.
	convert func(read func(into reflect.Value) (context.Context, error)) (converted any, err error)
	memory  *sync.Pool // of *memory
}

// newRoute makes a route from a function on Go types.
func newRoute[S, D any](to schema.GroupVersionKind, f func(context.Context, *S, *D) error, same Same) *route {
	r := &route{apiVersion: to.GroupVersion().String(), group: to.Group, version: to.Version, kind: to.Kind, same: maps.Clone(same), none: Same{}, memory: &sync.Pool{New: func() any { return new(memory) }}}
	_, r.hidden = same.of("metadata")
	delete(r.same, "metadata") // join writes them apart
	made := new(wire.Shapes)
	r.whole = made.Of(reflect.TypeFor[S]())
	if r.hidden {
		r.whole = r.whole.With(func(f *wire.Member) bool {
			if f.Name == "metadata" {
				f.Shape = nameOnly(f.Shape)
			}
			return true
		})
	}
	r.from = less(r.whole, r.same)
	r.to = made.Of(reflect.TypeFor[D]()).With(func(f *wire.Member) bool { return !isCommon(f.Name) })
	r.convert = func(read func(reflect.Value) (context.Context, error)) (any, error) {
		src, dst := new(S), new(D)
		ctx, err := read(reflect.ValueOf(src).Elem())
		if err != nil {
			return nil, err
		}
		return dst, f(ctx, src, dst)
	}
	return r
}

// text converts an object and passes the text of the result to use. The text is valid only until use returns. User code
// runs in here, including the methods of users' types, so a panic becomes an error.
func (r *route) text(ctx context.Context, o object, omitted *settings.Omissions, use func(text []byte)) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	m := r.memory.Get().(*memory)
	defer r.memory.Put(m)
	with := settings.Of(ctx)
	annotated := false
	to, err := r.convert(func(into reflect.Value) (context.Context, error) {
		if err := r.read(o, &m.texts, into, with.Omitted); err != nil {
			return nil, err
		}
		annotations := into.Addr().Interface().(metav1.Object).GetAnnotations()
		annotation, ok := annotations[Annotation]
		_, signed := annotations[Signature]
		if annotated = ok || signed; !annotated {
			return ctx, nil
		}
		r.judge(into, &with)
		with.Size, with.Spent = len(o.text), &omitted.Spent
		with.Lacks = func(path []string) bool { return lacks(r.whole, o.members, path) }
		if !with.Trusted { // members that are the same are not restored then
			return settings.With(ctx, with), nil
		}
		ctx := settings.With(ctx, with)
		same, some := r.same.withoutKept([]byte(annotation), r.version)
		if !some {
			return ctx, nil
		}
		// The members are converted instead of passed on as text. So restore sees whether a value is set, and the
		// values that it restores are written.
		decoding := *r
		decoding.same, decoding.from = same, less(r.whole, same)
		r = &decoding
		into.SetZero()
		if with.Omitted != nil {
			with.Omitted.Unfit = nil
		}
		return ctx, r.read(o, &m.texts, into, with.Omitted)
	})
	if err != nil {
		return err
	}
	if len(with.Keys) > 0 {
		sign(with.Keys, r.group, r.kind, to.(metav1.Object))
	}
	converted := to.(metav1.Object)
	e := encoder{out: slices.Grow(m.out[:0], 2*len(o.text)), within: m.within, none: r.none, partial: converted.GetName() == "" && converted.GetGenerateName() == ""}
	r.join(&e, annotated, to, o)
	clear(e.within[:cap(e.within)]) // entries would keep the body in memory
	m.out, m.within = e.out, e.within
	if e.err == nil {
		use(e.out)
	}
	return e.err
}

// lacks reports whether an object lacks a struct that its type has at a path.
func lacks(s *wire.Shape, object []entry, path []string) bool {
	missing := false
	for i, name := range path {
		if s = s.StructureOf(name); s == nil {
			return false
		}
		value := named(object, name)
		if missing = missing || !isObject(value); !missing && i+1 < len(path) {
			object = collect(nil, value)
		}
	}
	return missing
}

// memory is reused from one conversion to the next.
type memory struct {
	texts  wire.Texts
	out    []byte
	within []entry
}

// read reads an object into a variable that is zero so far. Values that do not fit are errors, unless they are noted as
// left out.
func (r *route) read(o object, known *wire.Texts, into reflect.Value, omitted *settings.Omissions) error {
	for j, m := range o.members {
		i := r.from.Find(m.key, wire.Whole(m.key), j)
		if i < 0 {
			continue
		}
		f := &r.from.Fields[i]
		if named(o.members[:j], f.Name) != nil {
			return wire.Duplicate([]byte(f.Name))
		}
		if omitted != nil && f.Name != "metadata" {
			wire.DecodeLeaving(m.value, known, f, into, &omitted.Unfit)
			continue
		}
		if err := wire.Decode(m.value, wire.Whole(m.value), known, f.Shape, f.Make(into)); err != nil {
			return wire.Below(f.Name, err)
		}
	}
	return nil
}

// join writes a converted object, with the members that are the same from the source object. The argument annotated is
// set if the source had annotations of this package.
func (r *route) join(e *encoder, annotated bool, converted any, was object) {
	e.out = append(e.out, '{')
	e.text("kind", r.kind)
	e.text("apiVersion", r.apiVersion)
	e.key("metadata")
	metadata := named(was.members, "metadata")
	if r.hidden {
		e.sameMetadata(annotated, converted.(metav1.Object), metadata)
	} else {
		e.metadata(converted.(metav1.Object), metadata)
	}
	e.members(r.to, reflect.ValueOf(converted).Elem(), r.same, r.whole, was.members)
	e.out = append(e.out, '}')
}

// PanicError is a recovered panic of a conversion.
type PanicError struct {
	// Value is what recover returned, and Stack the stack of the panic as debug.Stack writes it.
	Value any
	Stack []byte
}

// Error returns the value of the panic as text.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }
