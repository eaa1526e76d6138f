// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/scenario"
)

var update = flag.Bool("update", false, "rewrite the wanted output of the scenarios")

// moduleCache matches the folder of the module cache before the path of a module's file.
var moduleCache = regexp.MustCompile(`/[^\n:]*/(k8s\.io/[a-z]+@)`)

func scenarioFiles(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	return files
}

func TestScenarios(t *testing.T) {
	t.Setenv("GOENV", "off")
	t.Setenv("GOFLAGS", "")
	for _, file := range scenarioFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			s := readScenario(t, file)
			got := runScenario(t, s)
			if s.Base != "" {
				got = difference(t, runScenario(t, readScenario(t, s.Base)), got)
			}
			if *update {
				// Another test may read the file, as its base.
				if err := errors.Join(os.WriteFile(file+".new", s.Format(got), 0o644), os.Rename(file+".new", file)); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(show(s.Want), show(got)); diff != "" {
				t.Errorf("(-want +got; go test ./generator -update rewrites)\n%s", diff)
			}
		})
	}
}

// TestKindOf generates each kind of output alone. output.KindOf finds the kind in the names of the files, by which a
// later run removes them.
func TestKindOf(t *testing.T) {
	for _, name := range []string{"tests_integration_conversions", "program_conversions", "crd_missing", "handlers_second"} {
		s := readScenario(t, "testdata/"+name+".txtar")
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
		for _, f := range s.Input {
			writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
		}
		for _, kind := range []string{output.Manifests, output.Handlers, output.Conversions, output.Tests} {
			for _, f := range engine.Generate(t.Context(), engine.Config{Dir: dir, Outputs: []string{kind}}).Files {
				if found := output.KindOf(f.Path); f.Owner == output.Generated && found != "" && found != kind {
					t.Errorf("%s: %s is of %q, and found on disk of %q", name, f.Path, kind, found)
				}
			}
		}
	}
}

