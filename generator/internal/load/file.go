// SPDX-License-Identifier: Apache-2.0

package load

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// File is a parsed Go source file.
type File struct {
	// Path is the absolute path.
	Path string
	// Src is the file's text.
	Src []byte
	// AST is the syntax tree, with comments and without resolved identifiers.
	AST *ast.File

	tokens *token.File
}

// Position converts a position in the file's syntax tree. It ignores line directives: diagnostics point at the file on
// disk.
func (f *File) Position(pos token.Pos) diag.Position {
	return diag.At(f.tokens.PositionFor(pos, false))
}

// Range converts a piece of the file's syntax tree.
func (f *File) Range(pos, end token.Pos) diag.Range {
	return diag.Range{Pos: f.Position(pos), End: f.Position(end)}
}

// parseFile parses a Go source file. It returns the tree even if there are syntax errors, and a diagnostic for each;
// the package name is then possibly empty.
func parseFile(path string, src []byte) (*File, diag.List) {
	// A set of its own for every file keeps goroutines from waiting for each other.
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, src, parser.ParseComments|parser.SkipObjectResolution)
	f := &File{Path: path, Src: src, AST: tree, tokens: set.File(token.Pos(1))}
	syntax, _ := errors.AsType[scanner.ErrorList](err) // the parser has no other errors for a text
	var problems diag.List
	if d, found := diag.Conflict(path, ruleSyntax, src); found && len(syntax) > 0 {
		return f, diag.List{d}
	}
	for _, e := range syntax {
		// The offset, unlike the line, is not moved by line directives.
		at := f.Position(f.tokens.Pos(e.Pos.Offset))
		problems.Add(diag.Errorf(diag.Range{Pos: at}, ruleSyntax, "cannot parse: %s", e.Msg))
	}
	return f, problems
}
