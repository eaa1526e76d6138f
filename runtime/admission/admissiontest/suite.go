// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Suite is what must be true of the webhooks of a package whatever their policies say. Generated tests run it:
//
//   - Each webhook is served at the path that the manifest has for it, with the operations and kinds of its rules, and
//     none is if a policy is missing.
//   - A review of either version reaches the one function that its operation is for, with what was sent, and what the
//     function answers reaches the API server: a verdict, a failure, warnings, audit annotations, and from mutating
//     webhooks alone a patch, which never is one of a DELETE and keeps the fields that the Go type does not know.
//   - What is no review for the webhook is refused, and an object that cannot be decoded is denied.
//   - Policies answer the same review the same each time and without a panic, defaulters leave alone what they have
//     made themselves, and what they make of the samples the validators accept.
//
// Probes find faults in the handlers, which the first three are about: they stand in for the policies. The policies
// themselves are asked about samples, and about objects that are filled at random.
type Suite struct {
	// Manifest is the file with the webhook configurations; empty if the project has none.
	Manifest string
	// Samples are folders with objects that users would create, in YAML files. A folder that is missing has none.
	Samples []string
	// Webhooks are those of the package.
	Webhooks []Webhook
	// Policies are the webhooks with their policies.
	Policies Webhooks
	// Probes are the webhooks with a probe in place of each policy.
	Probes func(*Probe) Webhooks
}

// Webhooks is what the generated struct of that name is: a policy in each field, and what registers their handlers.
type Webhooks interface {
	// Register hands each handler to a function, with the path that its webhook is served at.
	Register(handle func(path string, handler http.Handler), options ...admission.Option) error
}

// Webhook is what is known of a webhook from its marker.
type Webhook struct {
	// Name is that in the manifest, and Path where it is served.
	Name, Path string
	// Mutating says that the webhook may patch.
	Mutating bool
	// Object is a value of the type that reviews are decoded into; nil where nothing is decoded.
	Object any
	// Kinds are those that reviews can be about; none means any.
	Kinds []Kind
	// Resources are those of the rules: "pods", "pods/exec".
	Resources []string
	// Functions are what is asked by operation, as a Probe hears of it.
	Functions map[admissionv1.Operation]string
	// Lists are those in the object whose elements have keys.
	Lists []List
}

// Kind is the kind of an object as a review names it.
type Kind struct {
	// APIVersion is the group and the version: "v1", "apps/v1".
	APIVersion, Kind string
}

// List says which members tell the elements of a list apart: admission.ListKeys as a value.
type List struct {
	// In is a value of the struct that has the list, and Member the list's JSON name.
	In     any
	Member string
	Keys   []string
}

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	for _, c := range s.checks(t) {
		t.Run(c.name, func(t *testing.T) { c.run(t) })
	}
}

// check is one of the tests that a suite consists of.
type check struct {
	name string
	run  func(testing.TB)
}

// checks are the tests of the suite. What stands in the way of them it reports.
func (s Suite) checks(t testing.TB) []check {
	probe := new(Probe)
	probes, policies := serve(t, s.Probes(probe), admission.Observe(probe)), serve(t, s.Policies)
	configured := configuredIn(t, s.Manifest)
	checks := []check{
		{"paths", func(t testing.TB) { s.checkPaths(t, probes) }},
		{"missing policies", func(t testing.TB) { checkMissing(t, s.Probes(probe)) }},
	}
	for _, w := range s.Webhooks {
		calls := w.calls(t, s.Manifest, configured)
		probed, policy := probes[w.Path], policies[w.Path]
		if probed == nil || policy == nil || len(calls) == 0 {
			continue // which is reported
		}
		checks = append(checks, handlerCheck{w, probed, probe}.checks(calls)...)
		checks = append(checks, policyCheck{w, policy}.checks(calls[0])...)
	}
	return append(checks, check{"samples", func(t testing.TB) { s.checkSamples(t, configured, policies) }})
}

// serve registers webhooks, and returns the handlers by path.
func serve(t testing.TB, webhooks Webhooks, options ...admission.Option) map[string]http.Handler {
	t.Helper()
	served := map[string]http.Handler{}
	err := webhooks.Register(func(path string, handler http.Handler) {
		if served[path] != nil {
			t.Errorf("two webhooks are registered at %s", path)
		}
		served[path] = handler
	}, options...)
	if err != nil {
		t.Fatal(err)
	}
	return served
}

// checkPaths wants each webhook to be registered at its path, under its name, and nothing else.
func (s Suite) checkPaths(t testing.TB, served map[string]http.Handler) {
	for _, w := range s.Webhooks {
		handler := served[w.Path]
		if handler == nil {
			t.Errorf("nothing is registered at %s, where webhook %s is to be", w.Path, w.Name)
		} else if named, ok := handler.(interface{ Name() string }); ok && named.Name() != w.Name {
			t.Errorf("%s is registered at %s, where webhook %s is to be", named.Name(), w.Path, w.Name)
		}
	}
	for path := range served {
		if !slices.ContainsFunc(s.Webhooks, func(w Webhook) bool { return w.Path == path }) {
			t.Errorf("what is registered at %s is no webhook of a marker", path)
		}
	}
}

// checkMissing takes one policy away at a time, and wants an error that names it in place of a panic of the first
// review.
func checkMissing(t testing.TB, webhooks Webhooks) {
	complete := reflect.ValueOf(webhooks)
	for i := range complete.NumField() {
		incomplete := reflect.New(complete.Type())
		incomplete.Elem().Set(complete)
		incomplete.Elem().Field(i).SetZero()
		name := complete.Type().Field(i).Name
		err := incomplete.Interface().(Webhooks).Register(func(string, http.Handler) {})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("registered without a policy for %s, the webhooks say %v, want an error that names it", name, err)
		}
	}
}

// objectType is the type that reviews are decoded into. Where nothing is, any object will do.
func (w Webhook) objectType() reflect.Type {
	if w.Object == nil {
		return reflect.TypeFor[anyObject]()
	}
	return reflect.TypeOf(w.Object)
}

// anyObject stands for objects of any kind, of which nothing but metadata is known.
type anyObject struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// operations are those that the webhook has, in the order of an object's life.
func (w Webhook) operations() []admissionv1.Operation {
	return slices.DeleteFunc(allOperations(), func(o admissionv1.Operation) bool { return w.Functions[o] == "" })
}

func allOperations() []admissionv1.Operation {
	return []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Delete, admissionv1.Connect}
}

// String returns the kind as messages name it: "Deployment of apps/v1".
func (k Kind) String() string { return fmt.Sprintf("%s of %s", k.Kind, k.APIVersion) }
