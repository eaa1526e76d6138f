// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deeply arrays and objects may nest. It is the limit of encoding/json and of sigs.k8s.io/json, and so
// of the API server.
const MaxDepth = 10000

// Span is the range of a JSON value in a body: body[Start:End]. The zero span means that the value is absent or null.
type Span struct{ Start, End int }

// Whole returns the span of a whole text.
func Whole(src []byte) Span { return Span{0, len(src)} }

// Absent reports whether there is no value.
func (s Span) Absent() bool { return s.End == 0 }

// Of returns the text of the value.
func (s Span) Of(body []byte) []byte { return body[s.Start:s.End] }

// SyntaxError describes the violation of the JSON grammar at offset i.
func SyntaxError(src []byte, i int) error {
	if i >= len(src) {
		return fmt.Errorf("the JSON ends too early, after %d bytes", len(src))
	}
	return fmt.Errorf("unexpected %q at byte %d of the JSON, or nested deeper than %d", src[i], i, MaxDepth)
}

// The functions up to Skip read JSON that has not been checked yet. They return the offset behind the text that they
// read. If the text breaks the grammar (RFC 8259), they return the complement of the offset of the mistake, a negative
// number.

// ScanAll reads src as one value with nothing but white space around it.
func ScanAll(src []byte, value func(i int) int) int {
	i := value(Space(src, 0))
	if i < 0 {
		return i
	}
	if i = Space(src, i); i < len(src) {
		return ^i
	}
	return i
}

// Space returns the offset of the first byte that is not white space.
func Space(src []byte, i int) int {
	for uint(i) < uint(len(src)) && src[i] <= ' ' && (src[i] == ' ' || src[i] == '\n' || src[i] == '\t' || src[i] == '\r') {
		i++
	}
	return i
}

// At reports whether src has c at offset i. One unsigned comparison satisfies the bounds check of the compiler;
// ScanValue does the same with its offsets.
func At(src []byte, i int, c byte) bool { return uint(i) < uint(len(src)) && src[i] == c }

// levels are the objects and arrays around the current offset of a scan. Each level is one bit, set for an object; the
// innermost level is the lowest bit. The bit above the outermost level is a mark.
type levels uint64

const (
	outside levels = 0b10    // the mark, and a level around the value that is not an object
	full    levels = 1 << 63 // the mark has reached the end of the word
)

// closing returns the byte that ends the innermost level.
func (l levels) closing() byte { return "]}"[l&1] }

// ScanValue reads one value that nests at most depth levels.
//
// A call whose validator or defaulter reads no object spends most of its time here. So this is one loop over the
// content of the innermost level, object or array. It calls itself only when a word has no room for more levels.
func ScanValue(src []byte, i, depth int) int {
	within := outside
	for {
		if within&1 != 0 {
			if !At(src, i, '"') {
				return ^i
			}
			if i = plain(src, i+1); At(src, i, '"') {
				i++
			} else if i = scanText(src, i); i < 0 {
				return i
			}
			if !At(src, i, ':') {
				if i = Space(src, i); !At(src, i, ':') {
					return ^i
				}
			}
			i = Space(src, i+1)
		}
		if uint(i) >= uint(len(src)) {
			return ^i
		}
		switch c := src[i]; c {
		case '"':
			if i = plain(src, i+1); At(src, i, '"') {
				i++
			} else {
				i = scanText(src, i)
			}
		case '{', '[':
			if depth == 0 {
				return ^i
			}
			if within >= full {
				i = ScanValue(src, i, depth)
				break
			}
			depth--
			within <<= 1
			if c == '{' {
				within |= 1
			}
			if i = Space(src, i+1); !At(src, i, within.closing()) {
				continue
			}
		case 't':
			i = scanWord(src, i, "true")
		case 'f':
			i = scanWord(src, i, "false")
		case 'n':
			i = scanWord(src, i, "null")
		default:
			i = scanNumber(src, i)
		}
		if i < 0 {
			return i
		}
		for within != outside {
			if i = Space(src, i); uint(i) >= uint(len(src)) {
				return ^i
			}
			if src[i] == ',' {
				break
			}
			if src[i] != within.closing() {
				return ^i
			}
			i++
			depth++
			within >>= 1
		}
		if within == outside {
			return i
		}
		i = Space(src, i+1)
	}
}

