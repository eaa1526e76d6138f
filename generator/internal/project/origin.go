// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

const (
	// ToolModule is the module path of webhook-gen.
	ToolModule = "github.com/webhook-gen/webhook-gen"
	// RuntimeMinimum is the oldest released runtime that works with generated code. It increases with the version of
	// generated code.
	RuntimeMinimum = "v0.1.0"
	// LibrariesMinimum is the version of Kubernetes' libraries that the runtime requires.
	LibrariesMinimum = "v0.31.0"
)

// Origin is the source of webhook-gen's modules for a project. All modules have the same version.
type Origin struct {
	// Version is the version that go.mod requires. With Dir, it is v0.0.0.
	Version string
	// Dir is the absolute folder of a work tree that replaces the modules, or "" for a released version.
	Dir string
	// Fork is the version of another module that replaces webhook-gen's, or zero.
	Fork module.Version
	// Err is the reason why the origin is unknown. Commands that need a requirement return it.
	Err error
}

// WorkTree returns the origin of a program that was built from the work tree in an absolute folder.
func WorkTree(dir string) (Origin, error) {
	for _, want := range []string{ToolModule, engine.RuntimeModule} {
		file := strings.TrimPrefix(strings.TrimPrefix(want, ToolModule)+"/go.mod", "/")
		text, err := regular.ReadFile(filepath.Join(dir, filepath.FromSlash(file)), regular.Settings)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Origin{}, fmt.Errorf("%s is not a work tree of %s: there is no %s", dir, ToolModule, file)
		case err != nil:
			return Origin{}, err
		}
		if found := modfile.ModulePath(text); found != want {
			return Origin{}, fmt.Errorf("%s is not a work tree of %s: %s declares the module %q", dir, ToolModule, file, found)
		}
	}
	return Origin{Version: "v0.0.0", Dir: dir}, nil
}

// replacement returns the replacement of a module, or zero.
func (o Origin) replacement(modulePath string) module.Version {
	below := strings.TrimPrefix(modulePath, ToolModule)
	switch {
	case o.Dir != "":
		return module.Version{Path: filepath.Join(o.Dir, filepath.FromSlash(below))}
	case o.Fork.Path != "":
		return module.Version{Path: o.Fork.Path + below, Version: o.Fork.Version}
	}
	return module.Version{}
}

// require adds requirements on the modules to the text of a go.mod.
func (o Origin) require(name string, text []byte, modulePaths ...string) ([]byte, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	required := slices.DeleteFunc(slices.Clone(file.Require), func(r *modfile.Require) bool { return slices.Contains(modulePaths, r.Mod.Path) })
	for _, modulePath := range modulePaths {
		required = append(required, &modfile.Require{Mod: module.Version{Path: modulePath, Version: o.Version}})
	}
	file.SetRequireSeparateIndirect(required) // as go mod tidy does
	return o.replace(file, modulePaths...)
}

// replace adds the modules' replacements, if the origin has any, and returns the go.mod.
func (o Origin) replace(file *modfile.File, modulePaths ...string) ([]byte, error) {
	for _, modulePath := range modulePaths {
		if r := o.replacement(modulePath); r.Path != "" && !engine.Replaces(file, modulePath) {
			if err := file.AddReplace(modulePath, "", r.Path, r.Version); err != nil {
				return nil, err
			}
		}
	}
	file.Cleanup()
	file.SortBlocks()
	return file.Format()
}

// replaceBelow adds the replacements of modules, and of what their tests import, to new modules below the root, because
// the go command reads replace directives only in the main module.
func (s site) replaceBelow(changes []output.Change, modulePaths ...string) error {
	for i, c := range changes {
		if filepath.Base(c.Path) != "go.mod" || filepath.Dir(c.Path) == s.Root || c.Old != nil {
			continue
		}
		file, err := modfile.Parse(c.Path, c.New, nil)
		if err != nil {
			return err
		}
		dir := filepath.Dir(c.Path)
		if !slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool { return filepath.Join(dir, filepath.FromSlash(r.New.Path)) == s.Root }) {
			continue // does not depend on the project
		}
		if changes[i].New, err = s.origin.replace(file, append(slices.Clone(modulePaths), engine.IntegrationModule)...); err != nil {
			return err
		}
	}
	return nil
}

