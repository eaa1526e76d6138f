// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImportsFollowTheLine checks each package against its allowed imports.
func TestImportsFollowTheLine(t *testing.T) {
	const internal = "github.com/webhook-gen/webhook-gen/generator/internal/"
	files, err := filepath.Glob("internal/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no packages", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		phase := filepath.Base(filepath.Dir(file))
		allowed, known := mayImport()[phase]
		if !known {
			t.Errorf("package %s has no place in the line", phase)
		}
		tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range tree.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			switch {
			case strings.HasPrefix(p, internal) && !slices.Contains(allowed, path.Base(p)):
				t.Errorf("%s imports %s", file, p)
			case phase == "marker" && (strings.HasPrefix(p, "k8s.io/api/") || strings.HasPrefix(p, "k8s.io/apimachinery/")):
				t.Errorf("%s imports %s: the marker engine knows nothing of Kubernetes", file, p)
			case slices.Contains(pure(), phase) && (p == "os" || strings.HasSuffix(p, "/internal/regular")):
				t.Errorf("%s imports %s: facts from disk come from load", file, p)
			case strings.HasPrefix(p, "github.com/spf13/cobra"):
				t.Errorf("%s imports %s: commands are cmd's", file, p)
			}
		}
	}
}

// pure returns the packages that turn data into data and read no file.
func pure() []string {
	return []string{"model", "spec", "marker", "registry", "kubebuilder", "build", "check", "lint", "convert", "upgrade", "render", "migrate", "scaffold"}
}

// TestContributingNamesEveryPhase checks the table of CONTRIBUTING.md against the folders, and its phases against the
// imports.
func TestContributingNamesEveryPhase(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	order := []string{"data", "load", "front ends", "build", "check", "convert", "output", "render", "commands", "tests"}
	phases := map[string]int{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| ([a-z ]+) \\| [^|]+ \\|$").FindAllStringSubmatch(string(text), -1) {
		phases[row[1]] = slices.Index(order, row[2])
		if phases[row[1]] < 0 {
			t.Errorf("%s is of a phase %q that the line does not have", row[1], row[2])
		}
	}
	if got, want := slices.Sorted(maps.Keys(phases)), slices.Sorted(maps.Keys(mayImport())); !slices.Equal(got, want) {
		t.Errorf("CONTRIBUTING.md has the packages %v, the folders are %v", got, want)
	}
	for importer, imported := range mayImport() {
		for _, name := range imported {
			if phases[name] > phases[importer] {
				t.Errorf("%s is before %s in CONTRIBUTING.md and imports it", importer, name)
			}
		}
	}
}

// mayImport returns, for each package below internal, the internal packages that it may import.
func mayImport() map[string][]string {
	return map[string][]string{
		"diag":        nil,
		"yamltext":    {"diag"},
		"config":      {"diag", "yamltext"},
		"load":        {"diag"},
		"output":      {"diag"},
		"marker":      {"diag"},
		"spec":        nil,
		"model":       {"diag"},
		"registry":    {"diag", "marker", "model"},
		"kubebuilder": {"diag", "load", "model", "registry", "spec"},
		"manifest":    {"diag", "marker", "model", "registry", "yamltext"},
		"build":       {"diag", "load", "marker", "model", "registry", "spec"},
		"resolve":     {"diag", "load"},
		"check":       {"diag", "model", "registry"},
		"lint":        {"diag", "load", "model"},
		"convert":     {"diag", "load", "model", "resolve"},
		"crd":         {"diag", "output", "yamltext"},
		"render":      {"diag", "model", "convert", "resolve", "output", "crd", "spec"},
		"migrate":     {"diag", "load", "kubebuilder", "model", "registry"},
		"scaffold":    {"build", "diag", "load", "marker", "output", "registry"},
		"scenario":    nil, // only tests import it
		"upgrade":     {"diag", "model", "convert", "resolve", "manifest"},
	}
}
