// SPDX-License-Identifier: Apache-2.0

package scaffold

import (
	"go/ast"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// OtherKinds are the kinds that a file declares besides one and its list: structs with a TypeMeta.
func OtherKinds(f *load.File, kind string) []string {
	var others []string
	for spec := range load.Types(f.AST) {
		if name := spec.Name.Name; name != kind && name != kind+"List" && hasTypeMeta(spec) {
			others = append(others, name)
		}
	}
	return others
}

func hasTypeMeta(spec *ast.TypeSpec) bool {
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	for _, f := range fields.Fields.List {
		t, isSelector := f.Type.(*ast.SelectorExpr)
		if isSelector && len(f.Names) == 0 && t.Sel.Name == "TypeMeta" {
			return true
		}
	}
	return false
}
