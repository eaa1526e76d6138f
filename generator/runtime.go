// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/regular"
	"github.com/webhook-gen/webhook-gen/templates"
)

// RuntimeModule is the path of the module that generated code imports.
const RuntimeModule = templates.RuntimePath

// RuntimeModes are the values of handlers.runtime.
func RuntimeModes() []string { return []string{"import", "vendor"} }

// SetRuntime moves a project from the runtime module to a copy of it, or back: it sets handlers.runtime in
// webhook-gen.yaml, rewrites the import paths in the user's own files, and generates.
func SetRuntime(ctx context.Context, c Config, mode string) (Scaffold, error) {
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	settings := filepath.Join(s.root, config.FileName)
	old, err := regular.ReadFile(settings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Scaffold{}, err
	}
	text, err := config.Set(old, "handlers.runtime", mode)
	if err != nil {
		return Scaffold{}, err
	}
	var e edits
	s.Config, s.diags = config.Parse(settings, text)
	if !bytes.Equal(text, old) {
		if old == nil {
			e.change = append(e.change, Change{Path: settings, Action: output.Create, New: text})
		} else {
			e.put(settings, old, text)
		}
	}
	found, err := s.strays(ctx, edits{})
	if err != nil {
		return Scaffold{}, err
	}
	for i := len(found) - 1; i >= 0; { // backwards through each file, so that offsets stay right
		file, source := found[i].Pos.File, found[i].Source
		text := slices.Clone(source)
		for ; i >= 0 && found[i].Pos.File == file; i-- {
			text = slices.Concat(text[:found[i].Start], []byte(`"`+s.wanted(found[i].Path)+`"`), text[found[i].End:])
		}
		e.put(file, source, formattedAs(source, text))
	}
	return Scaffold{Result: s.scaffold(ctx, s.diags, e), Next: []string{s.test()}}, nil
}

// formattedAs returns the changed text of a Go file, with its imports sorted if the file was formatted by gofmt before.
func formattedAs(old, changed []byte) []byte {
	was, err := format.Source(old)
	if err != nil || !bytes.Equal(was, old) {
		return changed
	}
	sorted, err := format.Source(changed)
	if err != nil {
		return changed
	}
	return sorted
}

// copied returns the import path of the project's copy of the runtime.
func (r run) copied(modulePath string) string { return path.Join(modulePath, r.Handlers.Path) }

// vendored reports whether the project keeps a copy of the runtime.
func (r run) vendored() bool { return r.Handlers.Runtime == "vendor" }

// runtimePackages are the packages of the runtime, as paths in its module.
func runtimePackages() []string {
	var packages []string
	for _, f := range templates.Runtime() {
		packages = append(packages, path.Dir(f.Name))
	}
	slices.Sort(packages)
	return slices.Compact(packages)
}

// strays returns the imports of the runtime in the user's own files that do not fit handlers.runtime.
func (r run) strays(ctx context.Context, e edits) ([]load.Import, error) {
	m, ok := load.ModulePath(r.root)
	if !ok {
		return nil, nil // reported by load
	}
	if r.vendored() {
		return load.Imports(ctx, r.root, RuntimeModule+"/", e.overlay(), func(p string) bool { return strings.HasPrefix(p, RuntimeModule+"/") })
	}
	copied := r.copied(m)
	gone := map[string]bool{} // packages of a copy whose folders have no file of the user's
	for _, pkg := range runtimePackages() {
		if r.isCopy(pkg) {
			gone[path.Join(copied, pkg)] = true
		}
	}
	if len(gone) == 0 {
		return nil, nil
	}
	return load.Imports(ctx, r.root, copied+"/", e.overlay(), func(p string) bool { return gone[p] })
}

// isCopy reports whether the folder of a runtime package below the handlers has only generated files.
func (r run) isCopy(pkg string) bool {
	// The pattern is valid, so there is no error.
	files, _ := filepath.Glob(filepath.Join(r.root, filepath.FromSlash(r.Handlers.Path), filepath.FromSlash(pkg), "*.go"))
	return len(files) > 0 && !slices.ContainsFunc(files, func(f string) bool { return !strings.HasPrefix(filepath.Base(f), "zz_generated.") })
}

// wanted returns the path of a runtime package under handlers.runtime, for its path in the other mode.
func (r run) wanted(imported string) string {
	m, _ := load.ModulePath(r.root)
	from, to := r.copied(m), RuntimeModule
	if r.vendored() {
		from, to = to, from
	}
	return to + strings.TrimPrefix(imported, from)
}

// checkRuntime reports imports in the user's own files that do not fit handlers.runtime.
func (r run) checkRuntime(ctx context.Context, e edits) diag.List {
	found, err := r.strays(ctx, e)
	if err != nil {
		return diag.List{diag.Errorf(diag.Range{}, "", "reading the project's imports: %s", err)}
	}
	var diags diag.List
	for _, i := range found {
		diags.Add(diag.Errorf(i.Range, model.RuleRuntime, "generated code imports %s, not %s", r.wanted(i.Path), i.Path).
			WithHint("webhook-gen runtime %s", r.Handlers.Runtime))
	}
	return diags
}

// importedRuntime returns the packages of the project's copy of the runtime that its own files import.
func (r run) importedRuntime(ctx context.Context, m *load.Module, e edits) ([]string, error) {
	if !r.vendored() || m == nil {
		return nil, nil
	}
	prefix := r.copied(m.Path) + "/"
	found, err := load.Imports(ctx, r.root, prefix, e.overlay(), func(p string) bool { return strings.HasPrefix(p, prefix) })
	var packages []string
	for _, i := range found {
		packages = append(packages, strings.TrimPrefix(i.Path, prefix))
	}
	if err != nil {
		err = fmt.Errorf("reading the project's imports: %w", err)
	}
	return append(packages, r.importedBy(m.Path, e.create)...), err
}

// importedBy returns the packages of the project's copy of the runtime that new files import.
func (r run) importedBy(modulePath string, files []output.File) []string {
	var packages []string
	for _, pkg := range runtimePackages() {
		quoted := []byte(`"` + path.Join(r.copied(modulePath), pkg) + `"`)
		if r.vendored() && slices.ContainsFunc(files, func(f output.File) bool { return filepath.Ext(f.Path) == ".go" && bytes.Contains(f.Content, quoted) }) {
			packages = append(packages, pkg)
		}
	}
	return packages
}
