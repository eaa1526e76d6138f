// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// lexeme is a lexical element of a marker: a word, a string or a punctuation mark.
type lexeme struct {
	diag.Range
	kind      lexemeKind
	text      string          // strings are without quotes and escapes
	positions []diag.Position // for a string, the position of each byte of text and of the end
}

type lexemeKind int

const (
	lexWord   lexemeKind = iota // a run of other characters
	lexString                   // a quoted string
	lexPunct                    // one of ( ) , : =
)

func (t lexeme) is(punct string) bool { return t.kind == lexPunct && t.text == punct }

// lexer splits a marker into lexemes, line by line. Its positions are those of the characters on disk.
type lexer struct {
	lines  []Line
	line   int // current line
	column int // byte offset in it
	begins func(Line) bool
	diags  diag.List
}

// lex reads the marker that begins with a + at lines[start], in the column. It returns its lexemes, beginning with
// the name, and the index of the line after the marker. A marker ends with its line unless a parenthesis or quote is
// open. begins reports whether another marker begins on a line, which ends an unclosed marker.
func lex(lines []Line, start, column int, begins func(Line) bool) (lexemes []lexeme, next int, diags diag.List) {
	l := &lexer{lines: lines, line: start, column: column + 1, begins: begins}
	lexemes = append(lexemes, l.run(isNameInterior))
	var open *lexeme
	for {
		if l.skipBlanks(); l.atEnd() {
			if open == nil {
				break
			}
			if !l.nextLine() {
				l.diags.Add(diag.Errorf(open.Range, RuleSyntax, "this parenthesis is never closed"))
				break
			}
			continue
		}
		t, ok := l.next()
		if !ok {
			break
		}
		if t.kind == lexWord {
			if _, first := toASCII(t.text); first >= 0 {
				l.diags.Add(pasted(l.lines[l.line], l.column-len(t.text)+first))
				break
			}
		}
		switch {
		case t.is("(") && open == nil:
			open = &t
		case t.is(")"):
			open = nil
		}
		lexemes = append(lexemes, t)
	}
	return lexemes, l.line + 1, l.diags
}

func (l *lexer) rest() string { return l.lines[l.line].Text[l.column:] }

func (l *lexer) atEnd() bool { return l.column >= len(l.lines[l.line].Text) }

func (l *lexer) position() diag.Position {
	p := l.lines[l.line].Pos
	p.Column += l.column
	return p
}

// nextLine moves to the next line. It returns false after the last line or if a new marker begins.
func (l *lexer) nextLine() bool {
	if l.line+1 >= len(l.lines) || l.begins(l.lines[l.line+1]) {
		return false
	}
	l.line, l.column = l.line+1, 0
	return true
}

// skipBlanks skips blanks and a trailing comment, which begins with a # after a blank.
func (l *lexer) skipBlanks() {
	before := l.column
	l.column += len(l.rest()) - len(strings.TrimLeftFunc(l.rest(), unicode.IsSpace))
	if (l.column > before || l.column == 0) && strings.HasPrefix(l.rest(), "#") {
		l.column = len(l.lines[l.line].Text)
	}
}

func (l *lexer) next() (lexeme, bool) {
	switch c := l.rest()[0]; c {
	case '(', ')', ',', ':', '=':
		return l.take(lexPunct, 1), true
	case '"', '`':
		return l.string(c)
	}
	return l.run(func(r rune) bool { return !strings.ContainsRune("(),:=\"`", r) && !unicode.IsSpace(r) }), true
}

// run reads the longest run of characters that satisfy in.
func (l *lexer) run(in func(rune) bool) lexeme {
	return l.take(lexWord, len(l.rest())-len(strings.TrimLeftFunc(l.rest(), in)))
}

// take reads the next length bytes of the line.
func (l *lexer) take(kind lexemeKind, length int) lexeme {
	t := lexeme{kind: kind, text: l.rest()[:length], Range: diag.Range{Pos: l.position()}}
	l.column += length
	t.End = l.position()
	return t
}

// string reads a quoted string, which may continue on other lines.
func (l *lexer) string(quote byte) (lexeme, bool) {
	t := lexeme{kind: lexString, Range: diag.Range{Pos: l.position()}}
	var text strings.Builder
	add := func(s string, at diag.Position) {
		text.WriteString(s)
		for range len(s) {
			t.positions = append(t.positions, at)
		}
	}
	ok := true
	l.column++
	for {
		if l.atEnd() {
			if !l.nextLine() {
				opening := diag.Range{Pos: t.Pos, End: t.Pos}
				opening.End.Column++
				l.diags.Add(diag.Errorf(opening, RuleSyntax, "this quote is never closed"))
				return lexeme{}, false
			}
			if quote == '`' {
				add("\n", l.position())
				l.column += len(l.rest()) - len(strings.TrimPrefix(l.rest(), " "))
				continue
			}
			// The blanks around a line break are one blank, so that indentation has no effect.
			joined := strings.TrimRightFunc(text.String(), unicode.IsSpace)
			text.Reset()
			text.WriteString(joined)
			t.positions = t.positions[:len(joined)]
			l.column += len(l.rest()) - len(strings.TrimLeftFunc(l.rest(), unicode.IsSpace))
			if joined != "" {
				add(" ", l.position())
			}
			continue
		}
		at, rest := l.position(), l.rest()
		switch {
		case rest[0] == quote:
			l.column++
			t.End, t.text = l.position(), text.String()
			t.positions = append(t.positions, at)
			return t, ok
		case rest[0] == '\\' && quote == '"':
			r, multibyte, tail, err := strconv.UnquoteChar(rest, quote)
			if err != nil {
				end := at
				end.Column += min(2, len(rest))
				l.diags.Add(diag.Errorf(diag.Range{Pos: at, End: end}, RuleSyntax, "unknown escape %s", rest[:min(2, len(rest))]).
					WithHint("the escapes are Go's; in backticks the text is taken as it is"))
				l.column += min(2, len(rest))
				continue
			}
			l.column += len(rest) - len(tail)
			if multibyte || r < utf8.RuneSelf {
				add(string(r), at)
			} else {
				add(string([]byte{byte(r)}), at)
			}
		default:
			_, size := utf8.DecodeRuneInString(rest)
			for i := range size {
				add(rest[i:i+1], l.position())
				l.column++
			}
		}
	}
}
