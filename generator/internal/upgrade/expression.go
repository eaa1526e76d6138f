// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"math"
	"strings"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/parser"
)

// sameText reports whether two expressions have one syntax tree. Blanks, brackets and comments outside of texts do not
// count. Expressions that are not CEL are the same if their texts are.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	x, ok := canonical(a)
	y, also := canonical(b)
	return ok && also && x == y
}

// canonical returns the text of an expression's syntax tree, on one line.
func canonical(expression string) (text string, ok bool) {
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true), parser.EnableIdentEscapeSyntax(true))
	if err != nil {
		return "", false
	}
	tree, issues := p.Parse(common.NewTextSource(expression))
	if len(issues.GetErrors()) > 0 {
		return "", false
	}
	text, err = parser.Unparse(tree.Expr(), tree.SourceInfo(), parser.WrapOnColumn(math.MaxInt32))
	return text, err == nil
}

// oneLine returns an expression for a message.
func oneLine(expression string) string {
	expression = strings.TrimSpace(expression)
	if !strings.Contains(expression, "\n") {
		return expression
	}
	if text, ok := canonical(expression); ok {
		return text
	}
	return strings.Join(strings.Fields(expression), " ")
}
