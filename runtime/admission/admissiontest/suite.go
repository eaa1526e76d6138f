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
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/runtime/admission"
)

// Suite tests the webhooks of a package, independent of the rules in their validators and defaulters. Generated tests
// run it:
//
//   - Each webhook is served at its path in the manifest, with the operations and kinds of its rules. If a validator or
//     defaulter is missing, no webhook is served.
//   - A review of either version reaches the one function for its operation, unchanged. The answer of the function
//     reaches the API server: a verdict, a failure, warnings, audit annotations. Only mutating webhooks send a patch,
//     never for a DELETE, and the patch keeps the fields that are unknown to the Go type.
//   - Bodies that are not reviews for the webhook are refused, and an object that cannot be decoded is denied.
//   - If the marker sets deleting, an object that the validator refuses can lose its finalizers while it is being
//     deleted.
//   - If the marker sets ratchet, an update that changes nothing is allowed, and an update that adds an error is
//     denied.
//   - If the marker sets enforcement, a denial becomes a warning or an audit annotation. All other tests turn it off.
//   - If a policy replaces the webhook on newer clusters, both give the same answers to random requests.
//   - Validators and defaulters answer the same review the same each time and without a panic. Defaulters do not change
//     their own results, and validators accept the samples after the defaulters.
//
// The first three tests look for faults in the handlers: probes replace the validators and defaulters. The last test
// calls the validators and defaulters themselves, with the samples and with objects that are filled at random.
type Suite struct {
	// Manifest is the file with the webhook configurations; empty if the project has none.
	Manifest string
	// Samples are folders with objects that users would create, in YAML files. A folder may be missing. Folders named
	// denied are left out: their objects are for an API server, which also has other reasons to refuse them.
	Samples []string
	// Webhooks are the webhooks of the package.
	Webhooks []Webhook
	// Implementations are the webhooks with their validators and defaulters.
	Implementations Webhooks
	// Probes returns the webhooks with a probe in place of each validator and defaulter.
	Probes func(*Probe) Webhooks

	definitions map[schema.GroupVersionKind]*definition
}

// Webhooks is the generated struct of that name. Each of its fields is a validator or defaulter, and Register registers
// their handlers.
type Webhooks interface {
	// Register passes each handler to handle, with the path of its webhook.
	Register(handle func(path string, handler http.Handler), options ...admission.Option) error
}

// Webhook describes a webhook by the values of its marker.
type Webhook struct {
	// Name is the name in the manifest, and Path the path at which the webhook is served.
	Name, Path string
	// Mutating reports whether the webhook may patch.
	Mutating bool
	// Object is a value of the type that reviews are decoded into; nil if nothing is decoded.
	Object any
	// Kinds are the kinds of the reviews; empty for any kind.
	Kinds []Kind
	// Resources are the resources of the rules: "pods", "pods/exec".
	Resources []string
	// Functions are the names of the functions by operation, as they are passed to Probe.Record.
	Functions map[admissionv1.Operation]string
	// Deleting is skip or unchangedSpec if the webhook allows updates of objects that are being deleted; empty if the
	// validator decides on all of them.
	Deleting string
	// Ratchet reports whether errors that the stored object has are warnings on UPDATE.
	Ratchet bool
	// Enforcement is warn or audit if the webhook allows what its validator denies; empty if it denies.
	Enforcement admission.Enforcement
	// Lists are the lists with keys in the object.
	Lists []List
	// Replacement is the policy that replaces the webhook on newer clusters; nil without one.
	Replacement *Replacement
}

// Kind is the kind of an object as a review names it.
type Kind struct {
	// APIVersion is the group and the version: "v1", "apps/v1".
	APIVersion, Kind string
}

// List declares the members that identify the elements of a list: admission.ListKeys as a value.
type List struct {
	// In is a value of the struct that has the list, and Member the list's JSON name.
	In     any
	Member string
	Keys   []string
}

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	t.Helper()
	for _, c := range s.checks(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Helper()
			c.run(t)
		})
	}
}

// check is one test of a suite.
type check struct {
	name string
	run  func(testing.TB)
}

