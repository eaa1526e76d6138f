// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"
)

// smallest removes optional parts of a request and simplifies its values, as long as the disagreement stays. It ends
// after ten seconds. A program takes longer to start than to answer, so a round calls it only twice: with each step
// alone, and with the successful steps together.
func (c replacementCheck) smallest(t testing.TB, one compared, how string) compared {
	const most = 200
	end := time.Now().Add(10 * time.Second)
	for time.Now().Before(end) {
		candidates := c.smaller(one.pair)
		candidates = candidates[:min(len(candidates), most)]
		kept := c.showing(t, candidates, how)
		if len(kept) == 0 {
			break
		}
		var steps []step
		for _, k := range kept {
			for _, s := range candidates[k.index].steps {
				if !slices.ContainsFunc(steps, s.samePlace) {
					steps = append(steps, s)
				}
			}
		}
		var together []smallerPair
		for n := len(steps); n > 1; n /= 2 {
			together = c.add(together, one.pair, steps[:n]...)
		}
		next := least(append(kept, c.showing(t, together, how)...))
		if next.order(one.pair) >= 0 && (one.isUnchanged() || !next.isUnchanged()) {
			break // other policies undo the steps
		}
		one = next
	}
	return one
}

// disagreeing returns the requests with a disagreement.
func (c replacementCheck) disagreeing(all []compared, how string) []compared {
	return slices.DeleteFunc(slices.Clone(all), func(one compared) bool { return c.disagree(one) != how })
}

// least returns the smallest request.
func least(all []compared) compared {
	return slices.MinFunc(all, func(a, b compared) int { return a.order(b.pair) })
}

// showing returns the requests that show a disagreement.
func (c replacementCheck) showing(t testing.TB, candidates []smallerPair, how string) []compared {
	if len(candidates) == 0 {
		return nil
	}
	pairs := make([]pair, len(candidates))
	for i, candidate := range candidates {
		pairs[i] = candidate.pair
	}
	all, err := c.compare(t, pairs)
	if err != nil {
		return nil
	}
	return c.disagreeing(all, how)
}

// smallerPair is a request after steps; without steps, one of the two objects takes the place of the other.
type smallerPair struct {
	pair
	steps []step
}

// step makes a request smaller: by the removal of a part of an object, or by a simpler value.
type step struct {
	old    bool // in the old object. Where the two are the same, a step changes both.
	path   []string
	simple any // nil for a removal
}

func (s step) samePlace(other step) bool {
	return s.old == other.old && slices.Equal(s.path, other.path)
}

// order is negative if a request is smaller than another one.
func (p pair) order(other pair) int {
	size := len(p.object) + len(p.old) - len(other.object) - len(other.old)
	return cmp.Or(size, bytes.Compare(p.object, other.object), bytes.Compare(p.old, other.old))
}

// isUnchanged reports whether an UPDATE changes nothing.
func (p pair) isUnchanged() bool { return p.object != nil && bytes.Equal(p.object, p.old) }

// smaller returns the requests that are one step smaller than another one, the smallest first.
func (c replacementCheck) smaller(p pair) (all []smallerPair) {
	if p.old != nil && p.object != nil && !p.isUnchanged() {
		for _, object := range []json.RawMessage{p.object, p.old} {
			all = append(all, smallerPair{pair: pair{operation: p.operation, object: object, old: object, request: p.request}})
		}
	}
	for _, s := range c.steps(p.object) {
		all = c.add(all, p, s)
	}
	if !p.isUnchanged() {
		for _, s := range c.steps(p.old) {
			s.old = true
			all = c.add(all, p, s)
		}
	}
	slices.SortStableFunc(all, func(a, b smallerPair) int { return a.order(b.pair) })
	return all
}

// add adds a request after steps, if they make its objects smaller.
func (c replacementCheck) add(all []smallerPair, p pair, steps ...step) []smallerPair {
	var ofObject, ofOld []step
	for _, s := range steps {
		if s.old {
			ofOld = append(ofOld, s)
		} else {
			ofObject = append(ofObject, s)
		}
	}
	object, smallerObject := c.after(p.object, ofObject)
	old, smallerOld := c.after(p.old, ofOld)
	if p.isUnchanged() {
		old, smallerOld = object, smallerObject
	}
	if !smallerObject || !smallerOld {
		return all
	}
	return append(all, smallerPair{pair{p.operation, object, old, p.request}, steps})
}

// after returns an object after steps, and whether it is smaller, or as it was without steps.
func (c replacementCheck) after(object json.RawMessage, steps []step) (json.RawMessage, bool) {
	if len(steps) == 0 {
		return object, true
	}
	// Inner parts first, and the last elements of lists, so that the paths of other steps stay.
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b step) int {
		return cmp.Or(len(b.path)-len(a.path), lastIndex(b.path)-lastIndex(a.path))
	})
	tree, err := decodeJSON(object)
	if err != nil {
		return nil, false
	}
	isSimpler := false
	for _, s := range steps {
		do := remove
		if s.simple != nil {
			do, isSimpler = replace, true
		}
		if tree, _, err = edit(tree, s.path, do, s.simple); err != nil {
			return nil, false
		}
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return nil, false
	}
	after := json.RawMessage(text)
	if isSimpler { // the Go type may not hold the value
		var ok bool
		if after, ok = through(c.objectType(), text); !ok {
			return nil, false
		}
	}
	after = renamed(c.placed(after), nameOf(object), namespaceOf(object))
	return after, pair{object: after}.order(pair{object: object}) < 0
}

// lastIndex is the index at the end of a path, 0 for a member.
func lastIndex(path []string) int {
	i, err := strconv.Atoi(path[len(path)-1])
	if err != nil {
		return 0
	}
	return i
}

// steps returns the removal of each optional part of an object, and simpler values for its texts and numbers.
func (c replacementCheck) steps(object json.RawMessage) (all []step) {
	if object == nil {
		return nil
	}
	for _, path := range optionalPaths(c.objectType(), object) {
		all = append(all, step{path: path})
	}
	tree, err := decodeJSON(object)
	if err != nil {
		return all
	}
	eachLeaf(tree, nil, func(path []string, v any) {
		switch v.(type) {
		case string:
			all = append(all, step{path: path, simple: ""}, step{path: path, simple: "a"})
		case json.Number:
			all = append(all, step{path: path, simple: json.Number("0")}, step{path: path, simple: json.Number("1")})
		}
	})
	return all
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
