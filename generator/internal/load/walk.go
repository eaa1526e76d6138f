// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// folder is the content of a covered folder, before anything is parsed.
type folder struct {
	module    *Module
	dir       string
	marked    []source // files that hold a marker, by name
	parsed    []*File  // marked files of the package
	others    []string // names of the other candidates
	generated []string // paths of files of our own making
}

// source is the text of a file.
type source struct {
	folder *folder
	name   string
	text   []byte
}

// walk goes through the trees, as the overlay has them, reads every covered folder once, and reports the patterns that
// match nothing.
func (s scope) walk(ctx context.Context, markers []string, overlay Overlay) ([]*folder, diag.List) {
	w := walk{overlay: overlay, seen: make(map[string]bool)}
	var visits []visit
	for _, trees := range s.trees {
		for _, t := range trees {
			visits = append(visits, visit{tree: t, dir: t.dir, name: t.name})
		}
	}
	crawl(ctx, visits, func() func(visit) []visit {
		sieve := newSieve(markers, overlay)
		return func(v visit) []visit { return w.visit(sieve, v) }
	})
	for i, trees := range s.trees {
		settled := slices.ContainsFunc(trees, func(t *tree) bool { return t.settled.Load() })
		if len(trees) == 0 || settled || ctx.Err() != nil {
			continue
		}
		d := diag.Errorf(diag.Range{}, ruleNoMatch, "pattern %q matches no package: there is no Go file", s.patterns[i].text)
		if trees[0].wild != nil {
			d = d.WithHint("... leaves out testdata, vendor, folders that begin with . or _, nested modules and what go.mod ignores")
		}
		w.problems.Add(d)
	}
	return w.folders, w.problems
}

// visit is one folder to look at.
type visit struct {
	tree *tree
	dir  string
	name string // what the tree's wildcard is held against
}

// walk collects the results of the visits.
type walk struct {
	overlay Overlay

	mu       sync.Mutex
	seen     map[string]bool // folders that some visit reads
	folders  []*folder
	problems diag.List
}

// visit reads a folder if its tree covers it and returns the folders below it to visit next. It follows the rules of
// cmd/go/internal/search.Match.MatchDirs.
func (w *walk) visit(sieve *sieve, v visit) []visit {
	t := v.tree
	l, err := w.overlay.list(v.dir)
	if err != nil {
		w.report(unreadable(v.dir, err))
		t.settled.Store(true)
	}
	if l.isModule && v.dir != t.module.Dir {
		return nil // a module of its own
	}
	if l.holdsGo && (t.wild == nil || t.wild.matches(v.name)) {
		t.settled.Store(true)
		if w.claim(v.dir) {
			w.read(sieve, t.module, v.dir, l)
		}
	}
	if t.wild == nil || !t.wild.reaches(v.name) {
		return nil
	}
	var below []visit
	for _, name := range l.folders {
		dir := filepath.Join(v.dir, name)
		if !isLeftOut(name) && !t.module.ignores(dir) && !t.module.vendors(dir) {
			below = append(below, visit{tree: t, dir: dir, name: path.Join(v.name, name)})
		}
	}
	return below
}

// claim reports whether the caller is the first to read a folder, which several patterns may cover.
func (w *walk) claim(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := !w.seen[dir]
	w.seen[dir] = true
	return first
}

// read sorts the files of a folder into marked, other and our own.
func (w *walk) read(sieve *sieve, m *Module, dir string, l listing) {
	f := &folder{module: m, dir: dir}
	for _, name := range l.generated {
		file := filepath.Join(dir, name)
		// An unreadable file is reported below, save for tests, which do not matter.
		if head, err := sieve.head(file); err == nil && isOurs(head) {
			f.generated = append(f.generated, file)
		}
	}
	for _, name := range l.goFiles {
		file := filepath.Join(dir, name)
		if slices.Contains(f.generated, file) {
			continue
		}
		text, err := sieve.read(file)
		switch {
		case err != nil:
			w.report(unreadable(file, err))
		case text != nil:
			f.marked = append(f.marked, source{folder: f, name: name, text: text})
		default:
			f.others = append(f.others, name)
		}
	}
	if len(f.marked) == 0 {
		f.others = nil // of a folder without markers nothing else is asked
	}
	if len(f.marked) > 0 || len(f.generated) > 0 {
		w.mu.Lock()
		w.folders = append(w.folders, f)
		w.mu.Unlock()
	}
}

func (w *walk) report(d diag.Diagnostic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems.Add(d)
}
