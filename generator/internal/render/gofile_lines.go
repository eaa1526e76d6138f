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
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxColumns is the maximal length of a line of generated Go code, in bytes. Strings are broken only if they are the
// value of a key. Other strings are messages, which users search for.
const maxColumns = 120

// breakLines breaks long lines. Comments, calls and parameters fill their lines. Literals get a line for each
// element.
func breakLines(text []byte) ([]byte, error) {
	if !hasLongLine(text) {
		return text, nil
	}
	text, err := breakComments(text)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	file := files.File(parsed.FileStart)
	var edits []edit
	for _, d := range parsed.Decls {
		from, to := file.Offset(d.Pos()), file.Offset(d.End())
		broken, err := breakDeclaration(text[from:to])
		if err != nil {
			return nil, err
		}
		edits = append(edits, edit{from, to, string(broken)})
	}
	return applied(text, edits), nil
}

// breakComments breaks comments on their own lines. It keeps indented text, which is code.
func breakComments(text []byte) ([]byte, error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil {
		return nil, err
	}
	file := files.File(parsed.FileStart)
	var edits []edit
	for _, group := range parsed.Comments {
		for _, c := range group.List {
			from := file.Offset(c.Pos())
			start := string(text[file.Offset(file.LineStart(file.Line(c.Pos()))):from]) + "// "
			words, isText := strings.CutPrefix(c.Text, "// ")
			if strings.TrimLeft(start, "\t") != "// " || !isText || strings.HasPrefix(words, "\t") {
				continue
			}
			from += len("// ")
			for len(start)+len(words) > maxColumns {
				at := strings.LastIndexByte(words[:maxColumns-len(start)+1], ' ')
				for at >= 0 && beginsDirective(strings.TrimLeft(words[at:], " ")) { // a directive must not begin a line
					at = strings.LastIndexByte(words[:at], ' ')
				}
				if at < 0 {
					break
				}
				words = words[at+1:]
				edits = append(edits, edit{from + at, from + at + 1, "\n" + start})
				from += at + 1
			}
		}
	}
	return applied(text, edits), nil
}

func hasLongLine(text []byte) bool {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSuffix(line, []byte("\n"))) > maxColumns {
			return true
		}
	}
	return false
}

// breakDeclaration breaks the long lines of a declaration: of each line the outermost list, and of several beside each
// other the parameters or else the longest. It breaks an inner list only if its line is still too long.
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
		for n := range ast.Preorder(parsed) {
			l, ok := listIn(n)
			if !ok || len(l.elements) == 0 {
				continue
			}
			line := file.Line(l.opening)
			start := file.LineStart(line)
			before, has := outermost[line]
			switch {
			case line != file.Line(l.elements[0].Pos()), lineLength(text, file.Offset(start)) <= maxColumns, int(l.opening-start) >= maxColumns:
			case !has, !before.parameters && l.opening > before.closing && l.closing-l.opening > before.closing-before.opening:
				outermost[line] = l
			}
		}
		var edits []edit
		for _, l := range outermost {
			edits = append(edits, l.lineBreaks(file, text)...)
		}
		next, err := format.Source(applied(text, edits))
		if err == nil && bytes.Equal(next, text) {
			next, err = format.Source(applied(text, brokenStrings(parsed, file, text)))
		}
		if err != nil {
			return nil, err
		}
		if bytes.Equal(next, text) {
			break
		}
		text = next
	}
	return bytes.TrimSuffix(text[len(header):], []byte("\n")), nil
}

// list is a list of elements in brackets, separated by commas. The last element has a comma too if the bracket is on
// another line.
type list struct {
	opening, closing token.Pos
	elements         []ast.Node
	fill             bool // fill lines with as many elements as fit
	parameters       bool // of a function
}

