// SPDX-License-Identifier: Apache-2.0

// Package spec handles a single webhook in Kubernetes' own type. It uses MutatingWebhook for both kinds, because a
// ValidatingWebhook has the same fields without ReinvocationPolicy.
package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	kjson "sigs.k8s.io/json"
)

// Patch applies a strategic merge patch with the checks of sigs.k8s.io/controller-tools/pkg/webhook. It rejects
// repeated fields and fields that the webhook's kind does not have, also if only their case differs. With problems,
// it returns the webhook unchanged.
func Patch(webhook admissionregistrationv1.MutatingWebhook, mutating bool, patch string) (admissionregistrationv1.MutatingWebhook, []error) {
	kind := any(webhook)
	if !mutating { // a ValidatingWebhook lacks one field
		kind = Validating(webhook)
	}
	if problems := checkPatch(kind, patch); len(problems) > 0 {
		return webhook, problems
	}
	original, err := json.Marshal(kind)
	if err != nil {
		return webhook, []error{err}
	}
	merged, err := strategicpatch.StrategicMergePatch(original, []byte(patch), kind)
	if err != nil {
		return webhook, []error{fmt.Errorf("cannot apply the patch: %w", err)}
	}
	var patched admissionregistrationv1.MutatingWebhook
	for _, into := range []any{reflect.New(reflect.TypeOf(kind)).Interface(), &patched} {
		if problems := unmarshalStrict(merged, into); len(problems) > 0 {
			return webhook, problems
		}
	}
	return patched, nil
}

// Changed returns the paths of the fields, at any depth, that differ between two states of a webhook:
// "timeoutSeconds", "rules[0].scope".
func Changed(before, after admissionregistrationv1.MutatingWebhook) []string {
	old, now := fieldsOf(before), fieldsOf(after)
	all := maps.Clone(old)
	maps.Copy(all, now)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(path string) bool { return reflect.DeepEqual(old[path], now[path]) })
}

// checkPatch reports unknown and repeated fields of the patch, because merging loses those with the value null. It
// ignores directives, which are not fields.
func checkPatch(webhook any, patch string) []error {
	var fields map[string]any
	if problems := unmarshalStrict([]byte(patch), &fields); len(problems) > 0 {
		return problems
	}
	meta, err := strategicpatch.NewPatchMetaFromStruct(webhook)
	if err != nil {
		return []error{err}
	}
	if problems := removeDirectives(fields, meta, ""); len(problems) > 0 {
		return problems
	}
	plain, err := json.Marshal(fields)
	if err != nil {
		return []error{err}
	}
	return unmarshalStrict(plain, reflect.New(reflect.TypeOf(webhook)).Interface())
}

func unmarshalStrict(text []byte, into any) []error {
	problems, err := kjson.UnmarshalStrict(text, into)
	if err != nil {
		problems = []error{err}
	}
	for i, p := range problems {
		problems[i] = fmt.Errorf("the patch is not valid: %w", p)
	}
	return problems
}

// removeDirectives removes well-formed directives of k8s.io/apimachinery/pkg/util/strategicpatch from a patch, at any
// depth. schema describes the patched value, and path is its field path. Malformed directives stay and are rejected
// as unknown fields.
func removeDirectives(patch map[string]any, schema strategicpatch.LookupPatchMeta, path string) (problems []error) {
	isStruct := schema.Name() == reflect.Struct.String() || schema.Name() == reflect.Pointer.String()
	for _, key := range slices.Sorted(maps.Keys(patch)) {
		value := patch[key]
		kind, field, _ := strings.Cut(key, "/")
		remove, err := false, error(nil)
		switch {
		case key == "$patch":
			remove = value == "delete" || value == "replace"
		case key == "$retainKeys":
			_, remove = value.([]any)
		case kind == "$setElementOrder" && key != kind, kind == "$deleteFromPrimitiveList" && key != kind:
			_, remove = value.([]any)
			_, _, err = schema.LookupPatchMetadataForSlice(field)
		case strings.HasPrefix(key, "$") || !isStruct:
		default:
			problems = append(problems, removeBelow(value, schema, key, path)...)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("the patch is not valid at %q: %w", path+key, err))
		}
		if remove {
			delete(patch, key)
		}
	}
	return problems
}

// removeBelow removes the directives from the value of one field.
func removeBelow(value any, schema strategicpatch.LookupPatchMeta, field, path string) (problems []error) {
	var below strategicpatch.LookupPatchMeta
	var err error
	var patches []map[string]any
	switch value := value.(type) {
	case map[string]any:
		below, _, err = schema.LookupPatchMetadataForStruct(field)
		patches = []map[string]any{value}
	case []any:
		below, _, err = schema.LookupPatchMetadataForSlice(field)
		for _, element := range value {
			if m, ok := element.(map[string]any); ok {
				patches = append(patches, m)
			}
		}
	default:
		_, _, err = schema.LookupPatchMetadataForStruct(field)
	}
	if err != nil {
		return []error{fmt.Errorf("the patch is not valid at %q: %w", path+field, err)}
	}
	for _, p := range patches {
		problems = append(problems, removeDirectives(p, below, path+field+".")...)
	}
	return problems
}

// fieldsOf returns the fields and elements of a webhook, at any depth, by path.
func fieldsOf(webhook admissionregistrationv1.MutatingWebhook) map[string]any {
	fields := map[string]any{}
	var add func(path string, value any)
	add = func(path string, value any) {
		if path != "" {
			fields[path] = value
		}
		switch value := value.(type) {
		case map[string]any:
			for key, v := range value {
				add(strings.TrimPrefix(path+"."+key, "."), v)
			}
		case []any:
			for i, v := range value {
				add(fmt.Sprintf("%s[%d]", path, i), v)
			}
		}
	}
	var root any
	// A webhook from JSON or with plain strings can always be encoded.
	if text, err := json.Marshal(webhook); err == nil && json.Unmarshal(text, &root) == nil {
		add("", root)
	}
	return fields
}

// Validating returns a webhook without the fields that validating webhooks do not have.
func Validating(w admissionregistrationv1.MutatingWebhook) admissionregistrationv1.ValidatingWebhook {
	return admissionregistrationv1.ValidatingWebhook{
		Name: w.Name, ClientConfig: w.ClientConfig, Rules: w.Rules, FailurePolicy: w.FailurePolicy, MatchPolicy: w.MatchPolicy,
		NamespaceSelector: w.NamespaceSelector, ObjectSelector: w.ObjectSelector, SideEffects: w.SideEffects,
		TimeoutSeconds: w.TimeoutSeconds, AdmissionReviewVersions: w.AdmissionReviewVersions, MatchConditions: w.MatchConditions,
	}
}
