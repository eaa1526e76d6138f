// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// removals returns removalsFrom for a Go type.
func removals(t reflect.Type) func(object []byte) []failure.Step {
	return func(object []byte) []failure.Step { return removalsFrom(t, object) }
}

// simpler returns the steps that make the texts and numbers of an object simpler.
func simpler(object []byte) (steps []failure.Step) {
	tree, err := failure.Decode(object)
	if err != nil {
		return nil
	}
	eachLeaf(tree, nil, func(path []string, v any) {
		switch v.(type) {
		case string:
			steps = append(steps, failure.Step{Path: path, Simple: ""}, failure.Step{Path: path, Simple: "a"})
		case json.Number:
			steps = append(steps, failure.Step{Path: path, Simple: json.Number("0")}, failure.Step{Path: path, Simple: json.Number("1")})
		}
	})
	return steps
}

// shorter returns the steps that give the entries of maps names of one letter.
func shorter(t reflect.Type, object []byte) (steps []failure.Step) {
	tree, err := failure.Decode(object)
	if err != nil {
		return nil
	}
	w := optionalWalk{entries: func(path []string, entries map[string]any) {
		letter := 'a'
		for _, name := range slices.Sorted(maps.Keys(entries)) {
			for entries[string(letter)] != nil {
				letter++
			}
			if len(name) > 1 && letter <= 'z' {
				steps = append(steps, failure.Step{Path: append(slices.Clone(path), name), Name: string(letter)})
				letter++
			}
		}
	}}
	w.value(t, tree, nil)
	return steps
}

// eachLeaf visits the values in an object that are neither objects nor lists, but not its kind and its name.
func eachLeaf(v any, path []string, visit func(path []string, v any)) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if !isIdentity(path, name) || name == "metadata" {
				eachLeaf(v[name], append(slices.Clone(path), name), visit)
			}
		}
	case []any:
		for i := range v {
			eachLeaf(v[i], append(slices.Clone(path), strconv.Itoa(i)), visit)
		}
	default:
		visit(path, v)
	}
}

// oneByOne tries inputs one after the other.
func oneByOne(fails func(failure.Objects) bool) func([]failure.Objects) []bool {
	return func(inputs []failure.Objects) []bool {
		failing := make([]bool, len(inputs))
		for i, o := range inputs {
			failing[i] = fails(o)
		}
		return failing
	}
}

// through returns an object after decoding it into a Go type and encoding it again.
func through(t reflect.Type, object []byte) (json.RawMessage, bool) {
	value := reflect.New(t)
	if json.Unmarshal(object, value.Interface()) != nil {
		return nil, false
	}
	text, err := json.Marshal(value.Interface())
	return text, err == nil
}
