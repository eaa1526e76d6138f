// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
)

// invariant is one of the thirteen invariants, with the fillings of the objects to check. Other input comes from the
// seed, so the result is the same every time.
type invariant[A any] struct {
	number   int
	fillings []filling
	holds    func(a *A, seed uint64) error
}

// check checks the invariant on an object. A conversion that panics is a failure with the calls
// of the user: each direction runs in a goroutine, where a panic would end the process without the name of a test.
func (i invariant[A]) check(a *A, seed uint64) (err error) {
	defer func() {
		if p := recover(); p != nil {
			calls := ""
			for _, f := range failure.Frames(string(debug.Stack())) {
				calls += "\n" + f.String()
			}
			err = fmt.Errorf("panic: %v%s", p, calls)
		}
	}()
	return i.holds(a, seed)
}

// invariants returns the invariants of the package's comment. An object that does not convert at all breaks the first
// one. It breaks no other invariant that begins with converting the object.
func (w way[A, B]) invariants() []invariant[A] {
	usual := []filling{{elements: 0}, {elements: 1}, {elements: 2}, {elements: 4}, {elements: 1, full: true}}
	extreme := []filling{{elements: 1, extreme: true}, {elements: 2, extreme: true}, {elements: 4, extreme: true}, {elements: 8, extreme: true}}
	return []invariant[A]{
		{1, usual, w.comesBack},
		{2, usual, w.editWins},
		{3, usual, w.independent},
		{4, usual, w.nothingMadeUp},
		{5, usual, w.elementsApart},
		{6, usual, w.fixpoint},
		{7, extreme, w.noWrongValue},
		{8, usual, w.emptiesApart},
		{9, usual, w.allConverted},
		{10, usual, w.annotationSafe},
		{11, usual, w.serverTakes},
		{12, usual[1:], w.forgeryFails},
		{13, usual, w.serverChangesNothing},
	}
}

// comesBack checks the first invariant.
func (w way[A, B]) comesBack(a *A, _ uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return err
	}
	again, err := w.returned(b)
	if err != nil {
		return err
	}
	return w.same(a, again)
}

// editWins checks the second invariant. It replaces all of the converted object except its metadata with another
// object, and then replaces one member alone.
func (w way[A, B]) editWins(a *A, seed uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return nil
	}
	random := rand.New(rand.NewPCG(seed, 2))
	other := filled(seed+rounds, filling{elements: 2}, w.repairOther)
	if _, err := w.survives(annotated(other, annotation(b))); err != nil {
		return fmt.Errorf("everything edited: %w", err)
	}
	members := tree(b)
	path := exchange(members, bodyOf(other, nil), random)
	if path == "" {
		return nil
	}
	edited := decoded[B](members)
	got, err := w.survives(edited)
	if err != nil {
		return fmt.Errorf("%s edited: %w", path, err)
	}
	if err := w.restored(a, got, b, edited, path); err != nil {
		return fmt.Errorf("%s edited: %w", path, err)
	}
	return nil
}

// survives checks that an object has the same values after it has been in the other version once. It returns the object
// of the other version.
func (w way[A, B]) survives(b *B) (*A, error) {
	a, err := w.returned(b)
	if err != nil {
		return nil, err
	}
	again, err := w.converted(a)
	if err != nil {
		return nil, err
	}
	return a, w.same(b, again)
}

// restored checks that an edited object, which comes back as got, differs only in the fields that the edit changes.
func (w way[A, B]) restored(a, got *A, b, edited *B, path string) error {
	before, err := w.bare(b)
	if err != nil {
		return err
	}
	after, err := w.bare(edited)
	if err != nil {
		return err
	}
	about := append(differing(bodyOf(before, w.dropped), bodyOf(after, w.dropped)), withoutIndexes(path))
	for _, path := range differing(bodyOf(a, w.dropped), bodyOf(got, w.dropped)) {
		if !slices.ContainsFunc(about, func(e string) bool { return below(path, e) || below(e, path) }) && !w.contradicts(a, got, path) {
			return fmt.Errorf("%s is not restored, though the edit is about %s", path, strings.Join(about, ", "))
		}
	}
	return nil
}

