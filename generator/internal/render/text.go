// SPDX-License-Identifier: Apache-2.0

package render

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/dave/jennifer/jen"
)

// The functions below write a user's text in another language. The text cannot end a comment or a line, and no tool
// reads it as a directive, a marker or a template.

// comment returns a one-line comment. All comments of generated Go code use it.
func comment(format string, args ...any) *jen.Statement {
	return jen.Comment(commentLine(fmt.Sprintf(format, args...))) //nolint:forbidigo // this is the function
}

func describePackage(f *jen.File, name, what string) {
	f.PackageComment(commentLine(fmt.Sprintf("Package %s %s.", name, what))) //nolint:forbidigo // made as comment makes one
}

// commentLine returns a text as a Go line comment.
func commentLine(text string) string {
	text = oneLine(text)
	if trimmed := strings.TrimLeft(text, " "); beginsDirective(trimmed) {
		text = fmt.Sprintf(`\x%02x%s`, trimmed[0], trimmed[1:])
	}
	return strings.TrimRight("// "+text, " ")
}

// oneLine escapes all characters of a text that end a line, are invisible, or change the text direction, in Go's
// syntax.
func oneLine(text string) string {
	text = suppression.ReplaceAllStringFunc(text, func(word string) string { return `\x23` + word[1:] })
	var line strings.Builder
	for _, r := range text {
		if r == ' ' || unicode.IsPrint(r) && r != unicode.ReplacementChar {
			line.WriteRune(r)
			continue
		}
		escape := strconv.QuoteRuneToASCII(r) // an invalid UTF-8 byte becomes '\ufffd'
		line.WriteString(escape[1 : len(escape)-1])
	}
	return line.String()
}

var (
	directiveWords = regexp.MustCompile(`^(\+|#|//|/\*|(?i:nolint|lint:|export |extern |line |sys |sysnb )|[a-z0-9]+:[a-z0-9]|Code generated )`)
	suppression    = regexp.MustCompile(`(?i)#(nosec|nosemgrep)`)
)

// beginsDirective reports whether a tool may read a comment with this beginning as a marker, a build constraint, a
// compiler directive or a linter directive.
func beginsDirective(text string) bool { return directiveWords.MatchString(text) }

// templateText returns a text as a constant of Helm's template language.
func templateText(text string) string {
	if strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(text)
}
