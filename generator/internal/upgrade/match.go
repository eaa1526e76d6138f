// SPDX-License-Identifier: Apache-2.0

package upgrade

import "slices"

// matchWebhooks finds the webhooks of both states that are the same: by configuration and name, else by name, else by
// the path that they are served at.
func (s *step) matchWebhooks() {
	s.removed, s.added = slices.Clone(s.from.Webhooks), slices.Clone(s.to.Webhooks)
	for _, same := range []func(a, b *Webhook) bool{
		func(a, b *Webhook) bool { return a.In.Name == b.In.Name && a.Spec.Name == b.Spec.Name },
		func(a, b *Webhook) bool { return a.Spec.Name == b.Spec.Name },
		func(a, b *Webhook) bool { return a.path() != "" && a.path() == b.path() },
	} {
		s.removed = slices.DeleteFunc(s.removed, func(old *Webhook) bool {
			i := slices.IndexFunc(s.added, func(w *Webhook) bool { return w.Mutating == old.Mutating && same(old, w) })
			if i < 0 {
				return false
			}
			s.webhooks = append(s.webhooks, pair[*Webhook]{old, s.added[i]})
			s.added = slices.Delete(s.added, i, i+1)
			return true
		})
	}
}

// matchKinds finds the definitions of both states that have the same name, the versions that have a schema or a Go type
// in both, and the conversions between the same two versions with their fields. It does not compare a kind from a file
// with a kind from markers alone: markers name fewer versions.
func (s *step) matchKinds() {
	s.definitions = pairs(s.from.Definitions, s.to.Definitions, func(a, b *Definition) bool { return a.Name == b.Name && a.derived == b.derived })
	s.declared = pairs(s.from.declared, s.to.declared, func(a, b *Definition) bool { return a.Name == b.Name })
	for _, d := range slices.Concat(s.definitions, s.declared) {
		for _, v := range d.new.Versions {
			if old, now := d.old.schema(v.Name), d.new.schema(v.Name); old != nil && now != nil {
				s.schemas = append(s.schemas, pair[*schema]{old, now})
			}
		}
	}
	s.versions = pairs(s.from.versions, s.to.versions, func(a, b *version) bool { return a.kind == b.kind && a.name == b.name })
	s.sides = pairs(s.from.sides, s.to.sides, func(a, b *side) bool {
		return a.kind == b.kind && a.to == b.to && a.version == b.version && a.across.version == b.across.version
	})
	for _, both := range s.sides {
		for _, now := range both.new.fieldConversions {
			if old := both.old.fieldConversion(now.path); old != nil {
				s.fields = append(s.fields, pair[*fieldConversion]{old, now})
			}
		}
	}
}

// pairs returns what two states have in common: for each of the old one, the first of the new one that is the same.
func pairs[T any](old, now []T, same func(a, b T) bool) (all []pair[T]) {
	for _, a := range old {
		if b, ok := find(now, func(b T) bool { return same(a, b) }); ok {
			all = append(all, pair[T]{a, b})
		}
	}
	return all
}

// only returns the elements of a list that are not the same as any of another one.
func only[T any](list, others []T, same func(a, b T) bool) []T {
	return slices.DeleteFunc(slices.Clone(list), func(a T) bool {
		return slices.ContainsFunc(others, func(b T) bool { return same(a, b) })
	})
}

// find returns the first element with a property; the zero value, and false, without one.
func find[T any](list []T, has func(T) bool) (found T, ok bool) {
	i := slices.IndexFunc(list, has)
	if i < 0 {
		return found, false
	}
	return list[i], true
}

// definition finds a definition by its name; nil if missing.
func (s *State) definition(name string) *Definition {
	found, _ := find(s.Definitions, func(d *Definition) bool { return d.Name == name })
	return found
}
