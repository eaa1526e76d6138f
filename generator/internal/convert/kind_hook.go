// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/limits"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Hook converts all values of the two types with the user's own code.
type Hook struct{}

// HookLoss is the possible loss in a conversion by the user's own code.
const HookLoss = "what your functions lose"

func (Hook) String() string { return "your own code" }

func (Hook) matches(c candidate) bool {
	return c.converter == "" && c.rules.Hooked(c.Spoke, c.Hub)
}

func (Hook) plan(p *valuePlanner, v *Value, _ converters) (*Value, *mismatch) {
	if !slices.Contains(p.Hooks, v.Types) {
		p.Hooks = append(p.Hooks, v.Types)
	}
	v.Loss = sides.Both(HookLoss)
	return v.as(Hook{}, nil, nil)
}

func (Hook) content(*valuePlanner, *Value, converters) *content { return nil }
func (Hook) traits(*Value) traits                               { return traits{needs: sides.Both(Needs{true, true})} }
func (Hook) schema(*Schema, *Value, facts)                      {}
func (Hook) bounds(bounds, *Value, Sides[limits.Value], string) {}
func (Hook) expression(Body, *Value, operand) jen.Code          { return nil }

func (Hook) emit(b Body, v *Value, src, dst operand) {
	b.Call(": ", jen.Id("c").Dot("hooks").Dot(v.HookName(b.To)).Call(jen.Id("ctx"), src.Address(), dst.Address()))
}
