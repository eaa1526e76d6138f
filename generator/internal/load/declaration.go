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

// Type returns a type that the package declares. It remembers the types of the files that it searches. Concurrent calls
// are safe.
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

// Types yields a file's package-level types with their places.
func Types(f *ast.File) iter.Seq2[*ast.TypeSpec, Place] { return specs[*ast.TypeSpec](f, token.TYPE) }

// Constants yields a file's package-level constants with their places.
func Constants(f *ast.File) iter.Seq2[*ast.ValueSpec, Place] {
	return specs[*ast.ValueSpec](f, token.CONST)
}

// specs yields the specs of a file's declarations with a keyword.
func specs[T ast.Spec](f *ast.File, keyword token.Token) iter.Seq2[T, Place] {
	return func(yield func(T, Place) bool) {
		before := f.Name.End()
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == keyword {
				inside := decl.Lparen
				for _, s := range decl.Specs {
					spec, at := s.(T), Place{decl.Doc, before, decl.Pos()}
					if decl.Lparen.IsValid() {
						at = Place{docOf(s), inside, s.Pos()}
						inside = s.End()
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

func docOf(s ast.Spec) *ast.CommentGroup {
	switch s := s.(type) {
	case *ast.TypeSpec:
		return s.Doc
	case *ast.ValueSpec:
		return s.Doc
	}
	return nil
}

// Place is the position of a type's or field's declaration.
type Place struct {
	Doc *ast.CommentGroup
	// Before is the end of the preceding declaration, and Pos the start of this one after its comment.
	Before, Pos token.Pos
}

// Comments returns the comments that Kubernetes' own generators read (k8s.io/gengo/v2/types.Type, CommentLines and
// SecondClosestCommentLines): the doc comment and the comment directly above it, in source order. A comment that
// begins on the last line of the preceding declaration belongs to that declaration.
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

// Comments returns the doc comment of the type and the comments between it and the preceding declaration.
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

// Method is a method with the position of its name.
type Method struct {
	diag.Range
	Name string
	// Idle is true if the method only returns nil.
	Idle bool
}

// idle reports whether a function body only returns nil.
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

// Methods returns the methods of a type in the package, except for generated ones.
func (p *Package) Methods(name string) []Method {
	var methods []Method
	for f, d := range p.Functions(name) {
		if Receiver(d) == name {
			methods = append(methods, Method{f.Range(d.Name.Pos(), d.Name.End()), d.Name.Name, idle(d.Body)})
		}
	}
	return methods
}

// Functions yields the functions and methods in files of the package that contain one of the words.
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

// Declared returns the package-level names of a file, without methods.
func Declared(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name != "init" { // no code can refer to init
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

// Receiver returns the type name of a method's receiver, or "" for a function.
func Receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	return TypeName(f.Recv.List[0].Type)
}

// HasMetadata reports whether a type is a struct that embeds TypeMeta and ObjectMeta, as kinds do.
func HasMetadata(spec *ast.TypeSpec) bool {
	s, ok := spec.Type.(*ast.StructType)
	if !ok {
		return false
	}
	found := 0
	for _, f := range s.Fields.List {
		if of, ok := f.Type.(*ast.SelectorExpr); ok && len(f.Names) == 0 && (of.Sel.Name == "TypeMeta" || of.Sel.Name == "ObjectMeta") {
			found++
		}
	}
	return found == 2
}

// TypeName returns the name of a type, or of a called function, without package, pointer and type arguments. An
// embedded field of that type has this name.
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

// DeclaresInTest reports whether a test file in the folder declares a function. It ignores unreadable files, because
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

// GeneratedBelow returns the generated files below a folder, whether or not a pattern matches them. A missing folder
// has none.
func GeneratedBelow(dir string) []string {
	var found []string
	// An unreadable file does not count as generated.
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

// PackageComments returns the comments that belong to the package: those outside of declarations, except for
// declarations' doc comments. controller-gen reads package markers in them.
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

// Markers returns the comment lines that begin with a plus sign, without the slashes. Groups may be nil.
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

// ListMapKeys returns the keys in +listMapKey and +k8s:listMapKey markers, each once. Groups may be nil.
func ListMapKeys(groups ...*ast.CommentGroup) (keys []string) {
	for _, m := range Markers(groups...) {
		name, key, _ := strings.Cut(m, "=")
		if key = strings.Trim(key, "\"`"); (name == "+listMapKey" || name == "+k8s:listMapKey") && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}
