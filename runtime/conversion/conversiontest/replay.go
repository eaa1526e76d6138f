// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
)

// serverChangesNothing checks the thirteenth invariant. An API server prunes the result of a conversion, and sets
// defaults when it reads a stored object or a request. So an object is written, stored in the other version, read back,
// and written again as it was read. It is the same if it is stored in its own version and a client of the other version
// reads and writes it.
func (w way[A, B]) serverChangesNothing(a *A, seed uint64) error {
	b, err := w.converted(a)
	if err != nil {
		return nil
	}
	again, err := w.returned(b)
	if err != nil {
		return nil
	}
	if len(w.schemas) == 0 {
		return nil
	}
	for _, version := range []string{typeOf(again).Version, typeOf(b).Version} {
		if _, ok := w.schemas[version]; !ok {
			return fmt.Errorf("the definition has no schema of %s: write it with controller-gen crd, or set Schemas", version)
		}
	}
	own, other := w.schemas[typeOf(again).Version], w.schemas[typeOf(b).Version]
	random := rand.New(rand.NewPCG(seed, 13))
	written := members(a)
	spellOut(written, reflect.TypeFor[A](), "", w.excusedFromDefaults, random)
	own.Prune(written)
	own.Default(written)
	written, err = w.valid(written, own, other, random)
	if err != nil {
		return err
	}
	said := maps.Collect(nodes(without(written, w.dropped)))
	stored, err := stepped[A, B](w.there, written, other)
	if err != nil || stored == nil {
		return err
	}
	other.Default(stored)
	if err := w.refusal(other, stored); err != nil {
		version := typeOf(b).Version
		return fmt.Errorf("the schema of %s refuses %w, though the schema of %s accepts the object: %s", version, err, typeOf(again).Version, text(without(written, nil)))
	}
	served, err := stepped[B, A](w.back, stored, own)
	if err != nil || served == nil {
		return err
	}
	got, plain := maps.Collect(nodes(without(served, w.dropped))), maps.Collect(nodes(rewritten[A](written)))
	for _, path := range slices.Sorted(maps.Keys(said)) {
		was, is := said[path], got[path]
		if was == nil || isContainer(was) || w.excusedFromDefaults(withoutIndexes(path)) || text(was) == text(is) || isZero(was) && isZero(is) || is != nil && text(plain[path]) == text(is) {
			continue
		}
		return fmt.Errorf("%s is %s, and is %s after an API server has pruned the object and set defaults", path, text(was), text(is))
	}
	own.Default(served)
	edited, err := stepped[A, B](w.there, served, other)
	if err != nil || edited == nil {
		return err
	}
	other.Default(edited)
	before, after := without(stored, w.dropped), without(edited, w.dropped)
	plainBefore, plainAfter := rewritten[B](before), rewritten[B](after)
	for _, path := range differing(before, after) {
		same := isZero(at(before, path)) && isZero(at(after, path)) || at(plainAfter, path) != nil && text(at(plainBefore, path)) == text(at(plainAfter, path))
		if !same && !w.excusedFromDefaults(withoutIndexes(path)) {
			return fmt.Errorf("reading and writing the object changes %s in the other version from %s to %s", path, text(at(before, path)), text(at(after, path)))
		}
	}
	return nil
}

// excusedFromDefaults reports whether a default may replace values at a path.
func (w way[A, B]) excusedFromDefaults(path string) bool {
	return slices.ContainsFunc(slices.Concat(w.replaced, w.defaults), func(name string) bool { return below(path, name) || below(name, path) })
}

// stepped converts an object as an API server has it, and prunes the result. It returns nothing if the object does not
// convert.
func stepped[X, Y any](convert conversionOf[X, Y], object map[string]any, schema Schema) (map[string]any, error) {
	x, y := new(X), new(Y)
	if err := json.Unmarshal([]byte(text(object)), x); err != nil {
		return nil, fmt.Errorf("an object with defaults cannot be read: %w", err)
	}
	if convert(unlimited(), x, y) != nil {
		return nil, nil
	}
	converted := members(y)
	schema.Prune(converted)
	return converted, nil
}

// rewritten returns an object as Go writes it that has read it: the default 1 of a quantity is "1" then.
func rewritten[T any](object map[string]any) map[string]any {
	o := new(T)
	if json.Unmarshal([]byte(text(object)), o) != nil {
		return object
	}
	return members(o)
}

// members returns an object as it is written.
func members(o any) map[string]any {
	var m map[string]any
	decoder := json.NewDecoder(strings.NewReader(text(o)))
	decoder.UseNumber()
	if decoder.Decode(&m) != nil {
		return map[string]any{}
	}
	return m
}

// without returns a copy of an object without type, metadata and some fields.
func without(object map[string]any, fields []string) map[string]any {
	body := members(object)
	for _, path := range slices.Concat(common, fields) {
		remove(body, strings.Split(path, "."))
	}
	return body
}

// spellOut writes some of the bools and numbers that are zero and that the type's JSON leaves out: a client may write
// them.
func spellOut(v any, t reflect.Type, path string, excused func(string) bool, random *rand.Rand) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if t.Kind() == reflect.Slice || t.Kind() == reflect.Array {
				spellOut(element, t.Elem(), path, excused, random)
			}
		}
	case map[string]any:
		if t.Kind() == reflect.Map {
			for _, name := range slices.Sorted(maps.Keys(v)) {
				spellOut(v[name], t.Elem(), path, excused, random)
			}
		}
		for i := 0; isPlainStruct(t) && i < t.NumField(); i++ {
			f := t.Field(i)
			name, _, ok := nameInJSON(f)
			if !ok || path == "" && slices.Contains(common, name) {
				continue
			}
			if name == "" {
				spellOut(v, f.Type, path, excused, random)
				continue
			}
			here := join(path, name)
			value, present := v[name]
			if zero := zeroOf(f.Type); !present && zero != nil && !excused(here) && random.IntN(2) == 0 {
				v[name] = zero
			} else if present {
				spellOut(value, f.Type, here, excused, random)
			}
		}
	}
}

// zeroOf returns the zero of a bool or number in JSON, and nil for other types.
func zeroOf(t reflect.Type) any {
	if t.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
		return nil
	}
	switch {
	case t.Kind() == reflect.Bool:
		return false
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64 && t.Kind() != reflect.Uintptr:
		return json.Number("0")
	}
	return nil
}

// valid returns an object that the schema of its version accepts, with values at the limits of the other version.
func (w way[A, B]) valid(object map[string]any, own, other Schema, random *rand.Rand) (map[string]any, error) {
	moved := members(object)
	moving{edgesOf(other.root), random, 600}.object(moved, reflect.TypeFor[A]())
	var err error
	for _, tried := range []map[string]any{moved, object} {
		own.root.Repair(tried, random)
		own.Prune(tried)
		own.Default(tried)
		if err = own.Validate(tried); err == nil {
			err = json.Unmarshal([]byte(text(tried)), new(A))
		}
		if err == nil {
			return tried, nil
		}
	}
	return nil, fmt.Errorf("no random object satisfies its schema: %w; let the function Spoke or Hub of the Kind set a valid value", err)
}

// refusal returns the first value of an object that a schema refuses, except for the fields in Kind.Refused.
func (w way[A, B]) refusal(s Schema, object map[string]any) error {
	values := maps.Collect(nodes(object))
	for _, problem := range s.root.Validate(object) {
		if !slices.ContainsFunc(w.refused, func(field string) bool { return field == "" || below(problem.Field, field) }) {
			return fmt.Errorf("%w (it is %s)", problem, text(values[problem.Path]))
		}
	}
	return nil
}
