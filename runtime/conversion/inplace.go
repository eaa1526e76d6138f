// SPDX-License-Identifier: Apache-2.0

package conversion

import "bytes"

// converted is the text of a converted object. It lies in the place of the original object, as far as it fits there;
// rest has the remainder. So a review and its answer take little more memory than one of them.
type converted struct{ inPlace, rest []byte }

// replace puts a text in the place of an object. It overwrites the object's own text and members.
func (o object) replace(text []byte) converted {
	n := copy(o.text, text)
	c := converted{inPlace: o.text[:n]}
	if n < len(text) {
		c.rest = bytes.Clone(text[n:])
	}
	return c
}
