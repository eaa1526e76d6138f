// SPDX-License-Identifier: Apache-2.0

package model

import (
	"path/filepath"
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

// Article returns a word with its indefinite article. Words with initials are read letter by letter: an HTTPRoute.
func Article(word string) string {
	vowels := "AEIOaeio"
	if len(word) > 1 && unicode.IsUpper(rune(word[1])) {
		vowels = "AEFHILMNORSX"
	}
	if strings.ContainsRune(vowels, rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// Relative returns the path of a file from a folder, with slashes.
func Relative(folder, file string) string {
	rel, err := filepath.Rel(folder, file)
	if err != nil { // on another volume
		rel = file
	}
	return filepath.ToSlash(rel)
}
