// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// CheckPolicies sends random requests about objects of the kinds to the admission policies of a module, as [Policies]
// does. Generated tests call it. The objects have the defaults of their schemas, and the schemas accept them. Each kind
// is a test of its own, in which no expression may fail, mutations keep an object valid, mutating an object once more
// changes nothing, and the same request gets the same answer twice.
//
// Rules in CEL of a CustomResourceDefinition do not limit the objects. The schema of a built-in kind has no limits, so
// its objects have all of their members. Without webhook-gen the test fails.
func CheckPolicies(t *testing.T, kinds ...Kind) {
	t.Helper()
	described, err := describedPolicies(t)
	if err != nil {
		t.Fatal(err)
	}
	c := policyCheck{described: described}
	var requests []policyRequest
	counts := make([]int, len(kinds))
	for i, kind := range kinds {
		of := c.requests(kind)
		counts[i], requests = len(of), append(requests, of...)
	}
	findings, err := c.findings(t, requests, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, kind := range kinds {
		n := counts[i]
		own, ownFindings := requests[:n], findings[:n]
		requests, findings = requests[n:], findings[n:]
		t.Run(strings.ReplaceAll(kind.APIVersion, "/", ".")+"."+kind.Kind, func(t *testing.T) {
			if c.described.kindOf(kind) == nil {
				t.Skipf("webhook-gen does not find the Go type of %s, so no policy is evaluated", kind)
			}
			c.report(t, own, ownFindings)
		})
	}
}

// policyCheck checks the policies of a module.
type policyCheck struct{ described policyDescription }

// policyFinding is a rule that does not hold for a request.
type policyFinding struct {
	rule, policy string
	message      string
	// unanswered says that the request has no answer, which is no fault of a policy.
	unanswered bool
}

// same reports whether two findings show the same mistake.
func (f policyFinding) same(other policyFinding) bool {
	return f.rule == other.rule && f.policy == other.policy && (f.rule != policyFails || f.message == other.message)
}

// The rules.
const (
	policyFails    = "fails"
	policyInvalid  = "invalid"
	policyAgain    = "again"
	policyDiffers  = "differs"
	policyRepeated = 8 // times that a request is sent whose answers differ, while it shrinks
)

// report reports each mistake once, with the smallest request that shows it.
func (c policyCheck) report(t *testing.T, requests []policyRequest, findings [][]policyFinding) {
	if len(requests) == 0 {
		t.Skip("no random object is valid by the schema, so no policy is evaluated")
	}
	var reported []policyFinding
	unanswered := 0
	for i, found := range findings {
		for _, f := range found {
			if f.unanswered {
				if unanswered++; unanswered == 1 {
					t.Logf("a request has no answer here: %s", f.message)
				}
				continue
			}
			if slices.ContainsFunc(reported, f.same) {
				continue
			}
			reported = append(reported, f)
			count := 0
			for _, others := range findings {
				if slices.ContainsFunc(others, f.same) {
					count++
				}
			}
			smallest, message := c.smallest(t, requests[i], f)
			failure.Report(t, c.described.position(f.policy), fmt.Sprintf("%s\nfor %d of %d random requests, the smallest:\n%s", message, count, len(requests), smallest.shown(c.described.policy(f.policy))))
		}
	}
	if unanswered == len(requests) {
		t.Skip("no request has an answer here, so no policy is evaluated")
	}
}

// findings returns the findings of each request, which is sent a number of times.
func (c policyCheck) findings(t *testing.T, requests []policyRequest, times int) ([][]policyFinding, error) {
	if len(requests) == 0 {
		return nil, nil
	}
	var batch []policyRequest
	for range times {
		batch = append(batch, requests...)
	}
	answers, err := evaluate(t, batch)
	if err != nil {
		return nil, err
	}
	findings := make([][]policyFinding, len(requests))
	var changed []policyRequest
	var from []int
	for i, r := range requests {
		answer := answers[i]
		if answer.Error != "" {
			findings[i] = []policyFinding{{message: answer.Error, unanswered: true}}
			continue
		}
		findings[i] = append(c.failing(answer), c.invalid(r, answer)...)
		for n := i + len(requests); n < len(answers); n += len(requests) {
			if f, ok := answer.differs(answers[n]); ok {
				findings[i] = append(findings[i], f)
				break
			}
		}
		if len(findings[i]) == 0 && r.Operation != admissionv1.Delete && failure.Diff(r.Object.Raw, answer.Object) != "" {
			again := *r.AdmissionRequest
			again.Object = runtime.RawExtension{Raw: answer.Object}
			r.AdmissionRequest = &again
			changed, from = append(changed, r), append(from, i)
		}
	}
	if len(changed) == 0 {
		return findings, nil
	}
	if answers, err = evaluate(t, changed); err != nil {
		return nil, err
	}
	for i, answer := range answers {
		if diff := failure.Diff(changed[i].Object.Raw, answer.Object); answer.Error == "" && answer.Object != nil && diff != "" {
			findings[from[i]] = append(findings[from[i]], policyFinding{rule: policyAgain, policy: answer.changedBy(), message: fmt.Sprintf(
				"%s changes an object that the policies have changed already, so the result depends on how often an API server calls it (-first +second):\n%s",
				answer.changedBy(), diff)})
		}
	}
	return findings, nil
}

// failing returns the expressions that fail.
func (c policyCheck) failing(answer policyAnswer) (found []policyFinding) {
	for _, s := range answer.Steps {
		if s.Verdict == "error" && !c.described.lacksParams(s.Policy) || s.Verdict == "conditionFalse" && strings.Contains(s.Message, "failurePolicy is Ignore") {
			f := policyFinding{rule: policyFails, policy: s.Policy, message: fmt.Sprintf("%s: %s", s.Policy, s.Message)}
			if expression := c.described.mutation(s); expression != "" && !strings.Contains(s.Message, expression) {
				f.message += fmt.Sprintf("\nin the mutation %s", expression)
			}
			if !slices.ContainsFunc(found, f.same) {
				found = append(found, f)
			}
		}
	}
	return found
}

// invalid returns the first mutation after which the schema refuses the object.
func (c policyCheck) invalid(r policyRequest, answer policyAnswer) []policyFinding {
	k := c.described.kindOf(Kind{r.Kind.Group + "/" + r.Kind.Version, r.Kind.Kind})
	for _, s := range answer.Steps {
		if s.Verdict != "changed" {
			continue
		}
		problem := metadataProblem(r.Object.Raw, s.Object)
		if problem == "" && k != nil && !k.Builtin {
			problem = k.problem(s.Object)
		}
		if problem != "" {
			return []policyFinding{{rule: policyInvalid, policy: s.Policy, message: fmt.Sprintf(
				"%s makes a valid object invalid: %s\nby the mutation %s", s.Policy, problem, c.described.mutation(s))}}
		}
	}
	return nil
}

// differs compares two answers to the same request.
func (a policyAnswer) differs(b policyAnswer) (policyFinding, bool) {
	for i, s := range a.Steps {
		if i >= len(b.Steps) || s.Policy != b.Steps[i].Policy || s.Verdict == b.Steps[i].Verdict && s.Message == b.Steps[i].Message &&
			failure.Diff(orNull(s.Object), orNull(b.Steps[i].Object)) == "" {
			continue
		}
		message := fmt.Sprintf("%s gives another answer to the same request: it is %s once, and then %s", s.Policy, s.outcome(), b.Steps[i].outcome())
		if diff := failure.Diff(orNull(s.Object), orNull(b.Steps[i].Object)); diff != "" {
			message += " (-once +then):\n" + diff
		}
		return policyFinding{rule: policyDiffers, policy: s.Policy, message: message}, true
	}
	if one, other := fmt.Sprint(a.AuditAnnotations), fmt.Sprint(b.AuditAnnotations); one != other {
		return policyFinding{rule: policyDiffers, policy: a.annotated(b), message: fmt.Sprintf("audit annotations differ between two answers to the same request: %s once, and then %s", one, other)}, true
	}
	return policyFinding{}, false
}

// orNull is an object, or null.
func orNull(object json.RawMessage) []byte { return []byte(cmp.Or(string(object), "null")) }

// annotated is the policy whose audit annotation differs.
func (a policyAnswer) annotated(b policyAnswer) string {
	for _, key := range slices.Sorted(maps.Keys(a.AuditAnnotations)) {
		if a.AuditAnnotations[key] != b.AuditAnnotations[key] {
			policy, _, _ := strings.Cut(key, "/")
			return policy
		}
	}
	return ""
}

// changedBy is the first policy that changes the object.
func (a policyAnswer) changedBy() string {
	for _, s := range a.Steps {
		if s.Verdict == "changed" {
			return s.Policy
		}
	}
	return "a policy"
}

// outcome returns the verdict with its message.
func (s policyStep) outcome() string {
	if s.Message == "" {
		return s.Verdict
	}
	return fmt.Sprintf("%s with %q", s.Verdict, s.Message)
}

// shown is a request in a message about a policy.
func (r policyRequest) shown(about *describedPolicy) string {
	what := string(r.Operation)
	if r.SubResource != "" {
		what += " of " + r.SubResource
	}
	if n := r.NamespaceObject; n != nil && len(n.Labels) > 1 { // besides its name
		what += fmt.Sprintf(" in a namespace with the labels %v", n.Labels)
	}
	if r.Object.Raw != nil {
		what += "\n" + failure.YAML(r.Object.Raw)
	}
	if r.OldObject.Raw != nil {
		what += "\nwith the old object:\n" + failure.YAML(r.OldObject.Raw)
	}
	for _, p := range r.Params {
		if object, ok := p.(json.RawMessage); ok && about != nil && about.Object.Spec.ParamKind != nil {
			what += "\nwith params:\n" + failure.YAML(object)
		}
	}
	return what
}

// smallest returns the smallest request that shows a mistake, and the message for it.
func (c policyCheck) smallest(t *testing.T, r policyRequest, f policyFinding) (policyRequest, string) {
	with := func(o failure.Objects) policyRequest {
		request := *r.AdmissionRequest
		request.Object.Raw, request.OldObject.Raw = o[0], o[1]
		smaller := r
		smaller.AdmissionRequest = &request
		return smaller
	}
	k := c.described.kindOf(Kind{r.Kind.Group + "/" + r.Kind.Version, r.Kind.Kind})
	search := failure.Search{
		Steps:   partsOf,
		Written: func(object []byte) (json.RawMessage, bool) { return object, k != nil && k.problem(object) == "" },
		Failing: func(inputs []failure.Objects) []bool {
			requests := make([]policyRequest, len(inputs))
			for i, o := range inputs {
				requests[i] = with(o)
			}
			failing := make([]bool, len(inputs))
			for i, found := range c.showing(t, requests, f) {
				failing[i] = found != nil
			}
			return failing
		},
		Tries: 3000,
	}
	smallest := with(search.Smallest(failure.Objects{json.RawMessage(r.Object.Raw), json.RawMessage(r.OldObject.Raw)}))
	if found := c.showing(t, []policyRequest{smallest}, f); found[0] != nil {
		return smallest, found[0].message
	}
	return r, f.message
}

// showing returns the mistake of each request, or nil.
func (c policyCheck) showing(t *testing.T, requests []policyRequest, f policyFinding) []*policyFinding {
	times := 1
	if f.rule == policyDiffers {
		times = policyRepeated
	}
	all := make([]*policyFinding, len(requests))
	findings, err := c.findings(t, requests, times)
	if err != nil {
		return all
	}
	for i, found := range findings {
		if at := slices.IndexFunc(found, f.same); at >= 0 {
			all[i] = &found[at]
		}
	}
	return all
}

// partsOf returns the steps that remove the members and elements of an object, the outer ones first. An object keeps its
// kind, its name and its namespace.
func partsOf(object []byte) []failure.Step {
	return slices.DeleteFunc(failure.Removals(object), func(s failure.Step) bool {
		last := len(s.Path) - 1
		return isIdentity(s.Path[:last], s.Path[last])
	})
}
