// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"cmp"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Error is the error of a type that was not found.
type Error struct {
	// Range is the position of the type's name in the source. It is the zero Range if a caller named the type.
	diag.Range
	// Package and Name identify the missing type. Package is "" if the package is unknown, too.
	Package, Name string
	// Reason describes why the type was not found.
	Reason string
	// Err is the cause, or nil.
	Err error
	// Endless is true if the declaration exists but the type contains itself without end.
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

// mention is the use of a type's name.
type mention struct {
	diag.Range
	importPath, name string
	args             []*Type
}

// missing returns an Opaque type for one that was not found. The type has the name of the mention, so that two
// mentions of it are identical.
func (m mention) missing(reason string, err error) *Type {
	if err != nil {
		reason = cmp.Or(reason, err.Error())
	}
	return m.opaque(&Error{Range: m.Range, Package: m.importPath, Name: m.name, Reason: reason, Err: err})
}

// endless returns the error of a type that contains itself with ever longer type arguments.
func endless(at diag.Range, importPath, name string) error {
	return &Error{Range: at, Package: importPath, Name: name, Endless: true,
		Reason: "contains itself with ever longer type arguments, which Go refuses"}
}

func (m mention) opaque(err error) *Type {
	return &Type{Package: m.importPath, Name: m.name, Args: m.args, under: &underlying{kind: Opaque}, err: err}
}