// contradicts reports whether an object would differ in the other version if it had the value of another object at a
// path. Such a value is not restored.
func (w way[A, B]) contradicts(a, got *A, path string) bool {
	members := tree(got)
	replace(members, strings.Split(path, "."), at(tree(a), path))
	with, err := w.converted(decoded[A](members))
	if err != nil {
		return true
	}
	without, err := w.converted(got)
	return err != nil || text(bodyOf(with, w.dropped)) != text(bodyOf(without, w.dropped))
}

// independent checks the third invariant.
func (w way[A, B]) independent(a *A, _ uint64) error {
	before := text(a)
	b := new(B)
	if w.there(unlimited(), a, b) != nil {
		return nil
	}
	if after := text(a); after != before {
		return fmt.Errorf("the input was changed\nbefore %s\nafter  %s", before, after)
	}
	scribble(b)
	if after := text(a); after != before {
		return fmt.Errorf("the result shares memory with the input\nbefore           %s\nresult scribbled %s", before, after)
	}
	return nil
}

// nothingMadeUp checks the fourth invariant. It removes members of an object at random, then all values, then
// everything.
func (w way[A, B]) nothingMadeUp(a *A, seed uint64) error {
	whole, err := w.converted(a)
	if err != nil {
		return nil
	}
	random := rand.New(rand.NewPCG(seed, 4))
	paths := map[string]bool{}
	for path := range nodes(bodyOf(whole, nil)) {
		paths[withoutIndexes(path)] = true // a map may become a list, in which a part has other places
	}
	for range 4 {
		part := cut(tree(a), random)
		if metadata, ok := part["metadata"].(map[string]any); ok {
			delete(metadata, "name") // a part has no name: conversion.Partial
			delete(metadata, "generateName")
		}
		src := decoded[A](part)
		if !writes(src) {
			continue
		}
		b, err := w.converted(src)
		if err != nil {
			return fmt.Errorf("the part %s does not convert: %w", text(part), err)
		}
		for path := range nodes(bodyOf(b, nil)) {
			// The loss of a field may depend on another field, so excused paths are skipped.
			if !paths[withoutIndexes(path)] && !w.isDefault(path, b) && !w.excused(path) {
				return fmt.Errorf("the part %s gets %s, which the whole object does not have", text(part), path)
			}
		}
		if annotation(b) != nil && object(b).GetName()+object(b).GetGenerateName() == "" {
			return fmt.Errorf("the part %s has no name and gets an annotation", text(part))
		}
	}
	nothing := maps.Collect(nodes(bodyOf(new(B), nil))) // a type that encodes itself may be a word
	for _, what := range []string{"object", "part"} {
		for _, lists := range []bool{true, false} {
			silent := wire(a)
			hollow(silent, lists)
			if what == "part" { // conversion.Partial reports an object without a name
				object(silent).SetName("")
				object(silent).SetGenerateName("")
			}
			if !writes(silent) {
				continue
			}
			b, err := w.converted(silent)
			switch {
			case err != nil && lists:
				continue // the elements of lists may need keys
			case err != nil:
				return fmt.Errorf("the %s %s does not convert: %w", what, text(silent), err)
			}
			for path, value := range nodes(bodyOf(b, nil)) {
				// A bool may represent a struct, even an empty one. Its path is then in Defaults.
				isPresence := w.excusedFromDefaults(withoutIndexes(path)) && (value == true || w.excused(path))
				if !isZero(value) && text(value) != text(nothing[path]) && !w.isDefault(path, b) && !isPresence {
					return fmt.Errorf("the %s %s, which says nothing, gets %s: %s", what, text(silent), path, text(value))
				}
			}
		}
	}
	empty, err := w.converted(new(A))
	if err != nil {
		return err
	}
	if got, want := text(bodyOf(empty, nil)), text(bodyOf(new(B), nil)); got != want {
		return fmt.Errorf("an empty object becomes %s, where nothing set is %s", got, want)
	}
	return nil
}

