// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// Cluster has the objects of a cluster that admission policies read.
type Cluster struct {
	// Params are the objects that bindings name as parameters, each with its apiVersion and kind.
	Params []any
	// NamespaceLabels are the labels of the namespace of each request.
	NamespaceLabels map[string]string

	mutate bool // there are mutating policies
}

// described returns the cluster with the facts of the module's policies; nil for nil.
func (c *Cluster) described(t testing.TB) *Cluster {
	t.Helper()
	if c == nil {
		return nil
	}
	found, err := describedPolicies(t)
	if err != nil {
		t.Fatal(err)
	}
	d := *c
	d.mutate = slices.ContainsFunc(found.Policies, func(p describedPolicy) bool { return p.Object.Kind == "MutatingAdmissionPolicy" })
	return &d
}

// chainPolicies runs admission policies between the webhooks of a chain.
type chainPolicies[T any] struct {
	Policies[T]
	// original is the request of the user, and before its object in the first round.
	original Review[T]
	// mutate is true if there are mutating policies.
	mutate bool
	before json.RawMessage
	// refused is the answer of the policies that refuse the request; nil if none does.
	refused *policyAnswer
}

// runPolicies runs the policies of a phase. It reports whether they have changed the object, and whether they allow the
// request.
func (c *chain[T]) runPolicies(t testing.TB, phase string) (changed, ok bool) {
	t.Helper()
	p := c.policies
	if p == nil || phase != "validation" && (!p.mutate || c.request.operation == admissionv1.Delete) {
		return false, true
	}
	review, err := c.request.review()
	if err != nil {
		t.Fatalf("admissiontest: %v", err)
	}
	request := p.request(review.Request)
	request.Phase = phase
	switch phase {
	case "mutation":
		p.before = request.Object.Raw
	case "reinvocation":
		request.Current, request.Object.Raw = request.Object.Raw, p.before
	}
	answers, err := evaluate(t, []policyRequest{request})
	if err != nil {
		t.Fatal(err)
	}
	answer := answers[0]
	if answer.Error != "" {
		t.Fatalf("the policies give no answer: %s", answer.Error)
	}
	c.add(answer.Warnings, answer.AuditAnnotations)
	if !answer.Allowed {
		p.refused = &answer
		return false, false
	}
	if phase == "validation" {
		return false, true
	}
	policy := ""
	for _, s := range answer.Steps {
		if s.Verdict == "changed" {
			policy = s.Policy // the last one
		}
	}
	if policy == "" {
		return false, true
	}
	sent := cmp.Or(string(request.Current), string(request.Object.Raw))
	diff := failure.Diff(defaulted([]byte(sent)), answer.Object)
	c.request = c.request.JSON(string(answer.Object))
	c.note("the policies change", diff, answer.Object)
	return true, true
}

// checkWithPolicies compares the outcome of a chain with policies. It reports false if a webhook decides, whose answer
// has more to compare.
func (c *chain[T]) checkWithPolicies(t testing.TB, want Case[T]) bool {
	t.Helper()
	p := c.policies
	if p == nil || p.refused == nil && c.last != nil && (c.last.Response == nil || !c.last.Response.Allowed) {
		return false
	}
	review, err := c.request.review()
	if err != nil {
		t.Fatalf("admissiontest: %v", err)
	}
	answer := policyAnswer{Allowed: true, Object: review.Request.Object.Raw}
	if p.refused != nil {
		answer = *p.refused
	}
	if want.Failed != 0 {
		t.Errorf("no call has failed, want one with %d", want.Failed)
		return true
	}
	original, err := p.original.review()
	if err != nil {
		t.Fatalf("admissiontest: %v", err)
	}
	p.compare(t, want, original.Request, answer)
	return true
}
