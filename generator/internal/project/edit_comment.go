// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// addMarkers adds markers, such as "webhook:validating(...)", to the end of a type's comment. All other bytes stay
// unchanged.
func addMarkers(text []byte, t semantics.APIType, markers ...string) []byte {
	if len(markers) == 0 {
		return text
	}
	var added []string
	for _, m := range markers {
		added = append(added, "// +"+m)
	}
	lines, newline := split(text)
	return []byte(strings.Join(slices.Insert(lines, t.Line-1, belowComment(lines, newline, t, added)), ""))
}

// belowComment returns the lines to add to a type's comment. An empty line separates markers from other text.
func belowComment(lines []string, newline string, t semantics.APIType, added []string) string {
	at := t.Line - 1
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
	follows := slices.ContainsFunc(t.Markers, func(m marker.Marker) bool { return m.End.Line == at })
	if above := comment(lines, at-1); above != "" && !strings.HasPrefix(above, "+") && !follows {
		added = slices.Concat([]string{"//"}, added)
	}
	return indent + strings.Join(added, newline+indent) + newline
}

// addOperations adds missing operations to a marker. All other bytes and the number of lines stay unchanged.
func addOperations(text []byte, m marker.Marker, operations []string) ([]byte, error) {
	if len(operations) == 0 {
		return text, nil
	}
	i := slices.IndexFunc(m.Arguments, func(a marker.Argument) bool { return a.Name == "operations" })
	if i < 0 || m.Arguments[i].Value.Pos.Line != m.Arguments[i].Value.End.Line {
		return nil, fmt.Errorf("%s:%d: add the operations %s to this marker yourself", m.Pos.File, m.Pos.Line, strings.Join(operations, ";"))
	}
	value := m.Arguments[i].Value
	all := strings.Split(value.Text, ";")
	for _, o := range operations {
		switch {
		case slices.Contains(all, o) || slices.Contains(all, "*"):
		case o == "*":
			all = []string{o}
		default:
			all = append(all, o)
		}
	}
	written := strings.Join(all, ";")
	if written == value.Text {
		return text, nil
	}
	lines, _ := split(text)
	line := lines[value.Pos.Line-1]
	lines[value.Pos.Line-1] = line[:value.Pos.Column-1] + strconv.Quote(written) + line[value.End.Column-1:]
	return []byte(strings.Join(lines, "")), nil
}

// removeMarkers removes the markers at the ranges from a text. It also removes an empty comment line above them that
// no longer separates anything.
func removeMarkers(text []byte, at []diag.Range) ([]byte, error) {
	lines, _ := split(text)
	gone := make([]bool, len(lines))
	for _, r := range at {
		for n := r.Pos.Line - 1; n < r.End.Line; n++ {
			if !isComment(lines[n]) {
				return nil, errors.New("the marker is in a /* */ comment: remove it by hand")
			}
			gone[n] = true
		}
	}
	for n := 1; n < len(lines); n++ {
		if !gone[n] || gone[n-1] || !isEmptyComment(lines[n-1]) {
			continue
		}
		next := n
		for next < len(lines) && gone[next] {
			next++
		}
		gone[n-1] = next == len(lines) || !isComment(lines[next]) || isEmptyComment(lines[next])
	}
	for n := range lines {
		if gone[n] {
			lines[n] = ""
		}
	}
	return []byte(strings.Join(lines, "")), nil
}

func isComment(line string) bool { return strings.HasPrefix(strings.TrimSpace(line), "//") }

func isEmptyComment(line string) bool { return strings.TrimSpace(line) == "//" }

// comment returns the text of a line comment, or "".
func comment(lines []string, n int) string {
	if n < 0 {
		return ""
	}
	text, ok := strings.CutPrefix(strings.TrimSpace(lines[n]), "//")
	if !ok {
		return ""
	}
	return strings.TrimSpace(text)
}

// split returns the lines of a text with their ends, and the line end in use.
func split(text []byte) (lines []string, newline string) {
	newline = "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	return strings.SplitAfter(string(text), "\n"), newline
}
