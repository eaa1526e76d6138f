// SPDX-License-Identifier: Apache-2.0

// Package project implements the commands that start a project or change its types: init, create, import, delete and
// runtime. They write files for the user to complete, edit markers, and generate. A command builds the model of the
// project before and after its edits.
package project

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// Config is the input of a command, with the source of webhook-gen's modules.
type Config struct {
	engine.Config
	Origin Origin
}

// Result is the result of a command. It changes files for the user to complete, comments of the types in the command,
// and generated files. A second run of the same command changes nothing.
type Result struct {
	engine.Result
	// Next are the user's next steps.
	Next []string
}

// Resource is a kind in a version.
type Resource struct {
	// Group is an API group, with or without the project's domain, or "" for the core group.
	Group   string
	Version string
	Kind    string
}

// leadingZero matches a number in a version that begins with a zero. Kubernetes versions have none.
var leadingZero = regexp.MustCompile(`[a-z]0`)

// check reports an invalid resource.
func (r Resource) check() error {
	group, version, both := strings.Cut(r.Version, "/")
	switch {
	case both && model.IsVersion(version):
		return fmt.Errorf("%q is a group and a version: write --group %s --version %s", r.Version, group, version)
	case strings.Contains(r.Group, "/"):
		group, version, _ = strings.Cut(r.Group, "/")
		return fmt.Errorf("%q is a group and a version: write --group %s --version %s", r.Group, group, version)
	case !model.IsVersion(r.Version) || leadingZero.MatchString(r.Version):
		return fmt.Errorf("%q is not a version: those are v1, v2beta1 and the like", r.Version)
	case !token.IsExported(r.Kind) || !token.IsIdentifier(r.Kind):
		return fmt.Errorf("%q is not a kind: those are Go names that begin with a capital letter, as %s", r.Kind, capital(r.Kind))
	case r.Group != "" && len(validation.IsDNS1123Subdomain(r.Group)) > 0:
		return fmt.Errorf("%q is not an API group: those have lower-case letters, digits and - between their dots, as shop.example.com", r.Group)
	}
	return nil
}

// capital returns a word with an upper-case first letter. If that is no valid kind, it returns an example.
func capital(word string) string {
	if kind := model.Upper(word); token.IsExported(kind) && token.IsIdentifier(kind) {
		return kind
	}
	return "Order"
}

// flags returns the resource as command-line flags.
func (r Resource) flags() string {
	flags := "--version " + r.Version + " --kind " + r.Kind
	if r.Group != "" {
		flags = "--group " + r.Group + " " + flags
	}
	return flags
}

// site is a project before a command changes it.
type site struct {
	engine.Run
	origin Origin
	apis   []semantics.API
}

// edits are a command's edits, including those of markers.
type edits struct{ engine.Edits }

// create adds a file that is written if it is missing. It returns err.
func (e *edits) create(f output.File, err error) error {
	if err == nil {
		e.Create = append(e.Create, f)
	}
	return err
}

// site reads the project. If the project has errors, stopped contains them.
func (c Config) site(ctx context.Context) (s site, stopped Result, err error) {
	s = site{Run: c.Resolve(), origin: c.Origin}
	if _, ok := load.Root(c.Dir); !ok {
		return s, stopped, errors.New("there is no go.mod here or above: webhook-gen init --module example.com/app starts a project")
	}
	found, problems := load.Load(ctx, load.Config{Dir: s.Root, Tags: s.Tags, Markers: semantics.APIMarkers()})
	s.apis = semantics.APIs(ctx, found.Packages)
	if all := slices.Concat(s.Diagnostics, problems); all.HasErrors() {
		return s, Result{Result: engine.Result{Root: s.Root, Diagnostics: all.Sorted()}}, errStopped
	}
	return s, stopped, nil
}

// errStopped is the error of a command whose result contains the project's errors.
var errStopped = errors.New("the project has mistakes")

// group returns the full name of the group. A single word is completed with the domain in webhook-gen.yaml or,
// without one, with the project's only group that begins with the word.
func (s site) group(r Resource) string {
	switch {
	case strings.Contains(r.Group, ".") || r.Group == "":
		return r.Group
	case s.Domain != "":
		return r.Group + "." + s.Domain
	}
	full := ""
	for _, a := range s.apis {
		if a.Group == full || !strings.HasPrefix(a.Group, r.Group+".") {
			continue
		}
		if full != "" {
			return r.Group
		}
		full = a.Group
	}
	return cmp.Or(full, r.Group)
}

// api returns the package of a group and version.
func (s site) api(group, version string) (semantics.API, bool) {
	i := slices.IndexFunc(s.apis, func(a semantics.API) bool { return a.Group == group && a.Version == version })
	if i < 0 {
		return semantics.API{}, false
	}
	return s.apis[i], true
}

// ownVersion is a version of a kind in the project, with its package and type.
type ownVersion struct {
	semantics.API
	semantics.APIType
	name string
}

// ownType returns the project's type of a kind.
func (s site) ownType(r Resource) (ownVersion, bool) {
	for _, group := range []string{s.group(r), r.Group} {
		if api, ok := s.api(group, r.Version); ok {
			if t, ok, _ := semantics.FindType(api.Package, r.Kind); ok {
				return ownVersion{api, t, r.Kind}, true
			}
		}
	}
	return ownVersion{}, false
}

// notKind describes why a type is not a kind, or returns "".
func (v ownVersion) notKind() string {
	t, _ := v.Package.Type(v.name)
	what := semantics.NotKind(v.Package, t)
	if what == "" {
		return ""
	}
	return fmt.Sprintf("%s of %s/%s is %s, and no kind", v.name, v.Group, v.Version, what)
}

// versions returns the versions of a kind in the project.
func (s site) versions(r Resource) (all []ownVersion) {
	for _, a := range s.apis {
		if a.Group != s.group(r) && a.Group != r.Group {
			continue
		}
		if v, ok := s.ownType(Resource{Group: a.Group, Version: a.Version, Kind: r.Kind}); ok {
			all = append(all, v)
		}
	}
	return all
}

// others returns the other versions of a kind in the project.
func (s site) others(r Resource) []ownVersion {
	return slices.DeleteFunc(s.versions(r), func(o ownVersion) bool { return o.Version == r.Version })
}

// has reports whether the type has a marker.
func (v ownVersion) has(name string) bool {
	return slices.ContainsFunc(v.Markers, func(m marker.Marker) bool { return m.Name == name })
}

// apiDir returns the folder for a new group and version. It is api/v1 for the only group, and api/shop/v1 if there
// are others.
func (s site) apiDir(group, version string) string {
	base := filepath.Join(s.Root, "api")
	for _, a := range s.apis {
		rel, err := filepath.Rel(base, a.Dir)
		if err == nil && filepath.IsLocal(rel) && (a.Group != group || strings.ContainsRune(rel, filepath.Separator)) {
			word, _, _ := strings.Cut(group, ".")
			return filepath.Join(base, word, version)
		}
	}
	return filepath.Join(base, version)
}

// rel returns a path for messages.
func (s site) rel(path string) string { return model.Relative(s.Root, path) }

// test returns the last step after every change. If a Makefile does not call webhook-gen, its target generate is for
// another tool.
func (s site) test() string {
	makefile := load.ReadText(s.Root, "Makefile").Content
	switch {
	case bytes.Contains(makefile, []byte("webhook-gen")):
		return "make generate test"
	case bytes.Contains(append([]byte("\n"), makefile...), []byte("\ntest:")):
		return "webhook-gen && make test"
	}
	return "go test ./..."
}
