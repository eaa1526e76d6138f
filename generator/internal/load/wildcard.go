// SPDX-License-Identifier: Apache-2.0

package load

import "strings"

// wildcard is a package pattern with at least one "...", which matches any string. Two rules differ from other
// wildcards ("go help packages", cmd/internal/pkgpattern):
//
//   - a final "/..." also matches nothing, so that api/... matches api;
//   - "..." does not match anything below a folder named vendor. The pattern must contain
//     that name.
type wildcard struct {
	head    string // the text before the first "..."
	pattern string // sealed
	shorter string // sealed, without the final "/..."; "" if the pattern does not end in it
}

func newWildcard(pattern string) wildcard {
	head, _, _ := strings.Cut(pattern, "...")
	w := wildcard{head: head, pattern: seal(pattern)}
	if shorter, ok := strings.CutSuffix(pattern, "/..."); ok {
		w.shorter = seal(shorter)
	}
	return w
}

// matches reports whether the pattern matches a slash-separated name.
func (w wildcard) matches(name string) bool {
	name = seal(name)
	return matchWild(w.pattern, name) || w.shorter != "" && matchWild(w.shorter, name)
}

// reaches reports whether the pattern can match a name below this one. A walk skips the folder otherwise.
func (w wildcard) reaches(name string) bool {
	if name == "" {
		return true
	}
	below := seal(name + "/")
	return (strings.HasPrefix(w.head, name+"/") || strings.HasPrefix(name+"/", w.head)) &&
		strings.Count(below, sealed) <= strings.Count(w.pattern, sealed)
}

// sealed replaces "vendor" in a path to something below it, so that no "..." matches it.
const sealed = "\x00"

// seal replaces all elements named vendor except the last.
func seal(name string) string {
	if !strings.Contains(name, "vendor/") {
		return name
	}
	elements := strings.Split(name, "/")
	for i, e := range elements[:len(elements)-1] {
		if e == "vendor" {
			elements[i] = sealed
		}
	}
	return strings.Join(elements, "/")
}

// matchWild matches sealed strings. Its cost is exponential in the number of wildcards, which is nearly always one.
func matchWild(pattern, name string) bool {
	head, tail, wild := strings.Cut(pattern, "...")
	if !wild {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for i := 0; ; i++ {
		if matchWild(tail, rest[i:]) {
			return true
		}
		if i == len(rest) || rest[i:i+1] == sealed {
			return false
		}
	}
}
