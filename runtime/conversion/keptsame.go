// SPDX-License-Identifier: Apache-2.0

package conversion

import "github.com/webhook-gen/webhook-gen/runtime/internal/wire"

// waysToSame returns the paths of members that are the same in both versions but have an entry for a version in the
// annotation. An older program, in which these members differed, has written the entry.
//
// It is called for every object with the annotation, so it reads the annotation in one pass and allocates only if it
// finds an entry. The result for a broken annotation does not matter, because nothing is restored from one.
func waysToSame(annotation []byte, version string, same Same) [][]string {
	s := sameScan{text: annotation, version: version, same: same}
	wire.ScanAll(annotation, func(i int) int { return wire.ScanObject(annotation, i, wire.MaxDepth, s.kept) })
	return s.ways
}

// sameScan finds, in an annotation, the paths of members that are the same in both versions.
type sameScan struct {
	text    []byte
	version string
	same    Same
	way     []wire.Span // the names on the path being read
	inList  bool        // the path has reached a list, which is the same as a whole or not at all
	ways    [][]string
}

// kept reads the changes of a version.
func (s *sameScan) kept(key wire.Span, i, depth int) int {
	if string(wire.Text(s.text, key)) == s.version && wire.At(s.text, i, '[') {
		return wire.ScanList(s.text, i, depth, s.change)
	}
	return wire.ScanValue(s.text, i, depth)
}

// change reads one of the version's changes.
func (s *sameScan) change(i, depth int) int {
	if wire.At(s.text, i, '{') {
		return wire.ScanObject(s.text, i, depth, s.member)
	}
	return wire.ScanValue(s.text, i, depth)
}

// member reads a member of a change. If it is the path, member checks it.
func (s *sameScan) member(key wire.Span, i, depth int) int {
	if string(wire.Text(s.text, key)) != "at" || !wire.At(s.text, i, '[') {
		return wire.ScanValue(s.text, i, depth)
	}
	s.way, s.inList = s.way[:0], false
	end := wire.ScanList(s.text, i, depth, s.step)
	if end >= 0 && len(s.way) > 0 && s.leadsInto(s.same, s.way) {
		names := make([]string, len(s.way))
		for i, name := range s.way {
			names[i] = string(wire.Text(s.text, name))
		}
		s.ways = append(s.ways, names)
	}
	return end
}

// step reads a step of the path.
func (s *sameScan) step(i, depth int) int {
	end := wire.ScanValue(s.text, i, depth)
	if s.inList = s.inList || !wire.At(s.text, i, '"'); end >= 0 && !s.inList {
		s.way = append(s.way, wire.Span{Start: i, End: end})
	}
	return end
}

// leadsInto reports whether a path leads to a member that is the same, or to an object around such a member.
func (s *sameScan) leadsInto(same Same, way []wire.Span) bool {
	if len(way) == 0 {
		return true
	}
	part, ok := same[string(wire.Text(s.text, way[0]))]
	return ok && (part == nil || s.leadsInto(part, way[1:]))
}
