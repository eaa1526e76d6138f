// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"go/ast"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Kinds returns the kinds of the project's own API packages.
func Kinds(ctx context.Context, c Config) []Resource {
	s, _, err := c.site(ctx)
	if err != nil {
		return nil
	}
	return s.kinds()
}

func (s site) kinds() (all []Resource) {
	for _, a := range s.apis {
		for _, f := range a.FilesWith("package ") {
			for spec := range load.Types(f.AST) {
				if isKind(spec) {
					all = append(all, Resource{Group: a.Group, Version: a.Version, Kind: spec.Name.Name})
				}
			}
		}
	}
	return all
}

// isKind reports whether a type embeds metav1.TypeMeta and metav1.ObjectMeta.
func isKind(spec *ast.TypeSpec) bool {
	typ, ok := spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	embedded := map[string]bool{}
	for _, field := range typ.Fields.List {
		if name, ok := field.Type.(*ast.SelectorExpr); ok && len(field.Names) == 0 {
			embedded[name.Sel.Name] = true
		}
	}
	return embedded["TypeMeta"] && embedded["ObjectMeta"]
}
