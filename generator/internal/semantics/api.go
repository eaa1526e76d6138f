// SPDX-License-Identifier: Apache-2.0

package semantics

import (
	"context"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
)

// APIMarkers returns search texts. A file that sets the group of an API package contains one of them.
func APIMarkers() []string { return []string{"+groupName", "GroupVersion{"} }

// API is a package of API types.
type API struct {
	*load.Package
	Group, Version string
}

// APIs returns the packages with a known group and version.
func APIs(ctx context.Context, packages []*load.Package) []API {
	var all []API
	for _, p := range packages {
		if gv, _ := findGroupVersion(ctx, p); gv.group.IsSet() && gv.version.IsSet() {
			all = append(all, API{p, gv.group.V, gv.version.V})
		}
	}
	return all
}

// Resource returns the type whose kind has the resource name.
func (a API) Resource(name string) (t load.Type, ok bool) {
	for _, f := range a.FilesWith("type ") {
		for spec := range load.Types(f.AST) {
			t := load.Type{File: f, Spec: spec}
			tag := findTag(f, t.Comments(), "kubebuilder:resource")
			gengo, controllerGen := plurals(spec.Name.Name)
			if path := option(tag.V, "path"); path == name || path == "" && (gengo == name || controllerGen == name) {
				return t, true
			}
		}
	}
	return t, false
}

// APIType is a type that can have our markers.
type APIType struct {
	File *load.File
	// Line is the first line of the declaration, without its comment.
	Line int
	// Markers are the markers on the type itself, in order.
	Markers []marker.Marker
}

// FindType finds a type of a package and its markers.
func FindType(p *load.Package, name string) (t APIType, ok bool, diags diag.List) {
	found, ok := p.Type(name)
	if !ok {
		return t, false, nil
	}
	t.File = found.File
	for spec, at := range load.Types(found.File.AST) {
		if spec == found.Spec {
			t.Line = found.File.Position(at.Pos).Line
		}
	}
	placed, diags := marker.InFile(found.File.AST, found.File.Position, registry.Prefix)
	for _, m := range placed {
		if m.On == marker.OnType && m.Type == found.Spec {
			t.Markers = append(t.Markers, m.Marker)
		}
	}
	return t, true, diags
}
