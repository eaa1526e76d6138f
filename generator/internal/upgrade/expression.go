// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"math"
	"strings"

	"github.com/google/cel-go/parser"

	"github.com/webhook-gen/webhook-gen/generator/internal/expression"
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
func canonical(of string) (text string, ok bool) {
	tree, ok := expression.Parse(of)
	if !ok {
		return "", false
	}
	text, err := parser.Unparse(tree.Expr(), tree.SourceInfo(), parser.WrapOnColumn(math.MaxInt32))
	return text, err == nil
}

// oneLine returns an expression for a message.
func oneLine(text string) string {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "\n") {
		return text
	}
	if line, ok := canonical(text); ok {
		return line
	}
	return strings.Join(strings.Fields(text), " ")
}
