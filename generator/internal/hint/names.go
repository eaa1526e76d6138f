// SPDX-License-Identifier: Apache-2.0

package hint

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gobuffalo/flect"
)

// inflects reports whether two names are the same, or one is the plural of the other.
func inflects(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b || flect.Pluralize(a) == b || flect.Pluralize(b) == a
}

// joins reports whether a name consists of the name of a struct, or of its end, and of the name of a member.
func joins(name, around, member string) bool {
	lower := strings.ToLower(name)
	before, ok := strings.CutSuffix(lower, strings.ToLower(member))
	return ok && before != "" && strings.HasSuffix(strings.ToLower(around), before) || strings.EqualFold(around+member, name) ||
		ok && before != "" && strings.EqualFold(around, before+"ref")
}

// shareWord reports whether two names in camel case have a word in common that says what they are about.
func shareWord(a, b string) bool {
	return slices.ContainsFunc(words(a), func(w string) bool {
		switch w {
		case "id", "ids", "name", "names", "ref", "refs", "type", "kind", "time", "status":
			return false
		}
		return slices.Contains(words(b), w)
	})
}

// words returns the words of a name in camel case, in small letters: node, ip and list of nodeIPList.
func words(name string) []string {
	var words []string
	for name != "" {
		first := LowerFirst(name)
		n := strings.IndexFunc(first, unicode.IsUpper)
		if n < 0 {
			n = len(first)
		}
		words, name = append(words, strings.ToLower(first[:n])), name[n:]
	}
	return words
}

// opposite reports whether two names are the same except for a word and its opposite.
func opposite(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	for _, words := range [][2]string{{"disabled", "enabled"}, {"disable", "enable"}, {"deny", "allow"}, {"hide", "show"}, {"exclude", "include"}, {"inactive", "active"}} {
		for _, pair := range [][2]string{{a, b}, {b, a}} {
			if strings.Contains(pair[0], words[0]) && strings.Replace(pair[0], words[0], words[1], 1) == pair[1] {
				return true
			}
		}
	}
	return false
}

// LowerFirst writes the first word of a name in lower case: httpRoute for HTTPRoute.
func LowerFirst(name string) string {
	runes := []rune(name)
	for i := range runes {
		if i > 0 && (!unicode.IsUpper(runes[i]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}
