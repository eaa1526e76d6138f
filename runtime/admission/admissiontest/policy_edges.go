// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
	"github.com/webhook-gen/webhook-gen/runtime/internal/structural"
)

// edges returns requests about objects with values at which expressions fail: explicit zeros, and for kinds whose
// schema limits texts also empty texts and texts that are no regular expression. An object has one of them in each
// place where its schema accepts it, or in half of these places.
func (c policyCheck) edges(k policyKind, m matched, call policyCall, first int) (all []policyRequest) {
	edges := []any{json.Number("0")}
	if !k.Builtin {
		edges = append(edges, "", "(")
	}
	densities := []structural.Density{structural.Full, structural.Full}
	if !k.Builtin { // the others lack a member each
		densities = append(densities, slices.Repeat([]structural.Density{structural.Full}, 6)...)
	}
	for _, edge := range edges {
		for i, density := range densities {
			every, seed := i%2+1, uint64(first+len(all))
			r, ok := c.request(k, m, call, density, seed)
			if !ok {
				continue
			}
			random := rand.New(rand.NewPCG(seed, 0))
			for _, object := range []*runtime.RawExtension{&r.Object, &r.OldObject} {
				if object.Raw != nil && (object == &r.Object || call.operation == admissionv1.Delete) {
					if i > 1 {
						object.Raw = k.withoutMember(object.Raw, i)
					}
					object.Raw = k.withEdge(object.Raw, edge, func() bool { return random.IntN(every) == 0 })
				}
			}
			all = append(all, r)
		}
	}
	return all
}

// withoutMember returns an object without one of the members that its parts may lack.
func (k policyKind) withoutMember(object json.RawMessage, n int) json.RawMessage {
	var all []json.RawMessage
	for _, part := range partsOf(object) {
		if len(part.Path) != 2 || part.Path[0] == "metadata" {
			continue
		}
		if rest, ok := without(object, part.Path); ok && k.problem(rest) == "" {
			all = append(all, rest)
		}
	}
	if len(all) == 0 {
		return object
	}
	return all[n%len(all)]
}

// withEdge returns an object with a number or text in some of its places, as far as the schema accepts it there.
func (k policyKind) withEdge(object json.RawMessage, edge any, some func() bool) json.RawMessage {
	const most = 300 // places
	tree, err := failure.Decode(object)
	if err != nil {
		return object
	}
	tried := 0
	var visit func(v any, replace func(any))
	try := func(v any, replace func(any)) {
		if tried++; tried > most || !some() {
			return
		}
		replace(edge)
		if text, err := json.Marshal(tree); err != nil || k.problem(text) != "" {
			replace(v)
		}
	}
	visit = func(v any, replace func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				visit(v[name], func(other any) { v[name] = other })
			}
		case []any:
			for i := range v {
				visit(v[i], func(other any) { v[i] = other })
			}
		case json.Number:
			if _, isNumber := edge.(json.Number); isNumber {
				try(v, replace)
			}
		case string:
			if _, isText := edge.(string); isText {
				try(v, replace)
			}
		}
	}
	if members, ok := tree.(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if name != "apiVersion" && name != "kind" && name != "metadata" {
				visit(members[name], func(other any) { members[name] = other })
			}
		}
	}
	text, err := json.Marshal(tree)
	if err != nil {
		return object
	}
	return text
}

// metadataProblem returns the reason why an API server refuses the metadata that a mutation makes, or why clients do
// not find the object; empty for valid metadata.
func metadataProblem(before, after json.RawMessage) string {
	type metadata struct {
		Name, Namespace, GenerateName string
		Labels, Annotations           map[string]string
	}
	var old, object struct{ Metadata metadata }
	if json.Unmarshal(before, &old) != nil {
		return ""
	}
	if err := json.Unmarshal(after, &object); err != nil {
		return err.Error()
	}
	was, is := old.Metadata, object.Metadata
	for _, m := range []struct{ name, was, is string }{
		{"name", was.Name, is.Name}, {"namespace", was.Namespace, is.Namespace}, {"generateName", was.GenerateName, is.GenerateName},
	} {
		if m.was != m.is {
			return fmt.Sprintf("metadata.%s: changed from %q to %q, so that it is not the name in the request", m.name, m.was, m.is)
		}
	}
	at := field.NewPath("metadata")
	problems := append(metav1validation.ValidateLabels(is.Labels, at.Child("labels")), validation.ValidateAnnotations(is.Annotations, at.Child("annotations"))...)
	if len(problems) > 0 {
		return problems[0].Error()
	}
	return ""
}
