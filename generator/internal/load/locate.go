// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/webhook-gen/webhook-gen/internal/program"
)

// Locate finds a package as an import in the module would: among the main modules, in the
// vendor folder, and in the module cache or replacement folders, at the versions that
// go.mod and go.work ask for. It reads these files itself and only where that is not enough
// asks "go list". The standard library is always asked for in that way.
//
// The package is the one that Load returned, or it has no Files; FilesWith reads them. Further calls return the same
// package.
// Locate may be called concurrently.
func (m *Module) Locate(ctx context.Context, importPath string) (*Package, error) {
	w := m.workspace
	w.mu.Lock()
	defer w.mu.Unlock()
	if l, known := w.located[importPath]; known {
		return l.pkg, l.err
	}
	pkg := w.find(importPath)
	var err error
	if pkg == nil {
		pkg, err = w.ask(ctx, m.Dir, importPath)
	}
	if ctx.Err() == nil {
		w.located[importPath] = location{pkg, err}
	}
	return pkg, err
}

// Overlay replaces the overlay with which the module was loaded. Locate reads packages again after it.
func (m *Module) Overlay(o Overlay) {
	w := m.workspace
	w.mu.Lock()
	defer w.mu.Unlock()
	w.selection.overlay = o
	clear(w.located)
}

// find looks for a package where go.mod and go.work say that it should be. It returns nil if
// it is not there.
func (w *workspace) find(importPath string) *Package {
	for _, m := range w.longestFirst() {
		if p := w.packageIn(m, importPath); p != nil {
			return p
		}
	}
	versions := w.versions()
	vendor := filepath.Join(w.dir, "vendor")
	_, err := os.Stat(filepath.Join(vendor, "modules.txt"))
	vendored := err == nil && !w.selection.env.writesModules()
	// The longest module path is the likeliest, but a package may have moved between modules.
	for prefix := importPath; prefix != "." && prefix != "/"; prefix = path.Dir(prefix) {
		version, required := versions[prefix]
		if !required {
			continue
		}
		dir := filepath.Join(vendor, filepath.FromSlash(prefix))
		if !vendored {
			dir = w.dirOf(module.Version{Path: prefix, Version: version})
		}
		if p := w.packageIn(w.dependency(prefix, dir), importPath); p != nil {
			return p
		}
	}
	return nil
}

// PackageName returns the name of a package that the module itself holds.
func (m *Module) PackageName(importPath string) (name string, ok bool) {
	p := m.workspace.packageIn(m, importPath)
	if p == nil {
		return "", false
	}
	return p.Name, true
}

// packageIn returns the package of that import path if the module holds it.
func (w *workspace) packageIn(m *Module, importPath string) *Package {
	dir, ok := m.folder(importPath)
	if !ok {
		return nil
	}
	l, err := w.selection.overlay.list(dir)
	if err != nil || len(l.goFiles) == 0 || m.isNested(dir) {
		return nil
	}
	return w.newPackage(m, importPath, dir, l.goFiles)
}

// newPackage makes a package of a folder's files. It returns nil if none counts on this platform.
func (w *workspace) newPackage(m *Module, importPath, dir string, names []string) *Package {
	for _, name := range names {
		src, err := w.selection.overlay.readFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if included, err := w.selection.includes(name, src); err != nil || !included {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, src, parser.PackageClauseOnly)
		if err != nil || tree.Name.Name == "documentation" {
			continue
		}
		return &Package{
			Module: m, Path: importPath, Name: tree.Name.Name, Dir: dir,
			selection: w.selection, others: names,
		}
	}
	return nil
}

// isNested reports whether a folder below the module's root belongs to another module.
func (m *Module) isNested(dir string) bool {
	for ; len(dir) > len(m.Dir); dir = filepath.Dir(dir) {
		if holds(dir, "go.mod") {
			return true
		}
	}
	return false
}