// isDefault reports whether a path is a field that whole objects get by default, lies below such a field or is around
// it.
func (w way[A, B]) isDefault(path string, o any) bool {
	return object(o).GetName()+object(o).GetGenerateName() != "" && slices.ContainsFunc(w.defaults, func(d string) bool {
		return below(withoutIndexes(path), d) || below(d, withoutIndexes(path))
	})
}

// elementsApart checks the fifth invariant. It changes one list of the converted object.
func (w way[A, B]) elementsApart(a *A, seed uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return nil
	}
	other := filled(seed+rounds, filling{elements: 4}, w.repairOther)
	random := rand.New(rand.NewPCG(seed, 5))
	theirs := bodyOf(other, nil)
	for _, change := range []func([]any, []any, *rand.Rand) []any{reordered, inserted, removed} {
		members := tree(b)
		path := changeList(members, theirs, random, change)
		if path == "" {
			continue
		}
		edited := decoded[B](members)
		got, err := w.survives(edited)
		if err != nil {
			return fmt.Errorf("%s with its elements changed: %w", path, err)
		}
		if err := w.unmixed(a, got, b, edited); err != nil {
			return fmt.Errorf("%s with its elements changed: %w", path, err)
		}
	}
	return nil
}

// unmixed checks the elements of the lists that an edit changes. Each element either was there before or is the result
// of the conversion alone.
func (w way[A, B]) unmixed(a, got *A, b, edited *B) error {
	before, err := w.bare(b)
	if err != nil {
		return err
	}
	after, err := w.bare(edited)
	if err != nil {
		return err
	}
	said, plain, changed, result := bodyOf(a, nil), bodyOf(before, nil), bodyOf(after, nil), bodyOf(got, nil)
	for _, path := range differing(plain, changed) {
		was, plain, changed, list := listAt(said, path), listAt(plain, path), listAt(changed, path), listAt(result, path)
		if len(was) != len(plain) || len(list) != len(changed) {
			continue
		}
		for i, element := range list {
			known := equal(element, changed[i])
			for j := range was {
				known = known || equal(element, was[j]) && equal(plain[j], changed[i])
			}
			if !known {
				return fmt.Errorf("%s[%d] becomes %s, which has something of another element; by the conversion alone it is %s", path, i, text(element), text(changed[i]))
			}
		}
	}
	return nil
}

// fixpoint checks the sixth invariant.
func (w way[A, B]) fixpoint(a *A, _ uint64) error {
	first, err := w.converted(a)
	if err != nil {
		return nil
	}
	twice, err := w.converted(a)
	if err != nil || text(first) != text(twice) {
		return fmt.Errorf("the same object converts otherwise the second time (%v)\nfirst  %s\nsecond %s", err, text(first), text(twice))
	}
	once, err := w.returned(first)
	if err != nil {
		return nil
	}
	second, err := w.converted(once)
	if err != nil {
		return err
	}
	if len(w.dropped) == 0 && text(first) != text(second) {
		return fmt.Errorf("converting again gives something else\nfirst  %s\nsecond %s", text(first), text(second))
	}
	again, err := w.returned(second)
	if err != nil {
		return err
	}
	if text(once) != text(again) {
		return fmt.Errorf("converting back again gives something else\nfirst  %s\nsecond %s", text(once), text(again))
	}
	return nil
}

// noWrongValue checks the seventh invariant.
func (w way[A, B]) noWrongValue(a *A, _ uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return nil // the other version has no right value
	}
	again, err := w.returned(b)
	if err != nil {
		return err
	}
	if err := w.same(a, again); err != nil {
		return err
	}
	return w.lost(a, b, "%s was %s and is converted to another value, which the annotation hides: %s comes back without it")
}

// allConverted checks the ninth invariant.
func (w way[A, B]) allConverted(a *A, _ uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return nil
	}
	return w.lost(a, b, "%s is %s and comes back by the annotation alone: convert it, or name it in Kept (without the annotation it is %s)")
}

