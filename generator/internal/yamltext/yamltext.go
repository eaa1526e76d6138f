// SPDX-License-Identifier: Apache-2.0

// Package yamltext finds the positions of the nodes of package yaml in a file, and cleans its error messages.
package yamltext

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// File is a file by line.
type File struct {
	Path  string
	Lines [][]byte
}

// New cuts a file into lines.
func New(path string, text []byte) File { return File{path, Lines(text)} }

// Lines cuts a text after each line, by the YAML parser's line ends: its positions count these lines. The text after
// the last line end, mostly empty, is a line too.
func Lines(text []byte) [][]byte {
	var lines [][]byte
	for {
		i := bytes.IndexAny(text, "\n\r\u0085\u2028\u2029")
		if i < 0 {
			return append(lines, text)
		}
		_, size := utf8.DecodeRune(text[i:])
		if bytes.HasPrefix(text[i:], []byte("\r\n")) {
			size = 2
		}
		lines = append(lines, text[:i+size])
		text = text[i+size:]
	}
}

// Range returns the position of a node: all of it if it is one plain or quoted word, else its beginning. It is the file
// alone if the node has no line.
func (f File) Range(node *yaml.Node) diag.Range {
	if node.Line < 1 {
		return diag.InFile(f.Path)
	}
	if last := len(f.Lines); node.Line > last { // an empty document with nothing but the "---"
		end := len(f.Lines[last-1])
		return f.Span(last, end, end)
	}
	line := string(f.Lines[node.Line-1])
	from := offset(line, node.Column-1)
	to := from
	for _, word := range []string{node.Value, `"` + node.Value + `"`, "'" + node.Value + "'"} {
		if node.Kind == yaml.ScalarNode && strings.HasPrefix(line[from:], word) {
			to = from + len(word)
		}
	}
	return f.Span(node.Line, from, to)
}

// Span is a piece of a line, from a byte offset up to another.
func (f File) Span(line, from, to int) diag.Range {
	return diag.Range{
		Pos: diag.Position{File: f.Path, Line: line, Column: from + 1},
		End: diag.Position{File: f.Path, Line: line, Column: to + 1},
	}
}

// offset converts the columns of package yaml, which count characters and no byte order mark, to bytes.
func offset(line string, characters int) int {
	at := len(line) - len(strings.TrimPrefix(line, "\ufeff"))
	for ; characters > 0 && at < len(line); characters-- {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// Message strips an error of package yaml of the line that it may begin with: that is the line of the innermost
// mapping or list, and counts from 0 or from 1.
func Message(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		_, text, _ = strings.Cut(rest, ": ")
	}
	return text
}

// Documents returns the contents of the documents of a text, up to the first that is not YAML.
func Documents(text []byte) (contents []*yaml.Node, err error) {
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return contents, nil
		}
		if err != nil {
			return contents, err
		}
		contents = append(contents, document.Content[0])
	}
}

// Entry is a key and its value.
type Entry struct{ Key, Value *yaml.Node }

// Lookup returns an entry of a mapping, or an entry in its value; its nodes are nil without a key or a mapping.
func Lookup(mapping *yaml.Node, key string, below ...string) Entry {
	for name, value := range Entries(mapping) {
		switch {
		case name.Value != key:
		case len(below) > 0:
			return Lookup(value, below[0], below[1:]...)
		default:
			return Entry{name, value}
		}
	}
	return Entry{}
}

// Text returns the text of the value that Lookup finds; empty without one.
func Text(mapping *yaml.Node, key string, below ...string) string {
	if value := Lookup(mapping, key, below...).Value; value != nil {
		return value.Value
	}
	return ""
}

// Entries yields the keys of a mapping and their values. Any other node has none.
func Entries(mapping *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		if mapping == nil || mapping.Kind != yaml.MappingNode {
			return
		}
		for pair := range slices.Chunk(mapping.Content, 2) {
			if !yield(pair[0], pair[1]) {
				return
			}
		}
	}
}

// Resolve returns the node that an alias refers to.
func Resolve(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
