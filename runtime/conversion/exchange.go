// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Exchange completes the conversion of src into dst with the annotation. It puts back into dst the values that the
// annotation keeps of dst's version, and keeps there what src's version would not get back. The stashes are those of
// both versions, and back converts fields from dst's version to src's.
//
// The annotation is input from whoever may write metadata. So a value is restored only if dst still has what the
// conversion made of it, if it fits its type and the markers of that, and if it changes nothing that src says: dst is
// converted back with the values and without them, and values that lead to a difference are dropped, unless src says it
// that way too. Only values that src's version cannot represent are left then. It is an error if the annotation is
// marked, because values were left out of it.
//
// If an annotation keeps nothing of either version, dst is converted back once, and not at all if src's version is
// [Schema].Lossless.
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
	v := verifying[S, D, PS, PD]{ctx: ctx, src: src, dst: dst, before: before, of: of, to: to, back: back, mode: mode}
	after, d, err := v.try(changes)
	if err == nil && len(d.paths) > 0 {
		changes = d.without(changes)
		if after, d, err = v.try(changes); err == nil && len(d.paths) > 0 {
			v.budget = maxTries
			changes = append(v.harmless(changes[:len(changes)/2]), v.harmless(changes[len(changes)/2:])...)
			after, d, err = v.try(changes)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case len(d.paths) > 0 || to.schema.Lossless:
		return before, nil // where the other version has a place for the values by now, they are not kept again
	}
	return after, nil
}

// maxTries is how often changes are tried to find those that lead to a difference, where their paths do not tell.
const maxTries = 32

// verifying carries changes out and looks at what the object then converts back to.
type verifying[S, D any, PS Object[S], PD Object[D]] struct {
	ctx         context.Context
	src, before PS
	dst         PD
	of          Stash[S, PS]
	to          Stash[D, PD]
	back        func(context.Context, *D, *S) error
	mode        wire.Mode
	budget      int
	last        restoring // the changes that were carried out last
}

// try carries changes out, and returns what dst then converts back to. If that is different from what it was, or an
// error, dst is as before.
func (v *verifying[S, D, PS, PD]) try(changes []change) (after PS, d differences, err error) {
	r := restoring{ctx: v.ctx, unlimited: v.mode.Trusted || v.mode.Unlimited}
	r.fields(v.to.layout().shape, reflect.ValueOf(v.dst).Elem(), nodesOf(changes), v.to.schema)
	if r.err != nil {
		return nil, d, r.err
	}
	if v.last = r; r.applied == 0 {
		return v.before, d, nil
	}
	after, d.added = PS(new(S)), v.mode.Trusted
	if v.back(v.ctx, v.dst, after) != nil {
		d.note(nil) // which no change is known to lead to
	} else {
		d.metadata(v.before, after, v.src)
		d.structs(v.of.layout().shape, reflect.ValueOf(v.before).Elem(), reflect.ValueOf(after).Elem(), reflect.ValueOf(v.src).Elem(), nil)
	}
	if len(d.paths) > 0 {
		r.rollback()
		after = v.before
	}
	v.last = r
	return after, d, nil
}

// harmless are the changes that lead to no difference, as far as a number of tries can tell: of those that do, each
// half is looked at.
func (v *verifying[S, D, PS, PD]) harmless(changes []change) []change {
	if len(changes) == 0 || v.budget == 0 {
		return nil
	}
	v.budget--
	_, d, err := v.try(changes)
	switch {
	case err != nil:
		return nil
	case len(d.paths) == 0:
		v.last.rollback()
		return changes
	case len(changes) == 1:
		return nil
	}
	half := len(changes) / 2
	return append(v.harmless(changes[:half:half]), v.harmless(changes[half:])...)
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
		if inBefore == inAfter && (!inBefore || f.Shape.Equal(b, a)) {
			continue
		}
		var w reflect.Value
		var inSaid bool
		if said.IsValid() {
			w, inSaid = f.Present(said)
		}
		if d.added && (!inBefore || b.IsZero() || !inSaid || w.IsZero()) {
			continue
		}
		here := append(at[:len(at):len(at)], f.Name)
		if b, a := f.Shape.Structs(b, inBefore), f.Shape.Structs(a, inAfter); b.IsValid() && a.IsValid() {
			d.structs(f.Shape.Target(), b, a, f.Shape.Structs(w, inSaid), here)
			continue
		}
		if inBefore && inAfter && sameJSONOf(f.Shape, b, a) || said.IsValid() && inSaid == inAfter && (!inAfter || sameJSONOf(f.Shape, a, w)) {
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
		if a := after.Index(i); !sameJSONOf(s, a, before.Index(i)) && !sameJSONOf(s, a, said.Index(i)) {
			return false
		}
	}
	return true
}

// sameJSONOf reports whether two values are written alike. A quantity that was read from other text is the same.
func sameJSONOf(s *wire.Shape, a, b reflect.Value) bool {
	if s.Equal(a, b) {
		return true
	}
	var x, y encoder
	x.value(s, a)
	y.value(s, b)
	return x.err == nil && y.err == nil && bytes.Equal(x.out, y.out)
}

// without are the changes less those at the path of a difference, or around or below it: most members have the same
// name in both versions.
func (d *differences) without(changes []change) []change {
	at, around := map[string]bool{}, map[string]bool{}
	for _, path := range d.paths {
		if len(path) == 0 {
			continue
		}
		at[strings.Join(path, "\x00")] = true
		for i := range path {
			around[strings.Join(path[:i+1], "\x00")] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return leadsTo(c, at, around) })
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