// lost returns an error for a value that does not come back without the annotation and is not known to need it.
func (w way[A, B]) lost(a *A, b *B, format string) error {
	bare, err := w.bare(b)
	if err != nil {
		return err
	}
	got := maps.Collect(nodes(bodyOf(bare, nil)))
	for path, value := range nodes(bodyOf(a, nil)) {
		if isContainer(value) || isZero(value) || w.excused(path) || equal(got[path], value) {
			continue
		}
		return fmt.Errorf(format, path, text(value), text(got[path]))
	}
	return nil
}

// excused reports whether values at a path may be lost.
func (w way[A, B]) excused(path string) bool {
	path = withoutIndexes(path)
	return slices.ContainsFunc(slices.Concat(w.kept, w.dropped), func(name string) bool { return below(path, name) })
}

// emptiesApart checks the eighth invariant.
func (w way[A, B]) emptiesApart(a *A, _ uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return nil
	}
	bare, err := w.bare(b)
	if err != nil {
		return err
	}
	return distinctions{excused: w.excused}.kept("", reflect.ValueOf(a).Elem(), reflect.ValueOf(bare).Elem(), reflect.TypeFor[B](), false)
}

// brokenStashes are contents of the annotation that a user, another version of the program or another program may have
// left there.
var brokenStashes = []string{"", "{", "null", "[1]", "true", `{"v0":[{"at":["spec"]}]}`,
	`{"v1":[{"at":[1,{"a":null}],"is":{}}],"v2":[{"at":[]}],"v1beta1":null}`, `{"v1":[{"at":["metadata","name"],"is":"x"}],"v2":[{"at":["spec"],"is":7}]}`}

// annotationSafe checks the tenth invariant.
func (w way[A, B]) annotationSafe(a *A, seed uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return nil
	}
	for i := range uint64(2) {
		stash := brokenStashes[(2*seed+i)%uint64(len(brokenStashes))]
		got, err := w.converted(annotated(a, &stash))
		if err == nil {
			err = w.same(b, got)
		}
		if err != nil {
			return fmt.Errorf("with the annotation %q: %w", stash, err)
		}
	}
	other, err := w.converted(w.filled(seed+rounds, filling{elements: 2}))
	if err != nil {
		return nil
	}
	if _, err := w.survives(annotated(b, annotation(other))); err != nil {
		return fmt.Errorf("with the annotation of another object: %w", err)
	}
	if err := w.keptBefore(a, b); err != nil {
		return err
	}
	if kept := annotation(b); kept != nil {
		return w.bounded(a, b)
	}
	return nil
}

// keptBefore checks that values in an annotation come back if the object lacks them, even if such values are no longer
// kept. An older program may have written them, when the other version could not represent them.
func (w way[A, B]) keptBefore(a *A, b *B) error {
	silent := new(A)
	object(silent).SetName(object(a).GetName())
	object(silent).SetGenerateName(object(a).GetGenerateName())
	object(silent).SetNamespace(object(a).GetNamespace())
	plain, err := w.converted(silent)
	if err != nil {
		return nil // a function of the user may need a field
	}
	if again, err := w.returned(b); err != nil || typeOf(again).Version == typeOf(b).Version {
		return nil // values that a version keeps of itself are ignored
	}
	kept := additions(nil, bodyOf(plain, nil), bodyOf(b, nil))
	stash := text(map[string]any{typeOf(b).Version: kept})
	got := new(B)
	trusted := settings.With(context.Background(), settings.Conversion{Trusted: true})
	if w.there(trusted, annotated(silent, &stash), got) != nil {
		return nil // the conversion may refuse values that lack others
	}
	got = wire(got)
	if again := annotation(got); again != nil && strings.Contains(*again, text(typeOf(b).Version)+":") {
		return fmt.Errorf("with the annotation %q it still keeps something of the version that the object is in: %q", stash, *again)
	}
	if without := additions(nil, bodyOf(got, nil), bodyOf(b, nil)); len(without) > 0 {
		return fmt.Errorf("with the annotation %q nothing comes back at %s", stash, strings.Join(without[0].At, "."))
	}
	return nil
}

