// SPDX-License-Identifier: Apache-2.0

package project

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	apiversion "k8s.io/apimachinery/pkg/version"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// CreateVersion writes a new version of a kind. It copies the version from, by default the hub or else the newest
// version. Conversions between the versions are generated. The first new version becomes the hub, so that new fields
// need no markers. Later versions are spokes.
func CreateVersion(ctx context.Context, c Config, r Resource, from string) (Result, error) {
	if err := r.check(); err != nil {
		return Result{}, err
	}
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	others := s.others(r)
	if len(others) == 0 {
		return Result{}, fmt.Errorf("the project has no kind %s of the group %s: webhook-gen create api writes one", r.Kind, s.group(r))
	}
	if what := others[0].notKind(); what != "" {
		return Result{}, errors.New(what)
	}
	hub := slices.IndexFunc(others, func(o ownVersion) bool { return o.has("webhook:conversion:hub") })
	source, err := r.source(others, hub, from)
	if err != nil {
		return Result{}, err
	}
	var e edits
	have, exists := s.ownType(r)
	if !exists || !have.has("webhook:conversion:hub") && !have.has("webhook:conversion:spoke") {
		role := "webhook:conversion:hub"
		if hub >= 0 {
			role = furtherSpoke(others)
		}
		if exists { // then copy without a conversion
			err = e.mark(have.APIType, nil, role)
		} else {
			err = s.newVersion(&e, source, r, role)
		}
		if err != nil {
			return Result{}, err
		}
		stored := slices.ContainsFunc(others, func(o ownVersion) bool { return slices.Contains(load.Markers(o.File.AST.Comments...), storageVersion) })
		for _, o := range others {
			var markers []string
			if hub < 0 {
				markers = append(markers, "webhook:conversion:spoke")
			}
			if !stored && o.Version == source.Version {
				markers = append(markers, "kubebuilder:storageversion")
			}
			if err := e.mark(o.APIType, nil, markers...); err != nil {
				return Result{}, err
			}
		}
	}
	result := Result{Result: s.generate(ctx, s.Read(ctx, e.Edits), e)}
	if kinds := source.alsoCopied(r.Kind); len(e.Create) > 0 && len(kinds) > 0 {
		result.Next = append(result.Next, "remove "+strings.Join(kinds, ", ")+" and their lists from "+s.rel(filepath.Dir(e.Create[0].Path))+", unless "+r.Version+
			" needs them: "+r.Kind+" uses their files, and controller-gen would add "+r.Version+" to their CustomResourceDefinitions")
	}
	for _, f := range e.Create {
		if strings.HasSuffix(f.Path, "_types.go") {
			result.Next = append(result.Next, "edit "+s.rel(f.Path)+": it is a copy of "+source.Version)
		}
	}
	result.Next = append(result.Next, "if a field has no counterpart, add a marker to the spoke's field: webhook-gen markers webhook:conversion:to",
		"webhook-gen explain conversion "+r.Kind, s.test())
	return result, nil
}

// source returns the version to copy.
func (r Resource) source(others []ownVersion, hub int, from string) (ownVersion, error) {
	if from == "" {
		if hub >= 0 {
			return others[hub], nil
		}
		return slices.MaxFunc(others, func(a, b ownVersion) int { return apiversion.CompareKubeAwareVersionStrings(a.Version, b.Version) }), nil
	}
	i := slices.IndexFunc(others, func(o ownVersion) bool { return o.Version == from })
	if i < 0 {
		return ownVersion{}, fmt.Errorf("there is no version %s of %s", from, r.Kind)
	}
	return others[i], nil
}

const storageVersion = "+kubebuilder:storageversion"

// furtherSpoke returns the marker of another spoke, with convertible if the other spokes have it.
func furtherSpoke(others []ownVersion) string {
	const spoke, convertible = "webhook:conversion:spoke", "convertible"
	for _, o := range others {
		for _, m := range o.Markers {
			if m.Name == spoke && slices.ContainsFunc(m.Arguments, func(a marker.Argument) bool { return a.Name == convertible && a.Value.Text == "true" }) {
				return spoke + "(" + convertible + ": true)"
			}
		}
	}
	return spoke
}

// alsoCopied returns the other kinds in the files that are copied with a kind.
func (v ownVersion) alsoCopied(kind string) (kinds []string) {
	for _, f := range closure(v.Package, v.File) {
		for _, other := range otherKinds(f, kind) {
			if !strings.HasSuffix(other, "List") {
				kinds = append(kinds, other)
			}
		}
	}
	return kinds
}

// newVersion writes the files of a new version. role is the marker of its type.
func (s site) newVersion(e *edits, old ownVersion, r Resource, role string) error {
	api := API{Dir: filepath.Join(filepath.Dir(old.Dir), r.Version), Package: r.Version, Group: old.Group, Version: r.Version, Kind: r.Kind}
	if filepath.Base(old.Dir) != old.Version {
		api.Dir = s.apiDir(old.Group, r.Version)
	}
	copied := closure(old.Package, old.File)
	if have, ok := s.api(old.Group, r.Version); ok {
		api.Dir, api.Package = have.Dir, have.Name
	} else if err := e.create(newGroupVersion(api, old.API, copied)); err != nil {
		return err
	}
	var types []string
	for _, f := range copied {
		path := filepath.Join(api.Dir, filepath.Base(f.Path))
		if f == old.File {
			path = filepath.Join(api.Dir, strings.ToLower(r.Kind)+"_types.go")
		}
		text, err := copyFile(f, api.Package, storageVersion)
		if err == nil && f == old.File {
			text, err = markCopy(text, r.Kind, role)
		}
		switch {
		case err != nil:
			return err
		case regular.Exists(path) && f == old.File:
			return errors.New(s.rel(path) + " is there and has no type " + r.Kind)
		}
		e.Create = append(e.Create, output.File{Path: path, Content: text, Owner: output.Once})
		types = append(types, load.Declared(f.AST)...)
	}
	copies, err := readDeepCopies(load.ReadText(old.Dir, deepCopyFile).Content)
	if err != nil {
		return err
	}
	maps.DeleteFunc(copies.methods, func(name, _ string) bool { return !slices.Contains(types, name) })
	return s.addDeepCopies(e, api, copies, true)
}

// newGroupVersion returns the file of a new package's group and version. It copies the old version's file, so that
// both packages register their types in the same way.
func newGroupVersion(api API, old semantics.API, copied []*load.File) (output.File, error) {
	for _, f := range old.FilesWith("GroupVersion{") {
		if !strings.HasPrefix(filepath.Base(f.Path), "groupversion") || !isSelfContained(old.Package, f, copied) {
			continue
		}
		text, err := copyFile(f, api.Package)
		if err == nil {
			text, err = withVersion(text, old.Version, api.Version)
		}
		return output.File{Path: filepath.Join(api.Dir, filepath.Base(f.Path)), Content: text, Owner: output.Once}, err
	}
	return api.file("groupversion_info.go")
}

// isSelfContained reports whether a file uses no names of the package other than those in the copied files.
func isSelfContained(p *load.Package, f *load.File, copied []*load.File) bool {
	return !slices.ContainsFunc(closure(p, f), func(used *load.File) bool { return used != f && !slices.Contains(copied, used) })
}
