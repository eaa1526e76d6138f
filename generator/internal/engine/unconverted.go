// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"cmp"
	"context"
	"go/ast"
	"slices"
	"strings"

	apiversion "k8s.io/apimachinery/pkg/version"

	"github.com/webhook-gen/webhook-gen/generator/internal/build"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// kindVersion is a version of a kind of the project.
type kindVersion struct {
	build.API
	load.Type
	converted bool
}

// Unconverted returns the kinds of the project with several versions, if one is not converted: neither by
// markers, nor by methods of controller-runtime's Convertible and Hub, nor by a webhook in the definition.
func (r Run) Unconverted(ctx context.Context, p *model.Project, definitions []*manifest.Definition) (all []lint.Unconverted) {
	source, _ := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: build.APIMarkers()})
	versions := map[string][]kindVersion{} // by group and kind
	for _, api := range build.APIs(ctx, source.Packages) {
		for _, f := range api.FilesWith("TypeMeta") {
			for spec := range load.Types(f.AST) {
				t := load.Type{File: f, Spec: spec}
				markers := load.Markers(t.Comments()...)
				if !isKind(spec) || slices.Contains(markers, "+kubebuilder:skipversion") || slices.Contains(markers, "+kubebuilder:unservedversion") {
					continue
				}
				name := spec.Name.Name
				byHand := slices.ContainsFunc(api.Methods(name), func(m load.Method) bool { return m.Name == "ConvertTo" || m.Name == "Hub" })
				byMarker := slices.ContainsFunc(p.Conversions, func(c *model.Conversion) bool {
					return c.Spoke.Group == api.Group && c.Spoke.Name == name && (c.Spoke.Version == api.Version || c.Hub.Version == api.Version)
				})
				key := api.Group + "/" + name
				versions[key] = append(versions[key], kindVersion{api, t, byHand || byMarker})
			}
		}
	}
	for _, of := range versions {
		if len(of) < 2 || p.Incomplete {
			continue
		}
		slices.SortFunc(of, func(a, b kindVersion) int { return apiversion.CompareKubeAwareVersionStrings(a.Version, b.Version) })
		if found, ok := unconverted(of, definitions); ok {
			all = append(all, found)
		}
	}
	slices.SortFunc(all, func(a, b lint.Unconverted) int { return cmp.Or(a.Pos.Compare(b.Pos), strings.Compare(a.Kind, b.Kind)) })
	return all
}

// unconverted returns the finding about the versions of a kind, which are sorted.
func unconverted(of []kindVersion, definitions []*manifest.Definition) (found lint.Unconverted, ok bool) {
	found.Group, found.Kind = of[0].Group, of[0].Spec.Name.Name
	for _, d := range definitions {
		if d.Group == found.Group && d.Kind == found.Kind && d.Conversion != nil {
			return found, false
		}
	}
	for _, v := range of {
		found.Versions = append(found.Versions, v.Version)
		if v.converted {
			continue
		}
		name := v.Spec.Name
		ok, found.Version, found.Range = true, v.Version, v.File.Range(name.Pos(), name.End())
		found.Same = slices.ContainsFunc(of, func(o kindVersion) bool {
			return o.Version != v.Version && bytes.Equal(withoutPackage(o.File), withoutPackage(v.File))
		})
	}
	return found, ok
}

// withoutPackage returns the text of a file below its package clause.
func withoutPackage(f *load.File) []byte {
	return bytes.Join(bytes.SplitAfter(f.Src, []byte("\n"))[f.Position(f.AST.Name.Pos()).Line:], nil)
}

// isKind reports whether a type is a struct with the metadata of a kind.
func isKind(spec *ast.TypeSpec) bool {
	t, ok := spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	embeds := func(name string) bool {
		return slices.ContainsFunc(t.Fields.List, func(f *ast.Field) bool {
			s, ok := f.Type.(*ast.SelectorExpr)
			return ok && len(f.Names) == 0 && s.Sel.Name == name
		})
	}
	return embeds("TypeMeta") && embeds("ObjectMeta")
}
