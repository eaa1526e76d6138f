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
	// Path is the module path that go.mod declares.
	Path string
	// Dir is the absolute folder of go.mod.
	Dir string

	file      *modfile.File // go.mod; nil for a module that was located as a dependency
	workspace *workspace    // the build whose versions and replacements its imports follow
}

// Replacements returns the replace directives of the module's go.mod as a go.mod in the absolute folder dir has them: a
// relative path is relative to that folder.
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

// InWorkspace reports whether a go.work makes a module of that path a main module, as it does this one.
func (m *Module) InWorkspace(modulePath string) bool {
	return slices.ContainsFunc(m.workspace.modules, func(o *Module) bool { return o.Path == modulePath })
}

// Requires reports whether the module's go.mod requires a module.
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

// folder returns the folder of an import path, and whether the path can be the module's.
func (m *Module) folder(importPath string) (string, bool) {
	rel, ok := strings.CutPrefix(importPath+"/", m.Path+"/")
	return filepath.Join(m.Dir, filepath.FromSlash(rel)), ok
}

// rel returns a folder of the module relative to its root, slash-separated.
func (m *Module) rel(dir string) string {
	rel := strings.TrimPrefix(strings.TrimPrefix(dir, m.Dir), string(filepath.Separator))
	return cmp.Or(filepath.ToSlash(rel), ".")
}

// vendors reports whether a folder lies below the module's vendor folder, whose packages
// belong to other modules.
func (m *Module) vendors(dir string) bool {
	return strings.HasPrefix(dir, filepath.Join(m.Dir, "vendor")+string(filepath.Separator))
}

// ignores reports whether an ignore directive of go.mod names the folder or one above it:
// "./x" the folder x of the root, "x" any folder x
// (cmd/go/internal/search.IgnorePatterns, https://go.dev/ref/mod#go-mod-file-ignore).
func (m *Module) ignores(dir string) bool {
	return slices.ContainsFunc(m.file.Ignore, func(ignore *modfile.Ignore) bool {
		rel := "/" + m.rel(dir) + "/"
		fromRoot, rooted := strings.CutPrefix(ignore.Path, "./")
		return rooted && strings.HasPrefix(rel, enclose(fromRoot)) || !rooted && strings.Contains(rel, enclose(ignore.Path))
	})
}

// enclose puts a path between slashes.
func enclose(path string) string {
	return "/" + strings.Trim(filepath.ToSlash(path), "/") + "/"
}

// upward yields an absolute folder and the folders around it.
func upward(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for yield(dir) && dir != filepath.Dir(dir) {
			dir = filepath.Dir(dir)
		}
	}
}

// holds reports whether a folder has a file of that name.
func holds(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && !info.IsDir()
}

// modules are the modules that a run meets, each read once.
type modules struct {
	selection *selection
	byDir     map[string]*Module // nil for a go.mod that cannot be used, which is reported
	works     map[string]*workspace
	problems  diag.List
}

// around returns the module around a folder, from the nearest go.mod upward. It is nil, with found true, if that
// go.mod cannot be used.
func (ms *modules) around(dir string) (m *Module, found bool) {
	for dir := range upward(dir) {
		if m, found = ms.at(dir); found {
			break
		}
	}
	if m != nil && m.workspace == nil {
		ms.workspaceAround(m.Dir) // may be the module's
	}
	if m != nil && m.workspace == nil {
		m.workspace = ms.newWorkspace(m.Dir, nil, m)
	}
	return m, found
}

// at returns the module whose root is dir, without its workspace.
func (ms *modules) at(dir string) (m *Module, found bool) {
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

// modErrors converts the errors of modfile in a text.
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
		e.Filename, e.Pos = "", modfile.Position{} // they would be repeated in the text
		problems.Add(diag.Errorf(diag.Range{Pos: at}, ruleModFile, "%s", e.Error()))
	}
	return problems
}

// unreadable reports a file or folder that cannot be read.
func unreadable(path string, err error) diag.Diagnostic {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // the path is the diagnostic's position
	}
	return diag.Errorf(diag.InFile(path), ruleUnreadable, "cannot read %s: %v", filepath.Base(path), err)
}
