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

// Locate finds a package like an import in the module. It searches the main modules, then the vendor folder, or the
// module cache and replacement folders with the versions in go.mod and go.work. It reads these files itself. If that
// fails, and for the standard library, it runs "go list".
//
// If Load has returned the package, it is that one. Otherwise it has no Files; FilesWith reads them. Another call
// returns the same package. Concurrent calls are safe.
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
		pkg, err = w.goList(ctx, m.Dir, importPath)
	}
	if ctx.Err() == nil {
		w.located[importPath] = location{pkg, err}
	}
	return pkg, err
}

// Overlay replaces the module's overlay. Later calls of Locate read packages again.
func (m *Module) Overlay(o Overlay) {
	w := m.workspace
	w.mu.Lock()
	defer w.mu.Unlock()
	w.selection.overlay = o
	clear(w.located)
}

// find returns a package from the place that go.mod and go.work determine, or nil if it is missing there.
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
	// A package is probably in the module with the longest path, but may have moved between modules.
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

// PackageName returns the name of a package in the module itself.
func (m *Module) PackageName(importPath string) (name string, ok bool) {
	p := m.workspace.packageIn(m, importPath)
	if p == nil {
		return "", false
	}
	return p.Name, true
}

// packageIn returns the package with an import path if the module contains it, or nil.
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

// newPackage returns a package of a folder's files, or nil if no file is for this platform.
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

// dependency returns the module with a path and folder. It returns the same Module each time.
func (w *workspace) dependency(modulePath, dir string) *Module {
	m := w.dependencies[dir]
	if m == nil {
		m = &Module{Path: modulePath, Dir: dir, workspace: w}
		w.dependencies[dir] = m
	}
	return m
}

// versions returns the version of each module that a main module requires. Since Go 1.17, go.mod lists every module
// that the module's packages need, so minimal version selection chooses the highest listed version
// (https://go.dev/ref/mod#graph-pruning). For an older go.mod, the versions also depend on the dependencies' go.mod
// files and are unknown.
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

// dirOf returns the folder of a required module: its replacement or its folder in the module cache.
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

// replacement returns the folder that replaces a module according to the directives of a file in base. A directive
// for one version takes precedence over one for all versions.
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

// cached returns the folder of a module in the module cache. The folder may not exist.
func (w *workspace) cached(v module.Version) string {
	escapedPath, err1 := module.EscapePath(v.Path)
	escapedVersion, err2 := module.EscapeVersion(v.Version)
	if err1 != nil || err2 != nil {
		return "" // no such module can exist
	}
	cache := w.selection.env.modCache(w.selection.context.GOPATH)
	return filepath.Join(cache, filepath.FromSlash(escapedPath)+"@"+escapedVersion)
}

// goList finds a package with the go command. It never runs the toolchain in go.mod or go.work, and never writes
// go.mod.
func (w *workspace) goList(ctx context.Context, dir, importPath string) (*Package, error) {
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
