// SPDX-License-Identifier: Apache-2.0

package convert

import "github.com/webhook-gen/webhook-gen/generator/internal/diag"

// The ids under which this package reports.
const (
	RuleType        = "V1"
	RulePath        = "V2"
	RuleUnclaimed   = "V3"
	RuleMismatch    = "V4"
	RuleEnum        = "V5"
	RuleTwice       = "V6"
	RuleConverter   = "V7"
	RuleUnused      = "V8"
	RuleDefault     = "V9"
	RuleRefused     = "V10"
	RuleBounds      = "V11"
	RuleShared      = "V13"
	RuleUnknown     = "V14"
	RuleOneDefault  = "V15"
	RuleUnkeyed     = "V16"
	RuleBeside      = "V21"
	RuleFloat       = "V22"
	RuleExpressions = "V23"
)

// Rules documents the rules.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: RuleType, Title: "the types of a conversion can be read"},
		{ID: RulePath, Title: "a conversion rule names fields that exist"},
		{ID: RuleUnclaimed, Title: "every field of a spoke has a place in the hub"},
		{ID: RuleMismatch, Title: "corresponding fields have types that convert"},
		{ID: RuleEnum, Title: "every constant of an enum has a value on the other side"},
		{ID: RuleTwice, Title: "a field has one rule, and a package one spoke of a name"},
		{ID: RuleConverter, Title: "converters fit the types"},
		{ID: RuleUnused, Title: "a conversion rule applies to something"},
		{ID: RuleDefault, Title: "a default does not replace a converted value"},
		{ID: RuleRefused, Title: "markers write no value that the other version refuses"},
		{ID: RuleBounds, Severity: diag.Warning, Title: "neither version refuses values that the other accepts"},
		{ID: RuleShared, Severity: diag.Warning, Title: "the hub has the fields that several spokes have"},
		{ID: RuleUnknown, Severity: diag.Warning, Title: "no conversion loses members without a Go field"},
		{ID: RuleOneDefault, Severity: diag.Warning, Title: "a default is the same in both versions"},
		{ID: RuleUnkeyed, Severity: diag.Warning, Title: "a list whose elements have members in one version has keys"},
		{ID: RuleBeside, Severity: diag.Warning, Title: "a required field is present where its struct is"},
		{ID: RuleFloat, Severity: diag.Warning, Title: "no conversion rounds numbers"},
		{ID: RuleExpressions, Severity: diag.Warning, Title: "both versions have the same rules in CEL"},
	}
}
