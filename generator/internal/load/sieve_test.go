// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestSieve(t *testing.T) {
	const chunk = 64 << 10
	at := func(n int, text string) []byte { return append(bytes.Repeat([]byte("."), n), text...) }
	for _, tt := range []struct {
		name   string
		words  []string
		text   []byte
		passes bool
	}{
		{"empty", []string{"+webhook"}, nil, false},
		{"small", []string{"+other", "+webhook"}, []byte("a +webhook b"), true},
		{"small without", []string{"+webhook"}, []byte("a +web b"), false},
		{"misspelt", []string{"+webhook"}, []byte("a +webhok b"), true},
		{"in capitals", []string{"+webhook"}, []byte("a +Webhook:x"), true},
		{"behind a blank", []string{"+webhook"}, []byte("a + webhook:x"), true},
		{"of two words, misspelt", []string{"+kubebuilder:webhook"}, []byte("// +kubebulder:wehbook"), true},
		{"of two words, one of them misspelt", []string{"+kubebuilder:webhook"}, []byte("// +kubebuilder:webhok:x"), true},
		{"of two words, another one", []string{"+kubebuilder:webhook"}, []byte("// +kubebuilder:object:root=true"), false},
		{"misspelt across the first two chunks", []string{"+webhook"}, at(chunk+2, "+ wehbook:"), true},
		{"no words", nil, []byte("a +webhook b"), false},
		{"one byte", []string{"+"}, at(3*chunk, "+"), true},
		{"across the first two chunks", []string{"+webhook"}, at(chunk+3, "+webhook"), true},
		{"at the end of a chunk", []string{"+webhook"}, at(chunk-1, "+webhook"), true},
		{"far in", []string{"x", "+webhook"}, append(at(5*chunk-4, "+webhook"), at(chunk, "")...), true},
		{"large without", []string{"+webhook"}, at(5*chunk, "+webhoards"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "a.go")
			if err := os.WriteFile(name, tt.text, 0o644); err != nil {
				t.Fatal(err)
			}
			got, err := newSieve(tt.words, nil).read(name)
			if err != nil {
				t.Fatal(err)
			}
			if (got != nil) != tt.passes {
				t.Errorf("passes: %t, want %t", got != nil, tt.passes)
			}
			if got != nil && !bytes.Equal(got, tt.text) {
				t.Errorf("the text has %d bytes, want %d", len(got), len(tt.text))
			}
		})
	}
}

// TestSieveKeepsNothing checks that a sieve's result remains valid when the sieve reads another file.
func TestSieveKeepsNothing(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a.go"), filepath.Join(dir, "b.go")
	for name, text := range map[string]string{first: "+webhook a", second: "+webhook b"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := newSieve([]string{"+webhook"}, nil)
	text, err := s.read(first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.read(second); err != nil {
		t.Fatal(err)
	}
	if string(text) != "+webhook a" {
		t.Errorf("the first text became %q", text)
	}
}
