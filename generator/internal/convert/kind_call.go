// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Call converts a pair of structs by its function.
type Call struct{ Pair *Pair }

func (Call) String() string { return "" }

func (Call) matches(c candidate) bool {
	return c.areBoth(resolve.Struct) && callable(c.Spoke) && callable(c.Hub)
}

// callable reports whether functions of another package can have the struct as a parameter.
func callable(t *resolve.Type) bool {
	return t.Name != "" && t.Name[0] >= 'A' && t.Name[0] <= 'Z'
}

func (Call) plan(p *valuePlanner, v *Value, _ converters) (*Value, *mismatch) {
	return v.as(Call{p.pair(p.at, v.Spoke, v.Hub, p.skip)}, nil, nil)
}

func (Call) content(*valuePlanner, *Value, converters) *content { return nil }
func (k Call) traits(*Value) traits {
	return traits{needs: sides.Both(Needs{k.Pair.IsRoot, k.Pair.IsRoot}), same: asContent}
}
func (k Call) schema(s *Schema, _ *Value, f facts)     { s.addPair(k.Pair, f) }
func (Call) expression(Body, *Value, operand) jen.Code { return nil }

func (Call) bounds(b bounds, _ *Value, values Sides[limits.Value], part string) {
	b.compare(values, part)
}

// emit adds the field path to the error of the function, if it can fail.
func (k Call) emit(b Body, _ *Value, src, dst operand) {
	args, needs := []jen.Code{src.Address(), dst.Address()}, k.Pair.Needs(b.To)
	if needs.Context {
		args = append([]jen.Code{jen.Id("ctx")}, args...)
	}
	call := k.Pair.Function(k.Pair.Name, b.To).Call(args...)
	if needs.Error {
		b.Call(".", call)
	} else {
		b.Add(call)
	}
}
