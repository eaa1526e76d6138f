// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Type is a Go type. Path leads to a field in a struct. Set is the check that a value is set.
type (
	Type = resolve.Type
	Path = fields.Path
	Set  = fields.Set
)

// The two sides and directions of a conversion.
type (
	Side         = sides.Side
	Direction    = sides.Direction
	Sides[T any] = sides.Sides[T]
	Ways[T any]  = sides.Ways[T]
)

const (
	Spoke   = sides.Spoke
	Hub     = sides.Hub
	ToHub   = sides.ToHub
	FromHub = sides.FromHub
)

// Types are the types of a value of the spoke and of a value of the hub.
type Types struct {
	Sides[*Type]
	// Same is true if the two types are identical.
	Same bool
}

func typesOf(spoke, hub *Type) Types { return typesIn(sides.New(spoke, hub)) }

func typesIn(s Sides[*Type]) Types { return Types{s, resolve.Identical(s.Spoke, s.Hub)} }
