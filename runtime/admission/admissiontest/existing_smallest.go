// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// smallest returns the smallest request for which holds is true. Members that a Go type always writes stay, because a
// schema would require them.
func (c existingCheck) smallest(r existingRequest, holds func(existingRequest) bool) existingRequest {
	with := func(o failure.Objects) existingRequest {
		return existingRequest{operation: r.operation, object: o[0], old: o[1], ready: r.ready}
	}
	search := failure.Search{
		Steps:   removals(c.objectType()),
		Failing: oneByOne(func(o failure.Objects) bool { return holds(with(o)) }),
		Tries:   2000,
	}
	return with(search.Smallest(failure.Objects{r.object, r.old}))
}

// withoutOne returns the object without one of its optional members or elements, for each of them.
func withoutOne(t reflect.Type, object []byte) []json.RawMessage {
	var all []json.RawMessage
	for _, part := range removalsFrom(t, object) {
		if smaller, ok := without(object, part.Path); ok {
			all = append(all, smaller)
		}
	}
	return all
}

// without returns a JSON object without the value at a path, whose elements are names and indexes.
func without(object []byte, path []string) ([]byte, bool) {
	value, err := failure.Decode(object)
	if err != nil {
		return nil, false
	}
	if value, _, err = edit(value, path, remove, nil); err != nil {
		return nil, false
	}
	smaller, err := json.Marshal(value)
	return smaller, err == nil && !bytes.Equal(smaller, object)
}

// removalsFrom returns the steps that remove the members that the Go type may leave out, the outer ones first. Entries of
// maps and elements of lists are optional, too. An object keeps its kind, name and namespace.
func removalsFrom(t reflect.Type, object []byte) []failure.Step {
	value, err := failure.Decode(object)
	if err != nil {
		return nil
	}
	w := optionalWalk{}
	w.value(t, value, nil)
	slices.SortStableFunc(w.steps, func(a, b failure.Step) int { return len(a.Path) - len(b.Path) })
	return w.steps
}

type optionalWalk struct {
	steps []failure.Step
	// entries visits the maps; nil visits none.
	entries func(path []string, entries map[string]any)
}

func (w *optionalWalk) value(t reflect.Type, value any, path []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return
	}
	switch value := value.(type) {
	case []any:
		if t.Kind() != reflect.Slice { // an array has a fixed length
			return
		}
		for i := len(value) - 1; i >= 0; i-- {
			w.value(t.Elem(), value[i], w.add(path, fmt.Sprint(i), true))
		}
	case map[string]any:
		var members map[string]reflect.StructField
		if t.Kind() == reflect.Struct {
			members = fieldsOf(t)
		} else if t.Kind() != reflect.Map {
			return
		}
		if t.Kind() == reflect.Map && w.entries != nil {
			w.entries(path, value)
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if t.Kind() == reflect.Map {
				w.value(t.Elem(), value[name], w.add(path, name, true))
				continue
			}
			field, known := members[name]
			_, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			below := w.add(path, name, (!known || strings.Contains(options, "omit")) && !isIdentity(path, name))
			if known {
				w.value(field.Type, value[name], below)
			}
		}
	}
}

// add returns the path of a member, and records it if it is optional.
func (w *optionalWalk) add(path []string, name string, optional bool) []string {
	below := append(slices.Clone(path), name)
	if optional {
		w.steps = append(w.steps, failure.Step{Path: below})
	}
	return below
}

// isIdentity reports whether a member belongs to the identity of the object.
func isIdentity(path []string, name string) bool {
	switch strings.Join(append(slices.Clone(path), name), "/") {
	case "apiVersion", "kind", "metadata", "metadata/name", "metadata/namespace":
		return true
	}
	return false
}
