// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Exchange completes the conversion of src into dst with the annotation. It puts the values that the annotation keeps
// for dst's version back into dst. It stores in the annotation the values that src's version would not get back. The
// parameters of and to are the stashes of src's and dst's versions. The function back converts fields from dst's
// version to src's.
//
// The annotation is input from anybody who may write metadata. So a value is restored only if dst still has the
// converted value, if the restored value fits its type and the type's markers, and if it alters no value of src. To
// check this, dst is converted back with the values and without them. Values that lead to a difference are dropped,
// unless src itself has the resulting value, and so are values with which back fails or panics. Only values that src's
// version cannot represent are left then. It is an error if the annotation has a mark, because values were left out of
// it.
//
// If an annotation keeps nothing of either version, dst is converted back once. It is not converted back at all if
// src's version is [Schema].Lossless.
func Exchange[S, D any, PS Object[S], PD Object[D]](ctx context.Context, src PS, dst PD, of Stash[S, PS], to Stash[D, PD], back func(context.Context, *D, *S) error) error {
	return exchange(ctx, src, dst, of, to, back, nil)
}

// ExchangeHooks is [Exchange] for a conversion with hooks. The function forth converts fields from src's version to
// dst's. If the annotation keeps a value that a hook converts, it also notes what the hook has written for it in dst.
// When the object returns with another value there, the kept value is dropped.
func ExchangeHooks[S, D any, PS Object[S], PD Object[D]](ctx context.Context, src PS, dst PD, of Stash[S, PS], to Stash[D, PD], back func(context.Context, *D, *S) error, forth func(context.Context, *S, *D) error) error {
	return exchange(ctx, src, dst, of, to, back, forth)
}

func exchange[S, D any, PS Object[S], PD Object[D]](ctx context.Context, src PS, dst PD, of Stash[S, PS], to Stash[D, PD], back func(context.Context, *D, *S) error, forth func(context.Context, *S, *D) error) error {
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
		if err := back(seeing(ctx, dst), dst, returned); err != nil {
			return err
		}
	}
	var depend func([]change) error
	if forth != nil {
		depend = func(changes []change) error {
			return dependences(ctx, src, dst, returned, of, to, forth, changes)
		}
	}
	return of.keep(dst, src, returned, mode, depend)
}

// restore puts values back into dst, and returns the result of converting dst back then. The result is nil if there
// were no values.
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
	changes, err := current(changes, of.layout().shape, reflect.ValueOf(src).Elem())
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	// A restored value may not fit src's version. The converted field is unset then.
	ctx = wire.WithMode(seeing(ctx, dst), wire.Mode{Read: new(wire.Left)})
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
		return before, nil // values for which the other version has a place by now are not kept again
	}
	return after, nil
}

// maxTries is how often changes are tried to find the ones that lead to a difference, if their paths do not identify
// them.
const maxTries = 32

// verifying applies changes and examines the result of converting the object back.
type verifying[S, D any, PS Object[S], PD Object[D]] struct {
	ctx         context.Context
	src, before PS
	dst         PD
	of          Stash[S, PS]
	to          Stash[D, PD]
	back        func(context.Context, *D, *S) error
	mode        wire.Mode
	budget      int
	last        restoring // the changes that were applied last
}

// try applies changes, and returns the result of converting dst back then. If the result differs from the result
// without the changes, or is an error, dst is as before.
func (v *verifying[S, D, PS, PD]) try(changes []change) (after PS, d differences, err error) {
	r := restoring{ctx: v.ctx, unlimited: v.mode.Trusted || v.mode.Unlimited}
	nodes := nodesOf(changes)
	r.fields(v.to.layout().shape, reflect.ValueOf(v.dst).Elem(), nodes, v.to.schema)
	r.ownEntries(v.dst, nodes, v.to.schema)
	if r.err != nil {
		return nil, d, r.err
	}
	if v.last = r; r.applied == 0 {
		return v.before, d, nil
	}
	after, d.added = PS(new(S)), v.mode.Trusted
	if fails(func() error { return v.back(v.ctx, v.dst, after) }) {
		d.note(nil) // the change that leads to this is unknown
	} else {
		d.metadata(v.before, after, v.src)
		l := v.of.layout()
		d.structs(l.shape, l.arrived(reflect.ValueOf(v.before).Elem()), l.arrived(reflect.ValueOf(after).Elem()), reflect.ValueOf(v.src).Elem(), v.of.schema, nil)
	}
	if len(d.paths) > 0 {
		r.rollback()
		after = v.before
	}
	v.last = r
	return after, d, nil
}

