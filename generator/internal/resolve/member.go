// SPDX-License-Identifier: Apache-2.0

package resolve

import "slices"

// Field returns the field of a Struct that holds the JSON member of that name, and nil without such a field. It looks
// through inlined structs by the rules of encoding/json: the least nested field of a name wins, then the one that has
// the name from its tag; if two are left, neither is encoded.
func (t *Type) Field(jsonName string) *Field {
	level := []*Type{t}
	times := map[*Type]int{t: 1} // how often a type is inlined on the level
	visited := make(map[*Type]bool)
	for len(level) > 0 {
		var found []*Field
		var next []*Type
		nextTimes := make(map[*Type]int)
		for _, of := range level {
			if visited[of] {
				continue
			}
			visited[of] = true
			for _, f := range of.Fields() {
				switch {
				case f.Inline:
					inlined := f.Type.Pointee()
					if nextTimes[inlined]++; nextTimes[inlined] == 1 {
						next = append(next, inlined)
					}
				case jsonName != "" && f.JSON == jsonName:
					for range times[of] {
						found = append(found, f)
					}
				}
			}
		}
		if len(found) > 0 {
			return dominant(found)
		}
		level, times = next, nextTimes
	}
	return nil
}

// dominant returns the field that encoding/json encodes of several that are equally deep.
func dominant(fields []*Field) *Field {
	if len(fields) > 1 {
		fields = slices.DeleteFunc(fields, func(f *Field) bool { return !f.named })
	}
	if len(fields) != 1 {
		return nil
	}
	return fields[0]
}