// bounded fills the user's annotations until there is just room for the conversion's, and then adds one more byte.
func (w way[A, B]) bounded(a *A, b *B) error {
	const most = 256 << 10 // k8s.io/apimachinery/pkg/api/validation, TotalAnnotationSizeLimitB
	const padding = "example.com/padding"
	size := len(padding)
	for key, value := range object(b).GetAnnotations() {
		size += len(key) + len(value)
	}
	if size > most {
		return fmt.Errorf("the annotations take %d bytes, which is more than the %d that an API server accepts", size-len(padding), most)
	}
	for over := range 2 {
		big := *a
		annotations := maps.Clone(object(a).GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[padding] = strings.Repeat("x", most-size+over)
		object(&big).SetAnnotations(annotations)
		_, err := w.converted(&big)
		switch {
		case over == 0 && err != nil:
			return fmt.Errorf("the annotations are as large as an API server accepts: %w", err)
		case over == 1 && err == nil:
			return errors.New("the annotations become larger than an API server accepts, without an error")
		case over == 1 && !strings.Contains(err.Error(), object(a).GetName()):
			return fmt.Errorf("the annotations become too large, and the error does not name the object: %w", err)
		}
	}
	return nil
}

// serverTakes checks the eleventh invariant: the rules of validateConvertedObject and restoreObjectMeta of
// k8s.io/apiextensions-apiserver/pkg/apiserver/conversion for a webhook's answer.
func (w way[A, B]) serverTakes(a *A, seed uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return nil
	}
	if from, to := metadata(a, w.entries), metadata(b, w.entries); from != to {
		return fmt.Errorf("the metadata changed\nfrom %s\nto   %s", from, to)
	}
	if from, to := users(a, w.entries), users(b, w.entries); !maps.Equal(from, to) {
		return fmt.Errorf("the annotations changed from %v to %v", from, to)
	}
	again, err := w.returned(b)
	if err != nil {
		return nil
	}
	first, second := typeOf(again), typeOf(b)
	switch {
	case second.Version == "" || first.Version == second.Version || first.Group != second.Group:
		return fmt.Errorf("apiVersion is %q in one version and %q in the other", first.GroupVersion(), second.GroupVersion())
	case second.Kind == "" || first.Kind != second.Kind:
		return fmt.Errorf("kind is %q in one version and %q in the other", first.Kind, second.Kind)
	}
	used := filled(seed+rounds, filling{elements: 1, full: true}, w.repairOther)
	if err := w.there(unlimited(), a, used); err != nil {
		return err
	}
	if got, want := []byte(text(wire(used))), []byte(text(b)); !bytes.Equal(got, want) {
		return fmt.Errorf("something stays of what the destination held before\nwant %s\ngot  %s", want, got)
	}
	return nil
}

// same compares the values of two objects, except for dropped fields, and the user's annotations.
func (w way[A, B]) same(want, got any) error {
	if text(want) == text(got) {
		return nil
	}
	a, b := bodyOf(want, w.dropped), bodyOf(got, w.dropped)
	if text(a) != text(b) {
		return fmt.Errorf("%s (-want +got)\n%s", strings.Join(differing(a, b), ", "), failure.Diff([]byte(text(a)), []byte(text(b))))
	}
	if a, b := users(want, w.entries), users(got, w.entries); !maps.Equal(a, b) {
		return fmt.Errorf("annotations: want %v, got %v", a, b)
	}
	return nil
}

// users returns the user's annotations of an object: without [conversion.Annotation], and without the keys that the
// conversion itself reads and writes.
func users(o any, own []string) map[string]string {
	kept := maps.Clone(object(o).GetAnnotations())
	delete(kept, conversion.Annotation)
	for _, key := range own {
		delete(kept, key)
	}
	return kept
}

// annotation returns the content of [conversion.Annotation], or nil if it is missing.
func annotation(o any) *string {
	if content, ok := object(o).GetAnnotations()[conversion.Annotation]; ok {
		return &content
	}
	return nil
}

// annotated returns an object with another content of [conversion.Annotation], or without it if the content is nil.
func annotated[T any](o *T, content *string) *T {
	annotations := users(o, nil)
	if content != nil {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[conversion.Annotation] = *content
	}
	if len(annotations) == 0 {
		annotations = nil
	}
	other := *o
	object(&other).SetAnnotations(annotations)
	return &other
}
