// SPDX-License-Identifier: Apache-2.0

package convert

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// The ids under which this package reports.
const (
	RuleType      = "V1"
	RulePath      = "V2"
	RuleUnclaimed = "V3"
	RuleMismatch  = "V4"
	RuleEnum      = "V5"
	RuleTwice     = "V6"
	RuleConverter = "V7"
	RuleUnused    = "V8"
	RuleDefault   = "V9"
	RuleRefused   = "V10"
	RuleBounds    = "V11"
)

// Rules documents the rules.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleType, Title: "the types of a conversion can be read", Doc: "They are read from source, in the module, its workspace, vendor folder and module cache. Hub and spoke must be structs."},
		{ID: RulePath, Title: "a conversion rule names fields that exist", Doc: "Paths are JSON names with dots between, from the struct that the rule is for and from its counterpart in the hub. They lead through structs and pointers, not into lists and maps. A rule on a package that names no struct applies to all structs that have the field."},
		{ID: RuleUnclaimed, Title: "every field of a spoke has a place in the hub", Doc: "If the hub has no field of that name, a marker has to say what becomes of it: +webhook:conversion:to, custom, stash or drop. Fields that only the hub has are kept in an annotation without a marker."},
		{ID: RuleMismatch, Title: "corresponding fields have types that convert", Doc: "Equal types, pointers and values of them, lists and maps of them, and whole numbers of any width convert by themselves, the last with a check. Other types need a rule that says how, or that the two are not the same thing. Memory is never reinterpreted, and a number never becomes a character."},
		{ID: RuleEnum, Title: "every constant of an enum has a value on the other side", Doc: "If both sides have a string type with constants, each constant must exist on the other side, too, or have a +webhook:conversion:enum: with from and to, or with same."},
		{ID: RuleTwice, Title: "a field has one rule, and a package one spoke of a name", Doc: "Neither a field of the spoke nor one of the hub is claimed by two rules. The functions of two spokes in one package need two names."},
		{ID: RuleConverter, Title: "converters fit the types", Doc: "`as` names converters, with arguments if they take one, and the converter must support both types."},
		{ID: RuleUnused, Title: "a conversion rule applies to something", Doc: "A rule has no effect on a struct that no spoke contains. A rule on a package has none if no struct has the field and its counterpart the target, nor if values of its two types never correspond. An allowance of a warning that does not appear is a warning."},
		{ID: RuleDefault, Title: "a default does not replace a converted value", Doc: "An API server sets the default of a field that is missing, or null without +nullable, when it reads a stored object, after the conversion. A zero value that becomes nil, or that a tag with omitempty leaves out, would become the default. It is an error if a marker demands that, and a warning if the Go type allows nothing else."},
		{ID: RuleRefused, Title: "markers write no value that the other version refuses", Doc: "Values in +webhook:conversion:enum and +webhook:conversion:default must satisfy the validation markers of the field and of its type: Enum, Minimum, Maximum, MinLength, MaxLength and Pattern."},
		{ID: RuleBounds, Severity: diag.Warning, Title: "neither version refuses values that the other accepts", Doc: "This compares the validation markers of fields that convert into each other, of their types and of their elements: Enum, Minimum, Maximum, MultipleOf, MinLength, MaxLength, Pattern, Format, MinItems, MaxItems, UniqueItems, MinProperties and MaxProperties. An API server validates an object in the version of the request, and not after a conversion. So it stores a value that only one version accepts. Clients of the other version read the value, and cannot create an object with it. Patterns and formats are compared as text. If a version may lack a field that the JSON of the other version always has, the zero value is compared too. Fields that your own code converts, or that an annotation keeps, are not compared. +webhook:conversion:allow accepts a difference."},
	}
}
