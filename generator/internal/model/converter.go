// SPDX-License-Identifier: Apache-2.0

package model

// Converter is a way in which a value changes between versions, and back.
type Converter struct {
	// Name is what `as` says; Argument describes what may follow behind a colon.
	Name, Argument string
	Doc            string
}

// Usage is how the converter is written.
func (c Converter) Usage() string {
	if c.Argument == "" {
		return c.Name
	}
	return c.Name + ":" + c.Argument
}

// Converters are all ways that `as` knows.
func Converters() []Converter {
	return []Converter{
		{Name: "not", Doc: "a bool and its inverse"},
		{Name: "seconds", Doc: "a metav1.Duration and a whole number of seconds"},
		{Name: "string", Doc: "a whole number, bool, Quantity, Duration or IntOrString and its text"},
		{Name: "optional", Doc: "a value and a pointer, nil for zero"},
		{Name: "pointer", Doc: "a value and a pointer, where zero is a value too, except in a partial object, as in server-side apply"},
		{Name: "first", Doc: "a value and a list whose first element it is"},
		{Name: "each", Doc: "the following converters apply to each element"},
		{Name: "wrap", Argument: "member", Doc: "a value and a struct that has it as this member, or further inside"},
		{Name: "keyed", Argument: "member", Doc: "a map and a list whose elements have the map's key as this member"},
		{Name: "element", Argument: "member=value,...", Doc: "a value and the element of a list whose members have these values"},
		{Name: "join", Argument: "separator", Doc: "a list of strings and one string"},
		{Name: "json", Doc: "anything and its JSON, in a string, []byte, RawExtension or JSON"},
	}
}