// fails reports whether a conversion returns an error or panics. Functions of the user may panic for an object that
// nobody has written, such as one with restored values, because it may be invalid.
func fails(convert func() error) (failed bool) {
	defer func() { failed = failed || recover() != nil }()
	return convert() != nil
}

// harmless returns the changes that lead to no difference, as far as a number of tries can find them. If some changes
// lead to one, it examines each half of them.
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

// differences are the values that differ between two objects of a version, as paths through structs.
type differences struct {
	paths [][]string
	// added means that values which only the second object has make no difference.
	added bool
}

func (d *differences) note(at []string) { d.paths = append(d.paths, at) }

// metadata compares labels and annotations, because a conversion may put fields there.
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

// structs compares two structs of a shape. A value that equals the user's own in said makes no difference; said may be
// invalid.
func (d *differences) structs(s *wire.Shape, before, after, said reflect.Value, schema Schema, at []string) {
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
			d.structs(f.Shape.Target(), b, a, f.Shape.Structs(w, inSaid), schema.member(f.Name), here)
			continue
		}
		if known(f, b, inBefore, a, inAfter, w, inSaid, said.IsValid(), schema.member(f.Name)) {
			continue
		}
		d.note(here)
	}
}

// known reports whether nothing in a field is new: each value in it is as it was, or is the user's own in said. The
// user's own value is unknown if isSaid is false.
func known(f *wire.Member, before reflect.Value, inBefore bool, after reflect.Value, inAfter bool, said reflect.Value, inSaid, isSaid bool, schema Schema) bool {
	b, errBefore := decodedField(f, before, inBefore)
	a, errAfter := decodedField(f, after, inAfter)
	var w any = unknown{}
	var errSaid error
	if isSaid {
		w, errSaid = decodedField(f, said, inSaid)
	}
	return errBefore == nil && errAfter == nil && errSaid == nil && knownValue(b, a, w, schema)
}

// unknown is a value that equals no other one.
type unknown struct{}

// knownValue is known for values as JSON has them. The elements of two lists belong together if they have the same
// keys, or else if both lists have the same length.
func knownValue(before, after, said any, schema Schema) bool {
	if reflect.DeepEqual(after, before) || reflect.DeepEqual(after, said) {
		return true
	}
	switch after := after.(type) {
	case map[string]any:
		before, ok := before.(map[string]any)
		if !ok {
			return false
		}
		own, isSaid := said.(map[string]any)
		for _, name := range namesOfBoth(before, after) {
			said = unknown{}
			if isSaid {
				said = memberOf(own, name)
			}
			if !knownValue(memberOf(before, name), memberOf(after, name), said, schema.member(name)) {
				return false
			}
		}
		return true
	case []any:
		before, _ := before.([]any)
		said, ok := said.([]any)
		return ok && knownElements(before, after, said, schema)
	}
	return false
}

// knownElements is knownValue for lists.
func knownElements(before, after, said []any, schema Schema) bool {
	if len(schema.Keys) > 0 {
		names := slices.Sorted(slices.Values(schema.Keys))
		inBefore, inAfter, inSaid := tableOf(before, names), tableOf(after, names), tableOf(said, names)
		if inBefore.unique(before) && inAfter.unique(after) && inSaid.unique(said) {
			both := slices.Concat(after, slices.DeleteFunc(slices.Clone(before), func(e any) bool { return inAfter.in(after, keyOf(e, names)) != (absent{}) }))
			return !slices.ContainsFunc(both, func(e any) bool {
				key := keyOf(e, names)
				return !knownValue(inBefore.in(before, key), inAfter.in(after, key), inSaid.in(said, key), schema.element())
			})
		}
	}
	if len(before) != len(after) || len(said) != len(after) {
		return false
	}
	for i := range after {
		if !knownValue(before[i], after[i], said[i], schema.element()) {
			return false
		}
	}
	return true
}

// without returns the changes except for changes at the path of a difference, around it or below it. Most members have
// the same name in both versions.
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

// leadsTo reports whether a change is at one of the paths, around it or below it.
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
