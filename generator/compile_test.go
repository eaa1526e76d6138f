package generator

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestGeneratedCodeCompiles builds and vets what every scenario with Go code generates, all in one
// workspace and one call of the go command, and runs the conversions.
func TestGeneratedCodeCompiles(t *testing.T) {
	root := t.TempDir()
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	requirements := requirementsOf(t)
	var work, patterns, behave []string
	for _, file := range scenarioFiles(t) {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		input, _ := split(archive)
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		dir := filepath.Join(root, name)
		if run := string(archive.Comment); !strings.Contains(run, "handlers") && !strings.Contains(run, "conversions") {
			continue
		}
		// Each scenario is a module of its own name, so that all fit into one workspace.
		module := "example.com/" + strings.ReplaceAll(name, "_", "-")
		for _, f := range input.Files {
			writeFile(t, filepath.Join(dir, f.Name), strings.ReplaceAll(string(f.Data), "example.com/app", module))
		}
		if slices.ContainsFunc(input.Files, func(f txtar.File) bool { return path.Base(f.Name) == "go.mod" && f.Name != "go.mod" }) {
			continue // it has modules of its own, which example.com/app is not to be exchanged in
		}
		writeFile(t, filepath.Join(dir, "go.mod"), "module "+module+"\n\ngo 1.26.0\n\n"+requirements)
		writeFile(t, filepath.Join(dir, "go.sum"), string(sums))
		result := Generate(context.Background(), scenarioConfig(t, dir, archive.Comment))
		if result.Diagnostics.HasErrors() {
			continue // a scenario about mistakes
		}
		if failed := result.Write(); len(failed) > 0 {
			t.Fatal(failed)
		}
		if writeConversionTest(t, scenarioConfig(t, dir, archive.Comment), dir, module) {
			behave = append(behave, module+"/internal/webhook/v1")
		}
		work = append(work, "use ./"+name)
		patterns = append(patterns, module+"/...")
	}
	if len(work) < 5 {
		t.Fatalf("only %d scenarios to compile", len(work))
	}
	writeFile(t, filepath.Join(root, "go.work"), "go 1.26.0\n\n"+strings.Join(work, "\n")+"\n")
	for _, args := range [][]string{append([]string{"vet"}, patterns...), append([]string{"test"}, behave...)} {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"), "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, bytes.ReplaceAll(out, []byte(root), []byte("$DIR")))
		}
	}
}

// writeConversionTest adds the test of what must be true of all conversions to a scenario that
// converts an Order and needs no hooks for that.
func writeConversionTest(t *testing.T, c Config, dir, module string) bool {
	folder := filepath.Join(dir, "internal/webhook/v1")
	code, err := os.ReadFile(filepath.Join(folder, "zz_generated.conversion.go"))
	if err != nil || !bytes.Contains(code, []byte("func OrderToHub(")) {
		return false
	}
	if _, err := os.Stat(filepath.Join(folder, "conversion_test.go")); err == nil {
		return true // it brings a test of its own
	}
	test := strings.ReplaceAll(conversionTest, "example.com/app", module)
	if !bytes.Contains(code, []byte("is given up")) {
		test = strings.Replace(test, `Dropped: []string{"spec.gone", "spec.parts.gone"},`, "", 1)
	}
	docs, diags := Conversions(context.Background(), c, "Order")
	if diags.HasErrors() || len(docs) != 1 {
		t.Fatal(diags, docs)
	}
	test = strings.Replace(test, "Kept: nil", fmt.Sprintf("Kept: %#v", docs[0].Kept), 1)
	writeFile(t, filepath.Join(folder, "conversion_test.go"), test)
	return true
}

const conversionTest = `package v1

import (
	"testing"

	shopv1 "example.com/app/api/v1"
	shopv2 "example.com/app/api/v2"
	"example.com/app/internal/webhook/conversion/conversiontest"
)

func TestConversions(t *testing.T) {
	conversiontest.Check(t, conversiontest.Kind[shopv1.Order, shopv2.Order]{
		ToHub: OrderToHub, FromHub: OrderFromHub,
		Dropped: []string{"spec.gone", "spec.parts.gone"},
		Kept: nil,
	})
}
`

// TestNewOperationBreaksTheBuild changes a marker without its policy: the compiler must say at the
// policy which method is missing.
func TestNewOperationBreaksTheBuild(t *testing.T) {
	dir := t.TempDir()
	sums, err := os.ReadFile("../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26.0\n\n"+requirementsOf(t))
	writeFile(t, filepath.Join(dir, "go.sum"), string(sums))
	writeFile(t, filepath.Join(dir, "api/v1/doc.go"), "// +groupName=shop.example.com\npackage v1\n")
	build := func(operations string) (string, error) {
		writeFile(t, filepath.Join(dir, "api/v1/order.go"), "package v1\n\n// +webhook:validating(operations: \""+operations+"\")\ntype Order struct{}\n")
		result := Generate(context.Background(), Config{Dir: dir})
		if failed := append(result.Diagnostics, result.Write()...); failed.HasErrors() {
			t.Fatal(failed)
		}
		cmd := exec.Command("go", "build", "./...")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := build("create"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := build("create;delete")
	want := "internal/webhook/v1/order_webhook.go:14:24: cannot use (*OrderWebhook)(nil) (value of type *OrderWebhook) as OrderValidator value " +
		"in variable declaration: *OrderWebhook does not implement OrderValidator (missing method ValidateDelete)"
	if err == nil || !strings.Contains(out, want) {
		t.Errorf("the build says %v\n%s\nwant %s", err, out, want)
	}
	if out, err := build("create"); err != nil {
		t.Errorf("and back again: %v\n%s", err, out)
	}
}

// requirementsOf returns the require directives of this module's go.mod.
func requirementsOf(t *testing.T) string {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	return string(text[bytes.Index(text, []byte("require")):])
}
