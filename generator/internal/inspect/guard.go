// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// guardable matches the message about a value that an object may lack, with the path of the value.
var guardable = regexp.MustCompile(`^((?:object|oldObject|request|params)(?:\.[A-Za-z_][A-Za-z0-9_]*)*)(?:\[('[^']*'|"[^"]*")\])? (is null|is missing|may be missing)`)

// guarded adds the guarded expression to a finding about a value that an object may lack: a validation is then true
// without the value, and a match condition is false.
func guarded(d diag.Diagnostic, field, text string) diag.Diagnostic {
	match := guardable.FindStringSubmatch(d.Message)
	isValidation := strings.HasPrefix(field, "spec.validations") && strings.HasSuffix(field, ".expression")
	// A guard before all of a compound condition would also take the requests away that another operand matches.
	isCondition := strings.Contains(field, "matchConditions") && !strings.Contains(text, "||") && !strings.Contains(text, "?")
	if match == nil || text == "" || !isValidation && !isCondition {
		return d
	}
	with, without := "has("+match[1]+")", "!has("+match[1]+")"
	switch path, key := match[1], match[2]; {
	case key != "":
		with, without = key+" in "+path, "!("+key+" in "+path+")"
	case !strings.Contains(path, "."):
		with, without = path+" != null", path+" == null"
	}
	if isValidation {
		return d.WithHint("write `%s || (%s)`, or reach it with ?. and orValue", without, text)
	}
	return d.WithHint("write `%s && (%s)`, or reach it with ?. and orValue", with, text)
}

// textOf returns the text of a policy's expression.
func textOf(p *model.Policy, field string) string {
	for _, e := range p.Spec.Expressions() {
		if e.Field == field {
			return e.Text
		}
	}
	return ""
}

// conditionField is the field of a webhook's condition.
func conditionField(i int) string { return fmt.Sprintf("matchConditions[%d].expression", i) }
