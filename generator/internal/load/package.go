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

// Package is a Go package: one with a marker from Load, or any package from Module.Locate.
type Package struct {
	// Module is the package's module.
	Module *Module
	// Path is the import path.
	Path string
	// Name is the name in the package clause.
	Name string
	// Dir is the absolute folder.
	Dir string
	// Files are the parsed files with a marker, by name. A package that only Locate has found has none.
	Files []*File

	selection *selection
	others    []string // names of the folder's other Go files, sorted

	mu      sync.Mutex
	further map[string]*File // parsed files among others, by name; nil for a file of another package
	types   map[string]Type  // types of the files that Type has searched
}

// FilesWith returns the package's files that contain one of the words, by name. It parses files outside of Files when
// it first finds a word in them.
//
// It ignores syntax errors in those files and returns the usable part of the tree, because callers read single
// declarations and the compiler reports errors. It skips unreadable files. Each call reads all files that are not
// parsed yet, so callers should pass all words at once. Concurrent calls are safe.
func (p *Package) FilesWith(words ...string) []*File {
	p.mu.Lock()
	defer p.mu.Unlock()
	sieve := newSieve(words, p.selection.overlay)
	all := slices.Clone(p.Files)
	for _, name := range p.others {
		f, cached := p.further[name]
		if !cached {
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

// parse returns the file's tree, or nil if the file is not in the package.
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

// Imports returns the import paths of the package's files, file by file.
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

// WithText returns a copy of the package in which the file at path has another text. The disk does not change.
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
