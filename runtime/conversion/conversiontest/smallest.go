// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"maps"
	"slices"
)

// smallest removes the parts of an object that are not needed for a failure. It returns the rest, in JSON, with its
// error. The name stays, because an object without one is a partial object. It takes at most half of the tries that are
// left to the direction, because one mistake often breaks many invariants.
func smallest[T any](o *T, input string, err error, left *int, fails func(*T) error) (string, error) {
	tries := *left / 2
	*left -= tries
	t, name := tree(o), object(o).GetName()
	shrink(t, nil, func() bool {
		if tries--; tries < 0 {
			return false
		}
		candidate := decoded[T](t)
		if object(candidate).GetName() != name || !writes(candidate) {
			return false
		}
		smaller := text(candidate)
		found := fails(candidate)
		if found == nil {
			return false
		}
		input, err = smaller, found
		return true
	})
	return input, err
}

// shrink removes members and elements from a value as long as it still fails without them. The function replace puts
// another value in the place of this one.
func shrink(v any, replace func(any), fails func() bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member := v[name]
			if delete(v, name); !fails() {
				v[name] = member
				shrink(member, func(other any) { v[name] = other }, fails)
			}
		}
	case []any:
		for i := len(v) - 1; i >= 0; i-- {
			shorter := slices.Delete(slices.Clone(v), i, i+1)
			if replace(shorter); fails() {
				v = shorter
			} else {
				replace(v)
			}
		}
		for i := range v {
			shrink(v[i], func(other any) { v[i] = other }, fails)
		}
	}
}
