// SPDX-License-Identifier: Apache-2.0

package sides

import "testing"

// TestSides checks that sides and directions agree, for each of them.
func TestSides(t *testing.T) {
	s := New("spoke", "hub")
	for _, d := range Directions() {
		src, dst := s.Ends(d)
		back := d.Back()
		if src != s.At(d.From()) || dst != s.At(d.To()) || src == dst || back == d || back.Back() != d {
			t.Errorf("%s: from %s to %s, and back %s", d, src, dst, back)
		}
		if s.From(back) != dst || s.To(back) != src {
			t.Errorf("%s does not lead back from %s", back, d)
		}
		for _, side := range []Side{Spoke, Hub} {
			if (side.Out() == d) != (d.From() == side) || (side.In() == d) != (d.To() == side) {
				t.Errorf("%s is on the wrong end of %s", side, d)
			}
		}
	}
	for _, side := range []Side{Spoke, Hub} {
		on, other := Facing(side, "this", "that").Across(side)
		if on != "this" || other != "that" || Of(side == Hub) != side {
			t.Errorf("%s: %q faces %q", side, on, other)
		}
		if w := Towards(side, "in", "out"); w[side.In()] != "in" || w[side.Out()] != "out" {
			t.Errorf("towards %s: %q", side, w)
		}
		if *s.On(side) = "new"; s.At(side) != "new" {
			t.Errorf("%s is %q", side, s.At(side))
		}
	}
}
