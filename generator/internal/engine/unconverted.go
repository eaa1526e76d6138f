// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	apiversion "k8s.io/apimachinery/pkg/version"

	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// kindVersion is a version of a kind of the project.
type kindVersion struct {
	semantics.API
	load.Type
	converted bool
}

// Unconverted returns the kinds with several served versions if a version has no conversion. A conversion is a
// marker, methods of controller-runtime's Convertible and Hub, a webhook in the CRD or in a patch of it, or a
// converter in the program. It omits kinds that two packages declare in the same version, such as in migration tests,
// because it cannot tell which of them is served.
func (r Run) Unconverted(ctx context.Context, p *model.Project, definitions []*manifest.Definition) (all []lint.Unconverted) {
	if p.Incomplete {
		return nil
	}
	versions := r.kinds(ctx, p)
	definitions = slices.Concat(definitions, r.patches())
	for _, of := range versions {
		if isTwice(of) {
			continue
		}
		of = slices.DeleteFunc(of, func(v kindVersion) bool { return !isServed(v, p, definitions) })
		if len(of) < 2 {
			continue
		}
		slices.SortFunc(of, func(a, b kindVersion) int { return apiversion.CompareKubeAwareVersionStrings(a.Version, b.Version) })
		if found, ok := unconverted(of, definitions); ok {
			all = append(all, found)
		}
	}
	if len(all) > 0 {
		converters := r.converters(ctx)
		all = slices.DeleteFunc(all, func(u lint.Unconverted) bool {
			return slices.ContainsFunc(converters, func(f *load.File) bool { return bytes.Contains(f.Src, []byte(u.Kind)) })
		})
	}
	slices.SortFunc(all, func(a, b lint.Unconverted) int { return cmp.Or(a.Pos.Compare(b.Pos), strings.Compare(a.Kind, b.Kind)) })
	return all
}

// kinds returns the versions of the project's kinds, by group and kind.
func (r Run) kinds(ctx context.Context, p *model.Project) map[string][]kindVersion {
	source, _ := load.Load(ctx, load.Config{Dir: r.dir, Patterns: r.Packages, Tags: r.Tags, Markers: semantics.APIMarkers()})
	versions := map[string][]kindVersion{}
	for _, api := range semantics.APIs(ctx, source.Packages) {
		for _, f := range api.FilesWith("TypeMeta") {
			for spec := range load.Types(f.AST) {
				t := load.Type{File: f, Spec: spec}
				if !load.HasMetadata(spec) {
					continue
				}
				name := spec.Name.Name
				byHand := slices.ContainsFunc(api.Methods(name), func(m load.Method) bool { return m.Name == convertTo || m.Name == "Hub" })
				byMarker := slices.ContainsFunc(p.Conversions, func(c *model.Conversion) bool {
					return c.Spoke.Group == api.Group && c.Spoke.Name == name && (c.Spoke.Version == api.Version || c.Hub.Version == api.Version)
				})
				key := api.Group + "/" + name
				versions[key] = append(versions[key], kindVersion{api, t, byHand || byMarker})
			}
		}
	}
	return versions
}

// Declared returns the kinds whose definitions controller-gen makes of markers on their types, as far as markers tell:
// without schemas. A kind that two packages declare in one version is left out.
func (r Run) Declared(ctx context.Context, p *model.Project) (all []Declared) {
	versions := r.kinds(ctx, p)
	for _, key := range slices.Sorted(maps.Keys(versions)) {
		of := slices.DeleteFunc(versions[key], func(v kindVersion) bool {
			return !v.isMarked("+kubebuilder:object:root=true") || v.isMarked("+kubebuilder:skipversion")
		})
		if len(of) == 0 || isTwice(of) {
			continue
		}
		kind := of[0].Spec.Name.Name
		d := Declared{Definition: &manifest.Definition{Group: of[0].Group, Kind: kind}, Types: map[string]model.GoType{}}
		for _, v := range of {
			at := v.File.Range(v.Spec.Name.Pos(), v.Spec.Name.End())
			k := semantics.Marked(v.Type)
			d.Range, d.Plural = at, k.Plural
			d.Scope = cmp.Or(k.Scope, d.Scope, "Namespaced")
			d.Versions = append(d.Versions, manifest.Version{Range: at, Name: v.Version, Subresources: k.Subresources,
				Served: !v.isMarked("+kubebuilder:unservedversion"), Storage: len(of) == 1 || v.isMarked("+kubebuilder:storageversion")})
			d.Types[v.Version] = model.GoType{Path: v.Path, Name: kind}
		}
		d.Name = d.Plural + "." + d.Group
		all = append(all, d)
	}
	return all
}

