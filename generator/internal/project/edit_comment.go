// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/build"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// addMarkers returns the text of a type's file with markers, "webhook:validating(...)", at the end of the
// type's comment. Every other byte stays as it is.
func addMarkers(text []byte, t build.APIType, markers ...string) []byte {
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

// belowComment returns comment lines for the end of a type's comment. An empty one parts markers from other text.
func belowComment(lines []string, newline string, t build.APIType, added []string) string {
	at := t.Line - 1
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], " \t"))]
	follows := slices.ContainsFunc(t.Markers, func(m marker.Marker) bool { return m.End.Line == at })
	if above := comment(lines, at-1); above != "" && !strings.HasPrefix(above, "+") && !follows {
		added = slices.Concat([]string{"//"}, added)
	}
	return indent + strings.Join(added, newline+indent) + newline
}

// addOperations returns the text of a file with the operations that a marker lacks. Every other byte stays as it is,
// and the number of lines, too.
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

// removeMarkers returns the text of a file without the markers in the ranges, and without the empty comment line above
// them that would then part nothing.
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

// comment is the text of a line comment; empty if the line has no comment.
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

// split takes a text apart into lines with their ends, and tells how they end.
func split(text []byte) (lines []string, newline string) {
	newline = "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	return strings.SplitAfter(string(text), "\n"), newline
}
