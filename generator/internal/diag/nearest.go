// SPDX-License-Identifier: Apache-2.0

package diag

// Nearest returns the candidate with the fewest edits from a misspelt word. The edits are at most a third of the
// word's length, or two for short words.
func Nearest(word string, candidates []string) (string, bool) {
	best, bestDistance := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, c); d < bestDistance && d < len(c) {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// WithNearest returns the diagnostic with the Nearest candidate as a hint, or unchanged if there is none.
func (d Diagnostic) WithNearest(word string, candidates []string) Diagnostic {
	if near, ok := Nearest(word, candidates); ok {
		return d.WithHint("did you mean %q?", near)
	}
	return d
}

// Resembles reports whether a word is a misspelling of other. It has the same beginning or end, and at most two
// edits.
func Resembles(word, other string) bool {
	if word == other {
		return true
	}
	if word == "" || max(len(word), len(other))-min(len(word), len(other)) > 2 {
		return false
	}
	if lower(word[0]) != lower(other[0]) && lower(word[len(word)-1]) != lower(other[len(other)-1]) {
		return false // fast path for most words
	}
	return distance(word, other) <= 2
}

// distance returns the number of insertions, deletions, substitutions and swaps of neighbours that turn a into b
// (optimal string alignment). It ignores case, so that "timeoutseconds" matches "timeoutSeconds".
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if lower(a[i-1]) == lower(b[j-1]) {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && lower(a[i-1]) == lower(b[j-2]) && lower(a[i-2]) == lower(b[j-1]) {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
