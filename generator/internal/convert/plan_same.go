// SPDX-License-Identifier: Apache-2.0

package convert

import "slices"

// Same has the members of an object that have the same JSON in both versions, each with its own members that are the
// same; nil stands for the whole member. No rule changes them, no function of the user sees them, and their types
// differ only in name.
type Same map[string]Same

// Same returns the members of the kind that are the same in both versions. It does not look into lists and maps,
// because their elements have no fixed places.
func (p *Plan) Same() Same {
	same := p.Root.same(map[*Pair]bool{})
	if same["metadata"] != nil || p.Reads != "" || p.Root.readsMetadata() {
		delete(same, "metadata") // metadata is the same as a whole or not at all
	}
	return same
}

// has reports whether the member at a path, or one around it, is the same as a whole.
func (s Same) has(path []string) bool {
	for _, name := range path {
		members, ok := s[name]
		if members == nil {
			return ok
		}
		s = members
	}
	return false
}

// readsMetadata reports whether rules use the metadata or its entries, or functions of the user can read it.
func (p *Pair) readsMetadata() bool {
	return p.any(func(c *Claim) bool {
		_, isEntry := entryOf(c)
		_, isDefault := c.Default.(Metadata)
		isDefault = isDefault || slices.ContainsFunc(c.Cases, func(of Case) bool { _, is := of.Default.(Metadata); return is })
		return c.isCustom() || c.Entry != "" || isEntry || isDefault
	})
}

func (p *Pair) same(inside map[*Pair]bool) Same {
	if inside[p] || p.Opaque || p.isCustom() {
		return nil
	}
	inside[p] = true
	defer delete(inside, p)
	decides := map[string]bool{} // members that the conversion has to see
	for _, c := range p.Claims {
		for _, of := range c.Cases {
			decides[of.With.names()[0]] = true
		}
		if c.Unless != nil {
			decides[c.Unless.names()[0]] = true
		}
	}
	same := Same{}
	for _, c := range p.Claims {
		name, ok := c.staysAs()
		if !ok || decides[name] {
			continue
		}
		if c.isSame(map[*Pair]bool{}) {
			same[name] = nil
		} else if pair := c.Value.structs(); pair != nil {
			if members := pair.same(inside); len(members) > 0 {
				same[name] = members
			}
		}
	}
	return same
}

// isCustom reports whether functions of the user convert the pair. They see all of it and may set all of it.
func (p *Pair) isCustom() bool {
	return p.completed() || slices.ContainsFunc(p.Claims, func(c *Claim) bool { return c.Functions != [2]bool{} })
}

// staysAs returns the name of a field with the same name on both sides.
func (c *Claim) staysAs() (string, bool) {
	if c.Value == nil || c.HasDefault() || c.Unless != nil {
		return "", false
	}
	spoke, hub := c.Spoke.names(), c.Hub.names()
	if len(spoke) != 1 || len(hub) != 1 || spoke[0] != hub[0] {
		return "", false
	}
	return spoke[0], c.Spoke.Last().String == c.Hub.Last().String
}

// isSame reports whether a field is the same as a whole, and JSON omits it on both sides or on neither. A member
// required in one version must not be missing because the other version may omit it. Go writes structs even with
// omitempty, but a schema need not have them then.
func (c *Claim) isSame(seen map[*Pair]bool) bool {
	s, h := c.Spoke.Last(), c.Hub.Last()
	return s.OmitEmpty == h.OmitEmpty && s.OmitZero == h.OmitZero && c.Value.isSame(seen)
}

// isSame reports whether the value is the same in JSON on both sides.
func (v *Value) isSame(seen map[*Pair]bool) bool {
	switch how := v.How.(type) {
	case Assign, DeepCopyInto, DeepCopy:
		return true
	case Each, Entries:
		return v.Elem.isSame(seen)
	case Pointer:
		return how.OnlyIfSet == OnlyIfSet{} && v.Elem.isSame(seen)
	case Call:
		return how.Pair.isSame(seen)
	}
	return false
}

// isSame reports whether every field of both structs is the same.
func (p *Pair) isSame(seen map[*Pair]bool) bool {
	if seen[p] {
		return true
	}
	if seen[p] = true; p.completed() {
		return false
	}
	stay := map[string]bool{}
	for _, c := range p.Claims {
		name, ok := c.staysAs()
		if !ok || !c.isSame(seen) {
			return false
		}
		stay[name] = true
	}
	isMoved := func(m Path) bool { return !stay[m.String()] }
	return !slices.ContainsFunc(members(p.Spoke, nil), isMoved) && !slices.ContainsFunc(members(p.Hub, nil), isMoved)
}

// structs returns the pair of structs in the value, directly or behind a pointer.
func (v *Value) structs() *Pair {
	if v.How == (Pointer{}) {
		v = v.Elem
	}
	return v.Pair()
}
