// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"cmp"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Error names a type that was not found, with the reason.
type Error struct {
	// Range is where the source mentions the type; the zero Range if only a caller asked for it.
	diag.Range
	// Package and Name identify the missing type. Package is "" if not even the package is known.
	Package, Name string
	// Reason is the reason why the type was not found.
	Reason string
	// Err is what Reason comes from, if that is an error.
	Err error
	// Endless is true if the declaration was found, and the type contains itself without an end.
	Endless bool
}

func (e *Error) Error() string {
	name := strings.TrimPrefix(e.Package+"."+e.Name, ".")
	if e.Endless {
		return "type " + name + " " + e.Reason
	}
	return "cannot find type " + name + ": " + e.Reason
}

func (e *Error) Unwrap() error { return e.Err }

// mention is a type's name where it is used.
type mention struct {
	diag.Range
	importPath, name string
	args             []*Type
}

// missing makes the type that stands for one that was not found. It is named all the same, so
// that two mentions of it are identical.
func (m mention) missing(reason string, err error) *Type {
	if err != nil {
		reason = cmp.Or(reason, err.Error())
	}
	return m.opaque(&Error{Range: m.Range, Package: m.importPath, Name: m.name, Reason: reason, Err: err})
}

// endless makes the error of a type whose type arguments become longer with each field that leads back to it.
func endless(at diag.Range, importPath, name string) error {
	return &Error{Range: at, Package: importPath, Name: name, Endless: true,
		Reason: "contains itself with ever longer type arguments, which Go refuses"}
}

func (m mention) opaque(err error) *Type {
	return &Type{Package: m.importPath, Name: m.name, Args: m.args, under: &underlying{kind: Opaque}, err: err}
}
