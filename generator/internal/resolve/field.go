// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Field is a field of a struct, described for Go and for encoding/json.
type Field struct {
	// Name is the Go name. An embedded field has the name of its type.
	Name string
	// JSON is the name of the field's JSON member. It is the Go name if the tag has no name, and "" if the field is
	// not encoded or is Inline.
	JSON string
	// Tagged is true if the name is from the JSON tag.
	Tagged bool
	// OmitEmpty, OmitZero and String are options of the JSON tag.
	OmitEmpty, OmitZero, String bool
	// Inline is true if encoding/json encodes the fields of this struct as members of the outer struct: the field is
	// embedded and its tag has no name. encoding/json ignores the option "inline".
	Inline bool
	// Embedded is true if the declaration has no field name.
	Embedded bool
	// Exported is true if the Go name is exported.
	Exported bool
	// Type is the field's type. Its Err is set if the type could not be found.
	Type *Type
	// Tag is the whole struct tag.
	Tag reflect.StructTag
	// Range is the range of the field's name or, if it is embedded, of its type.
	Range diag.Range
	// Doc contains the field's comments in source order: the doc comment and the comment directly above it.
	Doc []*ast.CommentGroup
}

// Fields returns the fields of a Struct in source order, including embedded ones. It returns nil for other kinds.
func (t *Type) Fields() []*Field {
	u := t.underlying()
	if u.kind == Struct && !u.resolved {
		u.resolved = true
		u.fields = u.at.scope.resolver.fields(u.at, u.literal.(*ast.StructType))
	}
	return u.fields
}

func (r *Resolver) fields(at environment, s *ast.StructType) []*Field {
	r.prefetch(at, s.Fields)
	var fields []*Field
	before := s.Fields.Opening
	for _, f := range s.Fields.List {
		whole := Field{
			Type: r.expression(at, f.Type),
			Doc:  load.Place{Doc: f.Doc, Before: before, Pos: f.Pos()}.Comments(at.file.AST, at.file.Position),
		}
		before = f.End()
		if f.Tag != nil {
			tag, _ := strconv.Unquote(f.Tag.Value) // the parser accepts only valid literals
			whole.Tag = reflect.StructTag(tag)
		}
		if f.Names == nil {
			whole.Embedded = true
			whole.name(at, load.TypeName(f.Type), f.Type)
			fields = append(fields, &whole)
		}
		for _, name := range f.Names {
			one := whole
			one.name(at, name.Name, name)
			fields = append(fields, &one)
		}
	}
	return fields
}

// name sets the Go name, the range and the JSON name. at is the node of the name.
func (f *Field) name(in environment, name string, at ast.Node) {
	f.Name = name
	f.Exported = token.IsExported(name)
	f.Range = in.file.Range(at.Pos(), at.End())
	f.encode()
}

// encode sets the JSON options from the tag, with the rules of encoding/json (its function typeFields).
func (f *Field) encode() {
	tag := f.Tag.Get("json")
	if tag == "-" || !f.Exported && !(f.Embedded && f.embedsStruct()) {
		return
	}
	name, options, _ := strings.Cut(tag, ",")
	has := func(option string) bool { return slices.Contains(strings.Split(options, ","), option) }
	f.OmitEmpty, f.OmitZero, f.String = has("omitempty"), has("omitzero"), has("string")
	switch {
	case isMemberName(name):
		f.JSON, f.Tagged = name, true
	case f.Embedded && f.embedsStruct():
		f.Inline = true
	default:
		f.JSON = f.Name
	}
}

// embedsStruct reports whether the type is a struct or a pointer to one. A type that cannot be found counts as a
// struct, because most embedded types are structs.
func (f *Field) embedsStruct() bool {
	t := f.Type.Pointee()
	return t.Kind() == Struct || t.Err() != nil
}

// isMemberName reports whether encoding/json accepts a name in a tag.
func isMemberName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}
