// SPDX-License-Identifier: Apache-2.0

package wire

import "unicode/utf8"

const hexDigits = "0123456789abcdef"

// AppendText appends s as a JSON string. Invalid UTF-8 becomes U+FFFD.
func AppendText(out []byte, s string) []byte {
	inside := len(out) + len(`"`)
	out = append(append(append(out, '"'), s...), '"')
	if IsPlain(out[inside:]) && scanText(out, inside) == len(out) {
		return out // Nearly all strings need no escapes.
	}
	out = out[:inside]
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r != utf8.RuneError || size > 1 {
				i += size
				continue
			}
		}
		out = append(out, s[start:i]...)
		switch {
		case c >= utf8.RuneSelf:
			out = append(out, "\ufffd"...)
		case c == '"', c == '\\':
			out = append(out, '\\', c)
		default:
			out = append(out, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		start = i
	}
	return append(append(out, s[start:]...), '"')
}
