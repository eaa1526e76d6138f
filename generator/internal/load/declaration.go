// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Type is the declaration of a type at package level.
type Type struct {
	File *File
	Spec *ast.TypeSpec
}

// Type finds a type that the package declares. It remembers all types of the files that it looks at. Type may be called
// concurrently.
func (p *Package) Type(name string) (Type, bool) {
	p.mu.Lock()
	t, known := p.types[name]
	p.mu.Unlock()
	if known {
		return t, true
	}
	found := make(map[string]Type)
	for _, f := range p.FilesWith(name) {
		for spec := range Types(f.AST) {
			if _, twice := found[spec.Name.Name]; !twice {
				found[spec.Name.Name] = Type{f, spec}
			}
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.types == nil {
		p.types = make(map[string]Type)
	}
	maps.Copy(p.types, found)
	t, known = found[name]
	return t, known
}

// Types yields the types that a file declares at package level, each with its place.
func Types(f *ast.File) iter.Seq2[*ast.TypeSpec, Place] {
	return func(yield func(*ast.TypeSpec, Place) bool) {
		before := f.Name.End()
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
				inside := decl.Lparen
				for _, s := range decl.Specs {
					spec, at := s.(*ast.TypeSpec), Place{decl.Doc, before, decl.Pos()}
					if decl.Lparen.IsValid() {
						at = Place{spec.Doc, inside, spec.Pos()}
						inside = spec.End()
					}
					if !yield(spec, at) {
						return
					}
				}
			}
			before = d.End()
		}
	}
}

// Place is where a type or a field is declared.
type Place struct {
	Doc *ast.CommentGroup
	// Before is the end of the predecessor, and Pos the start of the declaration behind the comment.
	Before, Pos token.Pos
}

// Comments returns the comments that Kubernetes' own generators read (k8s.io/gengo/v2/types.Type, CommentLines and
// SecondClosestCommentLines): the doc comment and the one comment directly above it, in source order. A comment that
// begins on the predecessor's last line belongs to the predecessor.
func (p Place) Comments(file *ast.File, position func(token.Pos) diag.Position) (groups []*ast.CommentGroup) {
	pos := p.Pos
	if p.Doc != nil {
		groups = append(groups, p.Doc)
		pos = p.Doc.Pos()
	}
	next, _ := slices.BinarySearchFunc(file.Comments, pos, func(g *ast.CommentGroup, pos token.Pos) int { return int(g.Pos() - pos) })
	if next == 0 {
		return groups
	}
	above := file.Comments[next-1]
	if above.Pos() < p.Before || position(above.Pos()).Line == position(p.Before).Line {
		return groups
	}
	return slices.Insert(groups, 0, above)
}

// Comments are the comment groups between the declaration before the type and the type's name: its doc comment and the
// comments above it.
func (t Type) Comments() []*ast.CommentGroup {
	begin := t.File.AST.Name.End()
	for _, d := range t.File.AST.Decls {
		if d.End() < t.Spec.Pos() {
			begin = d.End()
		} else if decl, ok := d.(*ast.GenDecl); ok && decl.Lparen.IsValid() && decl.Pos() < t.Spec.Pos() {
			for _, s := range decl.Specs {
				if s.End() < t.Spec.Pos() {
					begin = s.End()
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(t.File.AST.Comments), func(g *ast.CommentGroup) bool {
		return g.Pos() <= begin || g.End() >= t.Spec.Pos()
	})
}

// Method is the name of a method in its declaration.
type Method struct {
	diag.Range
	Name string
	// Idle is set if the method only returns nil.
	Idle bool
}

// idle reports whether a body only returns nil.
func idle(body *ast.BlockStmt) bool {
	if body == nil || len(body.List) != 1 {
		return false
	}
	r, ok := body.List[0].(*ast.ReturnStmt)
	if !ok || len(r.Results) != 1 {
		return false
	}
	value, ok := r.Results[0].(*ast.Ident)
	return ok && value.Name == "nil"
}

// Methods are the methods that the package declares on a type, without the methods that this tool generated.
func (p *Package) Methods(name string) []Method {
	var methods []Method
	for f, d := range p.Functions(name) {
		if Receiver(d) == name {
			methods = append(methods, Method{f.Range(d.Name.Pos(), d.Name.End()), d.Name.Name, idle(d.Body)})
		}
	}
	return methods
}

// Functions yields the functions and methods in the package's files that contain one of the words.
func (p *Package) Functions(words ...string) iter.Seq2[*File, *ast.FuncDecl] {
	return func(yield func(*File, *ast.FuncDecl) bool) {
		for _, f := range p.FilesWith(words...) {
			for _, d := range f.AST.Decls {
				if function, ok := d.(*ast.FuncDecl); ok && !yield(f, function) {
					return
				}
			}
		}
	}
}

// Declared returns the names that a file declares at package level, methods left out.
func Declared(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" { // which nothing can refer to
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						if id.Name != "_" {
							names = append(names, id.Name)
						}
					}
				}
			}
		}
	}
	return names
}

