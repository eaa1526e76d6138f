// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// sample is an object that a user would create.
type sample struct {
	at     failure.Position
	object json.RawMessage
	// mistake is why an API server does not store the object as it is written; empty if none is known.
	mistake string
	metav1.PartialObjectMetadata
}

// checkSamples creates each sample as an API server would, as far as webhooks of the package are called for it, and
// updates it without a change. All of these requests must be allowed.
func (s Suite) checkSamples(t testing.TB, all []configured, handlers map[string]http.Handler) {
	t.Helper()
	asked := map[string]bool{}
	for _, o := range s.samples(t) {
		if o.mistake != "" {
			failure.TB{TB: t, At: o.at}.Errorf("the sample %s %s: %s", o.Kind, o.Name, o.mistake)
		}
		created := s.ask(t, all, handlers, admissionv1.Create, o, o.object, asked)
		s.ask(t, all, handlers, admissionv1.Update, o, created, asked)
	}
	for _, w := range s.Webhooks {
		if !t.Failed() && !asked[w.Name] && w.Functions[admissionv1.Create]+w.Functions[admissionv1.Update] != "" {
			t.Logf("webhook %s has no sample in %q", w.Name, s.Samples)
		}
	}
}

// ask sends a sample to the webhooks that are called for it, mutating ones first, and returns the object after them.
func (s Suite) ask(t testing.TB, all []configured, handlers map[string]http.Handler, operation admissionv1.Operation, o sample, object json.RawMessage, asked map[string]bool) json.RawMessage {
	t.Helper()
	t = failure.TB{TB: t, At: o.at}
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
				t.Errorf("webhook %s does not let %s %s be %sd: %s", w.Name, o.Kind, o.Name, verb(operation), result.reason())
				continue
			}
			object = result.object
			if mutating && operation == admissionv1.Create {
				if again := result.Again(); again.Response != nil && len(again.Response.Patch) > 0 {
					t.Errorf("webhook %s changes its own result of %s %s (-result +changed):\n%s", w.Name, o.Kind, o.Name, failure.Diff(object, again.object))
				}
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
func (s Suite) samples(t testing.TB) []sample { return s.samplesWith(t, false) }

// samplesFor returns the samples of a webhook's kinds, with those in folders named denied.
func (s Suite) samplesFor(t testing.TB, w Webhook) []json.RawMessage {
	if w.Deleting == "" && !w.Ratchet && w.Replacement == nil {
		return nil
	}
	var all []json.RawMessage
	for _, o := range s.samplesWith(t, true) {
		if slices.Contains(w.Kinds, Kind{o.APIVersion, o.Kind}) {
			all = append(all, o.object)
		}
	}
	return all
}

func (s Suite) samplesWith(t testing.TB, denied bool) []sample {
	var all []sample
	for _, folder := range s.Samples {
		err := eachYAML(folder, func(file string, text []byte) error {
			below := filepath.ToSlash(strings.TrimPrefix(file, filepath.Dir(folder)))
			if !denied && slices.Contains(strings.Split(below, "/"), "denied") {
				return nil
			}
			for _, d := range documents(text) {
				for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(d.text), len(text)); ; {
					o := sample{at: failure.Position{File: file, Line: d.line}}
					if err := decoder.Decode(&o.object); errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						return fmt.Errorf("%s: %w", o.at, err)
					}
					if err := json.Unmarshal(o.object, &o.PartialObjectMetadata); err != nil || o.Kind == "" || o.Name == "" {
						continue
					}
					o.mistake = s.mistake(o)
					o.object = s.definitions[o.GroupVersionKind()].decoded(o.object)
					if err := json.Unmarshal(o.object, &o.PartialObjectMetadata); err == nil {
						all = append(all, o)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", folder, err)
		}
	}
	return all
}

// eachYAML reads a YAML file, or the YAML files below a folder; none if it is missing.
func eachYAML(root string, read func(file string, text []byte) error) error {
	return filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".yaml" && filepath.Ext(file) != ".yml" {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return read(file, text)
	})
}

// mistake looks for a sample's kind among the definitions of its group, and for its fields in the schema, or in the Go
// type of a webhook if no definition of the group was read. It tells nothing of other groups.
func (s Suite) mistake(o sample) string {
	kind := o.GroupVersionKind()
	if d := s.definitions[kind]; d != nil {
		if fields := d.unknown(o.object); len(fields) > 0 {
			return fmt.Sprintf("the definition has no field %s, and API servers drop it", strings.Join(fields, ", "))
		}
		return ""
	}
	var others []string
	for other := range s.definitions {
		if other.Group == kind.Group {
			others = append(others, other.Kind+" of "+other.GroupVersion().String())
		}
	}
	if len(others) > 0 {
		slices.Sort(others)
		return fmt.Sprintf("no definition has this kind in %s; there are %s", kind.GroupVersion(), strings.Join(others, ", "))
	}
	for _, w := range s.Webhooks {
		for _, k := range w.Kinds {
			switch {
			case k.APIVersion != o.APIVersion:
			case k.Kind == o.Kind && w.Object != nil:
				decoder := json.NewDecoder(bytes.NewReader(o.object))
				decoder.DisallowUnknownFields()
				if err := decoder.Decode(reflect.New(reflect.TypeOf(w.Object)).Interface()); err != nil {
					return err.Error()
				}
				return ""
			case strings.EqualFold(k.Kind, o.Kind) && k.Kind != o.Kind || k.Kind+"s" == o.Kind:
				return "the kind is " + k.Kind
			}
		}
	}
	return ""
}

// document is a part of a YAML file. Its line is the first one of its content.
type document struct {
	text []byte
	line int
}

// documents splits a file at the lines that begin with "---", as the decoder does.
func documents(text []byte) []document {
	var all []document
	current := document{}
	for i, line := range bytes.SplitAfter(text, []byte("\n")) {
		if bytes.HasPrefix(line, []byte("---")) {
			all = append(all, current)
			current = document{}
			continue
		}
		if content := bytes.TrimSpace(line); current.line == 0 && len(content) > 0 && content[0] != '#' {
			current.line = i + 1
		}
		current.text = append(current.text, line...)
	}
	return slices.DeleteFunc(append(all, current), func(d document) bool { return d.line == 0 })
}
