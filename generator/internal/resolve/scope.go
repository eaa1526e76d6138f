// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// scope is what a package declares, as far as it has been asked for.
type scope struct {
	resolver *Resolver
	path     string
	pkg      *load.Package

	indexed  map[*load.File]bool
	searched map[string]bool // words whose files are all indexed
	missing  map[string]bool // names without a declared type

	types     map[string]*declaration
	constants map[string]*declaredConstant
	methods   map[string][]string // by the receiver's type

	marked map[string]bool // the package, by a marker that has been asked for
}

// declaration returns a type's declaration on the package level; nil without one.
func (s *scope) declaration(name string) *declaration {
	s.seek(name)
	return s.types[name]
}

// seek indexes the files that declare types of these names, as far as there are any.
//
// A file that merely mentions a name is parsed only if no likelier one declares it: generated
// files of megabytes mention every type of their package.
func (s *scope) seek(names ...string) {
	for i := range forms("") {
		var likely []string
		for _, name := range names {
			if s.types[name] == nil && !s.missing[name] {
				likely = append(likely, forms(name)[i]...)
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

// search indexes the files that hold one of the words. Each search reads every file that is not parsed yet, so it pays
// to search at once for all names needed soon.
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

// forms returns the words of a type's declaration, the likeliest first: as gofmt begins one of its own, then one in
// parentheses, and a field too, and then the only word certain to be there. A predeclared name is rarely declared anew,
// and every file mentions it. So one search must do for the forms that gofmt knows, and a new declaration of one in
// source that gofmt has not seen is overlooked.
func forms(name string) [3][]string {
	alone, grouped := "\ntype "+name, "\n\t"+name+" "
	if isPredeclared(name) {
		return [3][]string{{alone, grouped}}
	}
	return [3][]string{{alone}, {grouped, "\n\t" + name + "["}, {name}}
}

// index notes what a file declares.
func (s *scope) index(f *load.File) {
	if s.indexed[f] {
		return
	}
	s.indexed[f] = true
	for spec, at := range load.Types(f.AST) {
		if s.types[spec.Name.Name] == nil { // the compiler reports a second one
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

// declaration is a type declared on the package level.
type declaration struct {
	file      *load.File
	spec      *ast.TypeSpec
	place     load.Place
	following bool // an alias that is being followed
	// endless is true if instances of the type contain others without an end.
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
