// SPDX-License-Identifier: Apache-2.0

package load

import "strings"

// wildcard is a package pattern that holds "..." at least once; "..." stands for any string.
// Two rules make it differ from other wildcards ("go help packages", cmd/internal/pkgpattern):
//
//   - a final "/..." may stand for nothing, so that api/... matches api;
//   - "..." never stands for something below a folder named vendor, which a pattern has to
//     name itself.
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

// reaches reports whether the pattern may match something below a name. A walk turns back where it cannot.
func (w wildcard) reaches(name string) bool {
	if name == "" {
		return true
	}
	below := seal(name + "/")
	return (strings.HasPrefix(w.head, name+"/") || strings.HasPrefix(name+"/", w.head)) &&
		strings.Count(below, sealed) <= strings.Count(w.pattern, sealed)
}

// sealed stands for "vendor" where something lies below it: what no "..." matches.
const sealed = "\x00"

// seal replaces the elements named vendor, except the last.
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

// matchWild matches sealed strings. Its cost grows with the power of the number of
// wildcards, which is one in all but the strangest patterns.
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
