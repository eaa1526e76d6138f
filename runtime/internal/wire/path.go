// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"slices"
	"strconv"
	"strings"
)

// place is a step on the path to a value, to a member or an element. Places are on the stack of the decoder, and become
// text only for an error: a path has as many steps as the object has levels, and users choose both.
type place struct {
	outer, head *place // head is the last of the first headSteps steps
	depth       int
	name        string // of a member
	index       int    // of an element, or member
}

// member marks the step to a member.
const member = -1

// headSteps is how many outer steps a long path shows at most.
const headSteps = 32

// below returns the place of a member or an element.
func (p *place) below(name string, index int) place {
	if p == nil {
		return place{name: name, index: index, depth: 1}
	}
	here := place{outer: p, head: p.head, depth: p.depth + 1, name: name, index: index}
	if p.depth <= headSteps {
		here.head = p
	}
	return here
}

// maxPath is the length of the longest path in an error, in bytes.
const maxPath = 256

// text returns the path: whole, or both ends of a long one. Its work does not depend on the depth.
func (p *place) text() string {
	tail, outer := p.steps()
	if outer == nil {
		return shortPath(tail)
	}
	head, _ := p.head.steps()
	return bothEnds(head, tail)
}

// steps returns the end of the path that is at least as long as an error shows, and the next outer place.
func (p *place) steps() (path string, outer *place) {
	var steps []string
	for n := 0; p != nil && n <= maxPath; p = p.outer {
		step := "[" + strconv.Itoa(p.index) + "]"
		if p.index == member {
			step = "." + shownKey(p.name)
		}
		steps = append(steps, step)
		n += len(step)
	}
	slices.Reverse(steps)
	return strings.TrimPrefix(strings.Join(steps, ""), "."), p
}

// shortPath cuts a long path in its middle.
func shortPath(path string) string {
	if len(path) <= maxPath {
		return path
	}
	return bothEnds(path, path)
}

// bothEnds returns the beginning of one text and the end of another one, as a path that has been cut.
func bothEnds(head, tail string) string {
	const gap = "…"
	half := (maxPath - len(gap)) / 2
	return strings.ToValidUTF8(head[:min(half, len(head))], "") + gap + strings.ToValidUTF8(tail[max(0, len(tail)-half):], "")
}
