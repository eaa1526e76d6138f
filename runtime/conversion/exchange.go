// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

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
	if of.lossless && (mode.Read == nil || len(mode.Read.Unfit) == 0 && mode.Read.Converted == 0) {
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
	return of.keep(ctx, dst, src, returned, mode, depend)
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
	changes, cut := n.changesIn(named(kept, to.version), to.layout())
	if cut > 0 && mode.Read == nil {
		return nil, fmt.Errorf("%s: %d values of %s do not fit this version or its annotation and were left out when the object was read: change it in %s, because they would be lost",
			nameOf(dst), cut, to.version, to.version)
	}
	write(dst, n.textOf(kept.without(to.version)))
	if len(changes) == 0 {
		return nil, nil
	}
	v := verifying[S, D, PS, PD]{src: src, dst: dst, of: of, to: to, back: back, trusted: mode.Trusted, unlimited: mode.Trusted || mode.Unlimited}
	after, err := v.restore(ctx, changes, mode.Size+len(annotation))
	if errors.Is(v.work.err, errSpent) && mode.Spent != nil {
		*mode.Spent = true
	}
	return after, err
}

// verifying applies changes and examines the result of converting the object back.
type verifying[S, D any, PS Object[S], PD Object[D]] struct {
	ctx                context.Context
	src, before        PS
	dst                PD
	of                 Stash[S, PS]
	to                 Stash[D, PD]
	back               func(context.Context, *D, *S) error
	trusted, unlimited bool
	work               work
	applied            restoring // the changes that were applied last
}

// restore applies the changes that lead to no difference. It returns the result of converting dst back with them, or
// nil if there are none.
func (v *verifying[S, D, PS, PD]) restore(ctx context.Context, changes []change, size int) (PS, error) {
	changes, err := v.current(ctx, changes, size)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	// A restored value may not fit src's version. The converted field is unset then.
	v.ctx, v.before = wire.WithMode(seeing(ctx, v.dst), wire.Mode{Read: new(wire.Left)}), new(S)
	if err := v.back(v.ctx, v.dst, v.before); err != nil {
		return nil, err
	}
	left := v.work.left
	after, d, err := v.try(changes)
	once := left - v.work.left
	if err == nil && len(d.paths) > 0 {
		changes = d.without(changes)
		after, d, err = v.try(changes)
	}
	if err == nil && len(d.paths) > 0 {
		v.work.left -= once // for the last try
		half := len(changes) / 2
		changes = append(v.harmless(changes[:half:half]), v.harmless(changes[half:])...)
		spent := v.work.err
		v.work.left, v.work.err = once+workFloor, context.Cause(ctx)
		after, d, err = v.try(changes)
		v.work.err = cmp.Or(v.work.err, spent)
	}
	switch {
	case errors.Is(err, errSpent):
		return v.before, nil
	case err != nil:
		return nil, err
	case len(d.paths) > 0 || v.to.lossless:
		return v.before, nil // values for which the other version has a place by now are not kept again
	}
	return after, nil
}

// try applies changes, and returns the result of converting dst back then. If the result differs from the result
// without the changes, or is an error, dst is as before.
func (v *verifying[S, D, PS, PD]) try(changes []change) (after PS, d differences, err error) {
	r := restoring{work: &v.work, unlimited: v.unlimited}
	if v.work.take(workFloor/mostTries + tryCost*v.work.size) {
		nodes := nodesOf(changes, v.to.layout())
		r.fields(reflect.ValueOf(v.dst).Elem(), nodes)
		r.ownEntries(v.dst, nodes)
	}
	v.applied = r
	if v.work.err != nil {
		r.rollback()
		return nil, d, v.work.err
	}
	if r.applied == 0 {
		return v.before, d, nil
	}
	after, d.added = PS(new(S)), v.trusted
	if fails(func() error { return v.back(v.ctx, v.dst, after) }) {
		d.note(nil) // the change that leads to this is unknown
	} else {
		l := v.of.layout()
		d.work = unbounded(v.ctx)
		d.metadata(v.before, after, v.src)
		d.structs(l.shape, l.arrived(reflect.ValueOf(v.before).Elem()), l.arrived(reflect.ValueOf(after).Elem()), reflect.ValueOf(v.src).Elem(), l.plan, nil)
	}
	if len(d.paths) > 0 {
		r.rollback()
		after = v.before
	}
	return after, d, nil
}

// mostTries is how often changes of a small object are tried, and tryCost how often a try touches each byte of an
// object, besides the values that it restores.
const (
	mostTries = 32
	tryCost   = 2
)

// fails reports whether a conversion returns an error or panics. Functions of the user may panic for an object that
// nobody has written, such as one with restored values, because it may be invalid.
func fails(convert func() error) (failed bool) {
	defer func() { failed = failed || recover() != nil }()
	return convert() != nil
}

// harmless returns the changes that lead to no difference, as far as the budget suffices to find them. If some changes
// lead to one, it examines each half of them.
func (v *verifying[S, D, PS, PD]) harmless(changes []change) []change {
	if len(changes) == 0 {
		return nil
	}
	_, d, err := v.try(changes)
	switch half := len(changes) / 2; {
	case err != nil:
		return nil
	case len(d.paths) == 0:
		v.applied.rollback()
		return changes
	case half == 0:
		return nil
	default:
		return append(v.harmless(changes[:half:half]), v.harmless(changes[half:])...)
	}
}

