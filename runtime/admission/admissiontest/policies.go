// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// Policies tests the admission policies of a module's +webhook:policy markers by cases: the request of a user, and its
// result after all policies. `webhook-gen explain evaluate` answers, with the API server's own code and without a
// server. It is the program that the environment variable WEBHOOK_GEN names, or else bin/webhook-gen of the module, a
// tool of its go.mod, or a program in PATH that has the version of this module. Without any of them the test fails.
//
// A mutation must be idempotent: each object that the policies have changed is sent once more, and must stay as it is.
type Policies[T any] struct {
	// Kind is the kind of the objects. An object with its own apiVersion and kind may have another kind.
	Kind Kind
	// Resource is the resource of the requests. If it is empty, it is the plural of the kind: see [Review.Resource].
	Resource Resource
	// Params are the objects of the cluster that bindings name as parameters, each with its apiVersion and kind.
	Params []any
	// NamespaceLabels are the labels of the namespace of each request.
	NamespaceLabels map[string]string
	// Cases are the requests and their results. Denied is the code of the denial, which the reason of the validation
	// sets: 422 for Invalid, the default. Message is a part of the message. Failed and Causes do not apply: a policy
	// that fails denies, unless its failurePolicy is Ignore.
	Cases []Case[T]
}

// policyRequest is a request as `webhook-gen explain evaluate` reads it.
type policyRequest struct {
	*admissionv1.AdmissionRequest
	NamespaceObject *corev1.Namespace `json:"namespaceObject,omitempty"`
	Params          []any             `json:"params,omitempty"`
	// Authorizer is allow or deny: the answer to all questions of expressions to the authorizer.
	Authorizer string `json:"authorizer,omitempty"`
	// Phase is mutation, reinvocation or validation; empty for all of them. Current is the object before a reinvocation.
	Phase   string          `json:"phase,omitempty"`
	Current json.RawMessage `json:"current,omitempty"`
}

// policyAnswer is the part of its answer that cases compare.
type policyAnswer struct {
	Allowed          bool              `json:"allowed"`
	Code             int               `json:"code"`
	Reason           string            `json:"reason"`
	Message          string            `json:"message"`
	Warnings         []string          `json:"warnings"`
	AuditAnnotations map[string]string `json:"auditAnnotations"`
	Object           json.RawMessage   `json:"object"`
	Steps            []policyStep      `json:"steps"`
	// Error is the reason why there is no answer.
	Error string `json:"error"`
}

// policyStep is one evaluation of a policy.
type policyStep struct {
	Policy  string `json:"policy"`
	Phase   string `json:"phase"`
	Verdict string `json:"verdict"`
	Message string `json:"message"`
	// Mutation is the index of the mutation in the policy.
	Mutation *int `json:"mutation"`
	// Object is the object after a mutation that changes it.
	Object json.RawMessage `json:"object"`
}

// Run runs each case as a test of its own.
func (p Policies[T]) Run(t *testing.T) {
	t.Helper()
	caller := failure.Function(1)
	requests := make([]policyRequest, len(p.Cases))
	for i, c := range p.Cases {
		if c.Failed != 0 || len(c.Causes) > 0 {
			t.Fatalf("admissiontest: %s: a policy neither fails nor answers with causes", c.Name)
		}
		review, err := (Table[T]{Kind: p.Kind, Resource: p.Resource}).named(c.Request).review()
		if err != nil {
			t.Fatalf("admissiontest: %s: %v", c.Name, err)
		}
		requests[i] = p.request(review.Request)
	}
	answers, err := evaluate(t, requests)
	if err != nil {
		t.Fatal(err)
	}
	var changed []policyRequest
	var from []int
	for i, c := range p.Cases {
		at := failure.Caller(c.Request.made, caller)
		t.Run(c.Name, func(t *testing.T) {
			t.Helper()
			p.check(failure.TB{TB: t, At: at}, c, requests[i].AdmissionRequest, answers[i])
		})
		if answers[i].Allowed && requests[i].Operation != admissionv1.Delete && failure.Diff(requests[i].Object.Raw, answers[i].Object) != "" {
			again := *requests[i].AdmissionRequest
			again.Object = runtime.RawExtension{Raw: answers[i].Object}
			changed, from = append(changed, p.request(&again)), append(from, i)
		}
	}
	if len(changed) == 0 {
		return
	}
	again, err := evaluate(t, changed)
	if err != nil {
		t.Fatal(err)
	}
	for i, answer := range again {
		c := p.Cases[from[i]]
		if diff := failure.Diff(changed[i].Object.Raw, answer.Object); answer.Allowed && diff != "" {
			failure.TB{TB: t, At: failure.Caller(c.Request.made, caller)}.Errorf("%s: the policies change their own result, so reinvocation never ends (-first +second):\n%s", c.Name, diff)
		}
	}
}

