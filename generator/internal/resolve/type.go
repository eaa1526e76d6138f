// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"go/ast"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// Kind is what a type's underlying type is.
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
	// Interface is any, error, and all others.
	Interface
	// Opaque cannot be converted: functions, channels, unsafe and cgo types, and types that
	// could not be found, whose Err says why.
	Opaque
)

func (k Kind) String() string {
	return [...]string{"basic", "struct", "pointer", "slice", "array", "map", "interface", "opaque"}[k]
}

// Type is a Go type. For a named type with its arguments there is one Type in a Resolver; for
// unnamed types Identical decides.
type Type struct {
	// Package and Name identify the declaration. Unnamed types have neither, predeclared ones only a name. byte is
	// uint8, rune is int32, and any is the unnamed empty interface, because they are aliases.
	Package, Name string
	// Args are the type arguments of a generic type.
	Args []*Type
	// Range is the range of the declaration's name; not valid for unnamed and predeclared types.
	Range diag.Range
	// File and AST are the declaration; nil for unnamed and predeclared types.
	File *load.File
	AST  *ast.TypeSpec

	err error
	id  string // what identity returns, once asked for

	// A declared type is looked into when first asked for.
	of      *declaration
	at      environment // the environment of the declaration's type expression
	place   load.Place
	looking bool
	under   *underlying
}

// underlying is what a type is made of. Named types share it with what they are declared to be.
type underlying struct {
	kind      Kind
	basic     string
	elem, key *Type
	length    length

	// A literal of a struct, interface, function or channel type is kept as it stands and
	// looked into when first asked for.
	literal ast.Expr
	at      environment
	fields  []*Field
	looked  bool
}

// Err says why the type, or the one that its declaration names, could not be found or has no end. It is an *Error or
// nil. A type that could not be found is Opaque.
func (t *Type) Err() error {
	t.underlying()
	if t.err == nil && t.of != nil && t.of.endless && len(t.Args) > 0 { // an instance in it has shown that
		t.err = endless(t.Range, t.Package, t.Name)
	}
	return t.err
}

// Kind returns the kind of the underlying type.
func (t *Type) Kind() Kind { return t.underlying().kind }

// Basic returns the name of the underlying predeclared type, such as "string" or "uint8"; ""
// if the type is not Basic.
func (t *Type) Basic() string { return t.underlying().basic }

// Elem returns what a Pointer points to and a Slice, Array or Map holds; nil for other kinds.
func (t *Type) Elem() *Type { return t.underlying().elem }

// Pointee returns the Elem of an unnamed Pointer, and any other type itself.
func (t *Type) Pointee() *Type {
	if t.Name == "" && t.Kind() == Pointer {
		return t.Elem()
	}
	return t
}

// Key returns the type of a Map's keys; nil for other kinds.
func (t *Type) Key() *Type { return t.underlying().key }

// Len returns the length of an Array as its declaration writes it; "" for other kinds.
func (t *Type) Len() string { return t.underlying().length.text }

// Doc returns the comments that belong to the declaration: the doc comment and the one directly
// above it, in source order.
func (t *Type) Doc() []*ast.CommentGroup {
	if t.AST == nil {
		return nil
	}
	return t.place.Comments(t.File.AST, t.File.Position)
}

// PackageMarked reports whether the package in which a struct is written has a marker for the whole package.
func (t *Type) PackageMarked(marker string) bool {
	scope := t.underlying().at.scope
	if scope == nil || scope.pkg == nil {
		return false
	}
	marked, known := scope.marked[marker]
	if !known {
		for _, f := range scope.pkg.FilesWith(marker) {
			marked = marked || slices.Contains(load.Markers(load.PackageComments(f.AST)...), marker)
		}
		scope.marked[marker] = marked
	}
	return marked
}

// underlying looks into a declared type when first asked.
func (t *Type) underlying() *underlying {
	switch {
	case t.under != nil:
	case t.looking:
		t.under = &underlying{kind: Opaque}
		t.err = &Error{Range: t.Range, Package: t.Package, Name: t.Name, Reason: "its declaration leads back to itself"}
	default:
		t.looking = true
		of := t.at.scope.resolver.expression(t.at, t.AST.Type)
		under := of.underlying()
		if t.under == nil { // else the way led back here
			t.under, t.err = under, of.err
		}
		if t.holdsItself() {
			t.under = &underlying{kind: Opaque}
			t.err = &Error{Range: t.Range, Package: t.Package, Name: t.Name, Endless: true, Reason: "contains itself without a struct in between"}
		}
	}
	return t.under
}

// holdsItself reports whether elements of elements are of the type again, with no struct on the way.
func (t *Type) holdsItself() bool {
	for e := t.under.elem; e != nil; e = e.underlying().elem {
		if e == t {
			return true
		}
	}
	return false
}
