package conversion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// What is here reads JSON (RFC 8259) that is known to be well-formed, without decoding it: to find the members of an
// object is much cheaper than to make Go values of them. Such text neither begins nor ends with white space.

// member is a member of an object: its name with the quotes and escapes that it is written with, and its value.
type member struct{ key, value []byte }

// is reports whether the member has this name.
func (m member) is(name string) bool {
	inside := m.key[1 : len(m.key)-1]
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside) == name
	}
	return unquoted(m.key) == name
}

// members are those of an object in their order; of any other value there are none.
func members(text []byte) iter.Seq[member] {
	return func(yield func(member) bool) {
		if !isObject(text) {
			return
		}
		for i := skipSpace(text, 1); text[i] != '}'; {
			key := i
			i = skipString(text, i)
			value := skipSpace(text, skipSpace(text, i)+len(":"))
			end := skipValue(text, value)
			if !yield(member{text[key:i], text[value:end]}) {
				return
			}
			i = skipSeparator(text, end)
		}
	}
}

// elements are those of an array in their order; of any other value there are none.
func elements(text []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if text[0] != '[' {
			return
		}
		for i := skipSpace(text, 1); text[i] != ']'; {
			end := skipValue(text, i)
			if !yield(text[i:end]) {
				return
			}
			i = skipSeparator(text, end)
		}
	}
}

func isObject(text []byte) bool { return len(text) > 0 && text[0] == '{' }

func isNull(text []byte) bool { return text[0] == 'n' }

// valueOf is the value of an object's member; nil where there is none, or null.
func valueOf(object []byte, name string) []byte {
	for m := range members(object) {
		if m.is(name) && !isNull(m.value) {
			return m.value
		}
	}
	return nil
}

// stringOf is what a string says, and an error for any other value. No value is no string.
func stringOf(text []byte) (string, error) {
	switch {
	case text == nil || isNull(text):
		return "", nil
	case text[0] != '"':
		return "", fmt.Errorf("%s stands where a string belongs", kindOf(text))
	}
	return unquoted(text), nil
}

// unquoted is what a string says.
func unquoted(text []byte) string {
	if inside := text[1 : len(text)-1]; bytes.IndexByte(inside, '\\') < 0 {
		return string(bytes.ToValidUTF8(inside, []byte("\ufffd")))
	}
	var s string
	_ = json.Unmarshal(text, &s) // which takes every string that is well-formed
	return s
}

// appendString appends a string as JSON.
func appendString(out []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // which takes every string
	return append(out, quoted...)
}

// kindOf names the JSON type of a value, for messages.
func kindOf(text []byte) string {
	switch text[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

// The functions below return the offset behind what they skip.

func skipSpace(text []byte, i int) int {
	for text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r' {
		i++
	}
	return i
}

// skipSeparator skips the comma behind a member or element, if there is one.
func skipSeparator(text []byte, i int) int {
	if i = skipSpace(text, i); text[i] == ',' {
		i = skipSpace(text, i+1)
	}
	return i
}

// skipString skips the string whose opening quote is text[i].
func skipString(text []byte, i int) int {
	for start := i + 1; ; {
		i += 1 + bytes.IndexByte(text[i+1:], '"')
		escapes := 0
		for escapes < i-start && text[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

func skipValue(text []byte, i int) int {
	switch text[i] {
	case '"':
		return skipString(text, i)
	case '{', '[':
		for depth := 0; ; {
			switch text[i] {
			case '"':
				i = skipString(text, i)
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
	for i < len(text) && !slices.Contains([]byte(",}] \n\t\r"), text[i]) {
		i++
	}
	return i
}
