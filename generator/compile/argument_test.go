// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAddArgument follows the recipe of CONTRIBUTING.md for a new argument in a scratch copy of the tree: the one file
// that it names and a scenario. The copy's own tests, which compare the registry with the scenarios, pass with both,
// and fail without the scenario.
func TestAddArgument(t *testing.T) {
	skipIfShort(t)
	const (
		file  = "generator/internal/registry/arguments.go"
		entry = `
		{Name: "patience", value: number(func(w *Spec) **int32 { return &w.TimeoutSeconds }, 0, 40), Default: "10",
			Doc: "Seconds.", Example: "4", Field: "timeoutSeconds",
			Rules: []FieldRule{{Rule: diag.Rule{ID: "E99", Title: "patience is between 0 and 40"}}}},`
		scenario = `An argument that the recipe adds.
-- api/v1/doc.go --
// +groupName=shop.example.com
// +webhook:defaults(patience: 3)
package v1
-- api/v1/order.go --
package v1

// +webhook:mutating(operations: "create", patience: 41)
// +webhook:validating(operations: "create", patience: 4)
// +webhook:patch=` + "`{\"timeoutSeconds\": 50}`" + `
type Order struct{}
-- diagnostics --
api/v1/order.go:3:54: error: 41 is not in the range 0..40 [M7]
    // +webhook:mutating(operations: "create", patience: 41)
                                                         ^~
api/v1/order.go:5:19: error: timeoutSeconds is 50; it must be between 1 and 30 [E14]
    // +webhook:patch=` + "`{\"timeoutSeconds\": 50}`" + `
                      ^~~~~~~~~~~~~~~~~~~~~~~~
api/v1/order.go:5:19: error: patience is 50; it must be between 0 and 40 [E99]
    // +webhook:patch=` + "`{\"timeoutSeconds\": 50}`" + `
                      ^~~~~~~~~~~~~~~~~~~~~~~~
`
	)
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(string(text), "\n- An argument ")
	recipe, _, _ = strings.Cut(recipe, "\n- ")
	if strings.Count(recipe, ".go`") != 1 || !strings.Contains(recipe, "`"+strings.TrimPrefix(file, "generator/")+"`") {
		t.Errorf("the recipe names other files than %s: %s", file, recipe)
	}

	dir := t.TempDir()
	for _, name := range []string{"generator", "internal", "templates", "runtime", "docs"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("../..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "CONTRIBUTING.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), string(text))
	}
	source, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	const begin = "return []Argument{"
	writeFile(t, filepath.Join(dir, file), strings.Replace(string(source), begin, begin+entry, 1))
	run := func() (string, error) {
		cmd := exec.Command("go", "test", "-vet=off", "-run", "^(TestScenarios|TestEveryRuleHasAScenario|TestExamples.*)$/^patience$", "./generator", "./generator/internal/registry")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", goFlags())
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run(); err == nil || !strings.Contains(out, "no scenario has +webhook:defaults with patience") {
		t.Errorf("the argument needs no scenario: %v\n%s", err, out)
	}
	writeFile(t, filepath.Join(dir, "generator", "testdata", "patience.txtar"), scenario)
	if out, err := run(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
