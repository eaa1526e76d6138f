// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// CheckManifest checks that the webhooks in a manifest and the served webhooks have the same paths. The paths in
// elsewhere belong to webhooks without a handler in the project.
func CheckManifest(t testing.TB, file string, served, elsewhere []string) {
	t.Helper()
	t = inManifest(t, file, "")
	var called []string // each path once, as webhooks may share a handler
	for _, c := range configuredIn(t, file) {
		called = append(called, c.path())
	}
	want := slices.Concat(served, elsewhere)
	slices.Sort(called)
	called = slices.Compact(called)
	slices.Sort(want)
	want = slices.Compact(want)
	if diff := cmp.Diff(want, called); diff != "" {
		t.Errorf("paths (-served +in %s):\n%s", filepath.Base(file), diff)
	}
}

// inManifest returns a test that fails at the webhook of a name in a manifest, or at the first line.
func inManifest(t testing.TB, file, name string) testing.TB {
	at := failure.Position{File: file, Line: 1}
	text, err := os.ReadFile(file)
	if err != nil {
		return t // which is reported
	}
	for i, line := range strings.Split(string(text), "\n") {
		if name != "" && strings.TrimLeft(line, " -") == "name: "+name {
			at.Line = i + 1
			break
		}
	}
	return failure.TB{TB: t, At: at}
}

// configured is a webhook of a configuration.
type configured struct {
	mutating bool
	// MutatingWebhook has all the fields of a ValidatingWebhook.
	admissionregistrationv1.MutatingWebhook
}

// configuredIn reads the webhooks of a manifest, in their order. Objects of other kinds are passed over.
func configuredIn(t testing.TB, file string) []configured {
	t.Helper()
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []configured
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text)); ; {
		var object struct {
			metav1.TypeMeta `json:",inline"`
			Webhooks        []admissionregistrationv1.MutatingWebhook `json:"webhooks"`
		}
		err := decoder.Decode(&object)
		switch {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%s: %v", file, err)
		case object.Kind == "MutatingWebhookConfiguration", object.Kind == "ValidatingWebhookConfiguration":
			for _, w := range object.Webhooks {
				all = append(all, configured{object.Kind == "MutatingWebhookConfiguration", w})
			}
		}
	}
}

// path returns the path of the webhook in the server. It is the path that the API server calls; through
// kube-aggregator, it is the part of that path below the group and version.
func (c configured) path() string {
	if s := c.ClientConfig.Service; s != nil {
		if s.Path == nil {
			return "/"
		}
		below := strings.SplitN(*s.Path, "/", 5) // "", apis, group, version, and the rest
		if s.Namespace == metav1.NamespaceDefault && s.Name == "kubernetes" && len(below) == 5 && below[1] == "apis" {
			return "/" + below[4]
		}
		return *s.Path
	}
	if c.ClientConfig.URL != nil {
		if u, err := url.Parse(*c.ClientConfig.URL); err == nil && u.Path != "" {
			return u.Path
		}
	}
	return "/"
}

// call holds the names in a review for a webhook.
type call struct {
	kind Kind
	// apiVersion and resource are the values of a rule. The resource includes the subresource.
	apiVersion, resource string
}

// calls returns the kinds and resources for which the manifest has the webhook called. It reports differences between
// manifest and marker. Without a manifest, the marker alone counts. Webhooks at the same path share a handler. A
// webhook that the test does not list counts as this one.
func (w Webhook) calls(t testing.TB, file string, all []configured, listed []Webhook) []call {
	t.Helper()
	if file == "" {
		return w.markedCalls()
	}
	t, file = inManifest(t, file, w.Name), filepath.Base(file)
	i := slices.IndexFunc(all, func(c configured) bool { return c.Name == w.Name && c.mutating == w.Mutating })
	if i < 0 {
		t.Errorf("%s has no webhook %s", file, w.Name)
		return nil
	}
	own := all[i]
	if own.path() != w.Path {
		t.Errorf("%s has webhook %s called at %s, and it is served at %s", file, w.Name, own.path(), w.Path)
	}
	for j, c := range all {
		isListed := slices.ContainsFunc(listed, func(l Webhook) bool { return l.Name == c.Name && l.Mutating == c.mutating })
		if j != i && c.mutating == w.Mutating && c.path() == own.path() && !isListed {
			own.Rules = slices.Concat(own.Rules, c.Rules)
		}
	}
	w.checkOperations(t, file, own)
	var calls []call
	resources := map[string]bool{}
	for _, rule := range own.Rules {
		for _, resource := range rule.Resources {
			resources[resource] = true
			for _, group := range rule.APIGroups {
				for _, version := range rule.APIVersions {
					apiVersion := strings.TrimPrefix(group+"/"+version, "/")
					kind, ok := w.kindOf(apiVersion, resource)
					if !ok {
						t.Errorf("%s has webhook %s called for %s of %s, and it is for %v", file, w.Name, resource, apiVersion, w.Kinds)
						continue
					}
					calls = append(calls, call{kind, apiVersion, resource})
				}
			}
		}
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(w.Resources)), slices.Sorted(maps.Keys(resources))); diff != "" {
		t.Errorf("resources of webhook %s (-marker +%s):\n%s", w.Name, file, diff)
	}
	for _, kind := range w.Kinds {
		if !slices.ContainsFunc(calls, func(c call) bool { return c.kind == kind }) {
			t.Errorf("webhook %s is for %s, and no rule in %s has it called for that", w.Name, kind, file)
		}
	}
	return calls
}

// markedCalls returns the calls that follow from the marker alone.
func (w Webhook) markedCalls() []call {
	kinds := w.Kinds
	if len(kinds) == 0 {
		kinds = []Kind{anyKind("example.com/v1")}
	}
	var calls []call
	for _, kind := range kinds {
		for _, resource := range w.Resources {
			calls = append(calls, call{kind, kind.APIVersion, resource})
		}
	}
	return calls
}

// kindOf returns the kind in a review for a resource. Subresources such as scale have kinds of other groups.
func (w Webhook) kindOf(apiVersion, resource string) (Kind, bool) {
	if len(w.Kinds) == 0 {
		return anyKind(apiVersion), true
	}
	i := slices.IndexFunc(w.Kinds, func(k Kind) bool { return k.APIVersion == apiVersion })
	if i < 0 && strings.Contains(resource, "/") {
		i = 0
	}
	if i < 0 {
		return Kind{}, false
	}
	return w.Kinds[i], true
}

// anyKind returns a kind that only a webhook for any kind accepts.
func anyKind(apiVersion string) Kind {
	return Kind{strings.ReplaceAll(apiVersion, "*", "any"), "Any"}
}

// checkOperations checks that the operations of the rules are the operations that the webhook has functions for.
func (w Webhook) checkOperations(t testing.TB, file string, own configured) {
	called := map[admissionregistrationv1.OperationType]bool{}
	for _, rule := range own.Rules {
		for _, operation := range rule.Operations {
			called[operation] = true
		}
	}
	for _, operation := range w.operations() {
		if o := admissionregistrationv1.OperationType(operation); !called[o] && !called[admissionregistrationv1.OperationAll] {
			t.Errorf("webhook %s has a function for %s, and no rule in %s has it called for that", w.Name, o, file)
		}
	}
	for _, operation := range allOperations() {
		if called[admissionregistrationv1.OperationType(operation)] && w.Functions[operation] == "" {
			t.Errorf("%s has webhook %s called for %s, for which it has no function", file, w.Name, operation)
		}
	}
}
