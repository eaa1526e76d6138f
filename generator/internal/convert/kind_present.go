// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Present converts between a bool and a struct, or a pointer to one. True is a struct whose members have the values of
// Constants.
type Present struct{ Constants constants }

func (k Present) String() string         { return "present:" + k.Constants.String() }
func (Present) matches(c candidate) bool { return c.converter == "present" }

func (k Present) plan(p *valuePlanner, v *Value, as converters) (*Value, *mismatch) {
	plain, outside, skip := p.around(v, v.Spoke.Target().Kind() != resolve.Struct)
	inner := outside.Target()
	if inner.Kind() != resolve.Struct || !plain.Target().IsBool() || as.argument() == "" && outside == inner {
		return nil, p.misfit(as[0], "a bool and a pointer to a struct, or a struct with constants", v)
	}
	bad := p.single(as)
	if bad != nil {
		return nil, bad
	}
	if k.Constants, bad = p.constants(v, "a struct", inner, as.argument(), as[0]); bad != nil {
		return nil, bad
	}
	if hasOthers(inner, nil, k.Constants.addTo(skip)) || len(k.Constants) > 0 {
		v.Loss[v.Outer.Out()] = "all but whether it is there"
	}
	if plain.Kind() == resolve.Pointer {
		v.Loss[v.Outer.In()] = "whether it was nil or false"
	}
	if len(skip) > 0 {
		v.Loss[v.Outer.In()] = "false beside parts of the struct"
	}
	return v.as(k, nil, nil)
}

func (Present) content(*valuePlanner, *Value, converters) *content { return nil }
func (Present) traits(*Value) traits                               { return traits{} }
func (Present) schema(*Schema, *Value, facts)                      {}
func (Present) bounds(bounds, *Value, Sides[limits.Value], string) {}
func (Present) expression(Body, *Value, operand) jen.Code          { return nil }

func (k Present) emit(b Body, v *Value, src, dst operand) {
	var conditions []jen.Code
	if v.From(b.To).Elem() != nil {
		conditions = append(conditions, src.Value().Op("!=").Nil())
		src = block.Target(src.Value())
	}
	fromBool := v.Outer == b.To.To()
	if fromBool {
		conditions = append(conditions, src.Value())
	} else {
		same, _ := k.Constants.conditions(src)
		conditions = append(conditions, same...)
	}
	b.When(conditions, func(b Body) {
		if to := v.To(b.To); to.Elem() != nil {
			b.Set(dst, jen.New(b.Type(to.Elem())))
			dst = block.Target(dst.Value())
		}
		if fromBool {
			k.Constants.emit(b, dst)
		} else {
			b.Set(dst, jen.True())
		}
	})
}
