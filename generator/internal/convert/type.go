// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
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

// The statements of generated functions.
type (
	Body    = block.Block
	operand = block.Operand
	pointer = block.Pointer
)

// Types are the types of a value of the spoke and of a value of the hub.
type Types struct {
	Sides[*Type]
	// Same is true if the two types are identical.
	Same bool
}

func typesOf(s Sides[*Type]) Types { return Types{s, resolve.Identical(s.Spoke, s.Hub)} }

// converted returns an expression as the type of the destination, converted if it has another one.
func (t Types) converted(b Body, code jen.Code) jen.Code {
	if t.Same {
		return code
	}
	return b.Type(t.To(b.To)).Call(code)
}
