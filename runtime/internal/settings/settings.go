// SPDX-License-Identifier: Apache-2.0

// Package settings passes the settings of a conversion in the context: from the handler or a test, through the
// generated functions, to the package conversion.
package settings

import (
	"context"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Conversion has the settings for the conversion of an object. The zero value is for calls without a handler.
type Conversion struct {
	// Trusted means that only this program can have written the annotation.
	Trusted bool
	// Unlimited means that values are restored even if they break the markers of their type.
	Unlimited bool
	// Omitted is set if the object comes from storage. Values that do not fit the other version are then left out and
	// noted, because an error would fail the whole list.
	Omitted *Omissions
	// Size is the length of the object, or zero if it is unknown. Spent, unless nil, is set if the annotation was
	// dropped because it would have taken too much work.
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

// Omissions contains the values that a conversion has left out of an object.
type Omissions struct {
	// Unfit are the values that the Go type of their version cannot hold.
	Unfit []wire.Unfit
	// Converted counts the values that do not fit the other version. Cut counts the values for which the annotation has
	// no room.
	Converted, Cut int
	// Unmarked means that there is not even room for the mark of the values left out.
	Unmarked bool
	// Spent means that values of the annotation were dropped, because restoring them would have taken too much work.
	Spent bool
}

// Any reports whether something was left out.
func (o *Omissions) Any() bool { return len(o.Unfit)+o.Converted+o.Cut > 0 || o.Spent }

type key struct{}

// With returns a context with settings.
func With(ctx context.Context, s Conversion) context.Context {
	return context.WithValue(ctx, key{}, s)
}

// Of returns the settings of a context.
func Of(ctx context.Context) Conversion {
	s, _ := ctx.Value(key{}).(Conversion)
	return s
}
