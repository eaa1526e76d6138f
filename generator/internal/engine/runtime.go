// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// RuntimeModule is the path of the module that generated code imports.
const RuntimeModule = templates.RuntimePath

// The modules below the runtime, which take types of it.
const (
	// AdaptersModule adapts validators and defaulters of controller-runtime.
	AdaptersModule = RuntimeModule + "/controllerruntime"
	// CommandsModule has the commands scan and convert of programs.
	CommandsModule = RuntimeModule + "/program"
)

// RuntimeModules are the paths of the runtime's module and the modules below it. They have the same versions.
func RuntimeModules() []string { return []string{AdaptersModule, CommandsModule, RuntimeModule} }

// RuntimeModes are the values of handlers.runtime.
func RuntimeModes() []string { return []string{"import", "vendor"} }

// Copied returns the import path of the project's copy of the runtime.
func (r Run) Copied(modulePath string) string { return path.Join(modulePath, r.Handlers.Path) }

// Vendored reports whether the project keeps a copy of the runtime.
func (r Run) Vendored() bool { return r.Handlers.Runtime == "vendor" }

// RuntimePackages are the packages of the runtime, as paths in its module.
func RuntimePackages() []string {
	var packages []string
	for _, f := range templates.Runtime() {
		packages = append(packages, path.Dir(f.Name))
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// Strays returns the imports of the runtime in the user's own files that do not fit handlers.runtime.
func (r Run) Strays(ctx context.Context, e Edits) ([]load.Import, error) {
	m, _ := load.ModulePath(r.Root)
	found, err := r.imports(ctx, m, e)
	wrong := r.wrongPackages()
	return slices.DeleteFunc(found, func(i load.Import) bool { return !wrong[i.Path] }), err
}

// wrongPackages returns the import paths of the runtime under the other mode of handlers.runtime. Of a copy, it returns
// the packages whose folders have no file of the user's.
func (r Run) wrongPackages() map[string]bool {
	wrong := map[string]bool{}
	m, ok := load.ModulePath(r.Root) // load reports a missing one
	for _, pkg := range RuntimePackages() {
		switch {
		case ok && r.Vendored():
			wrong[path.Join(RuntimeModule, pkg)] = true
		case ok && r.isCopy(pkg):
			wrong[path.Join(r.Copied(m), pkg)] = true
		}
	}
	return wrong
}

// imports returns the imports of the runtime module, and of the project's copy, in the user's own files.
func (r Run) imports(ctx context.Context, modulePath string, e Edits) ([]load.Import, error) {
	return load.Imports(ctx, r.Root, e.Overlay(), RuntimeModule+"/", r.Copied(modulePath)+"/")
}

// isCopy reports whether the folder of a runtime package below the handlers has only generated files.
func (r Run) isCopy(pkg string) bool {
	files := load.Names(r.Root, path.Join(r.Handlers.Path, pkg, "*.go"))
	return len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !strings.HasPrefix(filepath.Base(f), "zz_generated.") })
}

// Wanted returns the path of a runtime package under handlers.runtime, for its path in the other mode.
func (r Run) Wanted(imported string) string {
	m, _ := load.ModulePath(r.Root)
	from, to := r.Copied(m), RuntimeModule
	if r.Vendored() {
		from, to = to, from
	}
	return to + strings.TrimPrefix(imported, from)
}

// checkRuntime reports imports in the user's own files that do not fit handlers.runtime. It also returns the packages
// of the project's copy of the runtime that its own files import.
func (r Run) checkRuntime(ctx context.Context, m *load.Module, e Edits) (copied []string, diags diag.List) {
	wrong := r.wrongPackages()
	if m == nil || !r.Vendored() && len(wrong) == 0 {
		return nil, nil
	}
	found, err := r.imports(ctx, m.Path, e)
	if err != nil {
		return nil, diag.List{diag.Errorf(diag.Range{}, "", "%s", err)}
	}
	takes := map[string]string{AdaptersModule: "requests", CommandsModule: "handlers"}
	for _, i := range found {
		pkg, isCopied := strings.CutPrefix(i.Path, r.Copied(m.Path)+"/")
		switch {
		case wrong[i.Path]:
			diags.Add(diag.Errorf(i.Range, model.RuleRuntime, "generated code imports %s, not %s", r.Wanted(i.Path), i.Path).
				WithHint("webhook-gen runtime %s", r.Handlers.Runtime))
		case !r.Vendored():
		case takes[i.Path] != "":
			diags.Add(diag.Errorf(i.Range, model.RuleRuntime, "%s takes %s of the module %s, not of a copy of it", i.Path, takes[i.Path], RuntimeModule).
				WithHint("remove the import and its uses, or run webhook-gen runtime import"))
		case isCopied:
			copied = append(copied, pkg)
		}
	}
	return append(copied, r.ImportedBy(m.Path, e.Create)...), diags
}

// ImportedBy returns the packages of the project's copy of the runtime that new files import.
func (r Run) ImportedBy(modulePath string, files []output.File) []string {
	if !r.Vendored() {
		return nil
	}
	return slices.DeleteFunc(RuntimePackages(), func(pkg string) bool { return !inGo(files, `"`+path.Join(r.Copied(modulePath), pkg)+`"`) })
}

// RequiredVersion returns the version of a module that go.mod of the absolute folder dir requires, or nothing. It also
// reports whether another module or a folder replaces the module. A go.mod that does not exist or does not parse
// requires nothing; load reports it.
func RequiredVersion(dir, modulePath string) (version string, replaced bool) {
	file := load.GoMod(dir)
	for _, r := range file.Require {
		if r.Mod.Path == modulePath {
			version = r.Mod.Version
		}
	}
	return version, Replaces(file, modulePath)
}

// Replaces reports whether a go.mod replaces a module.
func Replaces(file *modfile.File, modulePath string) bool {
	return slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool { return r.Old.Path == modulePath })
}

// ImportsRuntime reports whether any of the files imports the runtime module.
func ImportsRuntime(files []output.File) bool { return inGo(files, `"`+RuntimeModule+`/`) }

// inGo reports whether any Go file contains a text.
func inGo(files []output.File, text string) bool {
	return slices.ContainsFunc(files, func(f output.File) bool {
		return filepath.Ext(f.Path) == ".go" && bytes.Contains(f.Content, []byte(text))
	})
}
