// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/project"
)

// TestOrigin checks the origin of builds, by the go command's records.
func TestOrigin(t *testing.T) {
	tree, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "go.mod"), []byte("module example.com/other\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const (
		file     = "/generator/command/origin.go"
		sum      = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
		pseudo   = "v0.1.1-0.20260102030405-0123456789ab"
		trimmed  = project.ToolModule + file
		trimmed1 = project.ToolModule + "@v0.1.0" + file
	)
	main := func(version, sum string, replace *debug.Module) debug.Module {
		return debug.Module{Path: project.ToolModule, Version: version, Sum: sum, Replace: replace}
	}
	for name, test := range map[string]struct {
		main               debug.Module
		released, compiled string
		want               project.Origin
		err                string // a part of the message
	}{
		"go install of a version":      {main("v0.1.0", sum, nil), "", "/cache/" + trimmed1, project.Origin{Version: "v0.1.0"}, ""},
		"the same, -trimpath":          {main("v0.1.0", sum, nil), "", trimmed1, project.Origin{Version: "v0.1.0"}, ""},
		"go install of a revision":     {main(pseudo, sum, nil), "", "/cache/" + trimmed1, project.Origin{Version: pseudo}, ""},
		"linked as a release":          {main("(devel)", "", nil), "v0.2.0", tree + file, project.Origin{Version: "v0.2.0"}, ""},
		"linked without v":             {main("(devel)", "", nil), "0.2.0", tree + file, project.Origin{}, "main.released=0.2.0, which is not a version"},
		"below vendor":                 {main("v0.1.0", "", nil), "", "/p/vendor/" + trimmed, project.Origin{Version: "v0.1.0"}, ""},
		"below vendor, -trimpath":      {main("v0.1.0", "", nil), "", trimmed1, project.Origin{Version: "v0.1.0"}, ""},
		"work tree":                    {main("(devel)", "", nil), "", tree + file, project.Origin{Version: "v0.0.0", Dir: tree}, ""},
		"work tree at a tag":           {main("v0.1.0", "", nil), "", tree + file, project.Origin{Version: "v0.0.0", Dir: tree}, ""},
		"work tree, changed":           {main("v0.1.0+dirty", "", nil), "", tree + file, project.Origin{Version: "v0.0.0", Dir: tree}, ""},
		"no build info":                {debug.Module{}, "", tree + file, project.Origin{Version: "v0.0.0", Dir: tree}, ""},
		"replaced by a work tree":      {main("v0.0.0", "", &debug.Module{Path: tree, Version: "(devel)"}), "", trimmed, project.Origin{Version: "v0.0.0", Dir: tree}, ""},
		"replaced by a relative path":  {main("v0.0.0", "", &debug.Module{Path: "../x", Version: "(devel)"}), "", tree + file, project.Origin{Version: "v0.0.0", Dir: tree}, ""},
		"work tree, -trimpath":         {main("v0.1.0", "", nil), "", trimmed, project.Origin{}, "pass --source DIR"},
		"the work tree is gone":        {main("(devel)", "", nil), "", filepath.Join(other, "gone") + file, project.Origin{}, "there is no go.mod: pass --source DIR"},
		"another module is in its way": {main("(devel)", "", nil), "", other + file, project.Origin{}, `go.mod declares the module "example.com/other": pass --source DIR`},
		"replaced by a fork": {
			main("v0.1.0", "", &debug.Module{Path: "example.com/fork", Version: "v0.1.1", Sum: sum}), "", "/cache/" + trimmed1,
			project.Origin{Version: "v0.1.0", Fork: module.Version{Path: "example.com/fork", Version: "v0.1.1"}}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := build{&debug.BuildInfo{Main: test.main}, test.released, test.compiled}
			if test.main.Path == "" {
				b.info = nil
			}
			got := b.origin()
			switch {
			case test.err != "" && (got.Err == nil || !strings.Contains(got.Err.Error(), test.err)):
				t.Fatalf("the error is %v, want %q", got.Err, test.err)
			case test.err == "" && got != test.want:
				t.Fatalf("got %+v, want %+v", got, test.want)
			}
			if strings.Contains(b.version(), "devel") != (got.Dir != "" || got.Err != nil) {
				t.Errorf("webhook-gen version prints %q", b.version())
			}
		})
	}
}

