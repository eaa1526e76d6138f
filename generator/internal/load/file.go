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
	// AST is the syntax tree, with comments but without resolved identifiers.
	AST *ast.File

	tokens *token.File
}

// Position converts a position in the syntax tree. It ignores line directives, because diagnostics refer to the file
// on disk.
func (f *File) Position(pos token.Pos) diag.Position {
	return diag.At(f.tokens.PositionFor(pos, false))
}

// Range converts a range in the syntax tree.
func (f *File) Range(pos, end token.Pos) diag.Range {
	return diag.Range{Pos: f.Position(pos), End: f.Position(end)}
}

// parseFile parses a Go source file. It returns a diagnostic for each syntax error and, even then, the tree, whose
// package name may be empty.
func parseFile(path string, src []byte) (*File, diag.List) {
	// With one FileSet per file, goroutines need not wait for each other.
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, src, parser.ParseComments|parser.SkipObjectResolution)
	f := &File{Path: path, Src: src, AST: tree, tokens: set.File(token.Pos(1))}
	syntax, _ := errors.AsType[scanner.ErrorList](err) // the parser returns no other errors for a text
	var problems diag.List
	if d, found := diag.Conflict(path, ruleSyntax, src); found && len(syntax) > 0 {
		return f, diag.List{d}
	}
	for _, e := range syntax {
		// Line directives change the line but not the offset.
		at := f.Position(f.tokens.Pos(e.Pos.Offset))
		problems.Add(diag.Errorf(diag.Range{Pos: at}, ruleSyntax, "cannot parse: %s", e.Msg))
	}
	return f, problems
}
