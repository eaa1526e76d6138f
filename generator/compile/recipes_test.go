// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// addition is something that a contributor adds to the tree as a recipe of CONTRIBUTING.md describes it.
type addition struct {
	name string
	// recipe is the beginning of its paragraph in CONTRIBUTING.md.
	recipe string
	// code has the changes of Go files: the text before which each is inserted, or "" for a new file.
	code map[string][2]string
	// proof are the files that show its effect.
	proof map[string]string
	// update are the recipe's commands that write pages and copies.
	update []string
	// page has the text to write on a page afterwards, and the text before which it belongs.
	page map[string][2]string
	// tests are the tests of the tree that concern it, and missing is what they report without proof.
	tests, missing string
}

// TestRecipes follows recipes of CONTRIBUTING.md in a scratch copy of the tree. Each names the Go files that the
// addition changes, and no others. The tests of the tree fail without the files that show its effect, and pass with
// them.
func TestRecipes(t *testing.T) {
	skipIfShort(t)
	text, err := os.ReadFile("../../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := copyTree(t)
	for _, a := range additions() {
		t.Run(a.name, func(t *testing.T) {
			_, recipe, ok := strings.Cut(string(text), "\n- "+a.recipe)
			if !ok {
				t.Fatalf("no recipe begins with %q", a.recipe)
			}
			recipe, _, _ = strings.Cut(recipe, "\n- ")
			recipe = strings.Join(strings.Fields(recipe), " ")
			a.checkFiles(t, recipe)
			for file, change := range a.code {
				a.change(t, filepath.Join(dir, file), change)
			}
			if out, err := goIn(dir, a.tests); err == nil || !strings.Contains(out, a.missing) {
				t.Errorf("go %s passes without %v: %v\n%s", a.tests, slices.Collect(maps.Keys(a.proof)), err, out)
			}
			for file, text := range a.proof {
				writeFile(t, filepath.Join(dir, file), text)
			}
			for _, command := range a.update {
				if !strings.Contains(recipe, "`go "+command+"`") {
					t.Errorf("the recipe lacks `go %s`", command)
				}
				if out, err := goIn(dir, command); err != nil {
					t.Fatalf("go %s: %v\n%s", command, err, out)
				}
			}
			for file, change := range a.page {
				a.change(t, filepath.Join(dir, file), change)
			}
			if out, err := goIn(dir, a.tests); err != nil {
				t.Errorf("go %s: %v\n%s", a.tests, err, out)
			}
		})
	}
}

// checkFiles compares the Go files in the recipe with the changed Go files.
func (a addition) checkFiles(t *testing.T, recipe string) {
	t.Helper()
	var named []string
	for _, m := range regexp.MustCompile("`([a-zA-Z_/]+\\.go)`").FindAllStringSubmatch(recipe, -1) {
		file := m[1]
		if strings.HasPrefix(file, "internal/") || strings.HasPrefix(file, "command/") {
			file = "generator/" + file
		}
		named = append(named, file)
	}
	slices.Sort(named)
	var changed []string
	for _, file := range slices.Sorted(maps.Keys(a.code)) {
		if a.code[file][0] == "" {
			file = filepath.ToSlash(filepath.Join(filepath.Dir(file), "NAME.go"))
		}
		changed = append(changed, file)
	}
	slices.Sort(changed)
	if !slices.Equal(named, changed) {
		t.Errorf("the recipe names %v; the files are %v", named, changed)
	}
}

// change makes one change of a Go file.
func (a addition) change(t *testing.T, path string, change [2]string) {
	t.Helper()
	if change[0] == "" {
		writeFile(t, path, change[1])
		return
	}
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), change[0]) {
		t.Fatalf("%s has no %q", path, change[0])
	}
	writeFile(t, path, strings.Replace(string(source), change[0], change[1]+change[0], 1))
}

