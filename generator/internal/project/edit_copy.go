// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/semantics"
)

// closure returns a file and the other files of the package that declare names in use in it. It omits the declaration
// of the package's group and version.
func closure(p *load.Package, from *load.File) []*load.File {
	all := p.FilesWith("type ", "const ", "var ", "func ")
	closure := []*load.File{from}
	for i := 0; i < len(closure); i++ {
		used := references(closure[i].AST)
		for _, f := range all {
			if !slices.Contains(closure, f) && !bytes.Contains(f.Src, []byte("GroupVersion{")) && slices.ContainsFunc(load.Declared(f.AST), func(name string) bool { return used[name] }) {
				closure = append(closure, f)
			}
		}
	}
	return closure
}

// references returns the identifiers of a file that may refer to package-level names, without names of fields and
// methods.
func references(file *ast.File) map[string]bool {
	members, used := map[*ast.Ident]bool{}, map[string]bool{}
	for n := range ast.Preorder(file) {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			members[n.Sel] = true
		case *ast.Field:
			for _, name := range n.Names {
				members[name] = true
			}
		case *ast.FuncDecl:
			members[n.Name] = true
		case *ast.Ident:
			if !members[n] {
				used[n.Name] = true
			}
		}
	}
	return used
}

// copyFile returns a file's text for another package. It omits our markers and comment lines that equal one of the
// words, because these describe the original version.
func copyFile(f *load.File, packageName string, words ...string) ([]byte, error) {
	placed, diags := marker.InFile(f.AST, f.Position, registry.Prefix)
	if diags.HasErrors() {
		return nil, errors.New("the markers in " + f.Path + " have mistakes: webhook-gen lists them")
	}
	var gone []diag.Range
	for _, m := range placed {
		gone = append(gone, m.Range)
	}
	for _, group := range f.AST.Comments {
		for _, c := range group.List {
			if slices.Contains(words, strings.TrimSpace(strings.TrimPrefix(c.Text, "//"))) {
				gone = append(gone, f.Range(c.Pos(), c.End()))
			}
		}
	}
	name := f.Position(f.AST.Name.Pos())
	lines, _ := split(f.Src)
	line := lines[name.Line-1]
	lines[name.Line-1] = line[:name.Column-1] + packageName + line[name.Column-1+len(f.AST.Name.Name):]
	return removeMarkers([]byte(strings.Join(lines, "")), gone)
}

// withVersion replaces the version in the strings and the package comment of a text.
func withVersion(text []byte, old, now string) ([]byte, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var replaced bytes.Buffer
	done := 0
	replace := func(from, to token.Pos, with func(was string) string) {
		begin, end := set.Position(from).Offset, set.Position(to).Offset
		replaced.Write(text[done:begin])
		replaced.WriteString(with(string(text[begin:end])))
		done = end
	}
	if word := regexp.MustCompile(`\b` + regexp.QuoteMeta(old) + `\b`); tree.Doc != nil {
		replace(tree.Doc.Pos(), tree.Doc.End(), func(was string) string { return word.ReplaceAllLiteralString(was, now) })
	}
	for n := range ast.Preorder(tree) {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Value == strconv.Quote(old) {
			replace(literal.Pos(), literal.End(), func(string) string { return strconv.Quote(now) })
		}
	}
	replaced.Write(text[done:])
	return replaced.Bytes(), nil
}

// markCopy adds markers to a type in the text of a new file.
func markCopy(text []byte, name string, markers ...string) ([]byte, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, "", text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for spec, at := range load.Types(tree) {
		if spec.Name.Name == name {
			return addMarkers(text, semantics.APIType{Line: set.Position(at.Pos).Line}, markers...), nil
		}
	}
	return nil, errors.New("there is no type " + name)
}

// otherKinds returns the kinds in a file other than one kind and its list: structs with a TypeMeta.
func otherKinds(f *load.File, kind string) []string {
	var others []string
	for spec := range load.Types(f.AST) {
		if name := spec.Name.Name; name != kind && name != kind+"List" && embeds(spec, "TypeMeta") {
			others = append(others, name)
		}
	}
	return others
}
