package config

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// file is the file as it is read: its text, and what is wrong with it so far.
type file struct {
	path     string
	source   []byte
	lines    []string
	given    map[string]*yaml.Node // the keys by full name
	problems diag.List
}

func newFile(path string, source []byte) *file {
	return &file{
		path: path, source: source,
		lines: strings.SplitAfter(string(source), "\n"),
		given: make(map[string]*yaml.Node),
	}
}

// errorAt makes an error at a key or value.
func (f *file) errorAt(node *yaml.Node, rule, format string, args ...any) diag.Diagnostic {
	return diag.Errorf(f.place(node), rule, format, args...)
}

// start is the first place in the file.
func (f *file) start() diag.Range { return f.span(1, 0, 0) }

// span is a piece of a line, from a byte offset up to another.
func (f *file) span(line, from, to int) diag.Range {
	return diag.Range{
		Pos: diag.Position{File: f.path, Line: line, Column: from + 1},
		End: diag.Position{File: f.path, Line: line, Column: to + 1},
	}
}

// place is where a node stands: all of it where it is one plain or quoted word, and otherwise
// its beginning.
func (f *file) place(node *yaml.Node) diag.Range {
	if node.Line < 1 || node.Line > len(f.lines) {
		return f.start()
	}
	line := f.lines[node.Line-1]
	from := offset(line, node.Column-1)
	to := from
	for _, text := range []string{node.Value, `"` + node.Value + `"`, "'" + node.Value + "'"} {
		if node.Kind == yaml.ScalarNode && strings.HasPrefix(line[from:], text) {
			to = from + len(text)
		}
	}
	return f.span(node.Line, from, to)
}

// offset converts the columns of package yaml, which count characters and no byte order mark,
// to bytes.
func offset(line string, characters int) int {
	at := len(line) - len(strings.TrimPrefix(line, "\ufeff"))
	for ; characters > 0 && at < len(line); characters-- {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// broken reports YAML that cannot be parsed.
func (f *file) broken(err error) diag.Diagnostic {
	line := f.brokenLine()
	text := strings.TrimRight(f.lines[line-1], "\r\n")
	from := len(text) - len(strings.TrimLeft(text, " \t"))
	return diag.Errorf(f.span(line, from, len(text)), ruleSyntax, "not valid YAML: %s", message(err))
}

// message strips an error of package yaml of the line that it may begin with: that is the line
// of the innermost mapping or list, and counts from 0 or from 1.
func message(err error) string {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		_, text, _ = strings.Cut(rest, ": ")
	}
	return text
}

// brokenLine is the first line from which on no beginning of the file is valid YAML.
func (f *file) brokenLine() int {
	for n := len(f.lines) - 1; n > 0; n-- {
		if _, err := split([]byte(strings.Join(f.lines[:n], ""))); err == nil {
			return n + 1
		}
	}
	return 1
}
