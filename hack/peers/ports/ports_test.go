// SPDX-License-Identifier: Apache-2.0

package ports

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"
)

// Set to write testdata/*.mod and testdata/*.sum anew, after a change of imports.
var update = flag.Bool("update", false, "tidy the modules in testdata")

const prefix = "github.com/webhook-gen/webhook-gen/hack/peers/ports/"

// project is a module with pairs of versions. testdata has a folder and a module of its name.
type project struct {
	name, module string
	folders      []string // that are copied; nil for all
	left         string   // files whose names match are not copied: what only controllers need
	pairs        []pair
	annotation   string // the annotation in their tests
	knative      bool   // the methods are knative's
	copied       bool   // the functions of Cluster API that test them pass copies of objects
}

// pair is our folder with markers for a pair of versions in their folder, and their tests in the folder of the spoke.
type pair struct {
	ours, theirs, spoke, hub string
	tests                    string   // a pattern of the tests that are run
	passed                   int      // the passed ones, with subtests
	not                      []string // flags that leave out tests whose expectations differ from ours
}

// port is what testdata/methods.txt and testdata/main.txt take.
type port struct {
	Package, HubPackage    string // names of versions
	Theirs, Hub, Ours      string // imports
	Group                  string // an expression
	Annotation             string // the annotation in their tests
	Kinds                  []string
	Hooks, Knative, Copied bool
}

// passes finds what go test and ginkgo print for a passed test.
var passes = regexp.MustCompile(`(?m)^ *--- PASS|^• \[`)

// run tests the generated functions of a project.
func (p project) run(t *testing.T) {
	t.Parallel()
	dir := p.generated(t)
	t.Run("Invariants", func(t *testing.T) { command(t, dir, "go", "test", "-vet=off", "./"+p.name+"/...") })
	for _, pair := range p.pairs {
		t.Run(pair.ours, func(t *testing.T) {
			args := []string{"test", "-vet=off", "-timeout=30m", "-v", "-run", pair.tests, p.module + "/" + pair.theirs + "/" + pair.spoke}
			out := command(t, dir, "go", append(args, pair.not...)...)
			if passed := len(passes.FindAllString(out, -1)); passed != pair.passed {
				t.Errorf("%d of their tests pass, want %d\n%s", passed, pair.passed, out)
			}
		})
	}
}

// generated makes a module with our markers, generated conversions, and a copy of the project. The copy's methods
// ConvertTo and ConvertFrom call our functions, which a test file sets.
func (p project) generated(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"mod", "sum"} {
		write(t, filepath.Join(dir, "go."+name), bytes.ReplaceAll(read(t, filepath.Join("testdata", p.name+"."+name)), []byte("../../.."), []byte(root)))
	}
	if err := os.CopyFS(filepath.Join(dir, p.name), os.DirFS(filepath.Join("testdata", p.name))); err != nil {
		t.Fatal(err)
	}
	p.copy(t, dir)
	command(t, dir, "go", "mod", "edit", "-replace", p.module+"=./copy")
	webhookGen := filepath.Join(t.TempDir(), "webhook-gen")
	command(t, ".", "go", "-C", root, "build", "-o", webhookGen, "./cmd/webhook-gen")
	command(t, dir, webhookGen, "generate", "--strict", "./"+p.name+"/...")
	if *update {
		p.tidy(t, dir, root)
	}
	return dir
}

