// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// fullwidth is the distance between the fullwidth forms U+FF01 to U+FF5E and their ASCII characters.
const fullwidth = '！' - '!'

// ascii returns the ASCII text for a rune that word processors, chats or web pages use in its place.
func ascii(r rune) (text string, ok bool) {
	switch {
	case r < utf8.RuneSelf:
		return "", false
	case '！' <= r && r <= '～':
		return string(r - fullwidth), true
	case unicode.IsSpace(r), unicode.Is(unicode.Zs, r):
		return " ", true
	case unicode.Is(unicode.Cf, r):
		return "", true // an invisible rune: a zero-width space, a byte order mark
	case unicode.Is(unicode.Pd, r), r == '−':
		return "-", true
	case strings.ContainsRune("‘’‚‛′", r):
		return "'", true
	case unicode.Is(unicode.Pi, r), unicode.Is(unicode.Pf, r), strings.ContainsRune("„″", r):
		return `"`, true
	case r == '∶', r == 'ː':
		return ":", true
	case r == '、':
		return ",", true
	}
	return "", false
}

// toASCII replaces each pasted character outside of quotes, and returns the offset of the first one, or -1 if there is
// none.
func toASCII(text string) (replaced string, first int) {
	first = -1
	if !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return text, first
	}
	var b strings.Builder
	var quote rune
	for i, r := range text {
		to, pasted := ascii(r)
		switch {
		case quote == 0 && pasted:
			b.WriteString(to)
			if first < 0 {
				first = i
			}
			continue
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '`'):
			quote = r
		}
		b.WriteRune(r)
	}
	return b.String(), first
}

// pasted reports the pasted character at an offset of a marker's line. In ASCII, the line would be the marker.
func pasted(l Line, offset int) diag.Diagnostic {
	r, size := utf8.DecodeRuneInString(l.Text[offset:])
	text, _ := toASCII(l.Text)
	return diag.Errorf(l.Range(offset, offset+size), RulePasted, "the character %+q (%[1]U) is not part of a marker's grammar", r).
		WithHint("in ASCII: // %s", strings.TrimSpace(text))
}
