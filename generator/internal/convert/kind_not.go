// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
)

// Not negates a bool.
type Not struct{}

func (Not) String() string           { return "not" }
func (Not) matches(c candidate) bool { return c.converter == "not" }

func (Not) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	if bad := p.single(as); bad != nil {
		return nil, bad
	}
	if !v.Spoke.IsBool() || !v.Hub.IsBool() {
		return nil, p.misfit("not", "two bools", v)
	}
	return v.as(Not{}, nil, nil)
}

func (Not) content(*valuePlanner, *Value, converters) *content { return nil }
func (Not) traits(*Value) traits                               { return traits{} }
func (Not) schema(*Schema, *Value, facts)                      {}
func (Not) bounds(bounds, *Value, Sides[limits.Value], string) {}

func (Not) expression(_ Body, _ *Value, src operand) jen.Code {
	return jen.Op("!").Add(src.Value())
}

func (k Not) emit(b Body, v *Value, src, dst operand) { b.Set(dst, k.expression(b, v, src)) }