// checks returns the tests of the suite. It reports problems that keep a test from running.
func (s Suite) checks(t testing.TB) []check {
	probe := new(Probe)
	probes, handlers := serve(t, s.Probes(probe), admission.Observe(probe)), serve(t, s.Implementations)
	lenient := registered(t, s.Probes(probe))
	configured := configuredIn(t, s.Manifest)
	found := map[string]string{}
	checks := []check{
		{"paths", func(t testing.TB) { s.checkPaths(t, probes) }},
		{"missing validators and defaulters", func(t testing.TB) { checkMissing(t, s.Probes(probe)) }},
	}
	for _, w := range s.Webhooks {
		calls := w.calls(t, s.Manifest, configured, s.Webhooks)
		probed, handler := probes[w.Path], handlers[w.Path]
		if probed == nil || handler == nil || len(calls) == 0 {
			continue // which is reported
		}
		checks = append(checks, handlerCheck{w, probed, probe}.checks(calls)...)
		checks = append(checks, deletingCheck{w, probed, handler, probe, s.samplesFor(t, w)}.checks(calls[0])...)
		checks = append(checks, enforcementCheck{w, lenient[w.Path], probe}.checks(calls[0])...)
		if w.Ratchet {
			strict := serve(t, s.Implementations, admission.Ratchet(false))[w.Path]
			checks = append(checks, ratchetCheck{w, probed, handler, strict, probe, s.samplesFor(t, w)}.checks(calls[0])...)
		}
		if w.Replacement != nil {
			checks = append(checks, check{w.Name + "/policy", s.replacementOf(t, w, handler, configured, calls).run})
		}
		checks = append(checks, randomCheck{w, handler, s.Implementations, found}.checks(calls[0])...)
	}
	return append(checks, check{"samples", func(t testing.TB) { s.checkSamples(t, configured, handlers) }})
}

// serve registers webhooks that deny what their validators deny, and returns the handlers by path.
func serve(t testing.TB, webhooks Webhooks, options ...admission.Option) map[string]http.Handler {
	t.Helper()
	return registered(t, webhooks, append(options, admission.Enforce(admission.EnforceDeny))...)
}

// registered registers webhooks with their own enforcement.
func registered(t testing.TB, webhooks Webhooks, options ...admission.Option) map[string]http.Handler {
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

// checkPaths checks that each webhook is registered at its path, under its name, and nothing else.
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
			t.Errorf("no marker has the webhook that is registered at %s", path)
		}
	}
}

// checkMissing removes one validator or defaulter at a time, and checks that Register returns an error with its name
// and registers nothing. Otherwise the first review would panic.
func checkMissing(t testing.TB, webhooks Webhooks) {
	complete := reflect.ValueOf(webhooks)
	for i := range complete.NumField() {
		if complete.Field(i).Kind() == reflect.Struct {
			continue // Without
		}
		incomplete := reflect.New(complete.Type())
		incomplete.Elem().Set(complete)
		incomplete.Elem().Field(i).SetZero()
		name := complete.Type().Field(i).Name
		var handled []string
		err := incomplete.Interface().(Webhooks).Register(func(path string, _ http.Handler) { handled = append(handled, path) })
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("registered without %s, the webhooks return %v, want an error that names it", name, err)
		} else if handled != nil {
			t.Errorf("registered without %s, the webhooks return an error, and have registered %s", name, strings.Join(handled, ", "))
		}
		without := incomplete.Elem().FieldByNameFunc(func(field string) bool { return strings.HasPrefix(field, "Without") })
		if !without.IsValid() || without.Kind() != reflect.Struct {
			continue // generated before types could be left out
		}
		without.FieldByName(name).SetBool(true)
		if err := incomplete.Interface().(Webhooks).Register(func(string, http.Handler) {}); err != nil {
			t.Errorf("registered without %s on purpose, the webhooks return %v", name, err)
		}
	}
}

// objectType returns the type that reviews are decoded into. If nothing is decoded, any object will do.
func (w Webhook) objectType() reflect.Type {
	if w.Object == nil {
		return reflect.TypeFor[anyObject]()
	}
	return reflect.TypeOf(w.Object)
}

// anyObject is the type for objects of any kind. It has only metadata.
type anyObject struct {
	metav1.ObjectMeta `json:"metadata,omitempty"`
}

// operations returns the operations of the webhook, in the order of an object's life.
func (w Webhook) operations() []admissionv1.Operation {
	return slices.DeleteFunc(allOperations(), func(o admissionv1.Operation) bool { return w.Functions[o] == "" })
}

func allOperations() []admissionv1.Operation {
	return []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Delete, admissionv1.Connect}
}

// String returns the kind as messages name it: "Deployment of apps/v1".
func (k Kind) String() string { return fmt.Sprintf("%s of %s", k.Kind, k.APIVersion) }
