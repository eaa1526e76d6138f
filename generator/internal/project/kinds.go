// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"go/ast"
	"slices"

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
				if embeds(spec, "TypeMeta") && embeds(spec, "ObjectMeta") {
					all = append(all, Resource{Group: a.Group, Version: a.Version, Kind: spec.Name.Name})
				}
			}
		}
	}
	return all
}

// embeds reports whether a type is a struct that embeds a type of another package with this name, such as TypeMeta.
func embeds(spec *ast.TypeSpec, name string) bool {
	typ, ok := spec.Type.(*ast.StructType)
	return ok && slices.ContainsFunc(typ.Fields.List, func(f *ast.Field) bool {
		t, isSelector := f.Type.(*ast.SelectorExpr)
		return isSelector && len(f.Names) == 0 && t.Sel.Name == name
	})
}
