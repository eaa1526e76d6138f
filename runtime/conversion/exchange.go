// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Exchange completes the conversion of src into dst with the annotation. It puts back into dst the values that the annotation keeps of
// dst's version, and keeps there what src's version would not get back. The stashes are those of both versions, and back converts fields
// from dst's version to src's.
//
// The annotation is input from whoever may write metadata. So a value is restored only if dst still has what the conversion made of it,
// if it fits its type and the markers of that, and if it changes nothing that src says: dst is converted back with the values and without
// them, and values that lead to a difference are dropped, unless src says it that way too. Only values that src's version cannot represent
// are left then. It is an error if the annotation is marked, because values were left out of it.
//
// If an annotation keeps nothing of either version, dst is converted back once, and not at all if src's version is [Schema].Lossless.
func Exchange[S, D any, PS Object[S], PD Object[D]](ctx context.Context, src PS, dst PD, of Stash[S, PS], to Stash[D, PD], back func(context.Context, *D, *S) error) error {
	mode := wire.ModeOf(ctx)
	returned, err := restore(ctx, src, dst, of, to, back)
	if err != nil {
		return err
	}
	if of.schema.Lossless && (mode.Read == nil || len(mode.Read.Unfit) == 0 && mode.Read.Converted == 0) {
		return nil
	}
	if returned == nil {
		returned = new(S)
		if err := back(ctx, dst, returned); err != nil {
			return err
		}
	}
	return of.keep(dst, src, returned, mode)
}

// restore puts values back into dst, and returns what dst then converts back to, or nil if there were none.
func restore[S, D any, PS Object[S], PD Object[D]](ctx context.Context, src PS, dst PD, of Stash[S, PS], to Stash[D, PD], back func(context.Context, *D, *S) error) (PS, error) {
	annotation, ok := dst.GetAnnotations()[Annotation]
	if !ok {
		return nil, nil
	}
	mode := wire.ModeOf(ctx)
	n := to.notes.Get().(*notes)
	defer to.notes.Put(n)
	kept := n.keptIn(annotation)
	changes, cut := n.changesIn(named(kept, to.version))
	if cut > 0 && mode.Read == nil {
		return nil, fmt.Errorf("%s: %d values of %s do not fit this version or its annotation and were left out when the object was read: change it in %s, because they would be lost",
			nameOf(dst), cut, to.version, to.version)
	}
	write(dst, n.textOf(kept.without(to.version)))
	if len(changes) == 0 {
		return nil, nil
	}
	// What was restored may not fit src's version, which then has nothing there.
	ctx = wire.WithMode(ctx, wire.Mode{Read: new(wire.Left)})
	before := PS(new(S))
	if err := back(ctx, dst, before); err != nil {
		return nil, err
	}
	for range 4 {
		r := restoring{ctx: ctx, unlimited: mode.Trusted || mode.Unlimited}
		r.fields(to.layout().shape, reflect.ValueOf(dst).Elem(), nodesOf(changes), to.schema)
		if r.err != nil {
			return nil, r.err
		}
		if r.applied == 0 {
			break
		}
		after := PS(new(S))
		d := differences{added: mode.Trusted}
		err := back(ctx, dst, after)
		if err == nil {
			d.metadata(before, after, src)
			d.structs(of.layout().shape, reflect.ValueOf(before).Elem(), reflect.ValueOf(after).Elem(), reflect.ValueOf(src).Elem(), nil)
			if len(d.paths) == 0 && to.schema.Lossless {
				return before, nil // where the other version has a place for the values by now, they are not kept again
			}
			if len(d.paths) == 0 {
				return after, nil
			}
		}
		r.rollback()
		if err != nil {
			break
		}
		changes = d.without(changes)
	}
	return before, nil
}

// differences are where two objects of a version say something else, as paths through structs.
type differences struct {
	paths [][]string
	// added says that what only the second one has makes no difference.
	added bool
}

func (d *differences) note(at []string) { d.paths = append(d.paths, at) }

// metadata compares labels and annotations, in which a conversion may put fields.
func (d *differences) metadata(before, after, said metav1.Object) {
	users := func(o metav1.Object) map[string]string {
		kept := maps.Clone(o.GetAnnotations())
		delete(kept, Annotation)
		delete(kept, Signature)
		return kept
	}
	same := func(a, b metav1.Object) bool {
		return maps.Equal(a.GetLabels(), b.GetLabels()) && maps.Equal(users(a), users(b))
	}
	if !same(before, after) && !same(said, after) {
		d.note([]string{"metadata"})
	}
}

// structs compares two structs of a shape. What is as the user said it makes no difference; said may be no value.
func (d *differences) structs(s *wire.Shape, before, after, said reflect.Value, at []string) {
	for i := range s.Fields {
		f := &s.Fields[i]
		b, inBefore := f.Present(before)
		a, inAfter := f.Present(after)
		if inBefore == inAfter && (!inBefore || f.Shape.Equal(b, a)) || d.added && (!inBefore || b.IsZero()) {
			continue
		}
		var w reflect.Value
		var inSaid bool
		if said.IsValid() {
			w, inSaid = f.Present(said)
		}
		here := append(at[:len(at):len(at)], f.Name)
		if b, a := f.Shape.Structs(b, inBefore), f.Shape.Structs(a, inAfter); b.IsValid() && a.IsValid() {
			d.structs(f.Shape.Target(), b, a, f.Shape.Structs(w, inSaid), here)
			continue
		}
		if said.IsValid() && inSaid == inAfter && (!inAfter || f.Shape.Equal(a, w)) {
			continue
		}
		if inBefore && inAfter && inSaid && f.Shape.Kind == wire.List && sameElements(f.Shape.Elem, b, a, w) {
			continue
		}
		d.note(here)
	}
}

// sameElements reports whether each element of a list is as it was, or as the user said it.
func sameElements(s *wire.Shape, before, after, said reflect.Value) bool {
	if before.Len() != after.Len() || said.Len() != after.Len() || after.Len() == 0 { // which may be none or an empty one
		return false
	}
	for i := range after.Len() {
		if a := after.Index(i); !s.Equal(a, before.Index(i)) && !s.Equal(a, said.Index(i)) {
			return false
		}
	}
	return true
}

// without are the changes less those that lead to a difference: those at its path, or around or below it. If there are none, the rules of
// the kind or a function of the user move the value: then it is those in the same structs, and otherwise all.
func (d *differences) without(changes []change) []change {
	for _, up := range []int{0, 1} {
		at, around := map[string]bool{}, map[string]bool{}
		for _, path := range d.paths {
			path = path[:max(1, len(path)-up)]
			at[strings.Join(path, "\x00")] = true
			for i := range path {
				around[strings.Join(path[:i+1], "\x00")] = true
			}
		}
		var rest []change
		for _, c := range changes {
			if !leadsTo(c, at, around) {
				rest = append(rest, c)
			}
		}
		if len(rest) < len(changes) {
			return rest
		}
	}
	return nil
}

// leadsTo reports whether a change is of one of the paths, around it or below it.
func leadsTo(c change, at, around map[string]bool) bool {
	path := ""
	for i, s := range c.At {
		if s.keys != nil {
			break
		}
		if i > 0 {
			path += "\x00"
		}
		path += s.name
		if at[path] {
			return true
		}
		if !around[path] {
			return false
		}
	}
	return true
}
