// SPDX-License-Identifier: Apache-2.0

package compile

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/inspect"
)

var (
	update = flag.Bool("update", false, "rewrite docs/guides/cookbook.md and testdata/failures.txtar")
	only   = flag.String("recipe", "", "the number of the one recipe that TestCookbook generates from, such as 09")
)

// recipe is an entry of docs/guides/cookbook.md: a kind of change between two versions of an Order, with the files that
// an author writes.
type recipe struct {
	title, prose string
	// folder is the folder of the versions, below api.
	folder string
	// spoke and hub are the types of v1 and v2; empty where nothing can be written.
	spoke, hub string
	// hooks are the hooks that the markers declare: methods of Hand.
	hooks string
	// repair are members of conversiontest.Kind.
	repair string
}

func recipes(t *testing.T) []recipe {
	t.Helper()
	files, err := filepath.Glob("../testdata/cookbook/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recipes: %v", err)
	}
	var all []recipe
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := recipe{folder: "r" + filepath.Base(file)[:2]}
		r.title, r.prose, _ = strings.Cut(strings.TrimSpace(string(archive.Comment)), "\n\n")
		for _, f := range archive.Files {
			text := string(f.Data)
			if formatted, err := format.Source(f.Data); f.Name != "repair.go" && (err != nil || string(formatted) != text) {
				t.Errorf("%s: %s is not formatted: %v", file, f.Name, err)
			}
			switch f.Name {
			case "v1.go":
				r.spoke = text
			case "v2.go":
				r.hub = text
			case "hooks.go":
				r.hooks = text
			case "repair.go":
				r.repair = text
			default:
				t.Fatalf("%s: a recipe has no file %s", file, f.Name)
			}
		}
		all = append(all, r)
	}
	return all
}

