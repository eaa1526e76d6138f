// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestSameText(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{"object.data.a == 'a b'", "object.data.a == 'a  b'", false},
		{"object.data.a == 'a' // c\n&& object.data.b == 'b'", "object.data.a == 'a' // c && object.data.b == 'b'", false},
		{"a && b // c", "a  &&\n  b", true},
		{"(a) && (b)", "a && b", true},
		{"(a || b) && c", "a || b && c", false},
		{"'a' in x", `"a" in x`, true},
		{"a.?b.orValue('')", "a.?b . orValue( '' )", true},
		{"a[?0]", "a[0]", false},
		{"1 - 1", "1 - -1", false},
		{"x == '''a\nb'''", "x == 'a b'", false},
		{"a.all(x, x > 1)", "a.all( x , x>1 )", true},
		{"a.all(x, x > 1)", "a.all(y, y > 1)", false},
		{"not CEL at all", "not  CEL at all", false},
		{"a == 1", "a == 1.0", false},
	} {
		if got := sameText(test.a, test.b); got != test.same || got != sameText(test.b, test.a) {
			t.Errorf("%q and %q: got %t", test.a, test.b, got)
		}
	}
}

// TestSameTextOfTokens writes random tokens with other blanks and comments between them, and then changes one text.
func TestSameTextOfTokens(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	blanks := []string{" ", "  ", "\n", "\t", " // a comment\n"}
	for range 500 {
		var tokens []string
		for i := range 1 + random.IntN(5) {
			if i > 0 {
				tokens = append(tokens, []string{"&&", "||"}[random.IntN(2)])
			}
			tokens = append(tokens, "object.data.a", []string{"==", "!="}[random.IntN(2)], fmt.Sprintf("'a%d // b'", random.IntN(3)))
		}
		spaced := func() string {
			var b strings.Builder
			for _, token := range tokens {
				b.WriteString(token + blanks[random.IntN(len(blanks))])
			}
			return b.String()
		}
		a, b := spaced(), spaced()
		if !sameText(a, b) {
			t.Fatalf("%q and %q differ", a, b)
		}
		if other := strings.Replace(b, " // b'", "  // b'", 1); sameText(a, other) {
			t.Fatalf("%q and %q are the same", a, other)
		}
	}
}
