// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/webhook-gen/webhook-gen/hack/release/moduleproxy"
)

// TestDependabot holds the folders in dependabot.yml to the modules of the tree.
func TestDependabot(t *testing.T) {
	text, err := os.ReadFile("../../.github/dependabot.yml")
	if err != nil {
		t.Fatal(err)
	}
	var listed, modules []string
	for _, folder := range regexp.MustCompile(`(?m)^      - /(.*)$`).FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, path.Clean(folder[1]))
	}
	for _, file := range tracked(t, "go.mod", "*/go.mod") {
		modules = append(modules, path.Dir(file))
	}
	slices.Sort(listed)
	slices.Sort(modules)
	if !slices.Equal(listed, modules) {
		t.Errorf("dependabot.yml lists\n%s\nand the modules are\n%s", strings.Join(listed, "\n"), strings.Join(modules, "\n"))
	}
}

// tracked returns the files of the tree that match one of the patterns, relative to its root.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", "../..", "ls-files"}, patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

func TestChangelog(t *testing.T) {
	tests := []struct{ name, text, release, dry string }{
		{"ready", "## [Unreleased]\n\n## [0.1.0] - 2030-01-31\n\n### Added\n\n- A.\n", "", ""},
		{"another version", "## [0.1.01] - 2030-01-31\n\n- A.\n", "no section", "no section"},
		{"no entry", "## [0.1.0] - 2030-01-31\n\n## [0.0.9] - 2029-01-31\n\n- A.\n", "no entry", "no entry"},
		{"entries above", "## [Unreleased]\n\n- B.\n\n## [0.1.0] - 2030-01-31\n\n- A.\n", "entries above", "entries above"},
		{"no date", "## [0.1.0] - unreleased\n\n- A.\n", "no date", ""},
	}
	for _, test := range tests {
		tree := t.TempDir()
		if err := os.WriteFile(filepath.Join(tree, "CHANGELOG.md"), []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for dryRun, want := range map[bool]string{false: test.release, true: test.dry} {
			var out bytes.Buffer
			err := release{tree: tree, version: "v0.1.0", dryRun: dryRun, out: &out}.changelog()
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, dry run %t: got %v, want %q", test.name, dryRun, err, want)
			}
			if warned := strings.Contains(out.String(), "warning: "); warned != (dryRun && test.release != test.dry) {
				t.Errorf("%s, dry run %t: printed %q", test.name, dryRun, out.String())
			}
		}
	}
}

// TestInstallable reads the go.mod files of the tree, and broken ones.
func TestInstallable(t *testing.T) {
	if err := (release{tree: "../..", version: "v0.1.0"}).installable(); err != nil {
		t.Error(err)
	}
	tree := t.TempDir()
	for folder, text := range map[string]string{
		".":           "module " + rootPath + "\n\nrequire " + rootPath + "/runtime v0.0.9\n",
		runtimeFolder: "module " + rootPath + "/runtime\n",
		adapterFolder: "module " + rootPath + "/" + adapterFolder + "\n",
		programFolder: "module " + rootPath + "/" + programFolder + "\n",
		testFolder:    "module " + rootPath + "/" + testFolder + "\n",
		controlFolder: "module " + rootPath + "/controlplane\n\nreplace " + rootPath + " => ../\n",
	} {
		if err := os.MkdirAll(filepath.Join(tree, folder), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, folder, "go.mod"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := release{tree: tree, version: "v0.1.0"}.installable()
	for _, want := range []string{"requires " + rootPath + "/runtime@v0.0.9", filepath.Join(controlFolder, "go.mod") + " has a replace"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestMayBreak(t *testing.T) {
	for _, test := range []struct {
		last, next string
		want       bool
	}{
		{"v0.1.0", "v0.1.1", false}, {"v0.1.9", "v0.2.0", true}, {"v0.9.0", "v1.0.0", true}, {"v1.0.0", "v1.1.0", false}, {"v1.2.0", "v2.0.0", true},
	} {
		if got := mayBreak(test.last, test.next); got != test.want {
			t.Errorf("%s to %s: got %t", test.last, test.next, got)
		}
	}
}

// TestImportsFromProxy publishes the modules of the tree, and builds modules that require those for import.
func TestImportsFromProxy(t *testing.T) {
	scratch := t.TempDir()
	proxy := filepath.Join(scratch, "proxy")
	var modules []moduleproxy.Module
	for _, folder := range []string{runtimeFolder, adapterFolder, programFolder, testFolder} {
		m, err := moduleproxy.Read("../..", folder)
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, m)
	}
	version, err := moduleproxy.Version(time.Unix(1700000000, 0).UTC(), modules...)
	if err != nil {
		t.Fatal(err)
	}
	r := release{tree: "../..", version: version, out: io.Discard}
	if err := r.publish(proxy); err != nil {
		t.Fatal(err)
	}
	configured, err := r.command(".", nil, "go", "env", "GOPROXY")
	if err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "GOPROXY="+fileURL(proxy)+","+strings.TrimSpace(configured), "GONOSUMDB="+rootPath, "GOWORK=off", "GOFLAGS=")
	for folder, goVersion := range imported() {
		importer := filepath.Join(scratch, filepath.Base(folder))
		if err := r.importFrom(folder, goVersion, importer, env); err != nil {
			t.Fatal(err)
		}
		dir, err := r.command(importer, env, "go", "list", "-m", "-f", "{{.Dir}}", rootPath+"/"+folder)
		if err != nil {
			t.Fatal(err)
		}
		licence, err := os.ReadFile(filepath.Join(strings.TrimSpace(dir), "LICENSE"))
		if err != nil || !bytes.Contains(licence, []byte("Apache License")) {
			t.Errorf("the module zip of %s has no licence: %v", folder, err)
		}
	}
}
