// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/explain/project"
)

// asks is an expression that asks the authorizer a number of times. An API server takes 350000 for each.
func asks(times int) string {
	return "[" + strings.Repeat("authorizer.path('/a').check('get').allowed(), ", times) + "true].all(a, a)"
}

// TestBudgets has policies in which no expression is above its limit, but the expressions of one evaluation may be.
func TestBudgets(t *testing.T) {
	c := newChecker(t, "")
	two := asks(2) // 700000
	variables := func(count int) string {
		var b strings.Builder
		for i := range count {
			fmt.Fprintf(&b, "- {name: v%d, expression: %q}\n", i, two)
		}
		return "variables:\n" + b.String()
	}
	reads := func(from, to int) string {
		var all []string
		for i := from; i < to; i++ {
			all = append(all, fmt.Sprintf("variables.v%d", i))
		}
		return strings.Join(all, " && ")
	}
	for name, test := range map[string]struct{ kind, spec, want string }{
		"3 matchConditions are within the budget": {"Validating", `matchConditions: [{name: a, expression: "` + two + `"}, {name: b, expression: "` + two + `"}, {name: c, expression: "` + two + `"}]
validations: [{expression: "true"}]`, ""},
		"4 matchConditions are above it": {"Validating", `matchConditions: [{name: a, expression: "` + two + `"}, {name: b, expression: "` + two + `"}, {name: c, expression: "` + two + `"}, {name: d, expression: "` + two + `"}]
validations: [{expression: "true"}]`, "matchConditions[0].expression: the worst case of all matchConditions costs about 2800"},
		"14 variables are within the budget": {"Validating", variables(14) + "validations: [{expression: \"" + reads(0, 14) + "\"}]", ""},
		"15 variables are above it": {"Validating", variables(15) + "validations: [{expression: \"" + reads(0, 15) + "\"}]",
			"validations[0].expression: the worst case of all validations with their messages and variables costs about 1.1e+07, and an API server allows 1.0e+07"},
		"a variable that several validations read is computed once": {"Validating", variables(14) + "validations: [{expression: \"" + reads(0, 14) + "\"}, {expression: \"" + reads(0, 14) + "\"}]", ""},
		"messages compute variables once more": {"Validating", variables(8) + "validations: [{expression: \"" + reads(0, 8) + "\", messageExpression: \"string(" + reads(0, 8) + ")\"}]",
			"validations[0].expression: the worst case of all validations with their messages and variables costs about 1.1e+07"},
		"variables read variables": {"Validating", variables(15) + "- {name: all, expression: \"" + reads(0, 15) + "\"}\nvalidations: [{expression: \"variables.all\"}]",
			"validations[0].expression: the worst case of all validations"},
		"a variable that nothing reads is not computed": {"Validating", variables(20) + "validations: [{expression: \"variables.v0\"}]", ""},
		"auditAnnotations have a budget of their own":   {"Validating", variables(16) + "validations: [{expression: \"" + reads(0, 8) + "\"}]\nauditAnnotations: [{key: a, valueExpression: \"string(" + reads(8, 16) + ")\"}]", ""},
		"auditAnnotations are above it": {"Validating", variables(15) + "auditAnnotations: [{key: a, valueExpression: \"string(" + reads(0, 8) + ")\"}, {key: b, valueExpression: \"string(" + reads(8, 15) + ")\"}]",
			"auditAnnotations[0].valueExpression: the worst case of all auditAnnotations with their variables costs about 1.1e+07"},
		"each mutation has a budget of its own": {"Mutating", variables(16) + "mutations:\n- {patchType: ApplyConfiguration, applyConfiguration: {expression: \"" + reads(0, 8) + " ? Object{} : Object{}\"}}\n- {patchType: ApplyConfiguration, applyConfiguration: {expression: \"" + reads(8, 16) + " ? Object{} : Object{}\"}}", ""},
		"a mutation is above it": {"Mutating", variables(16) + "mutations:\n- {patchType: ApplyConfiguration, applyConfiguration: {expression: \"true ? Object{} : Object{}\"}}\n- {patchType: ApplyConfiguration, applyConfiguration: {expression: \"" + reads(0, 15) + " ? Object{} : Object{}\"}}",
			"mutations[1].applyConfiguration.expression: the worst case of the mutation with its variables costs about 1.1e+07"},
	} {
		t.Run(name, func(t *testing.T) {
			found, err := c.Policy(newPolicy(t, test.kind+"AdmissionPolicy", test.spec, "Widget"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range found {
				got = append(got, fmt.Sprintf("%s %s: %s", f.Rule, strings.TrimPrefix(f.Field, "spec."), f.Message))
			}
			if test.want == "" && len(got) > 0 || test.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], "P23 "+test.want)) {
				t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), test.want)
			}
		})
	}
}

// TestBudgetOfWebhooks has matchConditions of one webhook.
func TestBudgetOfWebhooks(t *testing.T) {
	c := newChecker(t, "")
	conditions := func(count int) (all []v1.MatchCondition) {
		for i := range count {
			all = append(all, v1.MatchCondition{Name: fmt.Sprintf("c%d", i), Expression: asks(2)})
		}
		return all
	}
	for count, want := range map[int][]string{
		3: nil,
		4: {"P23 0: the worst case of all matchConditions costs about 2800116, and an API server allows 2500000"},
	} {
		found, err := c.MatchConditions(conditions(count), nil, false, []project.GroupVersionKind{{Group: "shop.example.com", Version: "v1", Kind: "Widget"}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			got = append(got, fmt.Sprintf("%s %d: %s", f.Rule, f.Condition, f.Message))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d conditions: got %q, want %q", count, got, want)
		}
	}
}

// TestEstimate has the parts of an estimate.
func TestEstimate(t *testing.T) {
	c := newChecker(t, "")
	widget := schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Widget"}
	validating := newPolicy(t, "ValidatingAdmissionPolicy", `
matchConditions: [{name: c, expression: "`+asks(1)+`"}]
variables: [{name: v, expression: "`+asks(1)+`"}]
validations: [{expression: "variables.v", messageExpression: "string(variables.v)"}]
auditAnnotations: [{key: a, valueExpression: "string(variables.v)"}]`, "Widget")
	got, err := c.Estimate(&validating.Object, widget)
	if err != nil {
		t.Fatal(err)
	}
	if got == nil || got.Conditions/350_000 != 1 || got.Validations/350_000 != 3 {
		t.Errorf("got %+v, want 1 and 3 questions to the authorizer", got)
	}
	mutating := newPolicy(t, "MutatingAdmissionPolicy", `
mutations:
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "`+asks(1)+` ? Object{} : Object{}"}}
- {patchType: ApplyConfiguration, applyConfiguration: {expression: "`+asks(2)+` ? Object{} : Object{}"}}`, "Widget")
	if got, err = c.Estimate(&mutating.Object, widget); err != nil {
		t.Fatal(err)
	}
	if got == nil || len(got.Mutations) != 2 || got.Mutations[0]/350_000 != 1 || got.Mutations[1]/350_000 != 2 {
		t.Errorf("got %+v, want 1 and 2 questions to the authorizer", got)
	}
	if got, err := c.Estimate(&validating.Object, schema.GroupVersionKind{Version: "v1", Kind: "Secret"}); got != nil || err != nil {
		t.Errorf("got %v and %v for an unknown type", got, err)
	}
}
