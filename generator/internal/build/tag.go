// SPDX-License-Identifier: Apache-2.0

package build

import (
	"go/ast"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// tag is a marker of another tool, such as +groupName=shop.example.com, from which something is derived.
type tag struct {
	diag.Range
	value string
}

// findTag returns the last +name=value of the comments.
func findTag(file *load.File, groups []*ast.CommentGroup, name string) (found tag, ok bool) {
	for _, g := range groups {
		for _, line := range marker.Lines(g, file.Position) {
			text := strings.TrimSpace(line.Text)
			rest, is := strings.CutPrefix(text, "+"+name)
			if !is || rest != "" && rest[0] != '=' && rest[0] != ':' {
				continue
			}
			at := diag.Range{Pos: line.Pos, End: line.Pos}
			at.Pos.Column += strings.Index(line.Text, "+")
			at.End.Column += len(line.Text)
			value := ""
			if rest != "" {
				value = rest[1:]
			}
			found, ok = tag{Range: at, value: value}, true
		}
	}
	return found, ok
}

// option returns one of a tag's "key=value,key=value".
func (t tag) option(key string) (string, bool) {
	for _, piece := range strings.Split(t.value, ",") {
		if k, v, ok := strings.Cut(strings.TrimSpace(piece), "="); ok && k == key {
			return strings.Trim(v, "\"`"), true
		}
	}
	return "", false
}
