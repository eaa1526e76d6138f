// SPDX-License-Identifier: Apache-2.0

package model

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Conversion is a spoke and the hub that it is converted to and from.
type Conversion struct {
	// Range is the marker.
	diag.Range
	Spoke, Hub VersionedType
	// Package is where the code goes.
	Package HandlerPackage
	// CRD is the definition of the kind; nil where it is not the project's own.
	CRD *CRD
	// Declared is the import path of the package that contains the marker.
	Declared string
	// NeedsTestStub is true if the function that gives tests the conversion of the kind is missing.
	NeedsTestStub bool
	// Convertible says, and where, that the spoke has the methods of controller-runtime's Convertible.
	Convertible diag.Sourced[bool]
	// HubPackage is the hub's own package, where the method Hub is to be generated; its zero value where none is.
	HubPackage HandlerPackage
	// Reads is the annotation of hand-written conversions whose values are carried over; empty for none.
	Reads string
	// Stored is true if objects are stored in the spoke's version.
	Stored bool
}

// TestFunction is the name of the user's function that gives tests the conversion of the kind.
func (c *Conversion) TestFunction() string { return "new" + c.Spoke.Name + "Conversion" }

// CRD is a CustomResourceDefinition whose versions a webhook converts.
type CRD struct {
	// Plural is the resource's name.
	Plural string
	// Service serves the webhook.
	Service admissionregistrationv1.ServiceReference
	// CABundle signs the service's certificate; nil if something in the cluster injects it.
	CABundle []byte
}

// VersionedType is the Go type of a kind in one version.
type VersionedType struct {
	GoType
	Group, Version string
}

// Verb is the action of a conversion rule.
type Verb string

// The verbs, each a marker's name.
const (
	ToHub   Verb = "to"
	Enum    Verb = "enum"
	Default Verb = "default"
	Custom  Verb = "custom"
	Stash   Verb = "stash"
	Drop    Verb = "drop"
	Alike   Verb = "alike"
	Allow   Verb = "allow"
)

// DefaultSources are the members of an object's metadata that may be a default.
func DefaultSources() []string { return []string{"metadata.name", "metadata.namespace"} }

// Directions are the words for the directions of a custom rule: from the spoke, and from the hub.
func Directions() []string { return []string{"toHub", "fromHub"} }

// ConversionRule is one marker's setting for a field.
type ConversionRule struct {
	// Range is the marker.
	diag.Range
	Verb Verb
	// Declared is the import path of the package that contains the marker.
	Declared string
	// Struct is the spoke's struct or other type; zero where a rule is for every struct that the
	// conversions of the package Declared reach and that has the field.
	Struct GoType
	// Field is the path in JSON names of the field in the struct; empty where only Hub or the type itself
	// is meant. With * as its last name it stands for all fields of the struct before.
	Field diag.Sourced[string]
	// Others are further fields of the struct that a custom rule with Hub takes care of, all by one function.
	Others []diag.Sourced[string]
	// Path is the field in the counterpart struct; the same as Field where the marker does not say. With
	// * as its last name that is the name of the field.
	Path diag.Sourced[string]
	// Type is the hub's type where a custom rule is for all values of Struct and it; zero elsewhere.
	Type GoType
	// As are the converters.
	As diag.Sourced[[]string]
	// From and To are values of an enum. From is also the member of the object's metadata that is a default.
	From, To string
	// With is the field that has to be set for a default; empty for none.
	With diag.Sourced[string]
	// Unless is the spoke's field that keeps the value out of the hub; empty for none.
	Unless diag.Sourced[string]
	// Same are values of an enum that stay what they are; * stands for all.
	Same []string
	// Direction is the only direction of a custom rule, a word of Directions; empty for both.
	Direction diag.Sourced[string]
	// Hub are fields of the counterpart struct that a custom rule takes care of, that a drop gives up, or
	// that a default is for.
	Hub diag.Sourced[[]string]
	// Default is the value of one.
	Default diag.Sourced[string]
	// Reason is a drop's or an allowance's. Rule is the id of the rule that an allowance is for.
	Reason, Rule string
}

// Converter is a way in which a value changes between versions, and back.
type Converter struct {
	// Name is the value of `as`; Argument describes the text that follows a colon, or that may follow one if Optional.
	Name, Argument string
	Optional       bool
	Doc            string
}

// Usage is how the converter is written.
func (c Converter) Usage() string {
	if c.Argument == "" {
		return c.Name
	}
	if c.Optional {
		return c.Name + "[:" + c.Argument + "]"
	}
	return c.Name + ":" + c.Argument
}

// Converters returns every way of converting that `as` accepts.
func Converters() []Converter {
	return []Converter{
		{Name: "not", Doc: "a bool and its inverse"},
		{Name: "seconds", Doc: "a metav1.Duration and a whole number of seconds"},
		{Name: "string", Doc: "a whole number, bool, Quantity, Duration or IntOrString and its text"},
		{Name: "optional", Doc: "a value and a pointer, nil for zero"},
		{Name: "pointer", Doc: "a value and a pointer, where zero is a value too, except in a partial object, as in server-side apply"},
		{Name: "first", Doc: "a value and a list whose first element it is"},
		{Name: "each", Doc: "the following converters apply to each element"},
		{Name: "wrap", Argument: "member,other=value,...", Doc: "a value and a struct that has it as this member, or further inside; a struct with a value has these constants as other members, and one with other constants has no value"},
		{Name: "present", Argument: "member=value,...", Optional: true, Doc: "a bool that tells whether there is a struct: behind a pointer, or with these values as members"},
		{Name: "tuple", Argument: "member,...", Doc: "text and a struct with these members; each `enum(from: \"a\", to: \"x,y\")` beside it names a text and the values of the members"},
		{Name: "parts", Argument: "layout", Doc: "text and a struct whose members, in braces, are its parts: `parts:{namespace}/{name}`; `{hour=*}` has a word for an absent member"},
		{Name: "keyed", Argument: "member", Doc: "a map and a list whose elements have the map's key as this member"},
		{Name: "element", Argument: "member=value,...", Doc: "a value and the element of a list whose members have these values; an empty struct has no element"},
		{Name: "join", Argument: "separator", Doc: "a list of strings and one string"},
		{Name: "json", Doc: "anything and its JSON, in a string, []byte, RawExtension or JSON"},
	}
}
