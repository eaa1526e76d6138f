// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
)

// maxColumns is the maximum of bytes in a line of generated Go code. Comments and strings are not broken.
const maxColumns = 120

// breakLines breaks lines that are too long: calls and parameters into lines with as much as fits, and literals into
// one line for each element.
func breakLines(text []byte) ([]byte, error) {
	if !hasLongLine(text) {
		return text, nil
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	file := files.File(parsed.FileStart)
	var out []byte
	last := 0
	for _, d := range parsed.Decls {
		from, to := file.Offset(d.Pos()), file.Offset(d.End())
		broken, err := breakDeclaration(text[from:to])
		if err != nil {
			return nil, err
		}
		out = append(append(out, text[last:from]...), broken...)
		last = to
	}
	return append(out, text[last:]...), nil
}

func hasLongLine(text []byte) bool {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSuffix(line, []byte("\n"))) > maxColumns {
			return true
		}
	}
	return false
}

// breakDeclaration breaks the lines of a declaration. It breaks the outermost first, and the others only if their line
// is still too long.
func breakDeclaration(text []byte) ([]byte, error) {
	const header = "package p\n\n"
	text = append([]byte(header), text...)
	for hasLongLine(text) {
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return nil, err
		}
		file := files.File(parsed.FileStart)
		outermost := map[int]list{}
		ast.Inspect(parsed, func(n ast.Node) bool {
			l, ok := listIn(n)
			if !ok || len(l.elements) == 0 {
				return true
			}
			line := file.Line(l.opening)
			start := file.LineStart(line)
			switch _, has := outermost[line]; {
			case has, line != file.Line(l.elements[0].Pos()), lineLength(text, file.Offset(start)) <= maxColumns:
			case int(l.opening-start) < maxColumns:
				outermost[line] = l
			}
			return true
		})
		if len(outermost) == 0 {
			break
		}
		var edits []edit
		for _, l := range outermost {
			edits = append(edits, l.broken(file, text)...)
		}
		if text, err = format.Source(applied(text, edits)); err != nil {
			return nil, err
		}
	}
	return bytes.TrimSuffix(text[len(header):], []byte("\n")), nil
}

// list are elements between brackets. A comma is between them, and after the last one if the bracket is on another
// line.
type list struct {
	opening, closing token.Pos
	elements         []ast.Node
	fill             bool // a line has as many as fit
}

// broken returns the line breaks of a list.
func (l list) broken(file *token.File, text []byte) []edit {
	edits := []edit{{file.Offset(l.opening) + 1, "\n"}}
	start := text[file.Offset(file.LineStart(file.Line(l.opening))):]
	indent := 1 + len(start) - len(bytes.TrimLeft(start, "\t"))
	column := indent
	for i, e := range l.elements {
		length, isOneLine := int(e.End()-e.Pos()), file.Line(e.Pos()) == file.Line(e.End())
		fits := l.fill && isOneLine && column+length < maxColumns
		if i > 0 && !fits && file.Line(e.Pos()) == file.Line(l.elements[i-1].End()) {
			edits = append(edits, edit{file.Offset(e.Pos()), "\n"})
			column = indent
		}
		column += length + len(", ")
		if !isOneLine {
			column = maxColumns
		}
	}
	if end := l.elements[len(l.elements)-1].End(); file.Line(end) == file.Line(l.closing) {
		edits = append(edits, edit{file.Offset(l.closing), ",\n"})
	}
	return edits
}

func listIn(n ast.Node) (list, bool) {
	switch n := n.(type) {
	case *ast.CallExpr:
		return list{n.Lparen, n.Rparen, nodes(n.Args), true}, n.Ellipsis == token.NoPos
	case *ast.CompositeLit:
		return list{n.Lbrace, n.Rbrace, nodes(n.Elts), false}, true
	case *ast.FuncType:
		return list{n.Params.Opening, n.Params.Closing, nodes(n.Params.List), true}, true
	}
	return list{}, false
}

func nodes[N ast.Node](list []N) []ast.Node {
	all := make([]ast.Node, len(list))
	for i, n := range list {
		all[i] = n
	}
	return all
}

// lineLength is the length of the line that begins at an offset.
func lineLength(text []byte, start int) int {
	if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
		return n
	}
	return len(text) - start
}

// edit inserts text at an offset.
type edit struct {
	offset int
	text   string
}

func applied(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.offset, b.offset) })
	var out []byte
	last := 0
	for _, e := range edits {
		out = append(append(out, text[last:e.offset]...), e.text...)
		last = e.offset
	}
	return append(out, text[last:]...)
}