// lineBreaks returns the line breaks of a list.
func (l list) lineBreaks(file *token.File, text []byte) []edit {
	edits := []edit{insert(file.Offset(l.opening)+1, "\n")}
	start := text[file.Offset(file.LineStart(file.Line(l.opening))):]
	indent := 1 + len(start) - len(bytes.TrimLeft(start, "\t"))
	column := indent
	for i, e := range l.elements {
		length, isOneLine := int(e.End()-e.Pos()), file.Line(e.Pos()) == file.Line(e.End())
		fits := l.fill && isOneLine && column+length < maxColumns
		if i > 0 && !fits && file.Line(e.Pos()) == file.Line(l.elements[i-1].End()) {
			edits = append(edits, insert(file.Offset(e.Pos()), "\n"))
			column = indent
		}
		column += length + len(", ")
		if !isOneLine {
			column = maxColumns
		}
	}
	if end := l.elements[len(l.elements)-1].End(); file.Line(end) == file.Line(l.closing) {
		edits = append(edits, insert(file.Offset(l.closing), ",\n"))
	}
	return edits
}

// brokenStrings returns a line break for each long string that is the value of a key. The break is after a comma if
// there is one.
func brokenStrings(parsed *ast.File, file *token.File, text []byte) []edit {
	const least = 16 // minimal length of a part in bytes
	var edits []edit
	for n := range ast.Preorder(parsed) {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		value := pair.Value
		if sum, ok := value.(*ast.BinaryExpr); ok {
			value = sum.Y // the last part
		}
		literal, ok := value.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			continue
		}
		opening, closing := file.Offset(literal.Pos()), file.Offset(literal.End())-1
		start := file.Offset(file.LineStart(file.Line(literal.Pos())))
		last := start + maxColumns - len("` +")
		if lineLength(text, start) <= maxColumns || closing <= last || last <= opening {
			continue
		}
		at := opening + least
		if last < at {
			at = opening + 1 // nothing fits on the line of the key
		} else if comma := bytes.LastIndexByte(text[at:last], ','); comma >= 0 {
			at += comma + 1
		} else if at = last; text[opening] != '`' {
			at = outsideEscape(text, opening+1, last)
		}
		for !utf8.RuneStart(text[at]) {
			at--
		}
		quote := string(text[opening])
		edits = append(edits, insert(at, quote+" +\n"+quote))
	}
	return edits
}

// outsideEscape returns the last offset up to to that is not inside an escape sequence of a quoted string.
func outsideEscape(text []byte, from, to int) int {
	rest := string(text[from:min(to+len(`\U0010ffff`), len(text))])
	for at := from; ; {
		_, _, tail, err := strconv.UnquoteChar(rest, '"')
		if at += len(rest) - len(tail); err != nil || at > to {
			return at - len(rest) + len(tail)
		}
		rest = tail
	}
}

func listIn(n ast.Node) (list, bool) {
	switch n := n.(type) {
	case *ast.CallExpr:
		return list{opening: n.Lparen, closing: n.Rparen, elements: nodes(n.Args), fill: true}, n.Ellipsis == token.NoPos
	case *ast.CompositeLit:
		return list{opening: n.Lbrace, closing: n.Rbrace, elements: nodes(n.Elts)}, true
	case *ast.FuncType:
		return list{opening: n.Params.Opening, closing: n.Params.Closing, elements: nodes(n.Params.List), fill: true, parameters: true}, true
	case *ast.IndexListExpr: // gofmt joins the lines of a single type argument
		return list{opening: n.Lbrack, closing: n.Rbrack, elements: nodes(n.Indices), fill: true}, true
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

// lineLength returns the length of the line that begins at an offset.
func lineLength(text []byte, start int) int {
	if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
		return n
	}
	return len(text) - start
}

// edit replaces the text between two offsets.
type edit struct {
	from, to int
	text     string
}

func insert(offset int, text string) edit { return edit{offset, offset, text} }

func applied(text []byte, edits []edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	length := len(text)
	for _, e := range edits {
		length += len(e.text)
	}
	out, last := make([]byte, 0, length), 0
	for _, e := range edits {
		out = append(append(out, text[last:e.from]...), e.text...)
		last = e.to
	}
	return append(out, text[last:]...)
}
