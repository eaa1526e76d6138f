// SPDX-License-Identifier: Apache-2.0

package wire

import "context"

// Mode is how an object is converted, besides from what to what. The zero value is that of a call without a handler.
type Mode struct {
	// Trusted says that nobody but this program can have written the annotation.
	Trusted bool
	// Unlimited says that values are restored whatever the markers of their type demand.
	Unlimited bool
	// Read is set where the object comes from storage: what does not fit the other version is left out and noted,
	// because a list fails with its first object.
	Read *Left
	// Reserve is how many bytes of annotations are somebody else's.
	Reserve int
	// Keys sign the annotation, the first of them, and AcceptUnsigned says that it counts without.
	Keys           [][]byte
	AcceptUnsigned bool
}

// Left is what a conversion has left out of an object.
type Left struct {
	// Unfit are the values that the Go type of their version cannot hold.
	Unfit []Unfit
	// Converted counts the values that do not fit the other version, and Cut those for which the annotation has no room.
	Converted, Cut int
	// Unmarked says that there is not even room for the mark of that.
	Unmarked bool
}

// Any reports whether something was left out.
func (l *Left) Any() bool { return len(l.Unfit)+l.Converted+l.Cut > 0 }

// Unfit is a value in JSON that its Go type cannot hold.
type Unfit struct {
	Path string
	Is   []byte
}

type modeKey struct{}

// WithMode returns a context with a mode.
func WithMode(ctx context.Context, m Mode) context.Context {
	return context.WithValue(ctx, modeKey{}, m)
}

// ModeOf returns the mode of a context.
func ModeOf(ctx context.Context) Mode {
	m, _ := ctx.Value(modeKey{}).(Mode)
	return m
}
