// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Assign is Go's own assignment or conversion.
type Assign struct{}

func (Assign) String() string { return "" }

func (Assign) matches(c candidate) bool {
	if c.isCopy {
		return c.Spoke.IsText() || flat(c.Spoke)
	}
	return c.areBoth(resolve.Basic) && c.Spoke.Basic() == c.Hub.Basic()
}

func (Assign) plan(p *valuePlanner, v *Value, _ converters) (*Value, *mismatch) {
	if v.Spoke.IsText() {
		return v.as(Assign{}, nil, p.total(v)) // the fields may have an Enum of their own
	}
	return v.as(Assign{}, nil, nil)
}

func (Assign) content(*valuePlanner, *Value, converters) *content { return nil }
func (Assign) traits(*Value) traits                               { return traits{same: always} }
func (Assign) schema(*Schema, *Value, facts)                      {}

func (Assign) bounds(b bounds, _ *Value, values Sides[limits.Value], part string) {
	b.same(values, part)
}

func (Assign) expression(b Body, v *Value, src operand) jen.Code {
	return v.Types.converted(b, src.Value())
}

func (k Assign) emit(b Body, v *Value, src, dst operand) { b.Set(dst, k.expression(b, v, src)) }
