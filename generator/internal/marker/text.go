// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Line is a line of a comment without //, /* and */.
type Line struct {
	Text string
	// Pos is the position of Text's first byte.
	Pos diag.Position
}

// Range returns the range of a part of the line in the file.
func (l Line) Range(from, to int) diag.Range {
	r := diag.Range{Pos: l.Pos, End: l.Pos}
	r.Pos.Column += from
	r.End.Column += to
	return r
}

// Lines returns the lines of a comment group.
func Lines(group *ast.CommentGroup, position func(token.Pos) diag.Position) []Line {
	var lines []Line
	for _, c := range group.List {
		at := position(c.Pos())
		at.Column += len("//")
		text, ok := strings.CutPrefix(c.Text, "//")
		if ok {
			lines = append(lines, Line{Text: text, Pos: at})
			continue
		}
		for i, l := range strings.Split(c.Text[len("/*"):len(c.Text)-len("*/")], "\n") {
			if i > 0 {
				at.Line, at.Column = at.Line+1, 1
			}
			// Between /* and */, the indentation is that of the code and has no meaning.
			text := strings.TrimLeft(l, " \t")
			begin := at
			begin.Column += len(l) - len(text)
			lines = append(lines, Line{Text: text, Pos: begin})
		}
	}
	return lines
}

// Parse returns the markers of a comment whose name is the prefix, or begins with the prefix and a colon.
func Parse(lines []Line, prefix string) ([]Marker, diag.List) {
	var markers []Marker
	var diags diag.List
	begins := func(l Line) bool { _, ok := start(l, prefix); return ok }
	for i := 0; i < len(lines); {
		column, ok := start(lines[i], prefix)
		if !ok {
			if text, first := toASCII(lines[i].Text); first >= 0 && begins(Line{Text: text}) {
				diags.Add(pasted(lines[i], first))
			}
			i++
			continue
		}
		lexemes, next, bad := lex(lines, i, column, begins)
		diags.Add(bad...)
		if len(bad) == 0 {
			m, bad := parse(lexemes)
			if pairs, ok := equations(lexemes); ok && len(bad) > 0 {
				m.Equations, m.syntax, bad = pairs, bad, nil
			}
			if diags.Add(bad...); len(bad) == 0 {
				markers = append(markers, m)
			}
		}
		i = max(next, i+1)
	}
	return markers, diags
}

// start returns the column of the + if a marker with the prefix begins the line.
func start(l Line, prefix string) (column int, ok bool) {
	trimmed := strings.TrimLeft(l.Text, " ")
	rest, ok := strings.CutPrefix(trimmed, "+"+prefix)
	if !ok {
		return 0, false
	}
	if rest != "" && rest[0] != ':' && strings.IndexFunc(rest, isNameInterior) == 0 {
		return 0, false // a longer word of another tool
	}
	return len(l.Text) - len(trimmed), true
}

// isNameInterior reports whether a marker's name may contain the rune, as in codetags.
func isNameInterior(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-:", r)
}
