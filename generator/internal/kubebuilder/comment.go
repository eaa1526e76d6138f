// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"go/ast"
	"go/token"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// comment is a comment line that begins with a + sign.
type comment struct {
	file *load.File
	pos  token.Pos // of the +
	text string    // from the + on, without blanks at the end
}

// rangeOf returns the range of a part of the text in the file.
func (c comment) rangeOf(s span) diag.Range {
	return c.file.Range(c.pos+token.Pos(s.from), c.pos+token.Pos(s.to))
}

func (c comment) whole() diag.Range { return c.rangeOf(span{0, len(c.text)}) }

func (c comment) diagnostics(faults []fault) (diags diag.List) {
	for _, f := range faults {
		diags.Add(diag.Diagnostic{Range: c.rangeOf(f.span), Severity: f.severity, Rule: f.rule, Message: f.message, Hint: f.hint})
	}
	return diags
}

// commentsOf returns a file's webhook markers in the order in which controller-gen collects them: markers before a type
// come last. It reports markers that controller-gen does not collect or does not recognize, but that were meant for it.
func commentsOf(f *load.File) (taken []comment, stray diag.List) {
	var beforeTypes []comment
	var placed placement
	for _, g := range f.AST.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "/*") {
				stray.Add(inBlock(f, c)...)
				continue
			}
			m, ok := lineMarker(f, c)
			if !ok {
				continue
			}
			_, _, known := identify(m.text)
			meant, near := misspelt(m.text)
			if !known && !near {
				continue
			}
			if placed.file == nil {
				placed = newPlacement(f.AST)
			}
			where, dropped := placed.dropped(g)
			switch {
			case isExample(c) && (dropped || !known):
			case !known:
				stray.Add(diag.Warningf(m.whole(), ruleName, "controller-gen does not know this marker, so that it has no effect").
					WithHint("write +%s:argument=value,...", meant))
			case dropped:
				stray.Add(diag.Warningf(m.whole(), rulePlacement, "controller-gen drops this marker, because it is %s", where).
					WithHint("write it above the package clause, or between declarations with a blank line below it"))
			case placed.nearest[g]:
				beforeTypes = append(beforeTypes, m)
			default:
				taken = append(taken, m)
			}
		}
	}
	return append(taken, beforeTypes...), stray
}

// lineMarker returns the text of a // comment if it begins with a + sign.
func lineMarker(f *load.File, c *ast.Comment) (comment, bool) {
	text := strings.TrimLeftFunc(c.Text[len("//"):], unicode.IsSpace)
	m := comment{f, c.Pos() + token.Pos(len(c.Text)-len(text)), strings.TrimRightFunc(text, unicode.IsSpace)}
	return m, strings.HasPrefix(text, "+")
}

// isExample reports whether gofmt treats a // comment as a line of code.
func isExample(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//\t") }

// inBlock reports the markers in a /* */ comment.
func inBlock(f *load.File, c *ast.Comment) (stray diag.List) {
	at := c.Pos()
	for line := range strings.Lines(c.Text) {
		text := strings.TrimLeft(line, "/* \t")
		m := comment{f, at + token.Pos(len(line)-len(text)), strings.TrimRight(strings.TrimSuffix(strings.TrimSpace(text), "*/"), " \t")}
		at += token.Pos(len(line))
		if !strings.HasPrefix(text, "+") {
			continue
		}
		if _, _, known := identify(m.text); known {
			stray.Add(diag.Warningf(m.whole(), ruleBlockComment, "controller-gen does not read markers in /* */ comments").
				WithHint("write // in front of it"))
		}
	}
	return stray
}
