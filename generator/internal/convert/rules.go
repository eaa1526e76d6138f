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
)

// Rules documents them.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleType, Title: "the types of a conversion can be read", Doc: "They are read from source, in the module, its workspace, vendor folder and module cache, and hub and spoke are structs."},
		{ID: RulePath, Title: "a conversion rule names fields that exist", Doc: "Paths are JSON names with dots between, from the struct that the rule is for and from its counterpart in the hub. They lead through structs and pointers, not into lists and maps. A rule of a package that names no struct is for those that have the field."},
		{ID: RuleUnclaimed, Title: "every field of a spoke has a place in the hub", Doc: "Where the hub has no field of that name a rule says what becomes of it: +webhook:conversion:to, custom, stash or drop. What only the hub has is kept in an annotation without a rule."},
		{ID: RuleMismatch, Title: "fields that belong together have types that convert", Doc: "Equal types, pointers and values of them, lists and maps of them, and whole numbers of any width convert by themselves, the last with a check. For others a rule says how, or that the two are not the same thing. Nothing is cast from memory, and a number is never made a character."},
		{ID: RuleEnum, Title: "every constant of an enum has a value on the other side", Doc: "Where both sides have a string type with constants, each of them is either a constant of the other side too or the subject of +webhook:conversion:enum."},
		{ID: RuleTwice, Title: "a field has one rule, and a package one spoke of a name", Doc: "Neither a field of the spoke nor one of the hub is claimed by two rules. The functions of two spokes in one package need two names."},
		{ID: RuleConverter, Title: "converters fit the types", Doc: "What `as` names is a converter, with an argument where it takes one, and both types are among those it knows."},
		{ID: RuleUnused, Title: "a conversion rule is for something that is converted", Doc: "A rule on a struct that no spoke reaches has no effect, nor has one of a package for a field that no struct has together with its place in the counterpart, or one for two types whose values never meet."},
	}
}
