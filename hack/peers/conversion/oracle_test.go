// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestAsCertManagerDoes compares generated conversions with cert-manager's own on the objects of its
// fuzzers, and has them pass cert-manager's test of its conversion webhook.
func TestAsCertManagerDoes(t *testing.T) {
	dir := oracle(t)
	cmd := exec.Command("go", "test", "-v", "-run", "TestSameAsTheirs|TestConversion", "./oracle")
	out := output(t, cmd, dir)
	for _, want := range []string{"--- PASS: TestSameAsTheirs", "--- PASS: TestConversion/should_convert_Certificate_from_v1alpha2_to_v1beta1"} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("not run: %s\n%s", want, out)
		}
	}
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("of cert-manager's fuzzers")) {
			t.Logf("%s", line)
		}
	}
}

// TestRunTime prints the times that generated conversions and cert-manager's own take.
func TestRunTime(t *testing.T) {
	dir := oracle(t)
	for line := range bytes.Lines(output(t, exec.Command("go", "test", "-v", "-run", "TestRunTime", "./oracle"), dir)) {
		if bytes.Contains(line, []byte("webhook-gen")) {
			os.Stdout.Write(line)
		}
	}
}

// oracle makes a module from which cert-manager's internal packages can be imported, at cert-manager's own
// versions of its dependencies, with generated conversions and the tests of testdata/oracle in it.
func oracle(t *testing.T) string {
	t.Helper()
	webhookGen, _ := build(t)
	dir := t.TempDir()
	for from, to := range map[string]string{"oracle.mod": "go.mod", "oracle.sum": "go.sum"} {
		text, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, to), text)
	}
	for _, folder := range []string{"certmanager", "oracle"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(filepath.Join("testdata", folder))); err != nil {
			t.Fatal(err)
		}
	}
	// This test is of the other module, and imports the runtime.
	if err := os.Remove(filepath.Join(dir, "certmanager", "conversion_test.go")); err != nil {
		t.Fatal(err)
	}
	requireRuntime(t, dir)
	run(t, dir, webhookGen)
	theirs := strings.TrimSpace(string(output(t, exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/jetstack/cert-manager"), dir)))
	write(t, filepath.Join(dir, "oracle", "conversion_test.go"), expectations(t, filepath.Join(theirs, "test", "integration", "conversion", "conversion_test.go")))
	return dir
}

// requireRuntime requires a copy of the runtime module whose go.mod requires nothing: cert-manager's k8s.io/*
// are older.
func requireRuntime(t *testing.T, dir string) {
	t.Helper()
	const path = "github.com/webhook-gen/webhook-gen/runtime"
	copied := filepath.Join(dir, "runtime")
	if err := os.CopyFS(copied, os.DirFS(filepath.Join("..", "..", "..", "runtime"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(copied, "go.mod"), []byte("module "+path+"\n\ngo 1.24.0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	output(t, exec.Command("go", "mod", "edit", "-require="+path+"@v0.0.0", "-replace="+path+"=./runtime"), dir)
}

// output returns the output of a command.
func output(t *testing.T, cmd *exec.Cmd, dir string) []byte {
	t.Helper()
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return out
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// expectations is cert-manager's test of its conversion webhook with all its objects, but without its API
// server: each case calls expect of testdata/oracle.
func expectations(t *testing.T, name string) []byte {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	call, err := parser.ParseExpr("expect(t, test.input, test.targetGVK, test.output)")
	if err != nil {
		t.Fatal(err)
	}
	file.Name.Name = "oracle"
	replaced := false
	ast.Inspect(file, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if ok {
			ast.Inspect(loop.Body, func(n ast.Node) bool {
				if test, ok := n.(*ast.FuncLit); ok {
					test.Body, replaced = &ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: call}}}, true
				}
				return true
			})
		}
		return !ok
	})
	if !replaced {
		t.Fatalf("%s has no loop over cases", name)
	}
	keepUsedImports(file)
	var text bytes.Buffer
	if err := format.Node(&text, files, file); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// keepUsedImports removes the imports that nothing names any more.
func keepUsedImports(file *ast.File) {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				used[x.Name] = true
			}
		}
		return true
	})
	imports := file.Decls[0].(*ast.GenDecl)
	imports.Specs = slices.DeleteFunc(imports.Specs, func(s ast.Spec) bool {
		i := s.(*ast.ImportSpec)
		imported, _ := strconv.Unquote(i.Path.Value) // the parser has read it
		name := path.Base(imported)
		if i.Name != nil {
			name = i.Name.Name
		}
		return !used[name]
	})
}
