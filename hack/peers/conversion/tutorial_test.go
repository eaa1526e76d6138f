// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestAsTheTutorialDoes compares the conversions of examples/cronjob with the conversions of kubebuilder's multiversion
// tutorial, and also without the example's hooks: with a marker in their place. The tutorial's project is in no module;
// the functions are texts in the program that writes it.
func TestAsTheTutorialDoes(t *testing.T) {
	t.Run("hooks", func(t *testing.T) { asTheTutorial(t, func(string) {}) })
	t.Run("markers", func(t *testing.T) {
		webhookGen, _ := build(t)
		asTheTutorial(t, func(dir string) {
			handlers := filepath.Join(dir, "internal", "webhook", "v2")
			for _, name := range []string{"schedule.go", "conversion_test.go", "cronjob_conversion_test.go", "zz_generated.conversion_test.go"} {
				if err := os.Remove(filepath.Join(handlers, name)); err != nil {
					t.Fatal(err)
				}
			}
			replace(t, filepath.Join(dir, "api", "v2", "cronjob_types.go"), "+webhook:conversion:custom # a text there, parts here",
				`+webhook:conversion:to(as: "parts:{minute=*} {hour=*} {dayOfMonth=*} {month=*} {dayOfWeek=*}")`)
			run(t, dir, webhookGen, "--outputs", "conversions")
			theirs := filepath.Join(handlers, "theirs_test.go")
			replace(t, theirs, "\tc := NewConverter(Schedules{})\n", "")
			replace(t, theirs, "c.CronJob", "CronJob")
		})
	})
}

// asTheTutorial compares the conversions of a changed copy of the example.
func asTheTutorial(t *testing.T, change func(dir string)) {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "..", "examples", "cronjob"))); err != nil {
		t.Fatal(err)
	}
	runtime, err := filepath.Abs(filepath.Join("..", "..", "..", "runtime"))
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, "go", "mod", "edit", "-replace=github.com/webhook-gen/webhook-gen/runtime="+runtime)
	if err := os.CopyFS(filepath.Join(dir, "internal", "webhook", "v2"), os.DirFS(filepath.Join("testdata", "tutorial"))); err != nil {
		t.Fatal(err)
	}
	change(dir)
	write(t, filepath.Join(dir, "api", "v2", "theirs.go"), tutorial(t))
	out := output(t, exec.Command("go", "test", "-v", "-run", "TestAsTheTutorialDoes", "./internal/webhook/v2"), dir)
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("convert as in the tutorial")) {
			t.Logf("%s", line)
			return
		}
	}
	t.Errorf("not run\n%s", out)
}

// replace replaces a text everywhere in a file.
func replace(t *testing.T, name, old, new string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(text, []byte(old)) {
		t.Fatalf("%s has no %q", name, old)
	}
	write(t, name, bytes.ReplaceAll(text, []byte(old), []byte(new)))
}

// tutorial is the tutorial's conversion functions, for the types of examples/cronjob.
func tutorial(t *testing.T) []byte {
	t.Helper()
	const module = "sigs.k8s.io/kubebuilder/v4@v4.10.1"
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(output(t, exec.Command("go", "mod", "download", "-json", module), t.TempDir()), &downloaded); err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(downloaded.Dir, "hack", "docs", "internal", "multiversion-tutorial", "hub.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			if literal, ok := v.Values[0].(*ast.BasicLit); ok {
				text, err := strconv.Unquote(literal.Value)
				if err != nil {
					t.Fatal(err)
				}
				bodies[v.Names[0].Name] = text
			}
		}
		return true
	})
	to, from := bodies["hubV2CovertTo"], bodies["hubV2ConvertFromCode"]
	if !strings.Contains(to, "return nil\n}") || !strings.Contains(from, "return nil\n}") {
		t.Fatalf("%s has no conversions any more", module)
	}
	return fmt.Appendf(nil, `package v2

import (
	"fmt"
	"strings"

	batchv1 "example.com/cronjob/api/v1"
)

func (src *CronJob) ConvertTo(dst *batchv1.CronJob) error {
%s

func (dst *CronJob) ConvertFrom(src *batchv1.CronJob) error {
%s
`, to, from)
}
