// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Kept returns the lossy fields of both versions, as sorted paths in JSON names from the kind. Fields that the user's
// own code converts both ways are not included, because only its author knows the loss.
func (p *Plan) Kept() []string {
	paths := append(p.Root.kept(ToHub, nil, map[*Pair]bool{}), p.Root.kept(FromHub, nil, map[*Pair]bool{})...)
	slices.Sort(paths)
	return slices.Compact(paths)
}

func (p *Pair) kept(d Direction, before []string, inside map[*Pair]bool) []string {
	inside[p] = true
	defer delete(inside, p)
	var paths []string
	for _, c := range p.Claims {
		if c.Functions == sides.Both(true) || c.Loss(d) == "" {
			continue
		}
		for _, other := range c.Others.Hub {
			paths = append(paths, strings.Join(slices.Concat(before, other.Names()), "."))
		}
		side := c.From(d)
		if c.Unless != nil { // the structs around it are missing, too
			if i := slices.IndexFunc(side, func(f *resolve.Field) bool { return f.Type.Kind() == resolve.Pointer }); i >= 0 {
				side = side[:i+1]
			}
		}
		path := slices.Concat(before, side.Names())
		if below := c.Value.members(d); below != nil && !below.Opaque && !inside[below] {
			paths = append(paths, below.kept(d, path, inside)...)
		} else {
			paths = append(paths, strings.Join(path, "."))
		}
	}
	return paths
}

// members returns the pair of structs that a field leads to through pointers and lists without loss. It is nil if there
// is no such pair.
func (v *Value) members(d Direction) *Pair {
	for ; v != nil && v.Loss[d] == ""; v = v.Elem {
		if pair := v.Pair(); pair != nil || !v.isList() && v.At(v.Outer).Kind() != resolve.Pointer {
			return pair
		}
	}
	return nil
}
