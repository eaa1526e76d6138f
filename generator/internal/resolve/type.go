// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Kind is the kind of an underlying type.
type Kind int

const (
	// Basic is a boolean, number or string.
	Basic Kind = iota
	// Struct has Fields.
	Struct
	// Pointer has an Elem.
	Pointer
	// Slice has an Elem.
	Slice
	// Array has an Elem and a Len.
	Array
	// Map has a Key and an Elem.
	Map
	// Interface is any interface, including error and any.
	Interface
	// Opaque is a type that cannot be converted: a function, channel, unsafe or cgo type, or a type that could not be
	// found. The latter has an Err.
	Opaque
)

func (k Kind) String() string {
	return [...]string{"basic", "struct", "pointer", "slice", "array", "map", "interface", "opaque"}[k]
}

// Type is a Go type. A Resolver has one Type for each named type with its arguments. Compare unnamed types with
// Identical.
type Type struct {
	// Package and Name identify the declaration. Predeclared types have only a name, and unnamed types have neither.
	// The aliases are resolved: byte is uint8, rune is int32, and any is the unnamed empty interface.
	Package, Name string
	// Args are the type arguments of a generic type.
	Args []*Type
	// Range is the range of the declaration's name. It is invalid for unnamed and predeclared types.
	Range diag.Range
	// File and AST contain the declaration. They are nil for unnamed and predeclared types.
	File *load.File
	AST  *ast.TypeSpec

	err error
	id  string // cache of identity

	// The declaration of a named type, resolved on first use.
	of        *declaration
	at        environment // the scope of the declaration's type expression
	place     load.Place
	resolving bool
	under     *underlying
}

// underlying is an underlying type. A named type shares it with the type in its declaration.
type underlying struct {
	kind      Kind
	basic     string
	elem, key *Type
	length    length

	// The literal of a struct, interface, function or channel type, resolved on first use.
	literal  ast.Expr
	at       environment
	fields   []*Field
	resolved bool
}

// Err returns an *Error if the type, or the type in its declaration, was not found or has no end. A type that was not
// found is Opaque.
func (t *Type) Err() error {
	t.underlying()
	if t.err == nil && t.of != nil && t.of.endless && len(t.Args) > 0 { // an instance inside it set endless
		t.err = endless(t.Range, t.Package, t.Name)
	}
	return t.err
}

// Kind returns the kind of the underlying type.
func (t *Type) Kind() Kind { return t.underlying().kind }

// Basic returns the name of the underlying predeclared type, such as "string" or "uint8", or "" if the type is not
// Basic.
func (t *Type) Basic() string { return t.underlying().basic }

// Elem returns the element type of a Pointer, Slice, Array or Map, and nil for other kinds.
func (t *Type) Elem() *Type { return t.underlying().elem }

// Pointee returns the Elem of an unnamed Pointer, and other types unchanged.
func (t *Type) Pointee() *Type {
	if t.Name == "" && t.Kind() == Pointer {
		return t.Elem()
	}
	return t
}

// Key returns the key type of a Map, and nil for other kinds.
func (t *Type) Key() *Type { return t.underlying().key }

// Len returns the length of an Array in source form, and "" for other kinds.
func (t *Type) Len() string { return t.underlying().length.text }

// Doc returns the declaration's comments in source order: the doc comment and the comment directly above it.
func (t *Type) Doc() []*ast.CommentGroup {
	if t.AST == nil {
		return nil
	}
	return t.place.Comments(t.File.AST, t.File.Position)
}

// PackageMarked reports whether a comment of the struct's package has the marker.
func (t *Type) PackageMarked(marker string) bool {
	scope := t.underlying().at.scope
	if scope == nil || scope.pkg == nil {
		return false
	}
	marked, cached := scope.marked[marker]
	if !cached {
		for _, f := range scope.pkg.FilesWith(marker) {
			marked = marked || slices.Contains(load.Markers(load.PackageComments(f.AST)...), marker)
		}
		scope.marked[marker] = marked
	}
	return marked
}

// underlying resolves the underlying type on first use.
func (t *Type) underlying() *underlying {
	switch {
	case t.under != nil:
	case t.resolving:
		t.under = &underlying{kind: Opaque}
		t.err = &Error{Range: t.Range, Package: t.Package, Name: t.Name, Reason: "its declaration leads back to itself"}
	default:
		t.resolving = true
		of := t.at.scope.resolver.expression(t.at, t.AST.Type)
		under := of.underlying()
		if t.under == nil { // the declaration did not lead back here
			t.under, t.err = under, of.err
		}
		if t.isRecursiveElement() {
			t.under = &underlying{kind: Opaque}
			t.err = &Error{Range: t.Range, Package: t.Package, Name: t.Name, Endless: true, Reason: "contains itself without a struct in between"}
		}
	}
	return t.under
}

// isRecursiveElement reports whether a type contains itself as an element, without a struct in between.
func (t *Type) isRecursiveElement() bool {
	for e := t.under.elem; e != nil; e = e.underlying().elem {
		if e == t {
			return true
		}
	}
	return false
}