// copy copies the project's folders, and adds methods that call our functions.
func (p project) copy(t *testing.T, dir string) {
	t.Helper()
	var theirs struct{ Dir string }
	if err := json.Unmarshal([]byte(command(t, dir, "go", "mod", "download", "-json", p.module)), &theirs); err != nil {
		t.Fatal(err)
	}
	folders := p.folders
	if folders == nil {
		folders = []string{"."}
	}
	left := regexp.MustCompile(cmp.Or(p.left, "^$"))
	for _, folder := range folders {
		names := []string{filepath.Join(theirs.Dir, folder)}
		for ; len(names) > 0; names = names[1:] {
			entries, err := os.ReadDir(names[0])
			if err != nil {
				t.Fatal(err)
			}
			for _, entry := range entries {
				from := filepath.Join(names[0], entry.Name())
				to, err := filepath.Rel(theirs.Dir, from)
				if err != nil {
					t.Fatal(err)
				}
				if entry.IsDir() {
					names = append(names, from)
				} else if strings.HasSuffix(to, ".go") && !left.MatchString(to) {
					write(t, filepath.Join(dir, "copy", to), read(t, from))
				}
			}
		}
	}
	write(t, filepath.Join(dir, "copy", "go.mod"), []byte("module "+p.module+"\n\ngo 1.24\n"))
	templates := template.Must(template.ParseFiles(filepath.Join("testdata", "methods.txt"), filepath.Join("testdata", "main.txt")))
	for _, pair := range p.pairs {
		ours := filepath.Join("testdata", p.name, pair.ours)
		data := port{Package: pair.spoke, HubPackage: pair.hub, Theirs: p.module + "/" + pair.theirs + "/" + pair.spoke, Hub: p.module + "/" + pair.theirs + "/" + pair.hub,
			Ours: prefix + p.name + "/" + pair.ours, Group: "GroupVersion.Group", Annotation: p.annotation, Hooks: exists(filepath.Join(ours, "hooks.go")), Knative: p.knative, Copied: p.copied}
		if p.knative {
			data.Group = "SchemeGroupVersion.Group"
		}
		for _, m := range regexp.MustCompile(`conversion:spoke\(for: "[^"]*\.(\w+)"`).FindAllSubmatch(read(t, filepath.Join(ours, "doc.go")), -1) {
			data.Kinds = append(data.Kinds, string(m[1]))
		}
		p.rename(t, filepath.Join(dir, "copy", pair.theirs, pair.spoke), data.Kinds)
		for file, name := range map[string]string{"ours.go": "methods.txt", "ours_test.go": "main.txt"} {
			var text bytes.Buffer
			if err := templates.ExecuteTemplate(&text, name, data); err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "copy", pair.theirs, pair.spoke, file), text.Bytes())
		}
	}
}

// rename gives the methods of the kinds in a folder, which convert them, another name. If copied is set, tests call
// fuzzed.
func (p project) rename(t *testing.T, folder string, kinds []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	pattern, renamed := regexp.MustCompile(`(?m)^(func \((?:\w+ )?\*(?:`+strings.Join(kinds, "|")+`)\) )(Convert(?:To|From)\()`), 0
	for _, file := range files {
		text := read(t, file)
		renamed += len(pattern.FindAll(text, -1))
		text = pattern.ReplaceAll(text, []byte("${1}Their$2"))
		if p.copied {
			text = bytes.ReplaceAll(text, []byte("utilconversion.FuzzTestFunc("), []byte("fuzzed("))
		}
		write(t, file, text)
	}
	if renamed != 2*len(kinds) {
		t.Errorf("%d methods of %s convert %v", renamed, folder, kinds)
	}
}

// tidy writes the project's module in testdata anew.
func (p project) tidy(t *testing.T, dir, root string) {
	t.Helper()
	command(t, dir, "go", "mod", "tidy")
	saved := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		write(t, filepath.Join(saved, name), read(t, filepath.Join(dir, name)))
	}
	command(t, saved, "go", "mod", "edit", "-dropreplace", p.module)
	command(t, saved, "go", "mod", "download", p.module)
	for _, name := range []string{"mod", "sum"} {
		write(t, filepath.Join("testdata", p.name+"."+name), bytes.ReplaceAll(read(t, filepath.Join(saved, "go."+name)), []byte(root), []byte("../../..")))
	}
}

// command runs a command in a folder and returns its output.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod "+os.Getenv("GOFLAGS"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", filepath.Base(name), strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
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
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
}
