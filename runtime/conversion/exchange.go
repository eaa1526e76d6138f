// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
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
	with := settings.Of(ctx)
	returned, err := restore(ctx, src, dst, of, to, back)
	if err != nil {
		return err
	}
	if of.lossless && (with.Omitted == nil || len(with.Omitted.Unfit) == 0 && with.Omitted.Converted == 0) {
		return nil
	}
	if returned == nil {
		returned = new(S)
		if err := back(seeing(ctx, dst), dst, returned); err != nil {
			return err
		}
	}
	return of.keep(ctx, dst, src, returned, with)
}

// restore puts values back into dst, and returns the result of converting dst back then. The result is nil if there
// were no values.
func restore[S, D any, PS Object[S], PD Object[D]](ctx context.Context, src PS, dst PD, of Stash[S, PS], to Stash[D, PD], back func(context.Context, *D, *S) error) (PS, error) {
	annotation, ok := dst.GetAnnotations()[Annotation]
	if !ok {
		return nil, nil
	}
	with := settings.Of(ctx)
	n := to.notes.Get().(*notes)
	defer to.notes.Put(n)
	kept := n.keptIn(annotation)
	changes, cut := n.changesIn(named(kept, to.version), to.layout())
	if cut > 0 && with.Omitted == nil {
		return nil, fmt.Errorf("%s: %d values of %s do not fit this version or its annotation and were left out when the object was read: change it in %s, because they would be lost",
			nameOf(dst), cut, to.version, to.version)
	}
	write(dst, n.textOf(kept.without(to.version)))
	if len(changes) == 0 {
		return nil, nil
	}
	v := verifying[S, D, PS, PD]{src: src, dst: dst, of: of, to: to, back: back, trusted: with.Trusted, unlimited: with.Trusted || with.Unlimited, lacks: with.Lacks, texts: &n.names}
	after, err := v.restore(ctx, changes, with.Size, len(annotation))
	if errors.Is(err, errSpent) {
		if err = nil; with.Spent != nil {
			*with.Spent = true
		}
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
	lacks              func(path []string) bool
	texts              *wire.Texts
	work               work
	once               int       // bytes of work for one try
	applied            restoring // the changes that were applied last
}

// restore applies the changes that lead to no difference. It returns the result of converting dst back with them, or
// nil if no change applies. If the size of the object is unknown, it is measured when one try does not suffice.
func (v *verifying[S, D, PS, PD]) restore(ctx context.Context, changes []change, size, annotation int) (PS, error) {
	v.work = workFor(ctx, size+annotation)
	if size == 0 {
		v.work.object = func() int {
			var e encoder
			e.value(v.of.layout().shape, reflect.ValueOf(v.src).Elem())
			return len(e.out)
		}
	}
	// A restored value may not fit src's version. The converted field is unset then.
	v.ctx, v.before = settings.With(seeing(ctx, v.dst), settings.Conversion{Omitted: new(settings.Omissions)}), new(S)
	if err := v.back(v.ctx, v.dst, v.before); err != nil {
		return nil, err
	}
	without := v.before
	after := v.restoreAs(changes)
	if v.to.lossless { // values for which the other version has a place by now are not kept again
		after = without
	}
	return after, v.work.err
}

// restoreAs applies the changes that lead to no difference, and returns the result of converting dst back then. If the
// annotation is trusted, values of hooks are not: what a hook has written for them may have been removed since.
func (v *verifying[S, D, PS, PD]) restoreAs(changes []change) PS {
	isCustom := func(c change) bool { return c.Custom }
	if !v.trusted || !slices.ContainsFunc(changes, isCustom) {
		return v.most(changes)
	}
	var differ []change
	v.trusted = false
	if v.before, _, differ = v.twice(changes); len(differ) == 0 && v.applied.applied == len(changes) {
		return v.before
	}
	v.trusted = true
	v.before = v.most(slices.DeleteFunc(slices.Clone(changes), isCustom))
	v.trusted = false
	return v.most(slices.DeleteFunc(changes, func(c change) bool { return !isCustom(c) }))
}

// twice applies all changes, or else the changes that are not at the places of the differences. It returns these
// changes, and the differences to which they lead.
func (v *verifying[S, D, PS, PD]) twice(changes []change) (after PS, tried, differ []change) {
	used := v.work.used()
	if after, differ = v.try(changes); len(differ) > 0 {
		v.work.measure()
		v.once = v.work.used() - used
		changes = without(changes, differ)
		after, differ = v.try(changes)
	}
	return after, changes, differ
}

// most applies the changes that lead to no difference, as far as the budget suffices to find them. It returns the
// result of converting dst back with them.
func (v *verifying[S, D, PS, PD]) most(changes []change) PS {
	after, changes, differ := v.twice(changes)
	if len(differ) > 0 {
		v.work.left -= v.once // for the last try
		half := len(changes) / 2
		changes = append(v.harmless(changes[:half:half]), v.harmless(changes[half:])...)
		spent := v.work.err
		v.work.left, v.work.err = v.once+workFloor, context.Cause(v.ctx)
		after, _ = v.try(changes)
		v.work.err = cmp.Or(v.work.err, spent)
	}
	return after
}

// try applies changes, and returns the result of converting dst back then. If this has values that differ from the
// result without the changes, or if the work ends, dst is as before; a difference without a path is an unknown one.
func (v *verifying[S, D, PS, PD]) try(changes []change) (after PS, differ []change) {
	r := restoring{work: &v.work, texts: v.texts, unlimited: v.unlimited, lacks: v.lacks}
	if v.work.take(workFloor/mostTries + tryCost*v.work.size) {
		r.fields(reflect.ValueOf(v.dst).Elem(), nodesOf(changes, v.to.layout()))
	}
	v.applied = r
	after = new(S)
	switch {
	case v.work.err != nil:
	case r.applied == 0:
		return v.before, nil
	case fails(func() error { return v.back(v.ctx, v.dst, after) }):
		differ = []change{{}}
	default:
		differ = v.differences(after)
	}
	if len(differ) > 0 || v.work.err != nil {
		r.rollback()
		after = v.before
	}
	return after, differ
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
	_, differ := v.try(changes)
	switch half := len(changes) / 2; {
	case v.work.err != nil:
		return nil
	case len(differ) == 0:
		v.applied.rollback()
		return changes
	case half == 0:
		return nil
	default:
		return append(v.harmless(changes[:half:half]), v.harmless(changes[half:])...)
	}
}

// metadataDiffers compares labels and annotations, because a conversion may put fields there.
func metadataDiffers(before, after, said metav1.Object) bool {
	same := func(a, b metav1.Object) bool {
		return maps.Equal(a.GetLabels(), b.GetLabels()) && maps.Equal(users(a), users(b))
	}
	return !same(before, after) && !same(said, after)
}

// differences returns the changes to values in after that are new: neither as before nor the user's own in src. If the
// annotation is trusted, a value may be new where before or src has none.
func (v *verifying[S, D, PS, PD]) differences(after PS) []change {
	l, c := v.of.layout(), comparison{work: &v.work, collects: true}
	if metadataDiffers(v.before, after, v.src) {
		c.found = append(c.found, change{At: []step{{name: "metadata"}}})
	}
	base := l.arrived(reflect.ValueOf(v.before).Elem())
	if c.structs(nil, l.shape, base, l.arrived(reflect.ValueOf(after).Elem()), l.keys); c.changes > 0 {
		before, said := finderIn(l.shape, base, c.work), finderIn(l.shape, reflect.ValueOf(v.src).Elem(), c.work)
		c.found = slices.DeleteFunc(c.found, func(found change) bool {
			b, s, is := before.at(found.At), said.at(found.At), any(absent{})
			if found.Is != nil {
				is, _ = parsed(found.Is)
			}
			if found.At[0].name == "metadata" {
				return false
			}
			shape := l.shape
			for _, next := range found.At {
				shape, _ = shapeBelow(shape, next)
			}
			return isKnown(b, is, s) || v.trusted && (isUnset(b, shape, c.work) || isUnset(s, shape, c.work))
		})
	}
	if v.work.err != nil {
		return nil
	}
	return c.found
}

// isKnown reports whether a value is the user's own, or a list whose elements are as before or the user's own.
func isKnown(before, after, said any) bool {
	if reflect.DeepEqual(after, said) {
		return true
	}
	a, _ := after.([]any)
	b, _ := before.([]any)
	s, _ := said.([]any)
	if len(a) == 0 || len(b) != len(a) || len(s) != len(a) {
		return false
	}
	for i := range a {
		if !reflect.DeepEqual(a[i], b[i]) && !reflect.DeepEqual(a[i], s[i]) {
			return false
		}
	}
	return true
}

// isUnset reports whether a value in JSON is missing, or is what Go writes for a field that nobody has set: "0s" for a
// Duration, "0" for a Quantity. The shape may be nil: then only values count that are zero for every type.
func isUnset(value any, s *wire.Shape, w *work) bool {
	switch value := value.(type) {
	case absent, nil:
		return true
	case map[string]any:
		for name, member := range value {
			below, _ := shapeBelow(s, step{name: name})
			if !isUnset(member, below, w) {
				return false
			}
		}
		return true
	case []any:
		return len(value) == 0
	}
	if value == false || value == "" || value == json.Number("0") {
		return true
	}
	return s != nil && value == decodedField(&wire.Member{Shape: s}, reflect.Zero(s.Typ), true, false, w)
}

// without returns the changes except for changes at the path of a difference, around it or below it. An element counts
// as a whole. Most members have the same name in both versions, and most elements have the same values of their keys.
func without(changes, differences []change) []change {
	differ := map[string]bool{} // and false for paths around a difference
	for _, d := range differences {
		path := ""
		for i, s := range d.At {
			path += s.place()
			if differ[path] = differ[path] || s.keys != nil || i == len(d.At)-1; differ[path] {
				break
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(changes), func(c change) bool {
		path := ""
		for _, s := range c.At {
			path += s.place()
			if found, ok := differ[path]; !ok || found {
				return ok
			}
		}
		return true
	})
}

// place returns a text that identifies a step in both versions: a list may be a map in the other one, and its keys may
// have other names.
func (s step) place() string {
	if s.keys == nil {
		return "," + strconv.Quote(s.name)
	}
	return "," + keyText(s.values)
}
