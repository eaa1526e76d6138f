// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const deprecationGroup = "deprecation.example.com"

// deprecatedParts collects what is deprecated in a spec of Letters and Bundles, by path, with the values.
func deprecatedParts(spec object) map[string][]string {
	parts := map[string][]string{}
	add := func(path string, value any) { parts[path] = append(parts[path], fmt.Sprint(value)) }
	sheet := func(path string, s any) {
		if grams, ok := s.(object)["grams"]; ok {
			add(path+"[*].grams", grams)
		}
		modes, _ := s.(object)["modes"].([]any)
		for _, m := range modes {
			if m == "Fast" {
				add(path+"[*].modes[*]", m)
			}
		}
	}
	if note, ok := spec["note"]; ok {
		add("spec.note", note)
	}
	if spec["mode"] == "Fast" {
		add("spec.mode", "Fast")
	}
	sheets, _ := spec["sheets"].([]any)
	for _, s := range sheets {
		sheet("spec.sheets", s)
	}
	byName, _ := spec["byName"].(object)
	for _, s := range byName {
		sheet("spec.byName", s)
	}
	return parts
}

// deprecatedSpec invents a spec.
func deprecatedSpec(random *rand.Rand) object {
	spec := object{}
	maybe := func() bool { return random.IntN(2) == 0 }
	sheet := func() object {
		s := object{"text": "t"}
		if maybe() {
			s["grams"] = int64(random.IntN(2))
		}
		if maybe() {
			s["modes"] = []any{[]string{"Fast", "Express"}[random.IntN(2)], "Express"}
		}
		return s
	}
	if maybe() {
		spec["note"] = []string{"", "a"}[random.IntN(2)]
	}
	if maybe() {
		spec["mode"] = []string{"Fast", "Express"}[random.IntN(2)]
	}
	var sheets []any
	for range random.IntN(3) {
		sheets = append(sheets, sheet())
	}
	if sheets != nil {
		spec["sheets"] = sheets
	}
	if maybe() {
		spec["byName"] = object{"a": sheet()}
	}
	return spec
}

// TestDeprecated creates and updates random objects with deprecated fields and values. For one kind the webhook warns,
// for the other a policy, of the same: what the request sets. In another version nobody does.
func TestDeprecated(t *testing.T) {
	e := withPolicies(t)
	namespace := e.namespace(t, nil)
	var heard warned
	config := rest.CopyConfig(e.config)
	config.WarningHandlerWithContext, config.WarningHandler = nil, &heard
	user, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	of := func(version, kind string, spec object) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: object{"apiVersion": deprecationGroup + "/" + version, "kind": kind,
			"metadata": object{"namespace": namespace, "generateName": "it-"}, "spec": spec}}
	}
	// paths returns the deprecated paths that warnings are about. The webhook has the index of an element.
	paths := func() (all []string) {
		for _, text := range heard.texts {
			text = text[strings.Index(text, "spec."):]
			path, _, _ := strings.Cut(text, " ")
			path = strings.TrimSuffix(path, ":")
			for _, index := range []string{"[0]", "[1]", "[2]", "[a]"} {
				path = strings.ReplaceAll(path, index, "[*]")
			}
			all = append(all, path)
		}
		slices.Sort(all)
		return all
	}
	send := func(call func() error) []string {
		t.Helper()
		heard.texts = nil
		if err := call(); err != nil {
			t.Fatal(err)
		}
		return paths()
	}
	eventually(t, "the policy is in effect", func() bool {
		return slices.Equal(send(func() error {
			return user.Create(t.Context(), of("v1", "Bundle", object{"note": "x"}), client.DryRunAll)
		}), []string{"spec.note"})
	})
	random := rand.New(rand.NewPCG(7, 7))
	warnings := 0
	for range 30 {
		first, second := deprecatedSpec(random), deprecatedSpec(random)
		before, now := deprecatedParts(first), deprecatedParts(second)
		var created, updated []string
		for path := range before {
			created = append(created, path)
		}
		for path, values := range now {
			if slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(before[path], v) }) {
				updated = append(updated, path)
			}
		}
		slices.Sort(created)
		slices.Sort(updated)
		warnings += len(created) + len(updated)
		for _, kind := range []string{"Letter", "Bundle"} {
			o := of("v1", kind, first)
			if got := send(func() error { return user.Create(t.Context(), o) }); !slices.Equal(got, created) {
				t.Errorf("%s %v created: warnings of %v, not %v: %q", kind, first, got, created, heard.texts)
			}
			o.Object["spec"] = second
			if got := send(func() error { return user.Update(t.Context(), o, client.DryRunAll) }); !slices.Equal(got, updated) {
				t.Errorf("%s %v after %v: warnings of %v, not %v: %q", kind, second, first, got, updated, heard.texts)
			}
			if got := send(func() error { return user.Create(t.Context(), of("v2", kind, first), client.DryRunAll) }); len(got) > 0 {
				t.Errorf("%s %v in v2: warnings of %v", kind, first, got)
			}
		}
	}
	if warnings < 50 {
		t.Errorf("%d warnings only", warnings)
	}
}
