// SPDX-License-Identifier: Apache-2.0

package wire

import "encoding/binary"

// Texts keeps short strings for reuse. Objects are full of the same few: label keys, enumerations, the names of
// managers and users. Each string has two possible places, and leaves them when other strings need them. A long string
// is never kept, so that nothing large outlives its request.
type Texts [256][2]string

// LongText is the length from which strings are not kept.
const LongText = 64

// Of returns b as a string.
func (t *Texts) Of(b []byte) string {
	if t == nil || len(b) >= LongText || len(b) == 0 {
		return string(b)
	}
	places := &t[hash(b)%uint64(len(t))]
	if places[0] == string(b) {
		return places[0]
	}
	if places[1] != string(b) {
		places[1] = string(b)
	}
	places[0], places[1] = places[1], places[0]
	return places[0]
}

// hash uses the length and both ends of b, because names differ there.
func hash(b []byte) uint64 {
	h := uint64(len(b))
	switch {
	case len(b) >= 8:
		h ^= binary.LittleEndian.Uint64(b)*0x9e3779b97f4a7c15 ^ binary.LittleEndian.Uint64(b[len(b)-8:])
	default:
		for _, c := range b {
			h = h<<8 ^ uint64(c)
		}
	}
	h *= 0x9e3779b97f4a7c15
	return h >> 32
}
