// SPDX-License-Identifier: Apache-2.0

package manifests

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"
)

// TestSARIF checks the output of --format sarif with the schema of SARIF 2.1.0 that go-sarif carries.
func TestSARIF(t *testing.T) {
	schema, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(sarifSchema(t)))
	if err != nil {
		t.Fatal(err)
	}
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	run(t, root, "go", "build", "-o", webhookGen, "./cmd/webhook-gen")
	module := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const clause = "// +groupName=shop.example.com\n// +versionName=v1\npackage app\n\n"
	write("go.mod", "module example.com/app\n\ngo 1.26\n")
	for name, c := range map[string]struct {
		command, source string
		code            int
	}{
		"nothing":           {"lint", clause + "// +webhook:validating(operations: \"create\")\ntype Order struct{}\n", 0},
		"two places":        {"lint", clause + "// +webhook:mutating(operations: \"create\", path: \"/größe\")\n// +webhook:validating(operations: \"create\", path: \"/größe\")\ntype Order struct{}\n", 1},
		"advice":            {"lint", clause + "// +webhook:mutating(for: \"core/v1/Secret\", name: \"a.b.example.com\", operations: \"create\")\ntype Secrets struct{}\n", 0},
		"verify, in error":  {"verify", clause + "// +webhook:validating(operation: \"create\")\ntype Order struct{}\n", 1},
		"verify, in syntax": {"verify", clause + "// +webhook:validating(operations: \"create\")\ntype Order struct{\n", 1},
	} {
		t.Run(name, func(t *testing.T) {
			write("app.go", c.source)
			command := exec.Command(webhookGen, c.command, "--format", "sarif")
			command.Dir = module
			var out, errOut bytes.Buffer
			command.Stdout, command.Stderr = &out, &errOut
			err := command.Run()
			var exit *exec.ExitError
			if errors.As(err, &exit) == (c.code == 0) || exit != nil && exit.ExitCode() != c.code {
				t.Fatalf("%v\n%s%s", err, out.String(), errOut.String())
			}
			log := out.Bytes()
			if c.command != "lint" {
				log = errOut.Bytes()
			}
			result, err := schema.Validate(gojsonschema.NewBytesLoader(log))
			if err != nil || !result.Valid() {
				t.Fatalf("%v %v\n%s", err, result.Errors(), log)
			}
		})
	}
}

// sarifSchema is a constant of go-sarif.
func sarifSchema(t *testing.T) string {
	t.Helper()
	dir := strings.TrimSpace(string(run(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3")))
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, "pkg", "report", "v210", "sarif", "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	schema := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING && len(literal.Value) > len(schema) {
			schema, _ = strconv.Unquote(literal.Value)
		}
		return true
	})
	return schema
}