// copyTree returns a copy of the tree without built files.
func copyTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == ".git" || path == "bin" || path == "dist" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err == nil {
			writeFile(t, filepath.Join(dir, path), string(text))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func goIn(dir, arguments string) (string, error) {
	cmd := exec.Command("go", strings.Fields(arguments)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", goFlags)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestEveryConverterHasARecipe checks that the cookbook shows each converter.
func TestEveryConverterHasARecipe(t *testing.T) {
	used := map[string]bool{}
	for _, r := range recipes(t) {
		for _, m := range regexp.MustCompile(`as: "([^"]*)"`).FindAllStringSubmatch(r.spoke+r.hub, -1) {
			for _, converter := range strings.Split(m[1], ";") {
				name, _, _ := strings.Cut(converter, ":")
				used[name] = true
			}
		}
	}
	for _, c := range model.Converters() {
		if !used[c.Name] {
			t.Errorf("no recipe in generator/testdata/cookbook has the converter %s", c.Name)
		}
	}
}

func additions() []addition {
	return []addition{
		{
			name: "argument", recipe: "An argument of webhooks ",
			code: map[string][2]string{"generator/internal/registry/arguments.go": {"\n\t\t{Name: \"timeoutSeconds\"", `
		{Name: "patience", value: number(func(w *Spec) **int32 { return &w.TimeoutSeconds }, 0, 40), Default: "10",
			Doc: "Seconds.", Example: "4", Field: "timeoutSeconds",
			Rules: []FieldRule{{Rule: diag.Rule{ID: "E99", Title: "patience is between 0 and 40", Doc: "Nobody has more."}}}},`}},
			proof: map[string]string{"generator/testdata/patience.txtar": `An argument that the recipe adds.
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
`},
			tests:   "test -vet=off -run ^(TestScenarios|TestEveryRuleHasAScenario|TestExamples.*)$/^patience$ ./generator ./generator/internal/registry",
			missing: "no scenario has +webhook:defaults with patience",
		},
		{
			name: "converter", recipe: "A converter for `as`",
			code: map[string][2]string{
				"generator/internal/model/conversion.go": {"\n\t\t{Name: \"string\", Doc:", `
		{Name: "minutes", Doc: "a metav1.Duration and a whole number of minutes"},`},
				"generator/internal/convert/value_converter.go": {"\n\tcase \"join\":\n", `
	case "minutes":
		if isNamed(v.Spoke, metaPackage, "Duration") && wholeType(v.Hub) {
			v.Loss[ToHub] = "parts of a minute"
			return v.as(Checked{Funcs: [2]string{"ToMinutes", "FromMinutes"}}, nil, nil)
		}
		return nil, p.misfit(name, "a metav1.Duration and a whole number", v.Spoke, v.Hub)`},
				"runtime/conversion/value.go": {"\n// FormatInteger converts", `
// ToMinutes converts a duration to whole minutes; fractions are cut off.
func ToMinutes[D Whole](dst *D, src metav1.Duration) error {
	return Integer(dst, int64(src.Duration/time.Minute))
}

// FromMinutes converts whole minutes to a duration.
func FromMinutes[S Whole](dst *metav1.Duration, src S) error {
	var minutes int64
	if err := Integer(&minutes, src); err != nil {
		return err
	}
	d := time.Duration(minutes) * time.Minute
	if int64(d/time.Minute) != minutes {
		return fmt.Errorf("%d minutes are more than a duration can say", src)
	}
	dst.Duration = d
	return nil
}
`},
			},
			proof: map[string]string{"generator/testdata/cookbook/99_a_duration_and_minutes.txtar": `A duration, and minutes

Seconds are kept in the annotation.
-- v1.go --
type OrderSpec struct {
	// +webhook:conversion:to(path: "patienceMinutes", as: "minutes")
	Patience *metav1.Duration ` + "`json:\"patience,omitempty\"`" + `
}
-- v2.go --
type OrderSpec struct {
	PatienceMinutes *int32 ` + "`json:\"patienceMinutes,omitempty\"`" + `
}
`},
			update: []string{
				"test ./templates -update", "-C hack/release test ./api -update", "test ./generator/compile -run TestCookbookPage -update",
			},
			tests:   "test -vet=off -run ^(TestCookbook|TestCookbookPage|TestEveryConverterHasARecipe)$ ./generator/compile -recipe=99",
			missing: "no recipe in generator/testdata/cookbook has the converter minutes",
		},
		{
			name: "rule of lint", recipe: "A rule of lint",
			code: map[string][2]string{
				"generator/internal/lint/table.go": {"\n\t\t{webhook: overlap,", `
		{webhook: hasty, Rule: diag.Rule{ID: "W99", Severity: diag.Note, Title: "a webhook has more than a second", Fix: "set timeoutSeconds to 2 or more"}},`},
				"generator/internal/lint/hasty.go": {"", `// SPDX-License-Identifier: Apache-2.0

package lint

// hasty reports a timeout of one second.
func hasty(p webhookPass) {
	if p.timeout(p.Webhook) == 1 {
		p.at("timeoutSeconds", "the webhook has one second for an answer")
	}
}
`},
			},
			proof: map[string]string{"generator/testdata/lint/W99.txtar": `One second.

-- broken/webhook-gen.yaml --
version: 1
outputs: [manifests, handlers]
-- broken/order.go --
// +groupName=shop.example.com
// +versionName=v1
package app

// +webhook:mutating(operations: "create", timeoutSeconds: 1)
type Order struct{}
-- good/order.go --
// +groupName=shop.example.com
// +versionName=v1
package app

// +webhook:mutating(operations: "create", timeoutSeconds: 2)
type Order struct{}
-- want/broken --
order.go:5:60: note: the webhook has one second for an answer [W99]
    // +webhook:mutating(operations: "create", timeoutSeconds: 1)
                                                               ^
    set timeoutSeconds to 2 or more
`},
			update: []string{"test ./generator -run TestDocuments -update"},
			page: map[string][2]string{"docs/reference/rules.md": {"\n\n*Fix:* set timeoutSeconds to 2 or more.",
				" One second is less than a handshake may take."}},
			tests:   "test -vet=off -run ^(TestLint|TestEveryLintRuleHasAScenario|TestDocuments)$/^W99$ ./generator",
			missing: "no scenario of W99 is broken",
		},
		{
			name: "command", recipe: "A command:",
			code: map[string][2]string{
				"generator/command/root.go": {"versionCommand(s))", "authorsCommand(s), "},
				"generator/command/authors.go": {"", `// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/spf13/cobra"
)

func authorsCommand(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "authors",
		Short:   "Print who wrote the program",
		Long:    "authors prints one name per line.",
		Example: "  webhook-gen authors",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(s.out, "the authors of webhook-gen")
			return err
		},
	}
}
`},
			},
			proof: map[string]string{"generator/command/testdata/authors.txtar": `Who wrote the program.

$ webhook-gen authors
-- transcript --
$ webhook-gen authors
the authors of webhook-gen
`},
			update:  []string{"test ./generator/command -run TestCommandsPage -update"},
			tests:   "test -vet=off -short -run ^(TestScripts|TestCommandsPage|TestEveryCommand)$/^authors$ ./generator/command",
			missing: "docs/reference/commands.md is stale",
		},
	}
}