// ScanObject reads the object at src[i]. It calls member for each value, with the key, the offset of the value, and the
// depth to which the value may nest.
func ScanObject(src []byte, i, depth int, member func(key Span, i, depth int) int) int {
	if depth == 0 || !At(src, i, '{') {
		return ^i
	}
	i = Space(src, i+1)
	if At(src, i, '}') {
		return i + 1
	}
	for {
		if !At(src, i, '"') {
			return ^i
		}
		key := Span{Start: i}
		if i = plain(src, i+1); At(src, i, '"') {
			i++
		} else if i = scanText(src, i); i < 0 {
			return i
		}
		key.End = i
		if i = Space(src, i); !At(src, i, ':') {
			return ^i
		}
		if i = member(key, Space(src, i+1), depth-1); i < 0 {
			return i
		}
		switch i = Space(src, i); {
		case At(src, i, ','):
			i = Space(src, i+1)
		case At(src, i, '}'):
			return i + 1
		default:
			return ^i
		}
	}
}

// ScanList reads the array at src[i]. It calls element for each element, with its offset and the depth to which it may
// nest.
func ScanList(src []byte, i, depth int, element func(i, depth int) int) int {
	if depth == 0 || !At(src, i, '[') {
		return ^i
	}
	if i = Space(src, i+1); At(src, i, ']') {
		return i + 1
	}
	for {
		if i = element(i, depth-1); i < 0 {
			return i
		}
		switch i = Space(src, i); {
		case At(src, i, ','):
			i = Space(src, i+1)
		case At(src, i, ']'):
			return i + 1
		default:
			return ^i
		}
	}
}

// ones has 1 in each of its bytes, highs the topmost bit, and lows all other bits. With them, the scan examines eight
// bytes in one step.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	lows  = 0x7f7f7f7f7f7f7f7f
)

// special marks the bytes of a word that end a plain run in a string: quotes, backslashes and control characters. It
// sets the topmost bit of each such byte. The lowest bit that it sets is always right; higher bits may come from a
// carry.
//
// Flipping the bit 2 turns a quote into a space and puts it right behind the control characters, so that one
// subtraction finds them all. Bytes with the topmost bit are not ASCII: ^(word | lows) has this bit only for ASCII
// bytes. The scan waits for this result, and that term is ready before the rest of the expression.
func special(word uint64) uint64 {
	controlOrQuote := (word ^ ones*2) - ones*(' '+1)
	backslash := (word ^ ones*'\\') - ones
	return (controlOrQuote | backslash) & ^(word | lows)
}

