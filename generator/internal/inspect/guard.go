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
func guarded(d diag.Diagnostic, field, text string, at int) diag.Diagnostic {
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
	if isCondition {
		return d.WithHint("write `%s && (%s)`, or reach it with ?. and orValue", with, text)
	}
	begin, end := operand(text, at)
	part := without + " || (" + text[begin:end] + ")"
	if begin > 0 || end < len(text) {
		part = "(" + part + ")"
	}
	return d.WithHint("write `%s%s%s`, or reach it with ?. and orValue", text[:begin], part, text[end:])
}

// operand returns the operand at an offset if a text consists of operands with && between them: a guard of one leaves
// the others in force. It returns the whole text for another expression.
func operand(text string, at int) (begin, end int) {
	depth, quote, end := 0, byte(0), len(text)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0 && c == '\\':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && (strings.HasPrefix(text[i:], "||") || strings.HasPrefix(text[i:], "? ")):
			return 0, len(text)
		case depth == 0 && strings.HasPrefix(text[i:], "&&") && i < at:
			begin = i + len("&&")
			begin += len(text[begin:]) - len(strings.TrimLeft(text[begin:], " "))
		case depth == 0 && strings.HasPrefix(text[i:], "&&") && i >= at && end == len(text):
			end = len(strings.TrimRight(text[:i], " "))
		}
	}
	return begin, end
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
