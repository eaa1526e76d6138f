// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"cmp"
	"fmt"
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

// TestImports checks every import between packages of the generator against CONTRIBUTING.md. An import of another phase
// needs that phase in the table of phases; an import within a phase needs a mention in the row of the importing
// package. TestDocuments compares the drawing of the imports.
func TestImports(t *testing.T) {
	phases, packages := phaseTable(t), packageTable(t)
	if folders, rows := sortedKeys(imports(t)), sortedKeys(packages); !slices.Equal(folders, rows) {
		t.Fatalf("CONTRIBUTING.md has the packages %v, the folders are %v", rows, folders)
	}
	used := map[string]bool{}
	for from, imported := range imports(t) {
		phase := packages[from].phase
		uses, ok := phases[phase]
		if !ok {
			t.Errorf("%s is of the phase %q, which the table of phases lacks", from, phase)
		}
		for _, to := range imported {
			switch other := packages[to].phase; {
			case other == phase && !strings.Contains(packages[from].text, "`"+to+"`"):
				t.Errorf("%s imports %s of its own phase, and its row does not say why", from, to)
			case other != phase && !slices.Contains(uses.of, other):
				t.Errorf("%s imports %s, and the phase %s does not use %s", from, to, phase, other)
			}
			used[phase+" "+packages[to].phase] = true
		}
	}
	for name, phase := range phases {
		for _, other := range phase.of {
			if !used[name+" "+other] {
				t.Errorf("the phase %s is said to use %s, and imports nothing of it", name, other)
			}
			if phases[other].number >= phase.number {
				t.Errorf("the phase %s uses %s, which is not above it", name, other)
			}
		}
	}
}

// TestForeignImports checks imports from outside of the generator: packages that turn data into data read no file, the
// marker engine knows nothing of Kubernetes, and commands alone use cobra.
func TestForeignImports(t *testing.T) {
	pure := []string{"model", "spec", "marker", "registry", "kubebuilder", "build", "check", "lint", "convert", "upgrade", "render"}
	for name, imported := range allImports(t) {
		for _, i := range imported {
			switch {
			case name == "marker" && (strings.HasPrefix(i, "k8s.io/api/") || strings.HasPrefix(i, "k8s.io/apimachinery/")):
				t.Errorf("%s imports %s: the marker engine knows nothing of Kubernetes", name, i)
			case slices.Contains(pure, name) && (i == "os" || strings.HasSuffix(i, "/internal/regular")):
				t.Errorf("%s imports %s: load reads files", name, i)
			case name != "command" && strings.HasPrefix(i, "github.com/spf13/cobra"):
				t.Errorf("%s imports %s: package command has the commands", name, i)
			}
		}
	}
}

// allImports returns what each package of the generator imports, by the last element of its path.
func allImports(t *testing.T) map[string][]string {
	t.Helper()
	folders, err := filepath.Glob("internal/*")
	if err != nil || len(folders) == 0 {
		t.Fatal("no packages", err)
	}
	all := map[string][]string{}
	for _, folder := range append(folders, "command", ".") {
		files, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(folder)
		if folder == "." {
			name = "generator"
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = append(all[name], "") // a package that imports nothing counts
			for _, i := range tree.Imports {
				p, _ := strconv.Unquote(i.Path.Value)
				all[name] = append(all[name], p)
			}
		}
	}
	return all
}

// imports returns the packages of the generator that each one imports, sorted.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	own := map[string][]string{}
	for name, imported := range allImports(t) {
		own[name] = nil
		for _, i := range imported {
			if strings.HasPrefix(i, "github.com/webhook-gen/webhook-gen/generator/") {
				own[name] = append(own[name], path.Base(i))
			}
		}
		slices.Sort(own[name])
		own[name] = slices.Compact(own[name])
	}
	return own
}

// importsSection draws the imports, without an arrow where other arrows lead to the same package. scenario has none:
// only tests import it.
func importsSection(t *testing.T) string {
	t.Helper()
	own, phases, packages := imports(t), phaseTable(t), packageTable(t)
	var reaches func(from, to string) bool
	reaches = func(from, to string) bool {
		return slices.ContainsFunc(own[from], func(next string) bool { return next == to || reaches(next, to) })
	}
	var b strings.Builder
	b.WriteString("```mermaid\nflowchart BT\n")
	names := slices.SortedFunc(maps.Keys(phases), func(a, b string) int { return cmp.Compare(phases[a].number, phases[b].number) })
	for i, phase := range names {
		var members []string
		for _, name := range sortedKeys(own) {
			if packages[name].phase == phase {
				members = append(members, name)
			}
		}
		fmt.Fprintf(&b, "  subgraph p%d[%s]\n    %s\n  end\n", i, phase, strings.Join(members, "; "))
	}
	for _, from := range sortedKeys(own) {
		for _, to := range own[from] {
			if !slices.ContainsFunc(own[from], func(other string) bool { return reaches(other, to) }) {
				fmt.Fprintf(&b, "  %s --> %s\n", from, to)
			}
		}
	}
	b.WriteString("```\n")
	return b.String()
}

// phaseRow is a phase as CONTRIBUTING.md describes it, with the phases whose packages it may import.
type phaseRow struct {
	number int
	of     []string
}

func phaseTable(t *testing.T) map[string]phaseRow {
	t.Helper()
	rows := map[string]phaseRow{}
	for i, row := range contributing(t, "(?m)^\\| \\*\\*([a-z ]+)\\*\\* \\| ([a-z, ]*) \\| [^|]* \\|$") {
		uses := strings.FieldsFunc(row[2], func(r rune) bool { return r == ',' })
		for i := range uses {
			uses[i] = strings.TrimSpace(uses[i])
		}
		rows[row[1]] = phaseRow{i, slices.DeleteFunc(uses, func(u string) bool { return u == "" })}
	}
	return rows
}

type packageRow struct{ phase, text string }

func packageTable(t *testing.T) map[string]packageRow {
	t.Helper()
	rows := map[string]packageRow{}
	for _, row := range contributing(t, "(?m)^\\| `([a-z]+)` \\| ([a-z ]+) \\| ([^|]+) \\|$") {
		rows[row[1]] = packageRow{row[2], row[3]}
	}
	return rows
}

func contributing(t *testing.T, rows string) [][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(rows).FindAllStringSubmatch(string(text), -1)
}
