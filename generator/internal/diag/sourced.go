// SPDX-License-Identifier: Apache-2.0

package diag

// Sourced is a value that the source sets, with its position.
type Sourced[T any] struct {
	V T
	// At is the value in the source; it is invalid while nothing sets the value.
	At Range
	// Each is, for a list, the position of each element.
	Each []Range
	// Part is, for text, the position of V[from:to].
	Part func(from, to int) Range
}

// IsSet reports whether the source sets the value.
func (s Sourced[T]) IsSet() bool { return s.At.IsValid() }

// Or is the value or, where the source does not set it, another one.
func (s Sourced[T]) Or(other Sourced[T]) Sourced[T] {
	if s.IsSet() {
		return s
	}
	return other
}
