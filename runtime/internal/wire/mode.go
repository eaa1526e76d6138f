// SPDX-License-Identifier: Apache-2.0

package wire

import "context"

// Mode has the settings for the conversion of an object. The zero value is for calls without a handler.
type Mode struct {
	// Trusted means that only this program can have written the annotation.
	Trusted bool
	// Unlimited means that values are restored even if they break the markers of their type.
	Unlimited bool
	// Read is set if the object comes from storage. Values that do not fit the other version are then left out and
	// noted, because an error would fail the whole list.
	Read *Left
	// Size is the length of the object, or zero if it is unknown. Spent, unless nil, is set if the annotation was dropped
	// because it would have taken too much work.
	Size  int
	Spent *bool
	// Lacks reports whether the object lacks a struct that its type has at a path. It is nil without a handler.
	Lacks func(path []string) bool
	// Reserve is how many bytes must be left for other annotations.
	Reserve int
	// Keys are the keys that sign the annotation; the first one signs. AcceptUnsigned accepts an annotation without a
	// signature.
	Keys           [][]byte
	AcceptUnsigned bool
}

// Left contains the values that a conversion has left out of an object.
type Left struct {
	// Unfit are the values that the Go type of their version cannot hold.
	Unfit []Unfit
	// Converted counts the values that do not fit the other version. Cut counts the values for which the annotation has
	// no room.
	Converted, Cut int
	// Unmarked means that there is not even room for the mark of the values left out.
	Unmarked bool
	// Spent means that values of the annotation were dropped, because restoring them would have taken too much work.
	Spent bool
}

// Any reports whether something was left out.
func (l *Left) Any() bool { return len(l.Unfit)+l.Converted+l.Cut > 0 || l.Spent }

// Unfit is a value in JSON that its Go type cannot hold.
type Unfit struct {
	Path string
	Is   []byte
}

type modeKey struct{}

type failuresKey struct{}

// WithFailures returns a context for tests. The error of a failed call goes to a function in place of the log.
func WithFailures(ctx context.Context, failed func(error)) context.Context {
	return context.WithValue(ctx, failuresKey{}, failed)
}

// Failures returns the function of a context for failed calls; nil if they are logged.
func Failures(ctx context.Context) func(error) {
	failed, _ := ctx.Value(failuresKey{}).(func(error))
	return failed
}

// WithMode returns a context with a mode.
func WithMode(ctx context.Context, m Mode) context.Context {
	return context.WithValue(ctx, modeKey{}, m)
}

// ModeOf returns the mode of a context.
func ModeOf(ctx context.Context) Mode {
	m, _ := ctx.Value(modeKey{}).(Mode)
	return m
}