// Declared is a kind as its types declare it.
type Declared struct {
	*manifest.Definition
	Types map[string]model.GoType // by version
}

func (v kindVersion) isMarked(marker string) bool {
	return slices.Contains(load.Markers(v.Comments()...), marker)
}

// patches returns the CRD patches of kubebuilder projects. A patch has the name of a CRD and may lack its kind.
func (r Run) patches() []*manifest.Definition {
	sources, err := load.Arguments(load.Names(r.Root, "config/crd/patches"), nil)
	if err != nil {
		return nil
	}
	contents, _ := manifest.Read(sources)
	return contents.Definitions
}

// converters returns the files that register a conversion without methods, with controller-runtime's builder or
// Knative's. They contain the kinds' names.
func (r Run) converters(ctx context.Context) (files []*load.File) {
	source, _ := load.Load(ctx, load.Config{Dir: r.Root, Patterns: []string{"./..."}, Tags: r.Tags,
		Markers: []string{".WithConverter(", ".NewHubSpokeConverter(", ".RegisterConverter(", ".NewConversionController("}})
	for _, p := range source.Packages {
		files = append(files, p.Files...)
	}
	return files
}

// isTwice reports whether two packages declare the same version of a kind.
func isTwice(of []kindVersion) bool {
	for i, v := range of {
		if slices.ContainsFunc(of[:i], func(o kindVersion) bool { return o.Version == v.Version }) {
			return true
		}
	}
	return false
}

// isServed reports whether a cluster certainly serves a version of a kind. The kind's CRD determines this. Without a
// CRD, the type must have controller-gen's marker for CRDs or a webhook, and no marker that disables the version.
func isServed(v kindVersion, p *model.Project, definitions []*manifest.Definition) bool {
	name := v.Spec.Name.Name
	for _, d := range definitions {
		if d.Group == v.Group && d.Kind == name {
			return slices.ContainsFunc(d.Versions, func(of manifest.Version) bool { return of.Name == v.Version && of.Served })
		}
	}
	if v.isMarked("+kubebuilder:skipversion") || v.isMarked("+kubebuilder:unservedversion") {
		return false
	}
	if slices.ContainsFunc(strings.Split(v.Path, "/"), func(folder string) bool { return slices.Contains([]string{"test", "tests", "e2e"}, folder) }) {
		return false
	}
	return v.isMarked("+kubebuilder:object:root=true") || slices.ContainsFunc(p.Webhooks(), func(w *model.Webhook) bool {
		return w.Kind != nil && w.Kind.Group == v.Group && w.Kind.Version == v.Version && w.Kind.Kind == name
	})
}

// unconverted returns the finding for a kind with sorted versions.
func unconverted(of []kindVersion, definitions []*manifest.Definition) (found lint.Unconverted, ok bool) {
	found.Group, found.Kind = of[0].Group, of[0].Spec.Name.Name
	for _, d := range definitions {
		ofKind := d.Group == found.Group && d.Kind == found.Kind
		if plural, group, _ := strings.Cut(d.Name, "."); d.Kind == "" && group == found.Group { // a patch
			t, named := of[0].Resource(plural)
			ofKind = named && t.Spec.Name.Name == found.Kind
		}
		if ofKind && d.Conversion != nil {
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

// withoutPackage returns the text of a file after its package clause.
func withoutPackage(f *load.File) []byte {
	return bytes.Join(bytes.SplitAfter(f.Src, []byte("\n"))[f.Position(f.AST.Name.Pos()).Line:], nil)
}
