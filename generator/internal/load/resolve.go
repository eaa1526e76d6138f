// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// tree is a part of a module's folders that a pattern selects: a folder, or the matches of a wildcard in and below
// it.
type tree struct {
	module *Module
	dir    string
	// name is the name of dir that the wildcard matches. The names of its folders have /folder appended.
	name string
	wild *wildcard // nil for a single folder

	// settled is true if a package was found or another problem was reported, so that the pattern needs no error.
	settled atomic.Bool
}

// scope contains the trees of each pattern of a run.
type scope struct {
	module   *Module
	patterns []pattern
	trees    [][]*tree // by pattern; empty if the pattern has an error
}

// resolve returns the trees of the patterns.
func (ms *modules) resolve(dir string, texts []string) scope {
	var s scope
	home, found := ms.moduleAround(dir)
	s.module = home
	if len(texts) == 0 {
		texts = []string{"./..."}
		if home != nil {
			dir = home.Dir
		}
	}
	for _, text := range texts {
		p := parsePattern(text, filepath.Separator)
		s.patterns = append(s.patterns, p)
		var trees []*tree
		switch {
		case p.local:
			trees = ms.local(dir, p)
		case home != nil:
			trees = ms.imported(dir, home.workspace, p)
		case !found:
			if w := ms.workspaceAround(dir); w != nil {
				trees = ms.imported(dir, w, p)
			} else {
				ms.noModule(p, dir)
			}
		}
		s.trees = append(s.trees, trees)
		if s.module == nil && len(trees) > 0 {
			s.module = trees[0].module
		}
	}
	return s
}

// local returns the trees of a folder pattern.
func (ms *modules) local(base string, p pattern) []*tree {
	dir := rooted(base, p.path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		ms.noMatch(p, "there is no folder "+dir, "")
		return nil
	case err != nil:
		ms.problems.Add(unreadable(dir, err))
		return nil
	case !info.IsDir():
		ms.noMatch(p, "it names a file", folderOf(p.text))
		return nil
	}
	m, found := ms.moduleAround(dir)
	switch {
	case !found:
		return ms.workspaceBelow(dir, p)
	case m == nil:
		return nil // its go.mod has an error
	case m.vendors(dir):
		ms.noMatch(p, "vendored packages belong to other modules", "")
		return nil
	case p.wild == "":
		return []*tree{{module: m, dir: dir}}
	case isLeftOut(path.Base(p.path)) || m.ignores(dir):
		ms.noMatch(p, "its folder is one that ... leaves out", "name the folders below it")
		return nil
	}
	wild := newWildcard(p.wild)
	return []*tree{{module: m, dir: dir, wild: &wild}}
}

// workspaceBelow returns the trees of a folder pattern outside of all modules: the modules below it in its go.work.
// The go command rejects such a pattern, but a manifest for a whole workspace needs it.
func (ms *modules) workspaceBelow(dir string, p pattern) []*tree {
	w := ms.workspaceAround(dir)
	if w == nil {
		ms.noModule(p, dir)
		return nil
	}
	var trees []*tree
	for _, m := range w.modules {
		below, ok := strings.CutPrefix(m.Dir, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
		if wild := newWildcard(p.wild); ok && p.wild != "" && wild.reaches(filepath.ToSlash(below)) {
			trees = append(trees, &tree{module: m, dir: m.Dir, name: filepath.ToSlash(below), wild: &wild})
		}
	}
	if len(trees) == 0 {
		ms.noMatch(p, "it covers no module that go.work uses", "")
	}
	return trees
}

// imported returns the trees of an import path pattern.
func (ms *modules) imported(base string, w *workspace, p pattern) []*tree {
	if p.wild != "" {
		wild := newWildcard(p.wild)
		var trees []*tree
		for _, m := range w.modules {
			if wild.reaches(m.Path) {
				trees = append(trees, &tree{module: m, dir: m.Dir, name: m.Path, wild: &wild})
			}
		}
		if len(trees) == 0 {
			ms.outside(base, w, p)
		}
		return trees
	}
	for _, m := range w.longestFirst() {
		dir, ok := m.folder(p.path)
		if !ok {
			continue
		}
		if info, err := os.Stat(dir); err != nil || !info.IsDir() || m.vendors(dir) {
			continue
		}
		if owner, _ := ms.moduleAround(dir); owner == m {
			return []*tree{{module: m, dir: dir}}
		}
	}
	ms.outside(base, w, p)
	return nil
}

// longestFirst returns the main modules, longest path first. The first one whose path is a prefix of an import path
// is the likeliest.
func (w *workspace) longestFirst() []*Module {
	return slices.SortedFunc(slices.Values(w.modules), func(a, b *Module) int {
		return cmp.Or(cmp.Compare(len(b.Path), len(a.Path)), cmp.Compare(a.Path, b.Path))
	})
}

// outside reports an import path outside of all main modules.
func (ms *modules) outside(base string, w *workspace, p pattern) {
	paths := make([]string, len(w.modules))
	for i, m := range w.modules {
		paths[i] = m.Path
	}
	hint := ""
	before, _, _ := strings.Cut(p.text, "/...")
	switch info, err := os.Stat(filepath.Join(base, filepath.FromSlash(before))); {
	case before == "" || err != nil:
	case info.IsDir():
		hint = "to name the folder, write ./" + p.text
	default:
		ms.noMatch(p, "it names a file", folderOf(p.text))
		return
	}
	ms.noMatch(p, "it is an import path outside "+strings.Join(paths, ", "), hint)
}

// folderOf returns the remedy for a file name in place of a pattern.
func folderOf(file string) string {
	if isManifest(file) {
		return "webhook-gen lint -f " + file + " reads a manifest; packages are folders"
	}
	folder := path.Dir(filepath.ToSlash(file))
	if folder != "." && !path.IsAbs(folder) && !strings.HasPrefix(folder, "../") {
		folder = "./" + folder
	}
	return "name its folder: " + folder
}

func (ms *modules) noMatch(p pattern, why, hint string) {
	ms.problems.Add(diag.Errorf(diag.Range{}, ruleNoMatch, "pattern %q matches no package: %s", p.text, why).WithHint("%s", hint))
}

func (ms *modules) noModule(p pattern, dir string) {
	ms.problems.Add(diag.Errorf(diag.Range{}, ruleNoModule, "pattern %q: there is no go.mod in %s or above it", p.text, dir).
		WithHint("webhook-gen init starts a project; go mod init makes the folder a module"))
}

// isLeftOut reports whether "..." skips folders with this name.
func isLeftOut(folder string) bool {
	return folder == "testdata" || folder[0] == '_' || folder[0] == '.' && folder != "." && folder != ".."
}
