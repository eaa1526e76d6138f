// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
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
	var tail [maxPath]byte
	i := len(tail)
	q := p
	for ; q != nil; q = q.outer {
		var space [longKey]byte
		step := q.appendStep(space[:0])
		if len(step) > i {
			copy(tail[:i], step[len(step)-i:])
			i = 0
			break
		}
		i -= len(step)
		copy(tail[i:], step)
	}
	if q == nil {
		return string(bytes.TrimPrefix(tail[i:], []byte(".")))
	}
	var outer [headSteps]*place
	n := 0
	if q = p.head; p.depth <= headSteps {
		q = p
	}
	for ; q != nil; q = q.outer {
		outer[n] = q
		n++
	}
	var head []byte
	for n--; n >= 0 && len(head) < maxPath; n-- {
		head = outer[n].appendStep(head)
	}
	return bothEnds(maxPath, strings.TrimPrefix(string(head), "."), string(tail[i:]))
}

// appendStep appends the step to the place.
func (p *place) appendStep(out []byte) []byte {
	if p.index == member {
		return append(append(out, '.'), shownKey(p.name)...)
	}
	return append(strconv.AppendInt(append(out, '['), int64(p.index), 10), ']')
}

// ShortPath cuts a long path in its middle.
func ShortPath(path string) string { return Shorten(maxPath, path) }

// Shorten returns a text of at most most bytes: the text itself, or both of its ends.
func Shorten(most int, text string) string {
	if len(text) <= most {
		return text
	}
	return bothEnds(most, text, text)
}

// Gap marks the place at which a text has been cut.
const Gap = "…"

// bothEnds returns the beginning of one text and the end of another one, in at most most bytes.
func bothEnds(most int, head, tail string) string {
	half := (most - len(Gap)) / 2
	return Head(half, head) + Gap + strings.ToValidUTF8(tail[max(0, len(tail)-half):], "")
}

// Head returns the beginning of a text, at most most bytes.
func Head(most int, text string) string { return strings.ToValidUTF8(text[:min(most, len(text))], "") }
