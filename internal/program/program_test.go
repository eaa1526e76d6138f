// SPDX-License-Identifier: Apache-2.0

package program

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	top := t.TempDir()
	project, outside := filepath.Join(top, "project"), filepath.Join(top, "outside")
	module := filepath.Join(project, "operators", "shop")
	for path, text := range map[string]string{
		".git/HEAD": "", "operators/shop/go.mod": "module example.com/shop\n", "bin/tool": "#!/bin/sh\n", "operators/shop/tool": "#!/bin/sh\n",
	} {
		write(t, filepath.Join(project, path), text)
	}
	write(t, filepath.Join(outside, "tool"), "#!/bin/sh\n")
	write(t, filepath.Join(top, "alone", "other"), "#!/bin/sh\n")
	link(t, filepath.Join(project, "bin"), filepath.Join(top, "link-in"))
	link(t, filepath.Join(project, "bin", "tool"), filepath.Join(top, "link-to", "tool"))
	link(t, filepath.Join(outside, "tool"), filepath.Join(project, "links", "tool"))
	link(t, filepath.Join(outside, "tool"), filepath.Join(top, "links", "tool"))
	t.Chdir(module)
	list := func(entries ...string) string { return strings.Join(entries, string(filepath.ListSeparator)) }
	for name, test := range map[string]struct{ path, want string }{
		"outside":                        {list(outside), filepath.Join(outside, "tool")},
		"a link outside":                 {list(filepath.Join(top, "links")), filepath.Join(top, "links", "tool")},
		"the current folder":             {list(".", "", outside), filepath.Join(outside, "tool")},
		"only the current folder":        {list(".", ""), ""},
		"a relative entry":               {list("../../bin", "../../../outside"), ""},
		"the module":                     {list(module, outside), filepath.Join(outside, "tool")},
		"the repository":                 {list(filepath.Join(project, "bin")), ""},
		"a folder that is a link inside": {list(filepath.Join(top, "link-in")), ""},
		"a file that is a link inside":   {list(filepath.Join(top, "link-to")), ""},
		"a link inside that leads out":   {list(filepath.Join(project, "links")), ""},
		"nowhere":                        {list(filepath.Join(top, "alone")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", test.path)
			got, err := Find("tool", ".")
			if got != test.want || (err == nil) != (test.want != "") {
				t.Errorf("Find is %q, %v; want %q", got, err, test.want)
			}
		})
	}
}

func TestProject(t *testing.T) {
	top := resolved(t.TempDir())
	home := filepath.Join(top, "home")
	t.Setenv("HOME", home)
	for _, path := range []string{"home/.git/HEAD", "home/go.mod", "home/src/shop/go.mod", "home/src/shop/api/v1/x.go", "work/go.work", "work/shop/go.mod", "repository/.git", "repository/shop/go.mod", "bare/x.go"} {
		write(t, filepath.Join(top, path), "")
	}
	for dir, want := range map[string]string{
		"home/src/shop/api/v1": "home/src/shop", "home/src": "home/src", "work/shop": "work", "repository/shop": "repository", "repository": "repository", "bare": "bare",
	} {
		if got := Project(filepath.Join(top, dir)); got != filepath.Join(top, want) {
			t.Errorf("the project of %s is %s, not %s", dir, got, want)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}