// plain returns the offset of the first special byte of a string, from i on. It may stop early at the end of src, where
// the bytes do not fill a word.
func plain(src []byte, i int) int {
	for ; i <= len(src)-8; i += 8 {
		if found := special(binary.LittleEndian.Uint64(src[i:])); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	return i
}

// scanText reads a string from offset i, behind its opening quote.
func scanText(src []byte, i int) int {
	for {
		i = plain(src, i)
		for ; i < len(src) && src[i] >= ' ' && src[i] != '"' && src[i] != '\\'; i++ {
			// The last few bytes do not fill a word.
		}
		if i >= len(src) || src[i] < ' ' {
			return ^i
		}
		if src[i] == '"' {
			return i + 1
		}
		if i = scanEscape(src, i+1); i < 0 {
			return i
		}
	}
}

// scanEscape reads an escape from behind its backslash.
func scanEscape(src []byte, i int) int {
	if i >= len(src) {
		return ^i
	}
	switch src[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		for range 4 {
			if i++; i >= len(src) || !isHex(src[i]) {
				return ^i
			}
		}
		return i + 1
	}
	return ^i
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

func scanWord(src []byte, i int, word string) int {
	for j := range len(word) {
		if i+j >= len(src) || src[i+j] != word[j] {
			return ^(i + j)
		}
	}
	return i + len(word)
}

func scanNumber(src []byte, i int) int {
	if src[i] == '-' {
		i++
	}
	switch {
	case i < len(src) && src[i] == '0':
		i++
	default:
		if i = scanDigits(src, i); i < 0 {
			return i
		}
	}
	if i < len(src) && src[i] == '.' {
		if i = scanDigits(src, i+1); i < 0 {
			return i
		}
	}
	if i < len(src) && (src[i] == 'e' || src[i] == 'E') {
		if i++; i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		return scanDigits(src, i)
	}
	return i
}

// scanDigits reads one digit or more.
func scanDigits(src []byte, i int) int {
	start := i
	for i < len(src) && '0' <= src[i] && src[i] <= '9' {
		i++
	}
	if i == start {
		return ^i
	}
	return i
}

// The functions from here on read JSON that has been scanned, so it is well-formed.

// Skip returns the offset behind the value at src[i].
func Skip(src []byte, i int) int {
	switch src[i] {
	case '"':
		return SkipString(src, i)
	case '{', '[':
		for depth := 0; ; {
			switch src[i] {
			case '"':
				i = SkipString(src, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(src) {
		switch src[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}

// SkipString returns the offset behind the string whose opening quote is src[i].
func SkipString(src []byte, i int) int {
	i++
	for {
		i = plain(src, i)
		for src[i] != '"' && src[i] != '\\' {
			i++
		}
		if src[i] == '"' {
			return i + 1
		}
		i += 2
	}
}

// IsNull reports whether the value at src[i] is null.
func IsNull(src []byte, i int) bool { return src[i] == 'n' }

// Text returns the string at src[at.Start:at.End] as encoding/json reads it: it resolves escapes and replaces invalid
// UTF-8 with U+FFFD. The result is a part of src unless it has to be rewritten.
func Text(src []byte, at Span) []byte {
	raw := src[at.Start+1 : at.End-1]
	if IsPlain(raw) || bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return raw
	}
	return unescape(raw)
}

// IsPlain reports whether raw is ASCII without a backslash.
func IsPlain(raw []byte) bool {
	for len(raw) >= 8 {
		word := binary.LittleEndian.Uint64(raw)
		slash := word ^ (ones * '\\')
		if (word|(slash-ones)&^slash)&highs != 0 {
			return false
		}
		if len(raw) == 8 {
			return true
		}
		raw = raw[min(8, len(raw)-8):] // The last word begins in the one before it.
	}
	for _, c := range raw {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unescape resolves the escapes in the content of a string.
func unescape(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '\\':
			var r rune
			r, i = escaped(raw, i+1)
			out = utf8.AppendRune(out, r)
		case c < utf8.RuneSelf:
			out = append(out, c)
			i++
		default:
			r, size := utf8.DecodeRune(raw[i:])
			out = utf8.AppendRune(out, r)
			i += size
		}
	}
	return out
}

// escaped returns the rune of the escape behind a backslash, and the offset behind the escape. Half a surrogate pair is
// U+FFFD.
func escaped(raw []byte, i int) (rune, int) {
	switch raw[i] {
	case 'b':
		return '\b', i + 1
	case 'f':
		return '\f', i + 1
	case 'n':
		return '\n', i + 1
	case 'r':
		return '\r', i + 1
	case 't':
		return '\t', i + 1
	case 'u':
		r := hex4(raw[i+1:])
		i += 5
		if !utf16.IsSurrogate(r) {
			return r, i
		}
		if i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' {
			if pair := utf16.DecodeRune(r, hex4(raw[i+2:])); pair != utf8.RuneError {
				return pair, i + 6
			}
		}
		return utf8.RuneError, i
	}
	return rune(raw[i]), i + 1
}

func hex4(digits []byte) rune {
	var r rune
	for _, c := range digits[:4] {
		switch {
		case c >= 'a':
			c -= 'a' - 10
		case c >= 'A':
			c -= 'A' - 10
		default:
			c -= '0'
		}
		r = r<<4 | rune(c)
	}
	return r
}
