// SPDX-License-Identifier: Apache-2.0

package resolve

import "go/types"

// isPredeclared reports whether a name is a predeclared type (https://go.dev/ref/spec#Predeclared_identifiers).
// A package may redeclare it.
func isPredeclared(name string) bool {
	_, ok := types.Universe.Lookup(name).(*types.TypeName)
	return ok
}

// basicName returns the name of a predeclared boolean, numeric or string type, or "". byte and rune are aliases of
// uint8 and int32.
func basicName(name string) string {
	if t, ok := types.Universe.Lookup(name).(*types.TypeName); ok {
		if basic, ok := t.Type().(*types.Basic); ok {
			return types.Typ[basic.Kind()].Name()
		}
	}
	return ""
}

// predeclared returns the type with a predeclared name.
func (r *Resolver) predeclared(name string) *Type {
	var t *Type
	switch basic := basicName(name); {
	case basic != "":
		t = &Type{Name: basic, under: &underlying{kind: Basic, basic: basic}}
	case name == "any":
		t = unnamed(underlying{kind: Interface})
	default:
		t = &Type{Name: name, under: &underlying{kind: Interface}}
	}
	return r.unique(t)
}