// differences are the values that differ between two objects of a version, as paths through structs.
type differences struct {
	paths [][]string
	// added means that values which only the second object has make no difference.
	added bool
	work  work
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
func (d *differences) structs(s *wire.Shape, before, after, said reflect.Value, p *plan, at []string) {
	for i := range s.Fields {
		f := &s.Fields[i]
		b, inBefore := f.Present(before)
		a, inAfter := f.Present(after)
		if inBefore == inAfter && (!inBefore || comparesWhole(f, len(at)) && f.Shape.Equal(b, a)) {
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
		if from, to := f.Shape.Structs(b, inBefore), f.Shape.Structs(a, inAfter); from.IsValid() && to.IsValid() && len(here) < maxSteps {
			d.structs(f.Shape.Target(), from, to, f.Shape.Structs(w, inSaid), p.member(f.Name), here)
		} else if !d.isKnown(f, b, inBefore, a, inAfter, w, inSaid, said.IsValid(), p.member(f.Name)) {
			d.note(here)
		}
	}
}

// isKnown reports whether nothing in a field is new: each value in it is as it was, or is the user's own in said. The
// user's own value is unknown if isSaid is false.
func (d *differences) isKnown(f *wire.Member, before reflect.Value, inBefore bool, after reflect.Value, inAfter bool, said reflect.Value, inSaid, isSaid bool, p *plan) bool {
	b, errBefore := decodedField(f, before, inBefore, &d.work)
	a, errAfter := decodedField(f, after, inAfter, &d.work)
	var w any = unknown{}
	var errSaid error
	if isSaid {
		w, errSaid = decodedField(f, said, inSaid, &d.work)
	}
	return errBefore == nil && errAfter == nil && errSaid == nil && matchOf(b, a, w, p).known
}

// unknown is a value that equals no other one.
type unknown struct{}

// match reports whether a value equals the value before, whether it equals the user's own, and whether each value in it
// equals one of them.
type match struct{ before, said, known bool }

func (m match) and(other match) match {
	return match{m.before && other.before, m.said && other.said, m.known && other.known}
}

// matchOf compares values in JSON, each once. The elements of lists belong together if they have the same keys, or else
// if all lists have the same length.
func matchOf(before, after, said any, p *plan) (m match) {
	switch after := after.(type) {
	case map[string]any:
		before, isBefore := before.(map[string]any)
		own, isSaid := said.(map[string]any)
		m = match{isBefore && len(before) == len(after), isSaid && len(own) == len(after), isBefore}
		for _, name := range namesOfBoth(before, after) {
			said = unknown{}
			if isSaid {
				said = memberOf(own, name)
			}
			m = m.and(matchOf(memberOf(before, name), memberOf(after, name), said, p.member(name)))
		}
	case []any:
		m = elementsMatch(before, after, said, p)
	default:
		m.before, m.said = reflect.DeepEqual(after, before), reflect.DeepEqual(after, said)
	}
	m.known = m.known || m.before || m.said
	return m
}

// elementsMatch is matchOf for lists.
func elementsMatch(before any, after []any, said any, p *plan) (m match) {
	b, isBefore := before.([]any)
	s, isSaid := said.([]any)
	if isSaid && p.key.keys != nil {
		inBefore, inAfter, inSaid := tableOf(b, p.key), tableOf(after, p.key), tableOf(s, p.key)
		if inBefore.unique(b) && inAfter.unique(after) && inSaid.unique(s) {
			m.known = true
			for _, e := range slices.Concat(after, b) {
				key := p.key.to(e)
				m.known = m.known && matchOf(inBefore.in(b, key), inAfter.in(after, key), inSaid.in(s, key), p.elements).known
			}
			m.before, m.said = reflect.DeepEqual(before, any(after)), reflect.DeepEqual(said, any(after))
			return m
		}
	}
	if len(b) != len(after) || len(s) != len(after) || !isSaid {
		m.before, m.said = reflect.DeepEqual(before, any(after)), reflect.DeepEqual(said, any(after))
		return m
	}
	m = match{isBefore, true, true}
	for i := range after {
		m = m.and(matchOf(b[i], after[i], s[i], p.elements))
	}
	return m
}

// without returns the changes except for changes at the path of a difference, around it or below it. Most members have
// the same name in both versions.
func (d *differences) without(changes []change) []change {
	type tree map[string]tree
	all := tree{}
	for _, path := range d.paths {
		for at, i := all, 0; i < len(path); i++ {
			below, ok := at[path[i]]
			if ok && below == nil {
				break // all below differs
			}
			if i == len(path)-1 {
				below = nil
			} else if !ok {
				below = tree{}
			}
			at[path[i]], at = below, below
		}
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c change) bool {
		at := all
		for _, s := range c.At {
			below, ok := at[s.name]
			switch {
			case s.keys != nil || ok && below == nil:
				return true
			case !ok:
				return false
			}
			at = below
		}
		return true
	})
}