// Receiver is the name of a method's type; empty for a function.
func Receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	return TypeName(f.Recv.List[0].Type)
}

// TypeName returns the name of a type, or of the function of a call, without package, pointer and type arguments: the
// name of an embedded field of that type.
func TypeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return TypeName(e.X)
	case *ast.IndexExpr:
		return TypeName(e.X)
	case *ast.IndexListExpr:
		return TypeName(e.X)
	case *ast.ParenExpr:
		return TypeName(e.X)
	}
	return ""
}

// DeclaresInTest reports whether a test of the package in a folder declares a function. It ignores unreadable files:
// the compiler reports them.
func DeclaresInTest(dir, function string) bool {
	files, _ := fs.Glob(os.DirFS(dir), "*_test.go") //nolint:forbidigo // it reads folders; the pattern is a good one
	for _, file := range files {
		text, err := regular.ReadFile(filepath.Join(dir, file), regular.Source)
		if err != nil || !bytes.Contains(text, []byte("func "+function+"(")) {
			continue
		}
		tree, _ := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if tree != nil && slices.ContainsFunc(tree.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			return ok && f.Recv == nil && f.Name.Name == function
		}) {
			return true
		}
	}
	return false
}

// GeneratedBelow returns the files of our own making below a folder, whether or not any pattern
// covers them. A folder that does not exist holds none.
func GeneratedBelow(dir string) []string {
	var found []string
	// Unreadable files are not ours to remove.
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if !d.IsDir() && isGeneratedName(d.Name()) {
			if text, err := regular.ReadFile(path, regular.Source); err == nil && IsOurs(text) {
				found = append(found, path)
			}
		}
		return nil
	})
	return found
}

// PackageComments returns the comment groups of a file that belong to its package: those outside of declarations that
// are no declaration's doc comment. controller-gen reads markers of the package there.
func PackageComments(file *ast.File) []*ast.CommentGroup {
	return slices.DeleteFunc(slices.Clone(file.Comments), func(g *ast.CommentGroup) bool {
		return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
			var doc *ast.CommentGroup
			switch d := d.(type) {
			case *ast.FuncDecl:
				doc = d.Doc
			case *ast.GenDecl:
				doc = d.Doc
			}
			return g == doc || d.Pos() <= g.Pos() && g.Pos() < d.End()
		})
	})
}

// Markers returns the lines of comments that begin with a plus sign, without the slashes. Groups may be nil.
func Markers(groups ...*ast.CommentGroup) []string {
	var found []string
	for _, g := range groups {
		if g == nil {
			continue
		}
		for _, c := range g.List {
			if line := strings.TrimSpace(strings.TrimPrefix(c.Text, "//")); strings.HasPrefix(line, "+") {
				found = append(found, line)
			}
		}
	}
	return found
}

// ListMapKeys returns the keys that +listMapKey markers in comments declare. Groups may be nil.
func ListMapKeys(groups ...*ast.CommentGroup) (keys []string) {
	for _, m := range Markers(groups...) {
		if key, ok := strings.CutPrefix(m, "+listMapKey="); ok {
			keys = append(keys, strings.Trim(key, "\"`"))
		}
	}
	return keys
}
