// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Declaration is a kind of declaration. Values combine with |.
type Declaration int

const (
	// OnPackage is the package clause.
	OnPackage Declaration = 1 << iota
	// OnType is a package-level type.
	OnType
	// OnField is a struct field in a package-level type.
	OnField
	// OnConstant is a package-level constant.
	OnConstant
)

func (d Declaration) String() string {
	var words []string
	for i, w := range []string{"package", "type", "field", "constant"} {
		if d&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " or ")
}

// Placed is a marker with its declaration.
type Placed struct {
	Marker
	On Declaration
	// Type is the type with the marker, or the type whose struct has the field.
	Type *ast.TypeSpec
	// Field is the field with the marker, for OnField.
	Field *ast.Field
	// Constant is the constant with the marker, for OnConstant.
	Constant *ast.ValueSpec
}

// InFile parses the markers with the prefix in a file, and finds their declarations. A marker is in the doc comment
// of its declaration or in the comment above it. InFile reports markers in other places.
func InFile(file *ast.File, position func(token.Pos) diag.Position, prefix string) ([]Placed, diag.List) {
	var placed []Placed
	var diags diag.List
	var places map[*ast.CommentGroup]Placed // set when the first marker is found
	for _, group := range file.Comments {
		if !mentions(group, prefix) {
			continue
		}
		markers, bad := Parse(Lines(group, position), prefix)
		diags.Add(bad...)
		if len(markers) == 0 {
			continue
		}
		if places == nil {
			places = placesOf(file, position)
		}
		p, ok := places[group]
		for _, m := range markers {
			if !ok {
				diags.Add(diag.Errorf(m.Range, RulePlacement, "this marker belongs to no declaration").
					WithHint("write it in the doc comment of a type, a field or the package, or in the comment directly above that"))
				continue
			}
			if formatted(file, group) {
				diags.Add(m.typographic()...)
			}
			p.Marker = m
			placed = append(placed, p)
		}
	}
	return placed, diags
}

// formatted reports whether gofmt changes the text of a comment. It formats doc comments of packages and of
// declarations without parentheses (go/printer, formatDocComment).
func formatted(file *ast.File, group *ast.CommentGroup) bool {
	return group == file.Doc || slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		decl, ok := d.(*ast.GenDecl)
		return ok && decl.Doc == group && !decl.Lparen.IsValid()
	})
}

// typographic warns of two single quotes in a row, which gofmt replaces.
func (m Marker) typographic() (list diag.List) {
	values := make([]Value, 0, len(m.Arguments)+1)
	for _, a := range m.Arguments {
		values = append(values, a.Value)
	}
	if m.Value != nil {
		values = append(values, *m.Value)
	}
	for _, v := range values {
		at := strings.Index(v.Text, "''")
		if at < 0 || v.positions == nil || v.positions[at+2].Column != v.positions[at].Column+2 {
			continue // no such quotes, or escaped ones
		}
		list.Add(diag.Warningf(v.Part(at, at+2), RuleTypographic, "gofmt makes one typographic quote of '' in a doc comment").
			WithHint("write an empty string of CEL as \"\", in a value in backquotes"))
	}
	return list
}

func mentions(group *ast.CommentGroup, text string) bool {
	return slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return strings.Contains(c.Text, text) })
}

// placesOf returns the declaration for each comment with markers. All comments above the package clause belong to the
// package. Another declaration has its doc comment and the comment directly above.
func placesOf(file *ast.File, position func(token.Pos) diag.Position) map[*ast.CommentGroup]Placed {
	places := map[*ast.CommentGroup]Placed{}
	for _, g := range file.Comments {
		if g.Pos() < file.Package {
			places[g] = Placed{On: OnPackage}
		}
	}
	add := func(p Placed, at load.Place) {
		for _, g := range at.Comments(file, position) {
			places[g] = p
		}
	}
	for spec, at := range load.Types(file) {
		add(Placed{On: OnType, Type: spec}, at)
		for n := range ast.Preorder(spec.Type) {
			s, ok := n.(*ast.StructType)
			if !ok {
				continue
			}
			before := s.Fields.Opening
			for _, f := range s.Fields.List {
				add(Placed{On: OnField, Type: spec, Field: f}, load.Place{Doc: f.Doc, Before: before, Pos: f.Pos()})
				before = f.End()
			}
		}
	}
	for spec, at := range load.Constants(file) {
		add(Placed{On: OnConstant, Constant: spec}, at)
	}
	return places
}