// dependency returns the module of that path and folder, the same one every time.
func (w *workspace) dependency(modulePath, dir string) *Module {
	m := w.dependencies[dir]
	if m == nil {
		m = &Module{Path: modulePath, Dir: dir, workspace: w}
		w.dependencies[dir] = m
	}
	return m
}

// versions returns the version of every module that a main module requires. Since Go 1.17 go.mod names every module
// that the module's packages need. Minimal version selection therefore chooses the highest version named
// (https://go.dev/ref/mod#graph-pruning). For an older go.mod the versions are unknown without the go.mod files of its
// dependencies.
func (w *workspace) versions() map[string]string {
	versions := make(map[string]string)
	for _, m := range w.modules {
		if m.file.Go == nil || semver.Compare("v"+m.file.Go.Version, "v1.17") < 0 {
			return nil
		}
		for _, r := range m.file.Require {
			if v, seen := versions[r.Mod.Path]; !seen || semver.Compare(r.Mod.Version, v) > 0 {
				versions[r.Mod.Path] = r.Mod.Version
			}
		}
	}
	return versions
}

// dirOf returns the folder of a required module: of its replacement, or in the module cache.
func (w *workspace) dirOf(v module.Version) string {
	if w.work != nil {
		if dir, ok := w.replacement(w.work.Replace, w.dir, v); ok {
			return dir
		}
	}
	for _, m := range w.modules {
		if dir, ok := w.replacement(m.file.Replace, m.Dir, v); ok {
			return dir
		}
	}
	return w.cached(v)
}

// replacement returns the folder by which the replace directives of a file in base replace a
// module. A directive for one version goes before one for all.
func (w *workspace) replacement(directives []*modfile.Replace, base string, v module.Version) (dir string, ok bool) {
	var chosen *modfile.Replace
	for _, r := range directives {
		if r.Old == v || r.Old.Path == v.Path && r.Old.Version == "" && chosen == nil {
			chosen = r
		}
	}
	switch {
	case chosen == nil:
		return "", false
	case chosen.New.Version == "":
		return rooted(base, chosen.New.Path), true
	}
	return w.cached(chosen.New), true
}

// cached returns the folder of a module in the module cache, where it need not be.
func (w *workspace) cached(v module.Version) string {
	escapedPath, err1 := module.EscapePath(v.Path)
	escapedVersion, err2 := module.EscapeVersion(v.Version)
	if err1 != nil || err2 != nil {
		return "" // no such module can exist
	}
	cache := w.selection.env.modCache(w.selection.context.GOPATH)
	return filepath.Join(cache, filepath.FromSlash(escapedPath)+"@"+escapedVersion)
}

// ask has the go command find a package. It neither runs another toolchain that go.mod or go.work names, nor writes
// go.mod.
func (w *workspace) ask(ctx context.Context, dir, importPath string) (*Package, error) {
	command, err := program.Find("go", w.dir)
	if err == nil {
		err = program.CheckModule(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot locate package %s: %w", importPath, err)
	}
	arguments := []string{"list", "-find", "-json=Dir,ImportPath,Name,Module"}
	if w.selection.env.writesModules() {
		arguments = append(arguments, "-mod=readonly")
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, command, append(arguments, "--", importPath)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN="+w.selection.env.toolchain())
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("cannot locate package %s: %s", importPath, cmp.Or(strings.TrimSpace(stderr.String()), err.Error()))
	}
	var answer struct {
		Dir, ImportPath, Name string
		Module                *struct{ Path, Dir string }
	}
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		return nil, fmt.Errorf("cannot locate package %s: go list answers: %w", importPath, err)
	}
	l, err := list(answer.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot locate package %s: %w", importPath, err)
	}
	m := &Module{Path: "std", Dir: strings.TrimSuffix(answer.Dir, filepath.FromSlash("/"+answer.ImportPath)), workspace: w}
	if answer.Module != nil {
		m = w.dependency(answer.Module.Path, answer.Module.Dir)
	}
	return &Package{
		Module: m, Path: answer.ImportPath, Name: answer.Name, Dir: answer.Dir,
		selection: w.selection, others: l.goFiles,
	}, nil
}
