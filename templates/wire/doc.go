// Package wire reads and writes JSON by the shape of Go types, which is looked at once: what encoding/json does, in a
// fraction of the time, with errors that name the field, and over text that is passed over where nobody asks for it.
// The packages admission and conversion, which read reviews, are built on it, and have in common here how the body of a call is read
// and what answers a call that is no review.
package wire
