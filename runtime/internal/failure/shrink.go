// SPDX-License-Identifier: Apache-2.0

package failure

import (
	"encoding/json"
	"maps"
	"slices"
)

// Shrink removes members and elements from a value as long as it still fails without them. The function replace puts
// another value in the place of this one.
func Shrink(v any, replace func(any), fails func() bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member := v[name]
			if delete(v, name); !fails() {
				v[name] = member
				Shrink(member, func(other any) { v[name] = other }, fails)
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
			Shrink(v[i], func(other any) { v[i] = other }, fails)
		}
	}
}

// Simplify replaces texts by the shortest ones, names of members included, and numbers by 1, as long as a value still
// fails with them.
func Simplify(v any, replace func(any), fails func() bool) {
	try := func(simple any) bool {
		if replace(simple); fails() {
			return true
		}
		replace(v)
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		letter := 'a'
		for _, name := range slices.Sorted(maps.Keys(v)) {
			Simplify(v[name], func(other any) { v[name] = other }, fails)
			for v[string(letter)] != nil && letter < 'z' {
				letter++
			}
			if len(name) == 1 || letter == 'z' {
				continue
			}
			member, short := v[name], string(letter)
			delete(v, name)
			if v[short] = member; !fails() {
				delete(v, short)
				v[name] = member
			}
		}
	case []any:
		for i := range v {
			Simplify(v[i], func(other any) { v[i] = other }, fails)
		}
	case string:
		if v != "" && !try("") && v != "a" {
			try("a")
		}
	case json.Number:
		if v != "0" && v != "1" {
			try(json.Number("1"))
		}
	}
}
