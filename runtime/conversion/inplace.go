// SPDX-License-Identifier: Apache-2.0

package conversion

import "bytes"

// converted is what an object has become: a text that lies where the object was, as far as it fits there, and the rest
// of it. So a review and its answer take little more memory than one of them.
type converted struct{ inPlace, rest []byte }

// replace puts a text in the place of an object, whose own text and members are gone then.
func (o object) replace(text []byte) converted {
	n := copy(o.text, text)
	c := converted{inPlace: o.text[:n]}
	if n < len(text) {
		c.rest = bytes.Clone(text[n:])
	}
	return c
}
