// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/scenario"
)

// A scenario of lint is a txtar file in testdata/lint with the id of a rule as its name. Each of its folders is a
// project or, without Go files, a set of manifests. The folders named "broken..." break the rule. The folders named
// "good..." break no rule. "want/..." is the report of lint on a folder.
func TestLint(t *testing.T) {
	for _, file := range lintScenarios(t) {
		id := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var input, want []txtar.File
			var projects []string
			for _, f := range archive.Files {
				if strings.HasPrefix(f.Name, scenario.WantPrefix) {
					want = append(want, f)
					continue
				}
				input = append(input, f)
				writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
				if project, _, _ := strings.Cut(f.Name, "/"); !slices.Contains(projects, project) {
					projects = append(projects, project)
				}
			}
			var got []txtar.File
			for _, project := range projects {
				result := lintFolder(t, filepath.Join(dir, project))
				breaks := slices.ContainsFunc(result.Diagnostics, func(d diag.Diagnostic) bool { return d.Rule == id })
				if strings.HasPrefix(project, "broken") && !breaks {
					t.Errorf("%s does not break %s", project, id)
				}
				if len(result.Diagnostics) == 0 {
					continue
				}
				var text bytes.Buffer
				if err := engine.PrintDiagnostics(&text, "text", filepath.Join(dir, project), result.Diagnostics); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(project, "good") {
					t.Errorf("%s:\n%s", project, text.String())
					continue
				}
				got = append(got, txtar.File{Name: scenario.WantPrefix + project, Data: text.Bytes()})
			}
			if *update {
				archive.Files = append(input, got...)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(show(want), show(got)); diff != "" {
				t.Errorf("(-want +got; go test ./generator -update rewrites)\n%s", diff)
			}
		})
	}
}

func lintFolder(t *testing.T, dir string) inspect.LintResult {
	var isGo bool
	var files []string
	tree := map[string]string{}
	readTree(t, dir, tree)
	for _, name := range sortedKeys(tree) {
		isGo = isGo || strings.HasSuffix(name, ".go")
		files = append(files, filepath.Join(dir, name))
	}
	if !isGo {
		result, err := inspect.LintManifests(dir, files, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if tree["go.mod"] == "" {
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	}
	result, err := inspect.Lint(context.Background(), engine.Config{Dir: dir}, "")
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func lintScenarios(t *testing.T) []string {
	files, err := filepath.Glob("testdata/lint/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	return files
}

// TestEveryLintRuleHasAScenario checks the scenarios against the table. For every rule that is checked here, one
// scenario has a folder that breaks it and one that does not.
func TestEveryLintRuleHasAScenario(t *testing.T) {
	folders := map[string][]string{}
	for _, file := range lintScenarios(t) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			project, _, _ := strings.Cut(f.Name, "/")
			id := strings.TrimSuffix(filepath.Base(file), ".txtar")
			folders[id] = append(folders[id], project)
		}
	}
	for _, r := range engine.LintRules() {
		if slices.ContainsFunc(lint.Table(), func(of lint.Rule) bool { return of.ID == r.ID && of.By != lint.Here }) {
			continue // scripts of package command and tests of explain/vet have them
		}
		for _, kind := range []string{"broken", "good"} {
			if !slices.ContainsFunc(folders[r.ID], func(name string) bool { return strings.HasPrefix(name, kind) }) {
				t.Errorf("no scenario of %s is %s", r.ID, kind)
			}
		}
	}
}
