// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"go/constant"
)

// length is the length of an array type.
type length struct {
	text  string // the source text
	exact string // equal for equal lengths
}

func lengthOf(at environment, e ast.Expr) length {
	l := length{text: at.text(e)}
	if v := at.scope.resolver.value(at, e, 0); v.Kind() == constant.Int {
		l.exact = v.ExactString()
	} else {
		l.exact = at.scope.path + "." + l.text
	}
	return l
}
