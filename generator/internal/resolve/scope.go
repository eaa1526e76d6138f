// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// scope is a package, with the declarations that are indexed so far.
type scope struct {
	resolver *Resolver
	path     string
	pkg      *load.Package

	indexed  map[*load.File]bool
	searched map[string]bool // words whose files are indexed
	missing  map[string]bool // names without a declared type

	types     map[string]*declaration
	constants map[string]*declaredConstant
	methods   map[string][]string // by receiver type

	marked map[string]bool // whether a marker is on the package, by marker
}

// declaration returns the declaration of a type at package level, or nil.
func (s *scope) declaration(name string) *declaration {
	s.indexTypes(name)
	return s.types[name]
}

// indexTypes indexes the files that declare the types with these names.
//
// It parses a file that only mentions a name if no likelier file declares it: a generated file can have megabytes and
// mention every type of its package.
func (s *scope) indexTypes(names ...string) {
	for i := range declarationForms("") {
		var likely []string
		for _, name := range names {
			if s.types[name] == nil && !s.missing[name] {
				likely = append(likely, declarationForms(name)[i]...)
			}
		}
		s.search(likely...)
	}
	for _, name := range names {
		if s.types[name] == nil {
			s.missing[name] = true
		}
	}
}

// search indexes the files that contain one of the words. Each search reads all files that are not parsed yet, so
// callers should pass all names at once.
func (s *scope) search(words ...string) {
	slices.Sort(words)
	words = slices.DeleteFunc(slices.Compact(words), func(w string) bool { return s.searched[w] })
	if len(words) == 0 {
		return
	}
	for _, f := range s.pkg.FilesWith(words...) {
		s.index(f)
	}
	for _, w := range words {
		s.searched[w] = true
	}
}

// declarationForms returns search words for a type's declaration, in three steps. The first is gofmt's form of a
// single declaration. The second is the form in parentheses, which fields have too. The last is the bare name. Every
// file mentions predeclared names, and packages rarely redeclare them, so these have one step with gofmt's forms. A
// redeclaration in unformatted source is not found.
func declarationForms(name string) [3][]string {
	alone, grouped := "\ntype "+name, "\n\t"+name+" "
	if isPredeclared(name) {
		return [3][]string{{alone, grouped}}
	}
	return [3][]string{{alone}, {grouped, "\n\t" + name + "["}, {name}}
}

// index records the declarations of a file.
func (s *scope) index(f *load.File) {
	if s.indexed[f] {
		return
	}
	s.indexed[f] = true
	for spec, at := range load.Types(f.AST) {
		if s.types[spec.Name.Name] == nil { // the compiler reports duplicates
			s.types[spec.Name.Name] = &declaration{file: f, spec: spec, place: at}
		}
	}
	for _, d := range f.AST.Decls {
		switch d := d.(type) {
		case *ast.GenDecl:
			if d.Tok == token.CONST || d.Tok == token.VAR {
				s.indexConstants(f, d)
			}
		case *ast.FuncDecl:
			s.indexMethod(d)
		}
	}
}

// declaration is a type declaration at package level.
type declaration struct {
	file      *load.File
	spec      *ast.TypeSpec
	place     load.Place
	following bool // the alias is being resolved
	// endless is true if instances of the type contain other instances without end.
	endless bool
}

// parameters returns the names of the type parameters.
func (d *declaration) parameters() []string {
	if d.spec.TypeParams == nil {
		return nil
	}
	var names []string
	for _, p := range d.spec.TypeParams.List {
		for _, name := range p.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
