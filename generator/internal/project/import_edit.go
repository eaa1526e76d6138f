// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"cmp"
	"go/token"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/build"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// fileEdit is a file of the user's with its markers rewritten.
type fileEdit struct {
	File *load.File
	// Text is the file's new text.
	Text []byte
}

// rewrite returns the files that hold markers, by path, as they are to be. Webhooks that are left keep their markers.
func (im *importer) rewrite() []fileEdit {
	edits := map[*load.File]*edit{}
	of := func(f *load.File) *edit {
		if edits[f] == nil {
			edits[f] = &edit{file: f, inserted: map[int][]string{}}
		}
		return edits[f]
	}
	// One +kubebuilder:webhookconfiguration names the object of the whole run; a
	// +webhook:configuration speaks for its package, so each package with such a webhook gets one.
	names := map[bool]string{}
	for _, c := range im.configurations {
		names[c.Mutating] = c.Name
		if !slices.ContainsFunc(im.webhooks, func(w *importedWebhook) bool { return w.left != "" && w.Mutating == c.Mutating }) {
			of(c.File).remove(c.Range)
		}
	}
	named := map[*load.Package]map[bool]bool{}
	for _, w := range im.webhooks {
		if w.left != "" {
			continue
		}
		e := of(w.File)
		e.remove(w.Range)
		if name := names[w.Mutating]; name != "" && !named[w.Package][w.Mutating] {
			if named[w.Package] == nil {
				named[w.Package] = map[bool]bool{}
			}
			named[w.Package][w.Mutating] = true
			e.add(configurationMarker(w.Mutating, name))
		}
		switch a := w.adapter; {
		case a == nil:
			e.add(w.markers(w.target())...)
		case a.onType:
			of(a.typ.File).insert(a.typ, w.markers("")...)
		}
	}
	var done []fileEdit
	for _, e := range edits {
		done = append(done, fileEdit{e.file, e.text()})
	}
	slices.SortFunc(done, func(a, b fileEdit) int { return cmp.Compare(a.File.Path, b.File.Path) })
	return done
}

// edit collects the changes in one file.
type edit struct {
	file     *load.File
	removed  []int            // line numbers, from 1
	added    []string         // comment lines above the package clause
	inserted map[int][]string // comment lines above a type, by the number of its first line
	marked   []int            // types that had markers before
}

func (e *edit) remove(at diag.Range) { e.removed = append(e.removed, at.Pos.Line) }

func (e *edit) add(lines ...string) { e.added = append(e.added, lines...) }

// insert adds markers at the end of a type's comment.
func (e *edit) insert(t build.APIType, lines ...string) {
	e.inserted[t.Line] = append(e.inserted[t.Line], lines...)
	if slices.ContainsFunc(t.Markers, func(m marker.Marker) bool { return m.End.Line == t.Line-1 }) {
		e.marked = append(e.marked, t.Line)
	}
}

// text takes the old markers out and puts the new ones into a comment of their own above the
// package clause and its doc comment.
func (e *edit) text() []byte {
	newline := "\n"
	if bytes.Contains(e.file.Src, []byte("\r\n")) {
		newline = "\r\n"
	}
	lines := strings.SplitAfter(string(e.file.Src), "\n")
	head := e.file.Position(e.file.AST.Package).Line
	if doc := e.file.AST.Doc; doc != nil && !e.emptied(doc.Pos(), doc.End(), lines) {
		head = e.file.Position(doc.Pos()).Line
	}
	var out strings.Builder
	for i, line := range lines {
		number := i + 1
		if markers := e.inserted[number]; len(markers) > 0 {
			indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
			if above := comment(lines, i-1); above != "" && !strings.HasPrefix(above, "+") && !slices.Contains(e.marked, number) {
				markers = slices.Insert(slices.Clone(markers), 0, "//")
			}
			for _, m := range markers {
				out.WriteString(indent + m + newline)
			}
		}
		if number == head && len(e.added) > 0 {
			for _, l := range e.added {
				out.WriteString(l + newline)
			}
			out.WriteString(newline)
		}
		if slices.Contains(e.removed, number) || isBlank(line) && e.betweenBlanks(lines, number) {
			continue
		}
		out.WriteString(line)
	}
	text := out.String()
	if len(e.removed) > 0 && slices.Max(e.removed) >= len(lines)-1 {
		text = strings.TrimRight(text, "\r\n") + newline // the last comment is gone, and the blank line above it
	}
	return []byte(text)
}

// emptied reports whether nothing is left of a comment.
func (e *edit) emptied(pos, end token.Pos, lines []string) bool {
	for n := e.file.Position(pos).Line; n <= e.file.Position(end-1).Line; n++ {
		if !slices.Contains(e.removed, n) && strings.Trim(lines[n-1], "/ \t\r\n") != "" {
			return false
		}
	}
	return true
}

// betweenBlanks reports a blank line above which a whole comment has gone, with a blank line before that.
func (e *edit) betweenBlanks(lines []string, number int) bool {
	above := number - 1
	for slices.Contains(e.removed, above) {
		above--
	}
	return above < number-1 && (above == 0 || isBlank(lines[above-1]))
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }
