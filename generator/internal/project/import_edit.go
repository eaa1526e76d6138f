// SPDX-License-Identifier: Apache-2.0

package project

import (
	"go/token"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// rewrite returns the edits of the files with markers. Webhooks with a reason in left keep their markers.
func (im *importer) rewrite() (all edits) {
	files := map[*load.File]*edit{}
	of := func(f *load.File) *edit {
		if files[f] == nil {
			files[f] = &edit{file: f, inserted: map[int][]string{}, types: map[int]semantics.APIType{}}
		}
		return files[f]
	}
	// A +kubebuilder:webhookconfiguration names the configuration of the whole run, but a +webhook:configuration
	// applies to its package. So each package with such a webhook gets one.
	names := map[bool]string{}
	for _, c := range im.configurations {
		names[c.Mutating] = c.Name
		if !slices.ContainsFunc(im.webhooks, func(w *importedWebhook) bool { return w.left != "" && w.Mutating == c.Mutating }) {
			e := of(c.File)
			e.removed = append(e.removed, c.Pos.Line)
		}
	}
	named := map[bool][]*load.Package{}
	for _, w := range im.webhooks {
		if w.left != "" {
			continue
		}
		e := of(w.File)
		e.removed = append(e.removed, w.Pos.Line)
		if name := names[w.Mutating]; name != "" && !slices.Contains(named[w.Mutating], w.Package) {
			named[w.Mutating] = append(named[w.Mutating], w.Package)
			e.added = append(e.added, configurationMarker(w.Mutating, name))
		}
		switch h := w.holder; {
		case h == nil:
			e.added = append(e.added, w.markers(w.target())...)
		case h.onType:
			e, line := of(h.typ.File), h.typ.Line
			e.types[line] = h.typ
			e.inserted[line] = append(e.inserted[line], w.markers("")...)
		}
	}
	for f, e := range files {
		all.Put(f.Path, f.Src, e.text())
	}
	all.Change = all.Among(nil)
	return all
}

// edit collects the changes in one file.
type edit struct {
	file     *load.File
	removed  []int            // line numbers, from 1
	added    []string         // comment lines above the package clause
	inserted map[int][]string // comment lines for the end of a type's comment, by the type's first line
	types    map[int]semantics.APIType
}

// text removes the old markers. It adds the new ones in a comment above the package clause and its doc comment.
func (e *edit) text() []byte {
	lines, newline := split(e.file.Src)
	head := e.file.Position(e.file.AST.Package).Line
	if doc := e.file.AST.Doc; doc != nil && !e.emptied(doc.Pos(), doc.End(), lines) {
		head = e.file.Position(doc.Pos()).Line
	}
	var out strings.Builder
	for i, line := range lines {
		number := i + 1
		if markers := e.inserted[number]; len(markers) > 0 {
			out.WriteString(belowComment(lines, newline, e.types[number], markers))
		}
		if number == head && len(e.added) > 0 {
			out.WriteString(strings.Join(e.added, newline) + newline + newline)
		}
		if slices.Contains(e.removed, number) || isBlank(line) && e.betweenBlanks(lines, number) {
			continue
		}
		out.WriteString(line)
	}
	text := out.String()
	if len(e.removed) > 0 && slices.Max(e.removed) >= len(lines)-1 {
		text = strings.TrimRight(text, "\r\n") + newline // the last comment and the blank line above it were removed
	}
	return []byte(text)
}

// emptied reports whether all lines of a comment are removed.
func (e *edit) emptied(pos, end token.Pos, lines []string) bool {
	for n := e.file.Position(pos).Line; n <= e.file.Position(end-1).Line; n++ {
		if !slices.Contains(e.removed, n) && strings.Trim(lines[n-1], "/ \t\r\n") != "" {
			return false
		}
	}
	return true
}

// betweenBlanks reports whether a blank line follows a removed comment that follows another blank line.
func (e *edit) betweenBlanks(lines []string, number int) bool {
	above := number - 1
	for slices.Contains(e.removed, above) {
		above--
	}
	return above < number-1 && (above == 0 || isBlank(lines[above-1]))
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }
