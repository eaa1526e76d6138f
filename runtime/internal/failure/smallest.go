// SPDX-License-Identifier: Apache-2.0

package failure

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// Objects are the one or two objects of an input, in JSON: those of a request are the new and the old one.
type Objects [2]json.RawMessage

// Unchanged reports whether both objects are there, and the same.
func (o Objects) Unchanged() bool { return o[0] != nil && bytes.Equal(o[0], o[1]) }

// Compare is negative if objects are smaller than other ones. One object twice is smaller than two.
func (o Objects) Compare(other Objects) int {
	distinct := func(o Objects) int {
		if o[0] != nil && o[1] != nil && !o.Unchanged() {
			return 2
		}
		return 1
	}
	length := len(o[0]) + len(o[1]) - len(other[0]) - len(other[1])
	return cmp.Or(distinct(o)-distinct(other), length, bytes.Compare(o[0], other[0]), bytes.Compare(o[1], other[1]))
}

// Step makes an object smaller: it removes a part, puts a simpler value in its place, or shortens its name.
type Step struct {
	Path   []string // names of members and indexes of elements
	Simple any      // nil removes the part, unless it gets a name
	Name   string   // the new name of a member
}

// Search looks for the smallest objects that still show a failure. It counts what it tries, so that a failing test
// prints the same on every machine.
type Search struct {
	// Steps returns the steps for an object. Objects that are the same have the same steps, and stay the same.
	Steps func(object []byte) []Step
	// Written returns an object as its type writes it, and false if it is not valid. If Written is nil, all are valid.
	Written func(object []byte) (json.RawMessage, bool)
	// Failing reports for each of some inputs whether it shows the failure. Each call may take long.
	Failing func(inputs []Objects) []bool
	// Tries is how many inputs are tried at most.
	Tries int
}

// mostAtOnce bounds the inputs of one call of Failing.
const mostAtOnce = 200

// candidate is an input after steps. Without steps, one of the two objects takes the place of the other.
type candidate struct {
	Objects
	steps []placed
}

// placed is a step for one of the two objects.
type placed struct {
	Step
	object int
}

func (p placed) samePlace(other placed) bool {
	return p.object == other.object && slices.Equal(p.Path, other.Path)
}

// Smallest returns the smallest objects that it finds, beginning with objects that show the failure. A round tries each
// step alone, and then the ones that succeed together.
func (s Search) Smallest(o Objects) Objects {
	for {
		kept := s.failing(s.smaller(o))
		if len(kept) == 0 {
			return o
		}
		var steps []placed
		for _, k := range kept {
			for _, step := range k.steps {
				if !slices.ContainsFunc(steps, step.samePlace) {
					steps = append(steps, step)
				}
			}
		}
		var together []candidate
		for n := len(steps); n > 1; n /= 2 {
			together = s.add(together, o, steps[:n]...)
		}
		kept = append(kept, s.failing(together)...)
		o = slices.MinFunc(kept, func(a, b candidate) int { return a.Compare(b.Objects) }).Objects
	}
}

// failing returns the candidates that show the failure.
func (s *Search) failing(all []candidate) (kept []candidate) {
	all = all[:min(len(all), mostAtOnce, s.Tries)]
	s.Tries -= len(all)
	if len(all) == 0 {
		return nil
	}
	inputs := make([]Objects, len(all))
	for i, c := range all {
		inputs[i] = c.Objects
	}
	for i, fails := range s.Failing(inputs) {
		if fails {
			kept = append(kept, all[i])
		}
	}
	return kept
}

// smaller returns the inputs that are one step smaller, the smallest first.
func (s Search) smaller(o Objects) (all []candidate) {
	if o[0] != nil && o[1] != nil && !o.Unchanged() {
		all = append(all, candidate{Objects: Objects{o[0], o[0]}}, candidate{Objects: Objects{o[1], o[1]}})
	}
	for i, object := range o {
		if object == nil || i > 0 && o.Unchanged() {
			continue
		}
		for _, step := range s.Steps(object) {
			all = s.add(all, o, placed{step, i})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.Compare(b.Objects) })
	return all
}

// add adds an input after steps, if they make it smaller.
func (s Search) add(all []candidate, o Objects, steps ...placed) []candidate {
	after := o
	for i, object := range o {
		if i > 0 && o.Unchanged() {
			after[i] = after[0]
			continue
		}
		var own []Step
		for _, step := range steps {
			if step.object == i {
				own = append(own, step.Step)
			}
		}
		var ok bool
		if after[i], ok = s.after(object, own); !ok {
			return all
		}
	}
	if after.Compare(o) >= 0 {
		return all
	}
	return append(all, candidate{after, steps})
}

// after returns an object after steps, and false if it is not valid then.
func (s Search) after(object json.RawMessage, steps []Step) (json.RawMessage, bool) {
	if len(steps) == 0 {
		return object, true
	}
	tree, err := Decode(object)
	if err != nil {
		return nil, false
	}
	// Inner parts first, and the last elements of lists, so that the paths of other steps stay.
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b Step) int {
		return cmp.Or(len(b.Path)-len(a.Path), lastIndex(b.Path)-lastIndex(a.Path))
	})
	for _, step := range steps {
		tree = step.apply(tree, step.Path)
	}
	text, err := json.Marshal(tree)
	switch {
	case err != nil:
		return nil, false
	case s.Written == nil:
		return text, true
	}
	return s.Written(text)
}

// lastIndex is the index at the end of a path, 0 for a member.
func lastIndex(path []string) int {
	i, err := strconv.Atoi(path[len(path)-1])
	if err != nil {
		return 0
	}
	return i
}

// apply returns a value after the step at a path in it. A part that is not there stays away.
func (s Step) apply(v any, path []string) any {
	if len(path) == 0 {
		return s.Simple
	}
	last := len(path) == 1
	removes := last && s.Simple == nil && s.Name == ""
	switch v := v.(type) {
	case map[string]any:
		switch member, ok := v[path[0]]; {
		case removes:
			delete(v, path[0])
		case last && ok && s.Name != "":
			delete(v, path[0])
			v[s.Name] = member
		case ok:
			v[path[0]] = s.apply(member, path[1:])
		}
		return v
	case []any:
		i, err := strconv.Atoi(path[0])
		switch {
		case err != nil || i < 0 || i >= len(v):
		case removes:
			return slices.Delete(v, i, i+1)
		default:
			v[i] = s.apply(v[i], path[1:])
		}
		return v
	}
	return v
}

// Removals returns the steps that remove each member and each element of an object, the outer ones first.
func Removals(object []byte) (steps []Step) {
	tree, err := Decode(object)
	if err != nil {
		return nil
	}
	walk(tree, nil, func(path []string) { steps = append(steps, Step{Path: path}) })
	slices.SortStableFunc(steps, func(a, b Step) int { return len(a.Path) - len(b.Path) })
	return steps
}

// walk visits the paths of the members and elements in a value.
func walk(v any, path []string, visit func(path []string)) {
	below := func(name string, v any) {
		here := append(slices.Clone(path), name)
		visit(here)
		walk(v, here, visit)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below(name, v[name])
		}
	case []any:
		for i, element := range v {
			below(strconv.Itoa(i), element)
		}
	}
}
