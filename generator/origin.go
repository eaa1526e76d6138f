// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

const (
	// ToolModule is the path of the module of the program.
	ToolModule = "github.com/webhook-gen/webhook-gen"
	// Tool is the import path of the program.
	Tool = ToolModule + "/cmd/webhook-gen"
	// RuntimeMinimum is the oldest released runtime that generated code compiles with. It grows together with the
	// version of generated code.
	RuntimeMinimum = "v0.1.0"
)

// Origin is the source of the program and the runtime for a project. Both modules have the same versions.
type Origin struct {
	// Version is the version that go.mod requires; v0.0.0 with Dir.
	Version string
	// Dir is the absolute folder of a work tree that replaces both modules; empty for a released version.
	Dir string
	// Fork replaces the program's module by a version of another one; zero without a fork.
	Fork module.Version
	// Err is the reason why the origin is unknown. Commands that need a requirement fail with it.
	Err error
}

// WorkTree returns the origin of a program that was built from the work tree in an absolute folder.
func WorkTree(dir string) (Origin, error) {
	for _, want := range []string{ToolModule, RuntimeModule} {
		file := strings.TrimPrefix(strings.TrimPrefix(want, ToolModule)+"/go.mod", "/")
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
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

// replacement returns what replaces one of the two modules; zero if nothing does.
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

// require adds the requirement on one of the two modules to the text of a go.mod.
func (o Origin) require(name string, text []byte, modulePath string) ([]byte, error) {
	if o.Err != nil {
		return nil, o.Err
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	if err := file.AddRequire(modulePath, o.Version); err != nil {
		return nil, err
	}
	if r := o.replacement(modulePath); r.Path != "" && !replaces(file, modulePath) {
		if err := file.AddReplace(modulePath, "", r.Path, r.Version); err != nil {
			return nil, err
		}
	}
	file.Cleanup()
	file.SortBlocks()
	return file.Format()
}

// note explains a replacement by a folder; it is empty without one.
func (o Origin) note() string {
	if o.Dir == "" {
		return ""
	}
	return fmt.Sprintf("this webhook-gen was built from a work tree, so go.mod replaces the runtime with %s: image builds and other machines "+
		"lack that folder; webhook-gen runtime vendor copies it into the project", o.replacement(RuntimeModule).Path)
}

// Commands are the commands that add the requirement on the runtime to go.mod.
func (o Origin) Commands() []string {
	r := o.replacement(RuntimeModule)
	switch {
	case o.Err != nil:
		return []string{"go get " + RuntimeModule + "@latest"}
	case r.Path == "":
		return []string{"go get " + RuntimeModule + "@" + o.Version}
	case r.Version != "":
		r.Path += "@" + r.Version
	}
	return []string{
		fmt.Sprintf("go mod edit -require=%s@%s -replace=%s=%s", RuntimeModule, o.Version, RuntimeModule, r.Path),
		"go mod tidy",
	}
}

// runtimeVersion returns the version of the runtime that go.mod of the absolute folder dir requires, or nothing.
// It also reports whether another module or a folder replaces the runtime. A go.mod that does not exist or does not
// parse requires nothing; load reports it.
func runtimeVersion(dir string) (version string, replaced bool) {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return "", false
	}
	file, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return "", false
	}
	for _, r := range file.Require {
		if r.Mod.Path == RuntimeModule {
			version = r.Mod.Version
		}
	}
	return version, replaces(file, RuntimeModule)
}

func replaces(file *modfile.File, modulePath string) bool {
	return slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool { return r.Old.Path == modulePath })
}

// Outdated reports whether go.mod of the absolute folder dir requires a released runtime that is older than
// RuntimeMinimum, and returns the version. own is the version of this program: the runtime of the same version always
// fits.
func Outdated(dir string, own Origin) (version string, outdated bool) {
	version, replaced := runtimeVersion(dir)
	return version, version != "" && !replaced && version != own.Version && semver.Compare(version, RuntimeMinimum) < 0
}

// importsRuntime reports whether any of the files imports the runtime module.
func importsRuntime(files []output.File) bool {
	return slices.ContainsFunc(files, func(f output.File) bool {
		return filepath.Ext(f.Path) == ".go" && bytes.Contains(f.Content, []byte(`"`+RuntimeModule+`/`))
	})
}

// LacksRuntime reports whether generated files import the runtime module and go.mod does not require it.
func (r Result) LacksRuntime() bool { return r.lacksRuntime }

// scaffold generates, and changes the requirement on the runtime in go.mod to what the generated files need.
func (r run) scaffold(ctx context.Context, diags diag.List, e edits) Result {
	result := r.generate(ctx, diags, e)
	if result.Diagnostics.HasErrors() {
		return result
	}
	name := filepath.Join(r.root, "go.mod")
	old := readFile(name)
	var text []byte
	var err error
	version, outdated := Outdated(r.root, r.origin)
	switch {
	case r.vendored() && version != "":
		text, err = dropRuntime(name, old)
	case result.lacksRuntime, outdated && r.origin.Dir == "" && importsRuntime(result.Files):
		text, err = r.origin.require(name, old, RuntimeModule)
	default:
		return result
	}
	if err != nil {
		result.Diagnostics.Add(diag.Errorf(diag.Range{}, "", "%s", err))
		result.Files, result.Changes = nil, nil
		return result
	}
	change := Change{Path: name, Action: output.Replace, Old: old, New: text}
	if result.lacksRuntime {
		change.Note = r.origin.note()
	}
	result.Changes = edits{change: []Change{change}}.among(result.Changes)
	return result
}

// dropRuntime removes the requirement on the runtime and its replacement from a go.mod.
func dropRuntime(name string, text []byte) ([]byte, error) {
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	if err := file.DropRequire(RuntimeModule); err != nil {
		return nil, err
	}
	if err := file.DropReplace(RuntimeModule, ""); err != nil {
		return nil, err
	}
	file.Cleanup()
	return file.Format()
}
