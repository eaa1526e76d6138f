// SPDX-License-Identifier: Apache-2.0

package aws

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const theirModule = "sigs.k8s.io/cluster-api-provider-aws/v2"

// port is a pair of versions: our folder with markers, and their folder of both versions.
type port struct{ ours, theirs string }

var ports = []port{
	{"infrastructure", "api"},
	{"bootstrap", "bootstrap/eks/api"},
	{"controlplane", "controlplane/eks/api"},
	{"pools", "exp/api"},
}

// kinds returns the names of the kinds in the markers of a port.
func (p port) kinds(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, m := range regexp.MustCompile(`conversion:spoke\(for: "[^"]*\.(\w+)"`).FindAllSubmatch(read(t, filepath.Join("testdata", p.ours, "doc.go")), -1) {
		found = append(found, string(m[1]))
	}
	return found
}

// generated makes a module of this one's dependencies with the markers in it, and generates the conversions.
func generated(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		write(t, filepath.Join(dir, name), bytes.ReplaceAll(read(t, name), []byte("../../.."), []byte(root)))
	}
	if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	run(t, ".", "go", "-C", root, "build", "-o", webhookGen, "./cmd/webhook-gen")
	run(t, dir, webhookGen, "generate", "--strict", "./...")
	return dir
}

// TestInvariants runs the generated tests of all kinds.
func TestInvariants(t *testing.T) {
	run(t, generated(t), "go", "test", "-vet=off", "./...")
}

// TestTheirs runs the provider's own fuzz tests in a copy of its module, whose methods call our functions.
func TestTheirs(t *testing.T) {
	dir := generated(t)
	theirs := strings.TrimSpace(run(t, dir, "go", "list", "-m", "-f", "{{.Dir}}", theirModule))
	if err := os.CopyFS(filepath.Join(dir, "copy"), os.DirFS(theirs)); err != nil {
		t.Fatal(err)
	}
	tests := 0
	for _, p := range ports {
		spoke := filepath.Join(dir, "copy", p.theirs, "v1beta1")
		removed, err := filepath.Glob(filepath.Join(spoke, "*conversion.go"))
		if err != nil || len(removed) < 2 {
			t.Fatalf("%d files with conversions in %s: %v", len(removed), spoke, err)
		}
		for _, name := range removed {
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
		write(t, filepath.Join(spoke, "ours.go"), p.methods(t))
		write(t, filepath.Join(spoke, "ours_test.go"), p.main())
		test := filepath.Join(spoke, "conversion_test.go")
		text := read(t, test)
		tests += bytes.Count(text, []byte("utilconversion.FuzzTestFunc("))
		text = regexp.MustCompile(`(Spoke: *&\w+\{\},\n)(\s*\}\)\))`).ReplaceAll(text, []byte("${1}FuzzerFuncs: sent(),\n$2"))
		text = bytes.ReplaceAll(text, []byte("[]fuzzer.FuzzerFuncs{fuzzFuncs}"), []byte("sent([]fuzzer.FuzzerFuncs{fuzzFuncs}...)"))
		if err := os.Chmod(test, 0o644); err != nil {
			t.Fatal(err)
		}
		write(t, test, text)
	}
	run(t, dir, "go", "mod", "edit", "-replace", theirModule+"=./copy")
	args := []string{"test", "-vet=off", "-timeout=30m", "-v", "-run", "^TestFuzzyConversion$"}
	for _, p := range ports {
		args = append(args, theirModule+"/"+p.theirs+"/v1beta1")
	}
	out := run(t, dir, "go", args...)
	if passed := strings.Count(out, "        --- PASS"); passed != 2*tests || tests != 12 {
		t.Errorf("%d of their tests pass, want two for each of %d kinds\n%s", passed, tests, out)
	}
}

// methods returns the methods that their tests call. Their package cannot import ours, which imports it, so that a test
// sets the handler behind them.
func (p port) methods(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	b.Write(bytes.ReplaceAll(read(t, filepath.Join("testdata", "methods.txt")), []byte("HUB"), []byte(theirModule+"/"+p.theirs+"/v1beta2")))
	b.WriteString("\nfunc sent(others ...fuzzer.FuzzerFuncs) []fuzzer.FuzzerFuncs {\n\treturn append(others, func(runtimeserializer.CodecFactory) []any {\n\t\treturn []any{\n")
	for _, kind := range p.kinds(t) {
		fmt.Fprintf(&b, "\t\t\tfunc(o *hub.%s, c randfill.Continue) { c.FillNoCustom(o); arrive(o) },\n", kind)
	}
	b.WriteString("\t\t}\n\t})\n}\n")
	for _, kind := range p.kinds(t) {
		fmt.Fprintf(&b, "\nfunc (o *%[1]s) ConvertTo(hub conversion.Hub) error { return toHub(%[1]q, o, hub) }\n"+
			"\nfunc (o *%[1]s) ConvertFrom(hub conversion.Hub) error { return fromHub(%[1]q, hub, o) }\n", kind)
	}
	return b.Bytes()
}

// main returns the test file that sets the handler of our functions.
func (p port) main() []byte {
	return fmt.Appendf(nil, `package v1beta1_test

import (
	"bytes"
	"os"
	"testing"

	theirs %q

	ours %q
	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

func TestMain(m *testing.M) {
	keys := func() ([][]byte, error) { return [][]byte{bytes.Repeat([]byte("key"), 11)}, nil }
	theirs.Handler = conversion.NewHandler(ours.Conversions(), conversion.Keys(keys))
	os.Exit(m.Run())
}
`, theirModule+"/"+p.theirs+"/v1beta1", "github.com/webhook-gen/webhook-gen/hack/peers/aws/"+p.ours)
}

// TestLines prints, for each port, the lines with markers, the lines of hooks, and the lines with code that the
// provider has by hand. No port needs hooks.
func TestLines(t *testing.T) {
	theirs := strings.TrimSpace(run(t, ".", "go", "list", "-m", "-f", "{{.Dir}}", theirModule))
	for _, p := range ports {
		files, err := filepath.Glob(filepath.Join(theirs, p.theirs, "v1beta1", "*conversion.go"))
		if err != nil {
			t.Fatal(err)
		}
		before := 0
		for _, name := range files {
			if !strings.HasPrefix(filepath.Base(name), "zz_generated") {
				before += code(read(t, name))
			}
		}
		ours, err := filepath.Glob(filepath.Join("testdata", p.ours, "*.go"))
		if err != nil || !slices.Equal(ours, []string{filepath.Join("testdata", p.ours, "doc.go")}) {
			t.Errorf("%v: %v, want doc.go alone", ours, err)
		}
		markers := bytes.Count(read(t, ours[0]), []byte("// +webhook"))
		t.Logf("%-14s %3d lines with markers, 0 of hooks; before: %4d by hand", p.ours, markers, before)
		if before == 0 || markers > before/4 {
			t.Errorf("%s: %d lines with markers are more than a quarter of %d", p.ours, markers, before)
		}
	}
}

// code counts the lines that are neither blank nor comment.
func code(text []byte) int {
	text = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAll(text, nil)
	return len(regexp.MustCompile(`(?m)^[ \t]*(?:[^ \t/\n]|/[^/\n]).*$`).FindAll(text, -1))
}

// run runs a command in a folder and returns its output.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
