// SPDX-License-Identifier: Apache-2.0

package kubebuilder

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
)

// placement determines which comments of a file controller-gen reads as package-level markers.
//
// controller-gen walks the syntax tree and assigns each comment to the node that follows
// (sigs.k8s.io/controller-tools/pkg/markers.Collector). For a marker that is defined only for packages, the result is
// as follows. The marker is read if its comment group is
//
//   - outside all declarations, except as the doc comment of one or behind one on its line, or
//   - inside a type declaration at any level, if it is the last group before a type's name, not counting
//     that type's doc comment.
//
// It is dropped everywhere else.
type placement struct {
	file    *ast.File
	docs    map[*ast.CommentGroup]string // doc comments of declarations, to what they document
	behind  map[*ast.CommentGroup]bool   // comments behind an import, constant, variable or type
	nearest map[*ast.CommentGroup]bool   // the last comment before a type or its declaration
}

func newPlacement(file *ast.File) placement {
	p := placement{
		file:    file,
		docs:    map[*ast.CommentGroup]string{},
		behind:  map[*ast.CommentGroup]bool{nil: true},
		nearest: map[*ast.CommentGroup]bool{},
	}
	var types []*ast.GenDecl
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			p.docs[n.Doc] = describe(n)
		case *ast.GenDecl:
			p.docs[n.Doc] = describe(n)
			if n.Tok == token.TYPE {
				types = append(types, n)
			}
		case *ast.ImportSpec:
			p.behind[n.Comment] = true
		case *ast.ValueSpec:
			p.behind[n.Comment] = true
		case *ast.TypeSpec:
			p.docs[n.Doc] = "type " + n.Name.Name
			p.behind[n.Comment] = true
		}
		return true
	})
	end := file.Name.End()
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE && !g.Lparen.IsValid() {
			p.markNearest(end, g.Pos(), g.Doc)
		}
		end = d.End()
	}
	for _, d := range types {
		end := d.Pos()
		for _, s := range d.Specs {
			p.markNearest(end, s.Pos(), s.(*ast.TypeSpec).Doc)
			end = s.End()
		}
	}
	return p
}

// markNearest finds the last comment group between two positions, except doc. A group behind another declaration
// belongs to that declaration.
func (p placement) markNearest(from, to token.Pos, doc *ast.CommentGroup) {
	groups := p.file.Comments
	i, _ := slices.BinarySearchFunc(groups, to, func(g *ast.CommentGroup, at token.Pos) int { return cmp.Compare(g.Pos(), at) })
	i--
	if i >= 0 && groups[i] == doc {
		i--
	}
	if i >= 0 && groups[i].Pos() >= from && !p.behind[groups[i]] {
		p.nearest[groups[i]] = true
	}
}

// dropped reports whether the markers of a comment group are dropped. If so, where describes the group's position.
func (p placement) dropped(g *ast.CommentGroup) (where string, dropped bool) {
	if p.nearest[g] {
		return "", false
	}
	if of, ok := p.docs[g]; ok {
		return "in the doc comment of " + of, true
	}
	if p.behind[g] {
		return "behind a declaration", true
	}
	for _, d := range p.file.Decls {
		if d.Pos() <= g.Pos() && g.Pos() < d.End() {
			return "inside " + describe(d), true
		}
	}
	return "", false
}

// describe names a declaration for the reader of a message.
func describe(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return "func " + d.Name.Name
	case *ast.GenDecl:
		if !d.Lparen.IsValid() && len(d.Specs) == 1 {
			switch s := d.Specs[0].(type) {
			case *ast.TypeSpec:
				return "type " + s.Name.Name
			case *ast.ValueSpec:
				return d.Tok.String() + " " + s.Names[0].Name
			}
		}
		return "the " + d.Tok.String() + " declaration"
	}
	return "a declaration"
}
