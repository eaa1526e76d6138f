// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Module is a Go module on disk.
type Module struct {
	// Path is the module path in go.mod.
	Path string
	// Dir is the absolute folder of go.mod.
	Dir string

	file      *modfile.File // nil for a module that was located as a dependency
	workspace *workspace    // the workspace with the versions and replacements of its imports
}

// Replacements returns the replace directives of go.mod for a go.mod in the absolute folder dir: relative paths are
// relative to dir.
func (m *Module) Replacements(dir string) []modfile.Replace {
	if m.file == nil {
		return nil
	}
	var all []modfile.Replace
	for _, r := range m.file.Replace {
		to := r.New
		if strings.HasPrefix(to.Path, ".") && modfile.IsDirectoryPath(to.Path) {
			to.Path = rooted(m.Dir, to.Path)
			if rel, err := filepath.Rel(dir, to.Path); err == nil {
				to.Path = filepath.ToSlash(rel)
			}
			if !modfile.IsDirectoryPath(to.Path) {
				to.Path = "./" + to.Path
			}
		}
		all = append(all, modfile.Replace{Old: r.Old, New: to})
	}
	return all
}

// InWorkspace reports whether a go.work contains this module and the one with the path.
func (m *Module) InWorkspace(modulePath string) bool {
	return slices.ContainsFunc(m.workspace.modules, func(o *Module) bool { return o.Path == modulePath })
}

// Requires reports whether go.mod requires a module.
func (m *Module) Requires(modulePath string) bool {
	return m.file != nil && slices.ContainsFunc(m.file.Require, func(r *modfile.Require) bool { return r.Mod.Path == modulePath })
}

// importPath returns the import path of a folder of the module.
func (m *Module) importPath(dir string) string {
	if rel := m.rel(dir); rel != "." {
		return m.Path + "/" + rel
	}
	return m.Path
}

// folder returns the folder of an import path. ok is false if the path is outside of the module.
func (m *Module) folder(importPath string) (string, bool) {
	rel, ok := strings.CutPrefix(importPath+"/", m.Path+"/")
	return filepath.Join(m.Dir, filepath.FromSlash(rel)), ok
}

// rel returns a folder's path relative to the module's root, with slashes.
func (m *Module) rel(dir string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, m.Dir), string(filepath.Separator))
	return cmp.Or(filepath.ToSlash(rel), ".")
}

// vendors reports whether a folder is in the module's vendor folder, whose packages belong to other modules.
func (m *Module) vendors(dir string) bool {
	return strings.HasPrefix(dir, filepath.Join(m.Dir, "vendor")+string(filepath.Separator))
}

// ignores reports whether an ignore directive in go.mod matches the folder or a parent. "./x" matches the folder x in
// the root, and "x" any folder x (cmd/go/internal/search.IgnorePatterns, https://go.dev/ref/mod#go-mod-file-ignore).
func (m *Module) ignores(dir string) bool {
	return slices.ContainsFunc(m.file.Ignore, func(ignore *modfile.Ignore) bool {
		rel := "/" + m.rel(dir) + "/"
		fromRoot, rooted := strings.CutPrefix(ignore.Path, "./")
		return rooted && strings.HasPrefix(rel, enclose(fromRoot)) || !rooted && strings.Contains(rel, enclose(ignore.Path))
	})
}

// enclose returns a path with a slash at both ends.
func enclose(path string) string {
	return "/" + strings.Trim(filepath.ToSlash(path), "/") + "/"
}

// upward yields an absolute folder and its parents.
func upward(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
	}
}

// holds reports whether a folder contains an entry with the name.
func holds(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && !info.IsDir()
}

// modules caches the modules of a run.
type modules struct {
	selection *selection
	byDir     map[string]*Module // nil for an invalid go.mod, which is reported
	works     map[string]*workspace
	problems  diag.List
}

// moduleAround returns the module of the nearest go.mod upward from a folder. If that go.mod is invalid, m is nil and
// found is true.
func (ms *modules) moduleAround(dir string) (m *Module, found bool) {
	for dir := range upward(dir) {
		if m, found = ms.moduleAt(dir); found {
			break
		}
	}
	if m != nil && m.workspace == nil {
		ms.workspaceAround(m.Dir) // sets its workspace
	}
	if m != nil && m.workspace == nil {
		m.workspace = ms.newWorkspace(m.Dir, nil, m)
	}
	return m, found
}

// moduleAt returns the module with the root dir, without its workspace.
func (ms *modules) moduleAt(dir string) (m *Module, found bool) {
	if m, found = ms.byDir[dir]; found {
		return m, true
	}
	name := filepath.Join(dir, "go.mod")
	if info, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, false
	}
	ms.byDir[dir] = ms.read(name)
	return ms.byDir[dir], true
}

func (ms *modules) read(name string) *Module {
	data, err := regular.ReadFile(name, regular.Settings)
	if err != nil {
		ms.problems.Add(unreadable(name, err))
		return nil
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		ms.problems.Add(modErrors(name, data, err)...)
		return nil
	}
	if file.Module == nil {
		ms.problems.Add(diag.Errorf(diag.InFile(name), ruleModFile, "go.mod has no module line").
			WithHint("go mod init writes one"))
		return nil
	}
	return &Module{Path: file.Module.Mod.Path, Dir: filepath.Dir(name), file: file}
}

// modErrors converts modfile's errors.
func modErrors(name string, text []byte, err error) diag.List {
	if d, found := diag.Conflict(name, ruleModFile, text); found {
		return diag.List{d}
	}
	var errs modfile.ErrorList
	if !errors.As(err, &errs) {
		return diag.List{diag.Errorf(diag.InFile(name), ruleModFile, "%v", err)}
	}
	var problems diag.List
	for _, e := range errs {
		at := diag.Position{File: name, Line: e.Pos.Line, Column: e.Pos.LineRune}
		e.Filename, e.Pos = "", modfile.Position{} // the diagnostic has the position
		problems.Add(diag.Errorf(diag.Range{Pos: at}, ruleModFile, "%s", e.Error()))
	}
	return problems
}

// unreadable returns the error for a file or folder that cannot be read.
func unreadable(path string, err error) diag.Diagnostic {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // the diagnostic has the path
	}
	return diag.Errorf(diag.InFile(path), ruleUnreadable, "cannot read %s: %v", filepath.Base(path), err)
}
