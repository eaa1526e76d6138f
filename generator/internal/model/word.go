// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Upper returns a word with an upper-case first letter.
func Upper(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// Camel joins the words of a text in camel case. Words consist of letters and digits.
func Camel(text string) (name string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		name += Upper(word)
	}
	return name
}
