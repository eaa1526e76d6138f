// SPDX-License-Identifier: Apache-2.0

package load

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/mod/modfile"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// workspace is a build of the go command: the modules of a go.work, or a single module. All of them use the same
// version of a dependency.
type workspace struct {
	dir       string            // folder of go.work, or of the single module's go.mod
	modules   []*Module         // the main modules
	work      *modfile.WorkFile // nil for a single module
	selection *selection

	mu           sync.Mutex
	located      map[string]location // by import path
	dependencies map[string]*Module  // by folder
}

// location is a cached result of Locate.
type location struct {
	pkg *Package
	err error
}

func (ms *modules) newWorkspace(dir string, work *modfile.WorkFile, modules ...*Module) *workspace {
	return &workspace{
		dir: dir, work: work, modules: modules, selection: ms.selection,
		located:      make(map[string]location),
		dependencies: make(map[string]*Module),
	}
}

// workspaceAround returns the workspace of a folder's go.work, which is the one in GOWORK or the nearest upward. It
// returns nil without a valid go.work.
func (ms *modules) workspaceAround(dir string) *workspace {
	switch name := ms.selection.env.get("GOWORK"); name {
	case "off":
		return nil
	case "", "auto":
	default:
		return ms.workspaceOf(filepath.Clean(name))
	}
	for dir := range upward(dir) {
		if holds(dir, "go.work") {
			return ms.workspaceOf(filepath.Join(dir, "go.work"))
		}
	}
	return nil
}

// workspaceOf reads a go.work and the go.mod of each of its modules.
func (ms *modules) workspaceOf(name string) *workspace {
	if w, known := ms.works[name]; known {
		return w
	}
	ms.works[name] = nil
	data, err := regular.ReadFile(name, regular.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		ms.problems.Add(diag.Errorf(diag.Range{}, ruleModFile, "GOWORK names %s, which does not exist", name))
		return nil
	}
	if err != nil {
		ms.problems.Add(unreadable(name, err))
		return nil
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		ms.problems.Add(modErrors(name, data, err)...)
		return nil
	}
	w := ms.newWorkspace(filepath.Dir(name), work)
	for _, use := range work.Use {
		dir := rooted(w.dir, use.Path)
		m, found := ms.moduleAt(dir)
		switch {
		case !found:
			at := diag.Position{File: name, Line: use.Syntax.Start.Line, Column: use.Syntax.Start.LineRune}
			ms.problems.Add(diag.Errorf(diag.Range{Pos: at}, ruleModFile, "there is no go.mod in %s", dir).
				WithHint("GOWORK=off ignores go.work"))
		case m != nil && !slices.Contains(w.modules, m):
			m.workspace = w
			w.modules = append(w.modules, m)
		}
	}
	ms.works[name] = w
	return w
}

// rooted returns an absolute path for a slash-separated path that may be relative to dir.
func rooted(dir, path string) string {
	path = filepath.FromSlash(path)
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case strings.HasPrefix(path, string(filepath.Separator)):
		return filepath.VolumeName(dir) + path // Windows: absolute on the same drive
	}
	return filepath.Join(dir, path)
}
