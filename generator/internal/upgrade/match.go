// SPDX-License-Identifier: Apache-2.0

package upgrade

import "slices"

// matchWebhooks finds the webhooks of both states that are the same: by configuration and name, else by name, else by
// the path that they are served at.
func (s *step) matchWebhooks() {
	s.removed, s.added = s.from.webhooks(), s.to.webhooks()
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

// webhooks are the webhooks of all configurations.
func (s *State) webhooks() []*Webhook {
	var all []*Webhook
	for _, c := range s.Configurations {
		all = append(all, c.Webhooks...)
	}
	return all
}

// configuration finds a configuration; nil if missing.
func (s *State) configuration(mutating bool, name string) *Configuration {
	i := slices.IndexFunc(s.Configurations, func(c *Configuration) bool { return c.Mutating == mutating && c.Name == name })
	if i < 0 {
		return nil
	}
	return s.Configurations[i]
}

// matchKinds finds the definitions of both states that have the same name and the conversions between the same two
// versions. It does not compare a kind from a file with a kind from markers alone: markers name fewer versions.
func (s *step) matchKinds() {
	for _, old := range s.from.Definitions {
		if now := s.to.definition(old.Name); now != nil && now.derived == old.derived {
			s.definitions = append(s.definitions, pair[*Definition]{old, now})
		}
	}
	for _, old := range s.from.plans {
		for _, now := range s.to.plans {
			if old.kind() == now.kind() && old.Spoke.Version == now.Spoke.Version && old.Hub.Version == now.Hub.Version {
				s.plans = append(s.plans, pair[*plan]{old, now})
			}
		}
	}
}

// definition finds a definition by its name; nil if missing.
func (s *State) definition(name string) *Definition {
	i := slices.IndexFunc(s.Definitions, func(d *Definition) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return s.Definitions[i]
}
