// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCanonical compares random JSON in canonical form with what encoding/json writes for it. The members of an object
// have different names, as the handler's own reading of objects ensures.
func TestCanonical(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 20_000 {
		text := randomJSON(r, 3)
		value, err := parsed([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got := canonical(nil, []byte(text)); string(got) != string(want) {
			t.Fatalf("%q becomes\n%s, want\n%s", text, got, want)
		}
	}
}

// randomJSON returns a value without blanks, as the encoder writes them.
func randomJSON(r *rand.Rand, depth int) string {
	texts := []string{`""`, `"a"`, `"b"`, `"ab"`, `"B"`, `"é"`, `"\u00e9"`, `"\n"`, `"\u000a"`, `"<"`, `">"`, `"&"`, `"\u003c"`, `"\/"`, `"\""`, `"\\"`, `"\u2028"`, `"😀"`, `"\ud83d\ude00"`, `"\u0000"`}
	kind := r.IntN(7)
	if depth == 0 {
		kind = r.IntN(5)
	}
	var parts []string
	switch kind {
	case 0:
		return "null"
	case 1:
		return fmt.Sprint(r.IntN(2) == 0)
	case 2:
		return []string{"0", "-1", "12345678901234567890", "1.50", "1e3", "-0"}[r.IntN(6)]
	case 3, 4:
		return texts[r.IntN(len(texts))]
	case 5:
		for range r.IntN(4) {
			parts = append(parts, randomJSON(r, depth-1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	names := map[string]bool{}
	for range r.IntN(12) {
		text := texts[r.IntN(len(texts))]
		var name string
		if json.Unmarshal([]byte(text), &name) == nil && !names[name] {
			names[name] = true
			parts = append(parts, text+":"+randomJSON(r, depth-1))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}
