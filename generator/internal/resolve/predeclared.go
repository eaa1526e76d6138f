// SPDX-License-Identifier: Apache-2.0

package resolve

// isPredeclared reports whether a name is a type where nothing else is declared by it
// (https://go.dev/ref/spec#Predeclared_identifiers).
func isPredeclared(name string) bool {
	switch name {
	case "any", "comparable", "error":
		return true
	}
	return basicName(name) != ""
}

// basicName returns the own name of a predeclared boolean, numeric or string type: byte and rune
// are aliases. It returns "" for any other name.
func basicName(name string) string {
	switch name {
	case "byte":
		return "uint8"
	case "rune":
		return "int32"
	case "bool", "string",
		"int", "int8", "int16", "int32", "int64",
		"uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
		"float32", "float64", "complex64", "complex128":
		return name
	}
	return ""
}

// predeclared returns the type that a predeclared name denotes.
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