// note returns a note about a replacement by a folder, or "".
func (o Origin) note() string {
	if o.Dir == "" {
		return ""
	}
	return fmt.Sprintf("this webhook-gen was built from a work tree, so go.mod replaces the runtime with %s. Image builds and other machines "+
		"lack that folder: go mod vendor copies the runtime into the project. After you install a release, run\n  go mod edit -dropreplace=%s && go get %[2]s@latest",
		o.replacement(engine.RuntimeModule).Path, engine.RuntimeModule)
}

// Commands returns the commands that add the requirement on the runtime to go.mod.
func (o Origin) Commands() []string {
	r := o.replacement(engine.RuntimeModule)
	switch {
	case o.Err != nil:
		return []string{"go get " + engine.RuntimeModule + "@latest"}
	case r.Path == "":
		return []string{"go get " + engine.RuntimeModule + "@" + o.Version}
	case r.Version != "":
		r.Path += "@" + r.Version
	}
	return []string{
		fmt.Sprintf("go mod edit -require=%s@%s -replace=%s=%s", engine.RuntimeModule, o.Version, engine.RuntimeModule, r.Path),
		"go mod tidy",
	}
}

// generate generates the files for a state after the edits, with the go.mod that they need.
func (s site) generate(ctx context.Context, after engine.State, e edits) engine.Result {
	result := s.Generate(ctx, after, e.Edits)
	if result.Diagnostics.HasErrors() {
		for i, d := range result.Diagnostics {
			if d.Pos.File != "" && !regular.Exists(d.Pos.File) {
				result.Diagnostics[i].Range = diag.Range{} // the file is not written now
			}
		}
		return result
	}
	return s.requireRuntime(result)
}

// requireRuntime adds the requirement on the runtime to go.mod in a result, if the files need it.
func (s site) requireRuntime(result engine.Result) engine.Result {
	_, outdated := Outdated(s.Root, s.origin)
	if !result.LacksRuntime && (!outdated || s.origin.Dir != "" || !engine.ImportsRuntime(result.Files)) {
		return result
	}
	modules := slices.DeleteFunc(engine.RuntimeModules(), func(m string) bool {
		version, _ := engine.RequiredVersion(s.Root, m)
		return version == "" && m != engine.RuntimeModule
	})
	note := ""
	if result.LacksRuntime {
		note = s.origin.note()
		result.Diagnostics.Add(s.raised()...)
	}
	if err := s.require(&result, note, modules...); err != nil {
		result.Diagnostics.Add(diag.Errorf(diag.Range{}, "", "%s", err))
		result.Files, result.Changes = nil, nil
	}
	return result
}

// raised warns of old libraries of Kubernetes, which the requirement on the runtime raises in the whole project.
func (s site) raised() (found diag.List) {
	const library = "k8s.io/apimachinery"
	if version, _ := engine.RequiredVersion(s.Root, library); version != "" && semver.Compare(version, LibrariesMinimum) < 0 {
		at := diag.InFile(filepath.Join(s.Root, "go.mod"))
		found.Add(diag.Warningf(at, "", "go mod tidy raises %s from %s to %s, which the runtime requires", library, version, LibrariesMinimum).
			WithHint("first raise it with controller-runtime, to v0.19.0 or later: older ones may not compile with newer libraries"))
	}
	return found
}

// require adds requirements on the modules to go.mod in a result, with a note for the user. It adds the modules'
// replacements there and in new modules below the root.
func (s site) require(result *engine.Result, note string, modulePaths ...string) error {
	name := filepath.Join(s.Root, "go.mod")
	old := load.ReadText(name).Content
	c := output.Change{Path: name, Action: output.Replace, Old: old, New: old}
	if i := slices.IndexFunc(result.Changes, func(c output.Change) bool { return c.Path == name }); i >= 0 {
		c = result.Changes[i]
		result.Changes = slices.Delete(result.Changes, i, i+1)
	}
	var err error
	c.New, err = s.origin.require(name, c.New, modulePaths...)
	c.Note = cmp.Or(c.Note, note)
	result.Changes = engine.Edits{Change: []output.Change{c}}.Among(result.Changes)
	return errors.Join(err, s.replaceBelow(result.Changes, modulePaths...))
}

// Outdated returns the version of a released runtime in the go.mod of dir, and whether it is older than
// RuntimeMinimum. own is the version of this program, with which the same version of the runtime always works.
func Outdated(dir string, own Origin) (version string, outdated bool) {
	version, replaced := engine.RequiredVersion(dir, engine.RuntimeModule)
	return version, version != "" && !replaced && version != own.Version && semver.Compare(version, RuntimeMinimum) < 0
}