// TestOriginOfBuilds builds the program in the ways that differ, and starts a project with each.
func TestOriginOfBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program several times")
	}
	tree, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// With -trimpath all packages are compiled again, for minutes. The compiler's own flag trims the one package whose
	// path has the origin.
	trimmed := []string{"-gcflags=" + project.ToolModule + "/generator/command='-trimpath=" + tree + "=>" + project.ToolModule + "'"}
	replace := "\nreplace " + engine.RuntimeModule + " => " + modfile.AutoQuote(filepath.Join(tree, "runtime")) + "\n"
	for name, test := range map[string]struct {
		flags, arguments []string
		version          string
		goMod            string // a part; empty where the command fails
		said             string
	}{
		"work tree":             {nil, nil, ", built from " + tree, replace, "Image builds and other machines"},
		"linked as a release":   {[]string{"-ldflags=-X main.released=v0.3.0"}, nil, "webhook-gen v0.3.0 ", engine.RuntimeModule + " v0.3.0\n", ""},
		"-trimpath":             {trimmed, nil, "source unknown", "", "pass --source DIR"},
		"-trimpath with source": {trimmed, []string{"--source", tree}, "source unknown", replace, "Image builds and other machines"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			program := filepath.Join(dir, "webhook-gen")
			if out, err := exec.Command("go", append(append([]string{"build", "-o", program}, test.flags...), "../../cmd/webhook-gen")...).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if out, err := exec.Command(program, "version").CombinedOutput(); err != nil || !strings.Contains(string(out), test.version) {
				t.Errorf("version: %v\n%s", err, out)
			}
			project := filepath.Join(dir, "project")
			if err := os.Mkdir(project, 0o755); err != nil {
				t.Fatal(err)
			}
			init := exec.Command(program, append([]string{"init", "-C", project, "--module", "example.com/shop", "--skip-tidy"}, test.arguments...)...)
			out, err := init.CombinedOutput()
			if (err != nil) != (test.goMod == "") || !strings.Contains(string(out), test.said) {
				t.Errorf("init: %v\n%s", err, out)
			}
			goMod, err := os.ReadFile(filepath.Join(project, "go.mod"))
			if (err == nil) != (test.goMod != "") || !strings.Contains(string(goMod), test.goMod) {
				t.Errorf("go.mod: %v\n%s", err, goMod)
			}
			if strings.Contains(string(goMod), "replace") != strings.Contains(test.goMod, "replace") {
				t.Errorf("go.mod replaces, or does not\n%s", goMod)
			}
		})
	}
}

// TestImportBelow imports handlers. The module of integration tests, which is new, has the replacements that go.mod
// gets, because the go command reads no other module's.
func TestImportBelow(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/import_handlers.txtar")
	if err != nil {
		t.Fatal(err)
	}
	settings := "version: 1\nmanifests:\n  header: false\ntests:\n  integration: test/webhook\n"
	archive.Files = append(archive.Files, txtar.File{Name: "webhook-gen.yaml", Data: []byte(settings)})
	files, err := txtar.FS(archive)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var out bytes.Buffer
	fork := project.Origin{Version: "v0.1.0", Fork: module.Version{Path: "example.com/fork", Version: "v0.2.0"}}
	if code := run(t.Context(), []string{"import", "--handlers", "stubs"}, streams{out: &out, err: &out, origin: fork, goCommand: recorded}); code != 0 {
		t.Fatalf("%d\n%s", code, &out)
	}
	root, below := replaced(t, "go.mod"), replaced(t, "test/webhook/go.mod")
	delete(below, "example.com/app")
	delete(below, "github.com/webhook-gen/webhook-gen/runtime/integrationtest") // which the test alone needs
	if diff := cmp.Diff(root, below); len(root) != 1 || diff != "" {
		t.Errorf("%d replacements (-go.mod +test/webhook/go.mod)\n%s", len(root), diff)
	}
}

// replaced returns the replacements of a go.mod.
func replaced(t *testing.T, name string) map[string]module.Version {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, err := modfile.Parse(name, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]module.Version{}
	for _, r := range file.Replace {
		of[r.Old.Path] = r.New
	}
	return of
}

// TestLibrariesMinimum checks the version in the warning about old libraries.
func TestLibrariesMinimum(t *testing.T) {
	if version, _ := engine.RequiredVersion(filepath.Join("..", "..", "runtime"), "k8s.io/apimachinery"); version != project.LibrariesMinimum {
		t.Errorf("the runtime requires k8s.io/apimachinery %s, and LibrariesMinimum is %s", version, project.LibrariesMinimum)
	}
}
