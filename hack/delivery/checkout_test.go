// SPDX-License-Identifier: Apache-2.0

package delivery

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// checkout is a copy of the tree with the program that is installed from it, on a machine that cannot get our modules
// from anywhere.
type checkout struct {
	dir string
	env []string
}

func plainCheckout(t *testing.T) checkout {
	t.Helper()
	c := checkout{dir: filepath.Join(t.TempDir(), "webhook-gen")}
	for name := range strings.Lines(output(t, root, nil, "git", "ls-files", "--cached", "--others", "--exclude-standard")) {
		name = filepath.FromSlash(strings.TrimSpace(name))
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // removed, and not committed yet
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(c.dir, name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(c.dir, name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	bin := t.TempDir()
	c.env = append(os.Environ(), "GOBIN="+bin, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "GOWORK=off", "GOFLAGS=",
		"GOPRIVATE="+modulePath, "GOVCS="+modulePath+":off")
	output(t, c.dir, c.env, "go", "install", "./cmd/webhook-gen")
	return c
}

// project is a project in an empty folder in which the checkout's program runs.
func (c checkout) project(t *testing.T) project {
	return project{T: t, published: published{env: c.env}, dir: t.TempDir()}
}

// gen runs the installed program.
func (p project) gen(arguments ...string) string {
	p.Helper()
	return p.run(append([]string{"env", "webhook-gen"}, arguments...)...) // env looks it up in the PATH of the command
}

// TestPlainCheckout follows the first steps of README: install from a clone, start a project, test it. None of our
// modules is on a proxy.
func TestPlainCheckout(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs make and env")
	}
	c := plainCheckout(t)
	t.Run("a new project", func(t *testing.T) { c.newProject(t) })
	t.Run("an existing project that is not tidy", func(t *testing.T) { c.untidy(t) })
}

func (c checkout) newProject(t *testing.T) {
	p := c.project(t)
	if said := p.gen("init", "--module", "example.com/shop"); !strings.Contains(said, "Image builds and other machines lack that folder") {
		t.Errorf("init does not say what the replacement means\n%s", said)
	}
	p.run("go", "build", "./...")
	p.run("make", "test")
	for _, arguments := range [][]string{
		{"create", "api", "--group", "shop", "--version", "v1", "--kind", "Order"},
		{"create", "webhook", "--group", "shop", "--version", "v1", "--kind", "Order", "--mutating", "--validating"},
		{"create", "webhook", "--version", "v1", "--kind", "Pod", "--validating"},
		{"create", "version", "--group", "shop", "--version", "v2", "--kind", "Order"},
	} {
		if said := p.gen(arguments...); !strings.Contains(said, "\nrunning go mod tidy\n") {
			t.Errorf("%s does not say what runs\n%s", strings.Join(arguments, " "), said)
		}
		p.run("go", "build", "./...")
	}
	p.run("make", "generate", "test", "verify")
	if said := p.run("bin/webhook-gen", "version"); !strings.Contains(said, "devel") || !strings.Contains(said, "built from "+c.dir) {
		t.Errorf("the tool of tools/go.mod comes from elsewhere: %s", said)
	}

	p.run("go", "mod", "vendor")
	if said := p.gen("create", "webhook", "--group", "batch", "--version", "v1", "--kind", "Job", "--validating"); !strings.Contains(said, "\nrunning go mod vendor\n") {
		t.Errorf("vendor/ is left alone\n%s", said)
	}
	// vendor/ has all packages, whose text compiles: go build would compile each once more, for its new folder.
	p.run("go", "list", "-mod=vendor", "-deps", "./...")
	p.run("go", "build", "-mod=mod", "./...")

	// The go command reads replace directives only in the module that it builds.
	p.run("go", "-C", "test/webhook", "mod", "tidy")
	p.run("go", "-C", "test/webhook", "list", "-test", "-deps", "./...")
}

// untidy adds webhooks to a module with an unused requirement: webhook-gen adds only the requirements of the webhooks,
// and the unused requirement stays.
func (c checkout) untidy(t *testing.T) {
	p := c.project(t)
	const unused = "require golang.org/x/text v0.40.0\n"
	p.write("go.mod", "module example.com/app\n\ngo 1.26.0\n\n"+unused)
	p.write("app.go", "// Package app is there.\npackage app\n")
	p.gen("init")
	p.run("go", "build", "./...")
	said := p.gen("create", "webhook", "--group", "apps", "--version", "v1", "--kind", "Deployment", "--validating")
	p.run("go", "list", "-test", "-deps", "./...") // go.mod and go.sum have what all need; other tests compile such code
	if goMod := p.read("go.mod"); !strings.Contains(said, "\nrunning go get -t ./") || !strings.Contains(goMod, "golang.org/x/text ") {
		t.Errorf("the module was made tidy\n%s\n%s", said, goMod)
	}
}