func readScenario(t *testing.T, file string) scenario.Scenario {
	t.Helper()
	s, err := scenario.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// difference returns an outcome as a diff from the outcome of another scenario.
func difference(t *testing.T, base, got []txtar.File) []txtar.File {
	t.Helper()
	index := func(files []txtar.File, name string) int {
		return slices.IndexFunc(files, func(f txtar.File) bool { return f.Name == name })
	}
	var changes []output.Change
	for _, f := range got {
		switch i := index(base, f.Name); {
		case i < 0:
			changes = append(changes, output.Change{Path: f.Name, Action: output.Create, New: f.Data})
		case !bytes.Equal(base[i].Data, f.Data):
			changes = append(changes, output.Change{Path: f.Name, Action: output.Replace, Old: base[i].Data, New: f.Data})
		}
	}
	for _, f := range base {
		if index(got, f.Name) < 0 {
			changes = append(changes, output.Change{Path: f.Name, Action: output.Remove, Old: f.Data})
		}
	}
	var text bytes.Buffer
	if err := output.Diff(&text, "", changes); err != nil {
		t.Fatal(err)
	}
	return []txtar.File{{Name: scenario.Difference, Data: text.Bytes()}}
}

func show(files []txtar.File) string { return string(txtar.Format(&txtar.Archive{Files: files})) }

// runScenario generates twice in a fresh folder, to which it adds a go.mod if the scenario has no go.mod. It returns
// the files after the first run. The second run must change nothing.
func runScenario(t *testing.T, s scenario.Scenario) []txtar.File {
	dir := t.TempDir()
	before := map[string]string{}
	if !slices.ContainsFunc(s.Input, func(f txtar.File) bool { return f.Name == "go.mod" }) {
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	}
	for _, f := range s.Input {
		writeFile(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	readTree(t, dir, before)

	config := engine.Config{
		Dir: filepath.Join(dir, s.Run.Dir), Patterns: s.Run.Patterns, Tags: s.Run.Tags, Outputs: s.Run.Outputs,
		Strict: s.Run.Strict, AdmissionRegistration: s.Run.AdmissionRegistration,
	}
	result := engine.Generate(context.Background(), config)
	report := result.Diagnostics
	if !report.HasErrors() {
		report = append(report, result.Write()...)
	}
	after := map[string]string{}
	readTree(t, dir, after)

	var got []txtar.File
	var removed []string
	for _, name := range sortedKeys(after) {
		if before[name] != after[name] {
			got = append(got, txtar.File{Name: scenario.WantPrefix + name, Data: []byte(after[name])})
			checkColumns(t, name, after[name])
		}
	}
	for _, name := range sortedKeys(before) {
		if _, ok := after[name]; !ok {
			removed = append(removed, name+"\n")
		}
	}
	if removed != nil {
		got = append(got, txtar.File{Name: scenario.Removed, Data: []byte(strings.Join(removed, ""))})
	}
	if len(report) > 0 {
		var text bytes.Buffer
		if err := engine.PrintDiagnostics(&text, "text", dir, report); err != nil {
			t.Fatal(err)
		}
		got = append(got, txtar.File{Name: scenario.Diagnostics, Data: moduleCache.ReplaceAll(bytes.ReplaceAll(text.Bytes(), []byte(dir), []byte("$DIR")), []byte("$$GOMODCACHE/$1"))})
	}
	if report.HasErrors() {
		if len(got) > 1 || got[0].Name != scenario.Diagnostics {
			t.Errorf("a run with errors changed files:\n%s", show(got))
		}
		return got
	}
	if again := engine.Generate(context.Background(), config); len(again.Changes) > 0 {
		t.Errorf("a second run changes %s", again.Changes[0].Path)
	}
	return got
}

// checkColumns checks that no line of a generated Go file has more than 120 columns.
func checkColumns(t *testing.T, name, text string) {
	t.Helper()
	if !strings.HasPrefix(filepath.Base(name), "zz_generated.") || !strings.HasSuffix(name, ".go") {
		return
	}
	for i, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("%s:%d: %d columns", name, i+1, n)
		}
	}
}

// TestEveryRuleHasAScenario checks the scenarios against the registry: every marker, every argument and every rule
// appears in one.
func TestEveryRuleHasAScenario(t *testing.T) {
	var inputs, reports strings.Builder
	for _, file := range scenarioFiles(t) {
		s := readScenario(t, file)
		inputs.WriteString(show(s.Input))
		for _, f := range s.Want {
			if f.Name == scenario.Diagnostics {
				reports.Write(f.Data)
			}
		}
	}
	for _, d := range registry.MarkerDocs() {
		if !strings.Contains(inputs.String(), "+"+d.Name+"(") && !strings.Contains(inputs.String(), "+"+d.Name+"=") && !strings.Contains(inputs.String(), "+"+d.Name+"\n") {
			t.Errorf("no scenario has +%s", d.Name)
		}
		for _, p := range d.Arguments {
			if !usesArgument(inputs.String(), d.Name, p.Name) {
				t.Errorf("no scenario has +%s with %s", d.Name, p.Name)
			}
		}
	}
	// Text files cannot cause these findings; the packages' own tests do.
	elsewhere := map[string]string{
		"L1": "a module is always there", "L3": "permissions", "O1": "links", "O2": "no two outputs share a path yet", "O4": "folders", "O5": "permissions", "O6": "disk", "O7": "races", "P20": "the scripts in command/testdata", "P21": "the scripts in command/testdata", "P22": "the scripts in command/testdata", "P23": "the scripts in command/testdata", "P32": "the scripts in command/testdata", "P33": "the scripts in command/testdata", "P3": "markers have no other words", "P5": "markers have no other words", "P13": "markers have no other words", "O9": "verify, whose scripts are in command/testdata", "O10": "verify", "P30": "lint -f, whose scripts are in command/testdata", "P31": "lint -f",
	}
	for _, r := range engine.Rules() {
		if !strings.Contains(reports.String(), "["+r.ID+"]") && elsewhere[r.ID] == "" {
			t.Errorf("no scenario breaks %s: %s", r.ID, r.Title)
		}
	}
}

func usesArgument(text, name, argument string) bool {
	for _, after := range strings.Split(text, "+"+name+"(")[1:] {
		if end := strings.Index(after, "\n// +"); end >= 0 {
			after = after[:end]
		}
		if strings.Contains(after, argument+": ") {
			return true
		}
	}
	return false
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func readTree(t *testing.T, dir string, into map[string]string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		into[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(fmt.Errorf("reading %s: %w", dir, err))
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
