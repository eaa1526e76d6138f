// SPDX-License-Identifier: Apache-2.0

package model

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Conversion is a spoke and its hub.
type Conversion struct {
	// Range is the position of the marker.
	diag.Range
	Spoke, Hub VersionedType
	// Package is the package of the generated code.
	Package HandlerPackage
	// CRD is the CRD of the kind, or nil if it belongs to another project.
	CRD *CRD
	// Declared is the import path of the package with the marker.
	Declared string
	// NeedsTestStub is true if the user has not written TestFunction.
	NeedsTestStub bool
	// Convertible is true if the spoke gets the methods of controller-runtime's Convertible. It has the argument's
	// position.
	Convertible diag.Sourced[bool]
	// HubPackage is the package of the hub if the method Hub is generated for it, or zero.
	HubPackage HandlerPackage
	// Reads is the annotation of hand-written conversions from which values are carried over, or "".
	Reads string
	// Stored is true if objects are stored in the spoke's version.
	Stored bool
}

// TestFunction returns the name of the user's function that returns the kind's conversion to tests.
func (c *Conversion) TestFunction() string { return "new" + c.Spoke.Name + "Conversion" }

// CRD is a CustomResourceDefinition whose versions a webhook converts.
type CRD struct {
	// Plural is the name of the resource.
	Plural string
	// Service serves the webhook.
	Service admissionregistrationv1.ServiceReference
	// CABundle verifies the service's certificate. It is nil if something in the cluster injects it.
	CABundle []byte
}

// VersionedType is the Go type of a kind in one version.
type VersionedType struct {
	GoType
	Group, Version string
}

// Verb is the kind of a conversion rule.
type Verb string

// The verbs are the last words of the markers' names.
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

// DefaultSources returns the members of an object's metadata that can be defaults.
func DefaultSources() []string { return []string{"metadata.name", "metadata.namespace"} }

// Directions returns the words for the directions of a custom rule: from the spoke, and from the hub.
func Directions() []string { return []string{"toHub", "fromHub"} }

// ConversionRule is a marker's rule for a field.
type ConversionRule struct {
	// Range is the position of the marker.
	diag.Range
	Verb Verb
	// Declared is the import path of the package with the marker.
	Declared string
	// Struct is the spoke's struct or other type. If it is zero, the rule applies to every struct with the field in
	// conversions of the package Declared.
	Struct GoType
	// Field is the path of the field in the struct, in JSON names. It is empty if only Hub is set or if the rule
	// applies to the type itself. A final * matches all fields of the preceding struct.
	Field diag.Sourced[string]
	// Others are more fields of the struct that the same function of a custom rule with Hub converts.
	Others []diag.Sourced[string]
	// Path is the field in the counterpart struct; by default, it equals Field. A final * is replaced by the field's
	// name.
	Path diag.Sourced[string]
	// Type is the hub's type if a custom rule applies to all values of Struct and Type, or zero.
	Type GoType
	// As are the converters.
	As diag.Sourced[[]string]
	// From and To are values of an enum. From is also the metadata member for a default.
	From, To string
	// With is the field that must be set for a default to apply, or "".
	With diag.Sourced[string]
	// Unless is the spoke's field that prevents the conversion of the value to the hub if it is set, or "".
	Unless diag.Sourced[string]
	// Same are values of an enum that do not change. * matches all values.
	Same []string
	// Direction is the only direction of a custom rule, one of Directions, or "" for both.
	Direction diag.Sourced[string]
	// Hub are fields of the counterpart struct: those of a custom rule, those that a drop gives up, or those with a
	// default.
	Hub diag.Sourced[[]string]
	// Default is the default value of a default rule.
	Default diag.Sourced[string]
	// Reason is the reason for a drop or an allowance. Rule is the id of the allowed rule.
	Reason, Rule string
}

// Converter changes a value between versions, in both directions.
type Converter struct {
	// Name is the value of `as`. Argument describes the text after a colon. With Optional, that text may be missing.
	Name, Argument string
	Optional       bool
	Doc            string
}

// Usage returns the syntax of the converter in a marker.
func (c Converter) Usage() string {
	if c.Argument == "" {
		return c.Name
	}
	if c.Optional {
		return c.Name + "[:" + c.Argument + "]"
	}
	return c.Name + ":" + c.Argument
}

// Converters returns all converters for `as`.
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
