// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
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
		return append(how.Keys.List(), c.Entry)
	})
}

// facts calls a function for each claim of the plan and returns its texts, sorted and each once. It leaves out empty
// ones: an embedded struct of the kind itself has no path in JSON, and a field has no key of metadata.
func (p *Plan) facts(of func(c *Claim, here place) []string) (all []string) {
	p.Root.visit(place{}, nil, func(_ *Pair, c *Claim, here place) bool {
		all = append(all, of(c, here)...)
		return true
	})
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(text string) bool { return text == "" })
}
