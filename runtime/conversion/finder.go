// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"reflect"
	"slices"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// finder finds values below a value. It reads each list and each value once.
type finder struct {
	// field and typed are the value in Go. They are unset for a value that is in JSON.
	field  *wire.Member
	typed  reflect.Value
	inside bool // whether it is in an element of a list
	list   keyed
	keys   []string // of the list's table
	table  *table
	value  any
	lists  tables // of the value, if it is a list
	below  map[string]*finder
	work   *work
}

// finderIn returns a finder for an object.
func finderIn(s *wire.Shape, object reflect.Value, w *work) *finder {
	return &finder{field: &wire.Member{Shape: s}, typed: object, work: w}
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
			f.find(s, below)
			put(&f.below, text, below)
		}
		f = below
	}
	return f
}

// find gives the finder below the value to which a step leads.
func (f *finder) find(s step, below *finder) {
	if f.field != nil {
		shape, v := f.field.Shape.PointedAt(f.typed)
		switch {
		case v.IsValid() && shape.Kind == wire.Structure && s.keys == nil:
			if i, ok := shape.Index[s.name]; ok {
				if value, has := present(&shape.Fields[i], v, f.inside); has {
					below.field, below.typed, below.inside = &shape.Fields[i], value, f.inside
				}
			}
			return
		case s.keys != nil && f.keyed(s):
			if i, several := f.table.at(f.list.textIn(s)); i >= 0 && !several {
				below.field, below.typed, below.inside = &wire.Member{Shape: f.list.element}, f.list.at(i), true
			}
			return
		}
	}
	value := f.read()
	if object, ok := value.(map[string]any); ok && s.keys == nil {
		below.value = memberOf(object, s.name)
	} else if list, ok := value.([]any); ok && s.keys != nil {
		if i, several := f.lists.find(list, s, f.work); i >= 0 && !several {
			below.value = list[i]
		}
	}
}

// keyed reports whether the value is a list in Go whose elements a step may lead to, and reads their keys.
func (f *finder) keyed(s step) bool {
	if f.table != nil {
		return slices.Equal(f.keys, s.keys)
	}
	list, ok := keyedOf(f.field.Shape, f.typed, &plan{key: s})
	if !ok || !f.work.take(list.list.Len()*(len(s.keys)+1)*tableCost) {
		return false
	}
	f.list, f.keys, f.table = list, s.keys, list.table()
	return true
}

// read returns the value in JSON.
func (f *finder) read() any {
	if f.field != nil {
		f.value = decodedField(f.field, f.typed, true, f.inside, f.work)
		f.field = nil
	}
	return f.value
}

// at returns the value at a path.
func (f *finder) at(path []step) any { return f.to(path).read() }
