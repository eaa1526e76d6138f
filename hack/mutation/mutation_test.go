// SPDX-License-Identifier: Apache-2.0

package mutation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the tables in hack/peers/figures.md")

// target is a package of an example in which faults are seeded.
type target struct {
	example, folder string
	sampled         map[string]bool // the types of validators and defaulters whose objects have samples
}

func targets() []target {
	return []target{
		{"orders", "internal/webhook/v1", map[string]bool{"OrderWebhook": true, "ShipmentWebhook": true}},
		{"orders", "internal/webhook/v2", map[string]bool{"OrderWebhook": true, "ShipmentWebhook": true}},
		{"builtin", "webhook", map[string]bool{"PodWebhook": true, "WorkloadWebhook": true}},
		{"cronjob", "internal/webhook/v2", nil},
	}
}

// TestGeneratedTestsFindFaults seeds every fault into every example. A generated test has to find it by failing: a
// fault that does not compile does not count.
func TestGeneratedTestsFindFaults(t *testing.T) {
	skipIfShort(t)
	program := build(t)
	found, seeded := map[string]*row{}, 0
	for _, target := range targets() {
		t.Run(target.example+"/"+target.folder, func(t *testing.T) {
			binary, dir, faults := target.build(t)
			if text, failed := run(t, binary, dir, program, ""); failed {
				t.Fatalf("without a fault the tests fail:\n%s", text)
			}
			for _, fault := range faults {
				// First run the likeliest tests; if they miss the fault, run all tests.
				likely := fault.likely()
				text, failed := run(t, binary, dir, program, fault.ID, likely...)
				if !failed && len(likely) > 0 {
					text, failed = run(t, binary, dir, program, fault.ID)
				}
				if !failed {
					t.Errorf("%s: nothing finds that %s in\n\t%s", fault.ID, fault.Kind, fault.Place)
					continue
				}
				if found[fault.Kind] == nil {
					found[fault.Kind] = &row{by: map[string]bool{}}
				}
				found[fault.Kind].count++
				found[fault.Kind].by[finder(text)] = true
			}
			t.Logf("%d faults", len(faults))
			seeded++
		})
	}
	if !t.Failed() && seeded == len(targets()) { // which -run may have left some of out
		holdTable(t, "faults", table(found))
	}
}

// build builds webhook-gen, which generated tests run for policies, from this tree. It returns the program's path.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "webhook-gen")
	command(t, "../..", "go", "build", "-o", program, "./cmd/webhook-gen")
	return program
}

