// SPDX-License-Identifier: Apache-2.0

package load

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGoenv(t *testing.T) {
	name := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(name, []byte("GOFLAGS=-tags=a,b -v\nGOPATH=/stored\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", name)
	for _, key := range []string{"GOFLAGS", "GOPATH", "GOMODCACHE"} {
		t.Setenv(key, "")
	}
	env := readGoenv()
	if diff := cmp.Diff([]string{"a", "b"}, env.tags()); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if got, want := env.modCache("/default"), filepath.FromSlash("/stored/pkg/mod"); got != want {
		t.Errorf("module cache %s, want %s", got, want)
	}
	t.Setenv("GOPATH", "/set"+string(filepath.ListSeparator)+"/second")
	if got, want := env.modCache("/default"), filepath.FromSlash("/set/pkg/mod"); got != want {
		t.Errorf("module cache %s, want %s", got, want)
	}
	t.Setenv("GOMODCACHE", "/cache")
	if got := env.modCache("/default"); got != "/cache" {
		t.Errorf("module cache %s, want /cache", got)
	}
	t.Setenv("GOENV", "off")
	if env := readGoenv(); len(env) > 0 {
		t.Errorf("GOENV=off gives %v", env)
	}
}

func TestSplitFlags(t *testing.T) {
	for s, want := range map[string][]string{
		"":                     nil,
		"  -v\t-tags=a,b ":     {"-v", "-tags=a,b"},
		`'-tags=a b' -v`:       {"-tags=a b", "-v"},
		`"-ldflags=-X 'a=b'" `: {"-ldflags=-X 'a=b'"},
		`'-unclosed a`:         {"-unclosed a"},
	} {
		if diff := cmp.Diff(want, splitFlags(s)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", s, diff)
		}
	}
}
