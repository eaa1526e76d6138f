// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// mostValues bounds the numbers and the texts that are taken from Go files or objects.
const mostValues = 60

// with returns the numbers and texts of two, each once.
func (r Replacement) with(other Replacement) Replacement {
	r.Numbers, r.Texts = slices.Clone(r.Numbers), slices.Clone(r.Texts)
	for _, n := range other.Numbers[:min(len(other.Numbers), mostValues)] {
		if !slices.Contains(r.Numbers, n) {
			r.Numbers = append(r.Numbers, n)
		}
	}
	for _, text := range other.Texts[:min(len(other.Texts), mostValues)] {
		if !slices.Contains(r.Texts, text) {
			r.Texts = append(r.Texts, text)
		}
	}
	return r
}

// valuesOf returns the numbers and texts in objects.
func valuesOf(objects []json.RawMessage) (r Replacement) {
	for _, object := range objects {
		tree, err := failure.Decode(object)
		if err != nil {
			continue
		}
		eachLeaf(tree, nil, func(_ []string, v any) {
			switch v := v.(type) {
			case string:
				r.Texts = append(r.Texts, v)
			case json.Number:
				if n, err := v.Int64(); err == nil {
					r.Numbers = append(r.Numbers, n)
				}
			}
		})
	}
	return r
}

// hasNull reports whether a member or element of an object is null.
func hasNull(object json.RawMessage) bool {
	tree, err := failure.Decode(object)
	found := false
	if err == nil && tree != nil {
		eachLeaf(tree, nil, func(path []string, v any) {
			found = found || v == nil && !slices.Equal(path, []string{"metadata", "creationTimestamp"})
		})
	}
	return found
}

// files returns the files of the webhook's functions. The folder of the package is the working folder of its tests.
func (c replacementCheck) files() (all []string) {
	for _, operation := range c.operations() {
		if file := filepath.Base(c.position(operation).File); file != "." && !slices.Contains(all, file) {
			all = append(all, file)
		}
	}
	return all
}

// goLiterals returns the constant numbers and the texts in Go files, and the constants of other files of the package
// that they name. Messages of errors have spaces, and come last.
func goLiterals(files []string) (r Replacement) {
	var messages []string
	named := map[string]bool{}
	add := func(node ast.Node) {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				return false
			case *ast.Field:
				return n.Tag == nil // a type
			case *ast.Ident:
				named[n.Name] = true
			case ast.Expr:
				v := literal(n)
				if number, ok := constant.Int64Val(constant.ToInt(v)); v.Kind() != constant.String && ok {
					r.Numbers = append(r.Numbers, number)
				} else if v.Kind() == constant.String {
					if text := constant.StringVal(v); strings.Contains(text, " ") {
						messages = append(messages, text)
					} else {
						r.Texts = append(r.Texts, text)
					}
				}
			}
			return true
		})
	}
	for _, file := range files {
		if parsed := parsedFile(file); parsed != nil {
			add(parsed)
		}
	}
	all, _ := filepath.Glob("*.go") // the pattern is valid
	for _, file := range all {
		parsed := parsedFile(file)
		if parsed == nil || slices.Contains(files, file) || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range parsed.Decls {
			declared, ok := d.(*ast.GenDecl)
			if !ok || declared.Tok != token.CONST && declared.Tok != token.VAR {
				continue
			}
			for _, spec := range declared.Specs {
				isNamed := func(n *ast.Ident) bool { return named[n.Name] }
				if v, ok := spec.(*ast.ValueSpec); ok && slices.ContainsFunc(v.Names, isNamed) {
					add(v)
				}
			}
		}
	}
	r.Texts = append(r.Texts, messages...)
	return r
}

// parsedFile returns a Go file; nil for a file that cannot be read, as in a test that runs without its source.
func parsedFile(file string) *ast.File {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return parsed
}

// literal returns the value of an expression of literals; an unknown one for others.
func literal(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0)
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.UnaryExpr:
		if x := literal(e.X); e.Op == token.SUB && x.Kind() == constant.Int {
			return constant.UnaryOp(token.SUB, x, 0)
		}
	case *ast.BinaryExpr:
		x, y := literal(e.X), literal(e.Y)
		if x.Kind() != constant.Int || y.Kind() != constant.Int {
			return constant.MakeUnknown()
		}
		switch by, exact := constant.Uint64Val(y); e.Op {
		case token.ADD, token.SUB, token.MUL:
			return constant.BinaryOp(x, e.Op, y)
		case token.SHL:
			if exact && by < strconv.IntSize {
				return constant.Shift(x, token.SHL, uint(by))
			}
		}
	}
	return constant.MakeUnknown()
}

// deniesInTable reports whether a test of the package has a table of objects of the type, with a case that is denied.
func deniesInTable(object reflect.Type) bool {
	files, _ := filepath.Glob("*_test.go") // the pattern is valid
	found := false
	for _, file := range files {
		parsed := parsedFile(file)
		if parsed == nil {
			continue
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			list, ok := n.(*ast.CompositeLit)
			if !ok || list.Type == nil || !names(list.Type, object.Name()) || !names(list.Type, "Table") && !names(list.Type, "Case") {
				return true
			}
			ast.Inspect(list, func(n ast.Node) bool {
				member, ok := n.(*ast.KeyValueExpr)
				if ok {
					key, isName := member.Key.(*ast.Ident)
					found = found || isName && key.Name == "Denied"
				}
				return true
			})
			return true
		})
	}
	return found
}

// names reports whether a part of an expression has a name.
func names(e ast.Expr, name string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return true
	})
	return found
}
