// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"reflect"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// finder finds values below a value in JSON. It reads each list and each value once.
type finder struct {
	value any
	lists tables // of the value, if it is a list
	below map[string]*finder
	work  *work
}

// finderIn returns a finder for an object.
func finderIn(s *wire.Shape, object reflect.Value, w *work) *finder {
	return &finder{value: decodedField(&wire.Member{Shape: s}, object, true, w), work: w}
}

// to returns the finder below the value at a path. The value is absent if the path leads nowhere.
func (f *finder) to(path []step) *finder {
	for _, s := range path {
		text := s.text()
		below := f.below[text]
		if below == nil {
			below = &finder{value: absent{}, work: f.work}
			if !f.work.take(len(text)) {
				return below
			}
			if object, ok := f.value.(map[string]any); ok && s.keys == nil {
				below.value = memberOf(object, s.name)
			} else if list, ok := f.value.([]any); ok && s.keys != nil {
				if i, several := f.lists.find(list, s, f.work); i >= 0 && !several {
					below.value = list[i]
				}
			}
			put(&f.below, text, below)
		}
		f = below
	}
	return f
}

// at returns the value at a path.
func (f *finder) at(path []step) any { return f.to(path).value }
