// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fileOf makes a file with a value for each of the keys.
func fileOf(docs []Key, value func(Key) string) string {
	var out strings.Builder
	mapping := ""
	for _, k := range docs {
		outer, name, nested := strings.Cut(k.Name, ".")
		switch {
		case !nested:
			fmt.Fprintf(&out, "%s: %s\n", k.Name, value(k))
			continue
		case outer != mapping:
			mapping = outer
			fmt.Fprintf(&out, "%s:\n", outer)
		}
		fmt.Fprintf(&out, "  %s: %s\n", name, value(k))
	}
	return out.String()
}

// TestDocumentedDefaults checks that a file without a key gets the documented default.
func TestDocumentedDefaults(t *testing.T) {
	got, problems := read(t, fileOf(Docs(), func(k Key) string { return k.Default }))
	want := Default()
	want.Tags, want.CRDs, want.Upgrade.Accepted = []string{}, []string{}, []string{} // set to empty, not left out
	if problems.text != "" {
		t.Errorf("problems:\n%s", problems.text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
}

// TestExamples checks that every example is valid and, except for the version, differs from the default.
func TestExamples(t *testing.T) {
	for _, k := range Docs() {
		docs := []Key{k}
		if k.Name != "version" {
			docs = append(docs, Docs()[0])
		}
		got, problems := read(t, fileOf(docs, func(k Key) string { return k.Example }))
		if problems.text != "" {
			t.Errorf("%s:\n%s", k.Name, problems.text)
		}
		if cmp.Equal(got, Default()) != (k.Name == "version") {
			t.Errorf("the example of %s is its default", k.Name)
		}
	}
}

func TestKeysAreDocumented(t *testing.T) {
	seen := make(map[string]bool)
	for _, k := range Docs() {
		if seen[k.Name] || k.Type == "" || k.Default == "" || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%+v is not documented once, with type, default and a sentence", k)
		}
		seen[k.Name] = true
	}
}