// TestCookbook generates conversions from all recipes, and checks the invariants of every conversion.
func TestCookbook(t *testing.T) {
	skipIfShort(t)
	all := slices.DeleteFunc(recipes(t), func(r recipe) bool { return *only != "" && r.folder != "r"+*only })
	if len(all) == 0 {
		t.Fatalf("there is no recipe %s", *only)
	}
	w := newWorkspace(t)
	dir, _ := w.add("app", nil)
	plans := convert(t, dir, all)
	result := engine.Generate(context.Background(), engine.Config{Dir: dir})
	if result.Diagnostics.HasErrors() {
		var text bytes.Buffer
		if err := engine.PrintDiagnostics(&text, "text", dir, result.Diagnostics); err != nil {
			t.Fatal(err)
		}
		t.Fatal(text.String())
	}
	if failed := result.Write(); len(failed) > 0 {
		t.Fatal(failed)
	}
	writeFile(t, filepath.Join(dir, "cookbook_test.go"), cookbookTest(all, plans))
	w.use("app")
	if out, err := w.goCommand("test", "-vet=off", "example.com/app"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestCookbookPage compares docs/guides/cookbook.md with the recipes, and with the losses of their plans.
func TestCookbookPage(t *testing.T) {
	all := recipes(t)
	dir, _ := newWorkspace(t).add("app", nil)
	want, page := cookbook(all, convert(t, dir, all)), "../../docs/guides/cookbook.md"
	if *update {
		writeFile(t, page, want)
		return
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Error("docs/guides/cookbook.md is stale: go test ./generator/compile -run TestCookbookPage -update")
	}
}

// convert writes the recipes into a module and returns the plans of their conversions, by the recipes' folders.
func convert(t *testing.T, dir string, all []recipe) map[string]inspect.ConversionDoc {
	t.Helper()
	for _, r := range all {
		if r.spoke != "" {
			r.write(t, dir)
		}
	}
	docs, diagnostics := inspect.Conversions(context.Background(), engine.Config{Dir: dir}, "Order")
	if diagnostics.HasErrors() {
		t.Fatal(diagnostics)
	}
	plans := map[string]inspect.ConversionDoc{}
	for _, d := range docs {
		plans[strings.TrimSuffix(d.Group, ".example.com")] = d
	}
	return plans
}

// write puts the versions of a recipe, and its hooks, into a module.
func (r recipe) write(t *testing.T, dir string) {
	t.Helper()
	for version, types := range map[string]string{"v1": r.spoke, "v2": r.hub} {
		marker := map[string]string{"v1": "spoke", "v2": "hub"}[version]
		if !strings.Contains(types, "type Order struct") {
			types = "// +webhook:conversion:" + marker + "\ntype Order struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n" +
				"\tSpec OrderSpec `json:\"spec,omitempty\"`\n}\n\n" + types
		}
		writeFile(t, filepath.Join(dir, "api", r.folder, version, "doc.go"), "// +groupName="+r.folder+".example.com\npackage "+version+"\n")
		writeFile(t, filepath.Join(dir, "api", r.folder, version, "order_types.go"), r.file(version, types))
	}
	if r.hooks != "" {
		writeFile(t, filepath.Join(dir, "internal/webhook", r.folder, "v1", "hooks.go"), r.file("v1", r.hooks))
	}
}

// file is Go code with a package clause and the imports that it needs.
func (r recipe) file(pkg, code string) string {
	known := map[string]string{
		"context": "context", "fmt": "fmt", "strings": "strings", "cmp": "cmp", "slices": "slices", "time": "time",
		"conversion": "github.com/webhook-gen/webhook-gen/runtime/conversion", "metav1": "k8s.io/apimachinery/pkg/apis/meta/v1",
		"intstr": "k8s.io/apimachinery/pkg/util/intstr", "resource": "k8s.io/apimachinery/pkg/api/resource",
		"v1": "example.com/app/api/" + r.folder + "/v1", "v2": "example.com/app/api/" + r.folder + "/v2",
	}
	imports := ""
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(code) {
			imports += fmt.Sprintf("\t%s %q\n", name, known[name])
		}
	}
	return "package " + pkg + "\n\nimport (\n" + imports + ")\n\n" + code
}

// cookbookTest is a test of all recipes in one package, so that one program is linked.
func cookbookTest(all []recipe, plans map[string]inspect.ConversionDoc) string {
	var imports, checks strings.Builder
	for _, r := range all {
		if r.spoke == "" {
			continue
		}
		fmt.Fprintf(&imports, "\t%[1]sv1 \"example.com/app/api/%[1]s/v1\"\n\t%[1]sv2 \"example.com/app/api/%[1]s/v2\"\n\t%[1]s \"example.com/app/internal/webhook/%[1]s/v1\"\n", r.folder)
		functions := r.folder
		if r.hooks != "" {
			functions += ".NewConverter(" + r.folder + ".Hand{})"
		}
		repair := strings.NewReplacer("v1.", r.folder+"v1.", "v2.", r.folder+"v2.").Replace(r.repair)
		fmt.Fprintf(&checks, `
	t.Run(%[1]q, func(t *testing.T) {
		kind := conversiontest.Kind[%[2]sv1.Order, %[2]sv2.Order]{
			ToHub: %[3]s.OrderToHub, FromHub: %[3]s.OrderFromHub,
%[4]s		}
		kind.Kept = append(kind.Kept, %#[5]v...)
		conversiontest.Check(t, kind)
	})
`, r.title, r.folder, functions, repair, plans[r.folder].Kept)
	}
	standard := "\t\"testing\"\n"
	if strings.Contains(checks.String(), "*rand.Rand") {
		standard = "\t\"math/rand/v2\"\n" + standard
	}
	return "package app\n\nimport (\n" + standard + "\n\t\"github.com/webhook-gen/webhook-gen/runtime/conversion/conversiontest\"\n" + imports.String() + ")\n\n" +
		"func TestRecipes(t *testing.T) {\n" + checks.String() + "}\n"
}
