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

// Declaration is a kind of declaration that a marker may belong to. Declarations combine with |.
type Declaration int

const (
	// OnPackage is a comment above a package clause.
	OnPackage Declaration = 1 << iota
	// OnType is the comment of a package-level type.
	OnType
	// OnField is the comment of a struct field in a package-level type.
	OnField
)

func (d Declaration) String() string {
	var words []string
	for i, w := range []string{"package", "type", "field"} {
		if d&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, " or ")
}

// Placed is a marker and its declaration.
type Placed struct {
	Marker
	On Declaration
	// Type is the type whose comment holds the marker, or whose struct holds the field.
	Type *ast.TypeSpec
	// Field is set for OnField.
	Field *ast.Field
}

// InFile parses the file's markers with the prefix and finds the declaration each stands on: the
// one whose doc comment holds it, or whose doc comment follows the comment that holds it.
// A marker that stands anywhere else is reported.
func InFile(file *ast.File, position func(token.Pos) diag.Position, prefix string) ([]Placed, diag.List) {
	var placed []Placed
	var diags diag.List
	var places map[*ast.CommentGroup]Placed // found when the first marker is
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

// formatted reports whether gofmt changes the text of a comment: the package's doc comment, or the doc comment of a
// declaration without parentheses (go/printer, formatDocComment).
func formatted(file *ast.File, group *ast.CommentGroup) bool {
	return group == file.Doc || slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		decl, ok := d.(*ast.GenDecl)
		return ok && decl.Doc == group && !decl.Lparen.IsValid()
	})
}

// typographic warns of two single quotes in a row.
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
			continue // none, or written with an escape
		}
		list.Add(diag.Warningf(v.Part(at, at+2), RuleTypographic, "gofmt makes one typographic quote of '' in a doc comment").
			WithHint("write an empty string of CEL as \"\", in a value in backquotes"))
	}
	return list
}

func mentions(group *ast.CommentGroup, text string) bool {
	return slices.ContainsFunc(group.List, func(c *ast.Comment) bool { return strings.Contains(c.Text, text) })
}

// placesOf finds the declaration that the markers of each comment of a file are on. All comments above the package
// clause belong to the package; a type or field has its doc comment and the one comment directly above it.
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
	return places
}
