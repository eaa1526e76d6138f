// SPDX-License-Identifier: Apache-2.0

// Package sides has values by the two versions of a conversion, and by its two directions.
package sides

// Side is one of the two versions of a conversion.
type Side string

// The two sides.
const (
	Spoke Side = "spoke"
	Hub   Side = "hub"
)

// Of returns Hub if the hub has something, and Spoke otherwise.
func Of(inHub bool) Side {
	if inHub {
		return Hub
	}
	return Spoke
}

// Other returns the opposite side.
func (s Side) Other() Side { return Of(s == Spoke) }

// In returns the direction that leads to the side.
func (s Side) In() Direction {
	if s == Hub {
		return ToHub
	}
	return FromHub
}

// Out returns the direction that leaves the side.
func (s Side) Out() Direction { return s.Other().In() }

// Direction is the direction of a conversion between a spoke and its hub.
type Direction int

// The two directions.
const (
	ToHub Direction = iota
	FromHub
)

// Directions returns both directions.
func Directions() []Direction { return []Direction{ToHub, FromHub} }

func (d Direction) String() string { return [...]string{"to the hub", "from the hub"}[d] }

// Suffix returns the end of the names of functions for the direction.
func (d Direction) Suffix() string { return [...]string{"ToHub", "FromHub"}[d] }

// From returns the source side.
func (d Direction) From() Side { return Of(d == FromHub) }

// To returns the destination side.
func (d Direction) To() Side { return d.From().Other() }

// Back returns the opposite direction.
func (d Direction) Back() Direction { return d.From().In() }

// Sides has a value for each side.
type Sides[T any] struct{ Spoke, Hub T }

// Facing returns the sides with one value on a side and another one on the opposite side.
func Facing[T any](side Side, on, other T) Sides[T] {
	if side == Hub {
		return Sides[T]{other, on}
	}
	return Sides[T]{on, other}
}

// New returns the sides with two values.
func New[T any](spoke, hub T) Sides[T] { return Sides[T]{spoke, hub} }

// At returns the value of a side.
func (s Sides[T]) At(side Side) T { return *s.On(side) }

// From returns the value of a direction's source.
func (s Sides[T]) From(d Direction) T { return s.At(d.From()) }

// To returns the value of a direction's destination.
func (s Sides[T]) To(d Direction) T { return s.At(d.To()) }

// Ends returns the values of a direction's source and destination.
func (s Sides[T]) Ends(d Direction) (src, dst T) { return s.From(d), s.To(d) }

// Across returns the value of a side and the value of the opposite side.
func (s Sides[T]) Across(side Side) (on, other T) { return s.At(side), s.At(side.Other()) }

// List returns both values.
func (s Sides[T]) List() []T { return []T{s.Spoke, s.Hub} }

// On returns a pointer to the value of a side.
func (s *Sides[T]) On(side Side) *T {
	if side == Hub {
		return &s.Hub
	}
	return &s.Spoke
}

// Ways has a value for each direction, which is its index.
type Ways[T any] [2]T

// Both returns the same value for each direction.
func Both[T any](value T) Ways[T] { return Ways[T]{value, value} }

// Towards returns a value for the direction to a side, and another one for the direction back.
func Towards[T any](side Side, in, out T) (w Ways[T]) {
	w[side.In()], w[side.Out()] = in, out
	return w
}
