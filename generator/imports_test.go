// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestImportsFollowTheLine holds the phases to their order: each may import those before it.
func TestImportsFollowTheLine(t *testing.T) {
	const internal = "github.com/webhook-gen/webhook-gen/generator/internal/"
	mayImport := map[string][]string{
		"diag":        nil,
		"yamltext":    {"diag"},
		"config":      {"diag", "yamltext"},
		"load":        {"diag"},
		"output":      {"diag"},
		"marker":      {"diag"},
		"spec":        {"diag"},
		"kubebuilder": {"diag", "load", "spec"},
		"model":       {"diag", "load", "marker", "kubebuilder", "spec"},
		"resolve":     {"diag", "load"},
		"check":       {"diag", "model"},
		"lint":        {"diag", "load", "model"},
		"manifest":    {"diag", "marker", "model", "spec", "yamltext"},
		"convert":     {"diag", "load", "marker", "model", "resolve"},
		"crd":         {"diag", "output", "yamltext"},
		"render":      {"diag", "model", "convert", "output", "spec"},
		"migrate":     {"diag", "load", "kubebuilder"},
		"scaffold":    {"diag", "load", "marker", "model", "output"},
		"scenario":    nil, // tests alone import it
		"upgrade":     {"diag", "model", "convert", "resolve", "manifest"},
	}
	files, err := filepath.Glob("internal/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no packages", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		phase := filepath.Base(filepath.Dir(file))
		allowed, known := mayImport[phase]
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
			case strings.HasPrefix(p, "github.com/spf13/cobra"):
				t.Errorf("%s imports %s: commands are cmd's", file, p)
			}
		}
	}
}
