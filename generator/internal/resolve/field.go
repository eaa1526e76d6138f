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

// Field is a field of a struct, as Go and as encoding/json see it.
type Field struct {
	// Name is the Go name; an embedded field has the name of its type.
	Name string
	// JSON is the name of the member that holds the field: the Go name where the tag gives none,
	// "" if the field is not encoded or if it is Inline and thus no member of its own.
	JSON string
	// Tagged is true if the JSON tag gives the name.
	Tagged bool
	// OmitEmpty, OmitZero and String are the options of the JSON tag.
	OmitEmpty, OmitZero, String bool
	// Inline is set if encoding/json treats the fields of this struct as if they stood in the
	// struct around it: it is embedded and its tag gives it no name. The option "inline" by
	// itself means nothing to encoding/json.
	Inline bool
	// Embedded is set if the field has no name of its own.
	Embedded bool
	// Exported is set if the Go name is.
	Exported bool
	// Type is the type; its Err says if it could not be found.
	Type *Type
	// Tag is the whole tag.
	Tag reflect.StructTag
	// Range is the range of the field's name, or of the type if it is embedded.
	Range diag.Range
	// Doc are the comments that belong to the field: the doc comment and the one directly above
	// it, in source order.
	Doc []*ast.CommentGroup
}

// Fields returns the fields of a Struct in source order, embedded ones included; nil for other
// kinds.
func (t *Type) Fields() []*Field {
	u := t.underlying()
	if u.kind == Struct && !u.looked {
		u.looked = true
		u.fields = u.at.scope.resolver.fields(u.at, u.literal.(*ast.StructType))
	}
	return u.fields
}

// fields resolves the fields of a struct.
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
			tag, _ := strconv.Unquote(f.Tag.Value) // the parser takes only valid literals
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

// name gives the field its Go name, which stands at the node, and what follows from it.
func (f *Field) name(in environment, name string, at ast.Node) {
	f.Name = name
	f.Exported = token.IsExported(name)
	f.Range = in.file.Range(at.Pos(), at.End())
	f.encode()
}

// encode reads the JSON tag by the rules of encoding/json (its function typeFields).
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

// embedsStruct reports whether the type is a struct or a pointer to one, as most embedded types are. A type that
// cannot be found is taken for a struct.
func (f *Field) embedsStruct() bool {
	t := f.Type.Pointee()
	return t.Kind() == Struct || t.Err() != nil
}

// isMemberName reports whether encoding/json takes a name from a tag.
func isMemberName(name string) bool {
	for _, c := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return name != ""
}