// request adds what the cluster has.
func (p Policies[T]) request(request *admissionv1.AdmissionRequest) policyRequest {
	r := policyRequest{AdmissionRequest: request, Params: p.Params}
	if request.Namespace != "" {
		r.NamespaceObject = &corev1.Namespace{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: metav1.ObjectMeta{Name: request.Namespace, Labels: map[string]string{"kubernetes.io/metadata.name": request.Namespace}},
		}
		for key, value := range p.NamespaceLabels {
			r.NamespaceObject.Labels[key] = value
		}
	}
	return r
}

// check compares the answer with the case.
func (p Policies[T]) check(t testing.TB, c Case[T], request *admissionv1.AdmissionRequest, answer policyAnswer) {
	t.Helper()
	p.compare(t, c, request, answer)
	differs(t, "warnings", append([]string{}, c.Warnings...), append([]string{}, answer.Warnings...))
	if c.Audit != nil {
		differs(t, "audit annotations", c.Audit, answer.AuditAnnotations)
	}
}

// compare compares the verdict and the object with the case.
func (p Policies[T]) compare(t testing.TB, c Case[T], request *admissionv1.AdmissionRequest, answer policyAnswer) {
	t.Helper()
	switch {
	case answer.Error != "":
		t.Fatalf("no answer: %s", answer.Error)
	case c.Denied != 0 && answer.Allowed:
		t.Errorf("allowed, want it denied with %d", c.Denied)
	case c.Denied != 0 && (answer.Code != c.Denied || !strings.Contains(answer.Message, c.Message)):
		t.Errorf("denied with %d, want %d and %q in the message: %s", answer.Code, c.Denied, c.Message, answer.Message)
	case c.Denied == 0 && !answer.Allowed:
		t.Errorf("denied with %d, want it allowed: %s", answer.Code, answer.Message)
	case c.Denied == 0 && request.Operation != admissionv1.Delete:
		want := request.Object.Raw
		if c.Object != nil {
			object, err := rawJSON(c.Object)
			if err != nil {
				t.Fatalf("admissiontest: %v", err)
			}
			var kind metav1.TypeMeta
			if err := json.Unmarshal(request.Object.Raw, &kind); err != nil {
				t.Fatalf("admissiontest: %v", err)
			}
			want = withKind(object, kind.GroupVersionKind())
		}
		if diff := failure.Diff(defaulted(want), answer.Object); diff != "" {
			t.Errorf("object after the policies (-want +got):\n%s", diff)
		}
	}
}

// policyOutput is the output of `webhook-gen explain evaluate`.
type policyOutput struct {
	Answers []policyAnswer `json:"answers"`
	policyDescription
}

// evaluate asks webhook-gen.
func evaluate(t testing.TB, requests []policyRequest) ([]policyAnswer, error) {
	out, err := askPolicies(t, map[string]any{"requests": requests})
	if err != nil {
		return nil, err
	}
	if len(out.Answers) != len(requests) {
		return nil, fmt.Errorf("webhook-gen explain evaluate: %d answers to %d requests", len(out.Answers), len(requests))
	}
	return out.Answers, nil
}

// askPolicies runs `webhook-gen explain evaluate`.
func askPolicies(t testing.TB, in any) (policyOutput, error) {
	var out policyOutput
	module, err := moduleDir()
	if err != nil {
		return out, err
	}
	program, err := policyProgram(module)
	if err != nil {
		return out, err
	}
	noticeSources(module)
	input, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	var answer, trouble bytes.Buffer
	program = append(program, "explain", "evaluate")
	c := exec.CommandContext(t.Context(), program[0], program[1:]...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = module, bytes.NewReader(input), &answer, &trouble
	if err := c.Run(); err != nil {
		return out, fmt.Errorf("%s: %w\n%s", strings.Join(program, " "), err, trouble.String())
	}
	if err := json.Unmarshal(answer.Bytes(), &out); err != nil {
		return out, fmt.Errorf("%s: %w", strings.Join(program, " "), err)
	}
	return out, nil
}

// moduleDir is the folder of go.mod around the package under test.
func moduleDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("admissiontest: there is no go.mod above the package: run the test in its source")
		}
	}
}

// noticeSources lists the folders of a module. The go command then knows that the test depends on their files, which
// another program reads, and does not take its result from the cache if one has changed.
func noticeSources(module string) {
	_ = filepath.WalkDir(module, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return nil
		}
		if name := entry.Name(); path != module && (strings.HasPrefix(name, ".") || name == "vendor" || name == "node_modules") {
			return fs.SkipDir
		}
		return nil
	})
}
