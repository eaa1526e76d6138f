// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestPathText compares the text of random paths with the joined steps.
func TestPathText(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	names := []string{"a", "spec", "", "x.y", strings.Repeat("k", 63), strings.Repeat("ü", 32), strings.Repeat("\x01", 64)}
	for range 1000 {
		var p *place
		whole := ""
		for range 1 + random.IntN([]int{4, 40, 400}[random.IntN(3)]) {
			if random.IntN(3) == 0 {
				n := random.IntN(2000)
				next := p.below("", n)
				p = &next
				whole += "[" + strconv.Itoa(n) + "]"
				continue
			}
			name := names[random.IntN(len(names))]
			next := p.below(name, member)
			p = &next
			whole += "." + shownKey(name)
		}
		whole = strings.TrimPrefix(whole, ".")
		got := p.text()
		switch {
		case len(whole) < maxPath:
			if got != strings.ToValidUTF8(whole, "") {
				t.Fatalf("got %q, want %q", got, whole)
			}
		default:
			head, tail, ok := strings.Cut(got, "…")
			if !ok && len(whole) == maxPath {
				continue
			}
			if len(got) > maxPath || len(got) < maxPath/2 || !ok || !utf8.ValidString(got) || !strings.HasPrefix(whole, head) || !strings.HasSuffix(whole, tail) {
				t.Fatalf("got %q of %d bytes for %q", got, len(got), whole)
			}
		}
	}
}
