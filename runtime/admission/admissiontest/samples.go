// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// sample is an object that a user would create.
type sample struct {
	file   string
	object json.RawMessage
	metav1.PartialObjectMetadata
}

// checkSamples creates each sample as an API server would, as far as webhooks of the package are called for it, and
// updates it without a change. All of these requests must be allowed.
func (s Suite) checkSamples(t testing.TB, all []configured, handlers map[string]http.Handler) {
	asked := map[string]bool{}
	for _, o := range s.samples(t) {
		created := s.ask(t, all, handlers, admissionv1.Create, o, o.object, asked)
		s.ask(t, all, handlers, admissionv1.Update, o, created, asked)
	}
	for _, w := range s.Webhooks {
		if !asked[w.Name] && w.Functions[admissionv1.Create]+w.Functions[admissionv1.Update] != "" {
			t.Logf("webhook %s has no sample in %q", w.Name, s.Samples)
		}
	}
}

// ask sends a sample to the webhooks that are called for it, mutating ones first, and returns the object after them.
func (s Suite) ask(t testing.TB, all []configured, handlers map[string]http.Handler, operation admissionv1.Operation, o sample, object json.RawMessage, asked map[string]bool) json.RawMessage {
	t.Helper()
	kind := o.GroupVersionKind()
	for _, mutating := range []bool{true, false} {
		for _, c := range all {
			i := slices.IndexFunc(s.Webhooks, func(w Webhook) bool { return w.Path == c.path() && w.Mutating == c.mutating })
			if i < 0 || c.mutating != mutating || handlers[s.Webhooks[i].Path] == nil || !c.matches(operation, kind, o.Labels) {
				continue
			}
			w := s.Webhooks[i]
			asked[w.Name] = true
			resource, _ := meta.UnsafeGuessKindToResource(kind)
			review := w.reviewOf(operation, call{Kind{kind.GroupVersion().String(), kind.Kind}, kind.GroupVersion().String(), resource.Resource}, object, object)
			result := review.Named(o.Namespace, o.Name).Send(t, handlers[w.Path])
			if result.Response == nil || !result.Response.Allowed {
				t.Errorf("%s: webhook %s does not let %s %s be %sd: %s", o.file, w.Name, o.Kind, o.Name, verb(operation), result.Status.Message)
				continue
			}
			object = result.object
			if mutating && operation == admissionv1.Create {
				result.Again().Unchanged()
			}
		}
	}
	return object
}

func verb(operation admissionv1.Operation) string {
	if operation == admissionv1.Create {
		return "create"
	}
	return "update"
}

// matches reports whether an API server calls the webhook for an object. It ignores matchConditions and
// namespaceSelector.
func (c configured) matches(operation admissionv1.Operation, kind schema.GroupVersionKind, own map[string]string) bool {
	if selector, err := metav1.LabelSelectorAsSelector(c.ObjectSelector); c.ObjectSelector != nil && (err != nil || !selector.Matches(labels.Set(own))) {
		return false
	}
	resource, _ := meta.UnsafeGuessKindToResource(kind)
	return slices.ContainsFunc(c.Rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return containsOr(r.Operations, admissionregistrationv1.OperationType(operation), admissionregistrationv1.OperationAll) &&
			containsOr(r.APIGroups, kind.Group, "*") && containsOr(r.APIVersions, kind.Version, "*") && containsOr(r.Resources, resource.Resource, "*")
	})
}

func containsOr[T comparable](list []T, one, all T) bool {
	return slices.Contains(list, one) || slices.Contains(list, all)
}

// samples reads the samples in the folders, in the order of their files' names. Files without objects, such as a
// kustomization, are passed over.
func (s Suite) samples(t testing.TB) []sample {
	var all []sample
	for _, folder := range s.Samples {
		err := filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && entry.IsDir() && entry.Name() == "denied" {
				return filepath.SkipDir
			}
			if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" && filepath.Ext(file) != ".yml" {
				return err
			}
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text)); ; {
				o := sample{file: file}
				if err := decoder.Decode(&o.object); errors.Is(err, io.EOF) {
					return nil
				} else if err != nil {
					return err
				}
				if err := json.Unmarshal(o.object, &o.PartialObjectMetadata); err == nil && o.Kind != "" && o.Name != "" {
					all = append(all, o)
				}
			}
		})
		if err != nil {
			t.Fatalf("%s: %v", folder, err)
		}
	}
	return all
}
