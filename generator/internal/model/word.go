// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Upper returns a word with a capital letter.
func Upper(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// Camel joins the words of a text, each with a capital letter. Words consist of letters and digits.
func Camel(text string) (name string) {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		name += Upper(word)
	}
	return name
}