// build seeds the faults into a copy of the example, and builds the package's test.
func (target target) build(t *testing.T) (binary, dir string, faults []Fault) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join("../../examples", target.example))); err != nil {
		t.Fatal(err)
	}
	runtime, err := filepath.Abs(runtimeDir)
	if err != nil {
		t.Fatal(err)
	}
	edit := exec.Command("go", "mod", "edit", "-replace=github.com/webhook-gen/webhook-gen/runtime="+runtime)
	edit.Dir = root
	if out, err := edit.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir = filepath.Join(root, filepath.FromSlash(target.folder))
	name := ""
	each := func(pattern, prefix string, variants func(*seeder, *ast.FuncDecl, ast.Stmt) []variant) {
		files, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is a good one
		for i, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out, seeded, err := seed(source, fmt.Sprintf("%s%d.", prefix, i), variants)
			if err != nil {
				t.Fatal(err)
			}
			if len(seeded) == 0 {
				continue
			}
			faults = append(faults, seeded...)
			name = packageName(t, source)
			if !bytes.Contains(source, []byte("\t\"errors\"\n")) && bytes.Contains(out, []byte("errors.New(\"seeded\")")) {
				out = bytes.Replace(out, []byte("import (\n"), []byte("import (\n\t\"errors\"\n"), 1)
			}
			if err := os.WriteFile(file, out, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	each("zz_generated.webhook.go", "handler", handlerFaults(methods(t, filepath.Join(dir, "zz_generated.webhook.go"))))
	each("zz_generated.conversion.go", "conversion", conversionFaults)
	each("[a-y]*.go", "implementation", implementationFaults(target.sampled))
	if len(faults) == 0 {
		t.Fatal("no faults")
	}
	if err := os.WriteFile(filepath.Join(dir, "seeded.go"), fmt.Appendf(nil, helpers, name), 0o600); err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(t.TempDir(), "seeded.test")
	cmd := exec.Command("go", "test", "-c", "-overlay", hasty(t, runtime), "-o", binary, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary, dir, faults
}

// seededOrder is the file that hasty adds.
const seededOrder = `package conversiontest

import (
	"slices"
	"sync/atomic"
)

var seededStop atomic.Bool

func seededOrder[A any](all []invariant[A]) []invariant[A] {
	likely := []int{3, 11, 9, 7}
	rank := func(i invariant[A]) int {
		if at := slices.Index(likely, i.number); at >= 0 {
			return at
		}
		return len(likely)
	}
	slices.SortStableFunc(all, func(a, b invariant[A]) int { return rank(a) - rank(b) })
	return all
}
`

// hasty returns an overlay in which conversiontest stops at the first failure, and begins with the invariants that
// faults break, and in which admissiontest makes no object smaller. Otherwise each fault that is found costs as much as
// a passing test.
func hasty(t *testing.T, runtime string) string {
	t.Helper()
	const conversions, objects = "conversion/conversiontest/conversiontest.go", "admission/admissiontest/check_random.go"
	files := map[string][]byte{path.Dir(conversions) + "/zz_seeded.go": []byte(seededOrder)}
	for _, edit := range []struct{ name, old, now string }{
		{conversions, "tries := 1000 ", "tries := 0 "},
		{conversions, "range w.invariants()", "range seededOrder(w.invariants())"},
		{conversions, "if err := i.check(a, seed); err != nil {\n", "if seededStop.Load() { return finding{}, false }; if err := i.check(a, seed); err != nil {\nseededStop.Store(true)\n"},
		{objects, "Tries:   600,", "Tries:   0,"},
	} {
		text, read := files[edit.name]
		if !read {
			var err error
			if text, err = os.ReadFile(filepath.Join(runtime, edit.name)); err != nil {
				t.Fatal(err)
			}
		}
		if n := bytes.Count(text, []byte(edit.old)); n != 1 {
			t.Fatalf("%s has %q %d times", edit.name, edit.old, n)
		}
		files[edit.name] = bytes.Replace(text, []byte(edit.old), []byte(edit.now), 1)
	}
	return writeOverlay(t, runtime, files)
}

// writeOverlay writes files that take the place of files of the runtime, by name, and the overlay for the go command.
func writeOverlay(t *testing.T, runtime string, files map[string][]byte) string {
	t.Helper()
	dir, overlay := t.TempDir(), struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range files {
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(runtime, name)] = copied
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	written := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(written, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return written
}

// run runs the generated tests with a webhook-gen, and reports whether they fail.
func run(t *testing.T, binary, dir, program, fault string, only ...string) (string, bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	pattern := strings.Join(append([]string{"^TestGenerated"}, only...), "/")
	cmd := exec.CommandContext(ctx, binary, "-test.run="+pattern, "-test.failfast")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), Variable+"="+fault, "WEBHOOK_GEN="+program)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("%s: the tests have not ended", fault)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err != nil
}

// methods returns the functions that the handlers of a package can call, as Register names them, with their parameters.
func methods(t *testing.T, file string) map[string]string {
	source, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	signatures := map[string]string{} // by interface and method
	function := regexp.MustCompile(`(?m)^\t([A-Z]\w*)\(ctx context\.Context, r (.*)\) error$`)
	for _, contract := range regexp.MustCompile(`(?ms)^type (\w+) interface \{$(.*?)^\}$`).FindAllStringSubmatch(string(source), -1) {
		for _, m := range function.FindAllStringSubmatch(contract[2], -1) {
			signatures[m[1]+" "+contract[1]] = m[2]
		}
	}
	all := map[string]string{}
	for _, asked := range regexp.MustCompile(`w\.(\w+)\.(\w+)`).FindAllStringSubmatch(string(source), -1) {
		for name, parameters := range signatures {
			if method, contract, _ := strings.Cut(name, " "); method == asked[2] && strings.HasPrefix(contract, asked[1]) {
				all[asked[0]] = parameters
			}
		}
	}
	return all
}

func packageName(t *testing.T, source []byte) string {
	tree, err := parser.ParseFile(token.NewFileSet(), "", source, parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	return tree.Name.Name
}

// row is a kind of faults, with the tests that found them.
type row struct {
	count int
	by    map[string]bool
}

// finder is the innermost test that has failed, without the names of the webhook and the operation, or a crash.
func finder(text string) string {
	names := regexp.MustCompile(`--- FAIL: (\S+)`).FindAllStringSubmatch(text, -1)
	if len(names) == 0 {
		return "crash"
	}
	name := names[len(names)-1][1]
	parts := strings.Split(name, "/")
	switch {
	case strings.Contains(name, "/handler/"):
		return "handler"
	case strings.Contains(name, "/deleting/"):
		return "objects being deleted"
	case strings.Contains(name, "/ratchet/"):
		return "invalid objects"
	case strings.Contains(name, "/random/"):
		return "random objects"
	case len(parts) > 1 && parts[0] == "TestGeneratedWebhooks":
		return strings.ReplaceAll(parts[1], "_", " ")
	}
	return "conversions"
}

// table is the table of the documentation.
func table(found map[string]*row) string {
	var out strings.Builder
	out.WriteString("| fault | seeded | found | by |\n|---|---|---|---|\n")
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(found)) {
		r := found[kind]
		total += r.count
		fmt.Fprintf(&out, "| %s | %d | %d | %s |\n", kind, r.count, r.count, strings.Join(slices.Sorted(maps.Keys(r.by)), ", "))
	}
	fmt.Fprintf(&out, "| all | %d | %d | |\n", total, total)
	return out.String()
}

// holdTable compares a table of the figures, by its name, with its expected content, or writes it.
func holdTable(t *testing.T, name, want string) {
	const page = "../peers/figures.md"
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", page)
	}
	if *update {
		if err := os.WriteFile(page, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != want {
		t.Errorf("the table in %s is stale, -update rewrites it:\n%s", page, want)
	}
}

// skipIfShort skips a test that compiles and runs the tests of other modules.
func skipIfShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the go command for minutes")
	}
}
