// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bytes"
	"context"
	"fmt"
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

// ModulesBelow are the paths of the modules below the runtime. They have the runtime's versions.
func ModulesBelow() []string { return []string{AdaptersModule, CommandsModule} }

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
	m, ok := load.ModulePath(r.Root)
	if !ok {
		return nil, nil // reported by load
	}
	if r.Vendored() {
		return load.Imports(ctx, r.Root, RuntimeModule+"/", e.Overlay(), func(p string) bool {
			return slices.Contains(RuntimePackages(), strings.TrimPrefix(p, RuntimeModule+"/"))
		})
	}
	copied := r.Copied(m)
	gone := map[string]bool{} // packages of a copy whose folders have no file of the user's
	for _, pkg := range RuntimePackages() {
		if r.isCopy(pkg) {
			gone[path.Join(copied, pkg)] = true
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	return load.Imports(ctx, r.Root, copied+"/", e.Overlay(), func(p string) bool { return gone[p] })
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

// checkRuntime reports imports in the user's own files that do not fit handlers.runtime.
func (r Run) checkRuntime(ctx context.Context, e Edits) diag.List {
	found, err := r.Strays(ctx, e)
	if err != nil {
		return diag.List{diag.Errorf(diag.Range{}, "", "reading the project's imports: %s", err)}
	}
	var diags diag.List
	for _, i := range found {
		diags.Add(diag.Errorf(i.Range, model.RuleRuntime, "generated code imports %s, not %s", r.Wanted(i.Path), i.Path).
			WithHint("webhook-gen runtime %s", r.Handlers.Runtime))
	}
	if !r.Vendored() {
		return diags
	}
	for below, takes := range map[string]string{AdaptersModule: "requests", CommandsModule: "handlers"} {
		found, err = load.Imports(ctx, r.Root, below, e.Overlay(), func(p string) bool { return p == below })
		if err != nil {
			return append(diags, diag.Errorf(diag.Range{}, "", "reading the project's imports: %s", err))
		}
		for _, i := range found {
			diags.Add(diag.Errorf(i.Range, model.RuleRuntime, "%s takes %s of the module %s, not of a copy of it", below, takes, RuntimeModule).
				WithHint("remove the import and its uses, or run webhook-gen runtime import"))
		}
	}
	return diags
}

// importedRuntime returns the packages of the project's copy of the runtime that its own files import.
func (r Run) importedRuntime(ctx context.Context, m *load.Module, e Edits) ([]string, error) {
	if !r.Vendored() || m == nil {
		return nil, nil
	}
	prefix := r.Copied(m.Path) + "/"
	found, err := load.Imports(ctx, r.Root, prefix, e.Overlay(), func(p string) bool { return strings.HasPrefix(p, prefix) })
	var packages []string
	for _, i := range found {
		packages = append(packages, strings.TrimPrefix(i.Path, prefix))
	}
	if err != nil {
		err = fmt.Errorf("reading the project's imports: %w", err)
	}
	return append(packages, r.ImportedBy(m.Path, e.Create)...), err
}

// ImportedBy returns the packages of the project's copy of the runtime that new files import.
func (r Run) ImportedBy(modulePath string, files []output.File) []string {
	var packages []string
	for _, pkg := range RuntimePackages() {
		quoted := []byte(`"` + path.Join(r.Copied(modulePath), pkg) + `"`)
		if r.Vendored() && slices.ContainsFunc(files, func(f output.File) bool { return filepath.Ext(f.Path) == ".go" && bytes.Contains(f.Content, quoted) }) {
			packages = append(packages, pkg)
		}
	}
	return packages
}

// RuntimeVersion returns the version of the runtime that go.mod of the absolute folder dir requires, or nothing.
// It also reports whether another module or a folder replaces the runtime. A go.mod that does not exist or does not
// parse requires nothing; load reports it.
func RuntimeVersion(dir string) (version string, replaced bool) {
	file := load.GoMod(dir)
	for _, r := range file.Require {
		if r.Mod.Path == RuntimeModule {
			version = r.Mod.Version
		}
	}
	return version, Replaces(file, RuntimeModule)
}

// RequiredBelow returns the modules below the runtime that go.mod of the absolute folder dir requires.
func RequiredBelow(dir string) []string {
	file := load.GoMod(dir)
	return slices.DeleteFunc(ModulesBelow(), func(m string) bool {
		return !slices.ContainsFunc(file.Require, func(r *modfile.Require) bool { return r.Mod.Path == m })
	})
}

// Replaces reports whether a go.mod replaces a module.
func Replaces(file *modfile.File, modulePath string) bool {
	return slices.ContainsFunc(file.Replace, func(r *modfile.Replace) bool { return r.Old.Path == modulePath })
}

// ImportsRuntime reports whether any of the files imports the runtime module.
func ImportsRuntime(files []output.File) bool {
	return slices.ContainsFunc(files, func(f output.File) bool {
		return filepath.Ext(f.Path) == ".go" && bytes.Contains(f.Content, []byte(`"`+RuntimeModule+`/`))
	})
}
