// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/mod/module"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// walk reads every folder of the trees once, with the overlay, and parses its marked files. It reports the patterns
// without a match.
func (s scope) walk(ctx context.Context, markers []string, modules *modules) *walk {
	selection := modules.selection
	w := &walk{selection: selection, modules: modules, seen: make(map[string]bool)}
	var jobs []job
	for _, trees := range s.trees {
		for _, t := range trees {
			jobs = append(jobs, w.visit(t, t.dir, t.name))
		}
	}
	crawl(ctx, jobs, func() func(job) []job {
		sieve := newSieve(markers, selection.overlay)
		return func(do job) []job { return do(sieve) }
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
	return w
}

// job reads a folder or parses a file. It returns the jobs that follow.
type job func(*sieve) []job

// walk collects the results of the jobs.
type walk struct {
	selection *selection
	modules   *modules

	mu        sync.Mutex
	seen      map[string]bool // folders that a job reads
	packages  []*Package      // of the folders with markers; assemble sets their names
	generated []string        // paths of generated files
	problems  diag.List
}

// visit returns a job that reads a folder if its tree selects it, and that visits the folders in it. name is the
// folder's name for the wildcard. The job follows the rules of cmd/go/internal/search.Match.MatchDirs.
func (w *walk) visit(t *tree, dir, name string) job {
	return func(sieve *sieve) (next []job) {
		l, err := w.selection.overlay.list(dir)
		if err != nil {
			w.report(unreadable(dir, err))
			t.settled.Store(true)
		}
		if l.isModule && dir != t.module.Dir {
			return w.nested(dir) // a nested module
		}
		if l.holdsGo && (t.wild == nil || t.wild.matches(name)) {
			t.settled.Store(true)
			if w.claim(dir) {
				next = w.read(sieve, t.module, dir, l)
			}
		}
		if t.wild == nil || !t.wild.reaches(name) {
			return next
		}
		for _, folder := range l.folders {
			below := filepath.Join(dir, folder)
			if !isLeftOut(folder) && (w.selection.everything || !t.module.ignores(below)) && !t.module.vendors(below) {
				next = append(next, w.visit(t, below, path.Join(name, folder)))
			}
		}
		return next
	}
}

// nested returns a job that visits a nested module if the run reads everything, or else nil.
func (w *walk) nested(dir string) []job {
	if !w.selection.everything {
		return nil
	}
	w.mu.Lock()
	m, _ := w.modules.moduleAround(dir)
	w.mu.Unlock()
	if m == nil {
		return nil // its go.mod has an error
	}
	wild := newWildcard("...")
	return []job{w.visit(&tree{module: m, dir: dir, wild: &wild}, dir, "")}
}

// claim reports whether the caller is the first to read a folder. Several patterns may select it.
func (w *walk) claim(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	first := !w.seen[dir]
	w.seen[dir] = true
	return first
}

// read sorts a folder's files into marked, generated and other ones. It returns jobs that parse the marked files.
func (w *walk) read(sieve *sieve, m *Module, dir string, l listing) (marked []job) {
	p := &Package{Module: m, Path: m.importPath(dir), Dir: dir, selection: w.selection}
	var generated []string
	for _, name := range l.generated {
		file := filepath.Join(dir, name)
		// Unreadable files are reported below, except for tests, which do not matter.
		if head, err := sieve.head(file); err == nil && IsOurs(head) {
			generated = append(generated, file)
		}
	}
	names := l.goFiles
	if w.selection.everything {
		names = slices.Concat(names, l.ignored)
	}
	for _, name := range names {
		file := filepath.Join(dir, name)
		if slices.Contains(generated, file) {
			continue
		}
		text, err := sieve.read(file)
		switch {
		case err != nil:
			w.report(unreadable(file, err))
		case text != nil:
			marked = append(marked, w.parse(p, name, text))
		default:
			p.others = append(p.others, name)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.generated = append(w.generated, generated...)
	if len(marked) == 0 {
		return nil
	}
	// The path becomes a name and a text in generated files. The go command refuses other paths, too.
	if err := module.CheckImportPath(p.Path); err != nil {
		w.problems.Add(unreadable(dir, fmt.Errorf("it cannot be a package: %w", err)))
		return nil
	}
	w.packages = append(w.packages, p)
	return marked
}

func (w *walk) report(d diag.Diagnostic) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems.Add(d)
}
