// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// Dropped returns the fields of both versions that rules give up, as sorted paths in JSON names.
func (p *Plan) Dropped() []string {
	return p.facts(func(c *Claim, here place) (paths []string) {
		if c.Verb != model.Drop || c.Entry != "" {
			return nil
		}
		around := here.around(c)
		for _, other := range c.Others.Spoke {
			paths = append(paths, around.at(other, nil).paths().Spoke)
		}
		for _, other := range c.Others.Hub {
			paths = append(paths, around.at(nil, other).paths().Hub)
		}
		for _, side := range []Side{Spoke, Hub} {
			if c.At(side) != nil {
				paths = append(paths, here.paths().At(side))
			}
		}
		return paths
	})
}

// Defaults returns the fields of both versions with a default, as sorted paths in JSON names.
func (p *Plan) Defaults() []string {
	return p.facts(func(c *Claim, here place) (paths []string) {
		if c.HasDefault() {
			paths = append(paths, here.paths().To(c.DefaultTo()))
		}
		for v := c.Value; v != nil; v = v.Elem {
			if how, ok := v.Kind.(Present); ok && len(how.Constants) == 0 { // an empty struct is a value, too
				paths = append(paths, here.paths().At(v.Outer.Other()))
			}
		}
		return paths
	})
}

// Entries returns the keys of the metadata entries that rules use, sorted.
func (p *Plan) Entries() []string {
	return p.facts(func(c *Claim, _ place) []string {
		how, _ := entryOf(c)
		keys := append(how.Keys.List(), c.Entry)
		if c.Functions != sides.Both(false) {
			for _, path := range slices.Concat(c.List(), c.Others.Spoke, c.Others.Hub) {
				_, key, _ := fields.EntryKey(path)
				keys = append(keys, key)
			}
		}
		return keys
	})
}

// facts calls a function for each claim of the plan and returns its texts, sorted and each once. It leaves out empty
// ones: an embedded struct of the kind itself has no path in JSON, and a field has no key of metadata.
func (p *Plan) facts(of func(c *Claim, here place) []string) (all []string) {
	p.visit(func(_ *Pair, c *Claim, here place) bool {
		all = append(all, of(c, here)...)
		return true
	})
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(text string) bool { return text == "" })
}

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
