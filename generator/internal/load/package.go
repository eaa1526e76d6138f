// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Package is a Go package: one that holds a marker, as Load finds it, or any, as Module.Locate does.
type Package struct {
	// Module is the module that the package belongs to.
	Module *Module
	// Path is the import path.
	Path string
	// Name is the name in the package clause.
	Name string
	// Dir is the absolute folder.
	Dir string
	// Files are the files that hold a marker, parsed, by name. A package that only Locate has found has none.
	Files []*File

	selection *selection
	others    []string // names of the folder's other Go files, sorted, unread so far

	mu      sync.Mutex
	further map[string]*File // by name, of others: what FilesWith has parsed; nil for a file that does not count
	types   map[string]Type  // what Type has seen
}

// FilesWith returns the package's files that contain one of the words, by name. It searches Files and further ones,
// which it parses when it first finds a word in them.
//
// A further file with syntax errors is returned as far as its tree is usable: it is read for single declarations, and
// the compiler reports the rest. An unreadable one is passed over. Every call reads the files that are not yet parsed,
// so pass all words at once where possible. FilesWith may be called concurrently.
func (p *Package) FilesWith(words ...string) []*File {
	p.mu.Lock()
	defer p.mu.Unlock()
	sieve := newSieve(words, p.selection.overlay)
	all := slices.Clone(p.Files)
	for _, name := range p.others {
		f, known := p.further[name]
		if !known {
			src, err := sieve.read(filepath.Join(p.Dir, name))
			if err != nil || src == nil {
				continue
			}
			if p.further == nil {
				p.further = make(map[string]*File)
			}
			f = p.parse(name, src)
			p.further[name] = f
		}
		if f != nil {
			all = append(all, f)
		}
	}
	found := slices.DeleteFunc(all, func(f *File) bool { return !sieve.passes(f.Src) })
	slices.SortFunc(found, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
	return found
}

// parse returns the file's tree if the file counts as the package's, and nil if not.
func (p *Package) parse(name string, src []byte) *File {
	if included, err := p.selection.includes(name, src); !included || err != nil || IsOurs(src) {
		return nil
	}
	f, _ := parseFile(filepath.Join(p.Dir, name), src)
	if f.AST.Name.Name != p.Name {
		return nil
	}
	return f
}

// Imports returns the paths that the package's files import, by file.
func (p *Package) Imports() (paths []string) {
	for _, f := range p.FilesWith("import") {
		for _, i := range f.AST.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// WithText returns the package as it is when the file at path holds text. The package itself
// and the disk stay as they are.
func (p *Package) WithText(path string, text []byte) (*Package, diag.List) {
	f, problems := parseFile(path, text)
	changed := &Package{
		Module: p.Module, Path: p.Path, Name: p.Name, Dir: p.Dir,
		Files: slices.Clone(p.Files), selection: p.selection, others: p.others,
	}
	for i, old := range changed.Files {
		if old.Path == path {
			changed.Files[i] = f
		}
	}
	return changed, problems
}
