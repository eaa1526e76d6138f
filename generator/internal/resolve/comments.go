// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// comments finds the comments of a declaration that Kubernetes' own generators read (k8s.io/gengo/v2/types.Type,
// CommentLines and SecondClosestCommentLines).
type comments struct {
	file   *load.File
	doc    *ast.CommentGroup
	before token.Pos // where the predecessor ends
	pos    token.Pos // where the declaration starts, its doc comment aside
}

// groups returns the doc comment and the one comment directly above it, in source order. A comment
// that begins on the predecessor's last line belongs to the predecessor.
func (c comments) groups() []*ast.CommentGroup {
	var groups []*ast.CommentGroup
	pos := c.pos
	if c.doc != nil {
		groups = append(groups, c.doc)
		pos = c.doc.Pos()
	}
	all := c.file.AST.Comments
	next, _ := slices.BinarySearchFunc(all, pos, func(g *ast.CommentGroup, pos token.Pos) int { return int(g.Pos() - pos) })
	if next == 0 {
		return groups
	}
	above := all[next-1]
	if above.Pos() < c.before || c.file.Position(above.Pos()).Line == c.file.Position(c.before).Line {
		return groups
	}
	return slices.Insert(groups, 0, above)
}
