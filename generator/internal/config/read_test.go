// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

var update = flag.Bool("update", false, "rewrite what the scenarios expect")

// TestMistakes reads each testdata/*.txtar: a file with mistakes, and the expected report.
func TestMistakes(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	reported := make(map[string]bool)
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, problems := read(t, string(archive.Files[0].Data))
			for _, d := range problems.list {
				reported[d.Rule] = true
			}
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "problems", Data: []byte(problems.text)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if problems.text == "" {
				t.Error("no problems")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), problems.text); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
	for _, r := range Rules() {
		if !reported[r.ID] && r.ID != ruleFile {
			t.Errorf("no scenario breaks rule %s", r.ID)
		}
	}
}

// report is a list of problems, and its sorted text as shown to users.
type report struct {
	list diag.List
	text string
}

func read(t *testing.T, text string) (Config, report) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, problems := Read(dir)
	return c, print(t, dir, problems)
}

func print(t *testing.T, dir string, problems diag.List) report {
	t.Helper()
	var out bytes.Buffer
	if err := diag.Print(&out, "text", dir, problems.Sorted(), nil); err != nil {
		t.Fatal(err)
	}
	return report{problems, out.String()}
}

func TestRead(t *testing.T) {
	with := func(change func(c *Config)) Config {
		c := Default()
		change(&c)
		return c
	}
	everything := Config{
		Version:  1,
		Packages: []string{"./api/..."},
		Tags:     []string{"integration", "go1.26"},
		Domain:   "example.com",
		Strict:   true,
		Manifests: Manifests{
			Path:                  "deploy/webhooks.yml",
			AdmissionRegistration: "v1beta1",
			NamePrefix:            "shop-",
		},
		Handlers: Handlers{Path: "pkg/webhooks"},
		Tests:    Tests{Samples: []string{"samples", "docs/examples"}, Integration: "test/webhook"},
		Program:  "cmd/webhook",
		Delivery: Delivery{Name: "shop", Namespace: "shops", Topology: "aggregated", Certificates: "secret", Callers: "token", CAFile: "config/ca.crt"},
		Outputs:  []string{"conversions", "manifests"},
	}
	const text = `# everything
version: 1
packages: ["./api/..."]
tags:
  - integration
  - "go1.26"
domain: 'example.com'
strict: true
kubebuilder: false
manifests:
  path: deploy/webhooks.yml
  admissionregistration: v1beta1
  header: false
  namePrefix: shop-
handlers:
  path: pkg/webhooks
tests:
  samples: [samples, docs/examples]
  integration: test/webhook
program: cmd/webhook
delivery:
  name: shop
  namespace: shops
  topology: aggregated
  certificates: secret
  callers: token
  caFile: config/ca.crt
outputs: [conversions, manifests]
`
	tests := map[string]struct {
		text string
		want Config
	}{
		"version alone":   {"version: 1\n", Default()},
		"everything":      {text, everything},
		"CRLF":            {strings.ReplaceAll(text, "\n", "\r\n"), everything},
		"byte order mark": {"\ufeff" + text, everything},
		"no last newline": {strings.TrimSpace(text), everything},
		"one document":    {"---\n" + text + "...\n", everything},
		"JSON":            {`{"version": 1, "manifests": {"header": false}}`, with(func(c *Config) { c.Manifests.Header = false })},
		"alias":           {"version: 1\ntags: &t [a]\npackages: *t\n", with(func(c *Config) { c.Tags, c.Packages = []string{"a"}, []string{"a"} })},
		"no tags":         {"version: 1\ntags: []\n", with(func(c *Config) { c.Tags = []string{} })},
		"no mapping":      {"version: 1\nmanifests: {}\n", Default()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, problems := read(t, test.text)
			if problems.text != "" {
				t.Errorf("problems:\n%s", problems.text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("config (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDefault(t *testing.T) {
	want := Config{
		Version:     1,
		Packages:    []string{"./..."},
		Kubebuilder: true,
		Manifests: Manifests{
			Path:                  "config/webhook/manifests.yaml",
			AdmissionRegistration: "v1",
			Header:                true,
		},
		Handlers: Handlers{Path: "internal/webhook"},
		Tests:    Tests{Samples: []string{"config/samples"}},
		Delivery: Delivery{Topology: "service", Certificates: "cert-manager", Callers: "nothing"},
		Outputs:  []string{"manifests", "handlers", "conversions", "tests", "delivery"},
	}
	if diff := cmp.Diff(want, Default()); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	Default().Outputs[0] = "changed"
	if diff := cmp.Diff(want, Default()); diff != "" {
		t.Errorf("defaults share memory:\n%s", diff)
	}
}

func TestReadFile(t *testing.T) {
	tests := map[string]struct {
		make     func(dir string) error
		problems string
	}{
		"missing": {func(dir string) error { return nil }, ""},
		"folder": {
			func(dir string) error { return os.Mkdir(filepath.Join(dir, FileName), 0o755) },
			"webhook-gen.yaml: error: cannot read webhook-gen.yaml: is a directory [C7]\n",
		},
		"broken link": {
			func(dir string) error { return os.Symlink("gone", filepath.Join(dir, FileName)) },
			"webhook-gen.yaml: error: cannot read webhook-gen.yaml: a link to a file that does not exist [C7]\n",
		},
		"other name": {
			func(dir string) error {
				return os.WriteFile(filepath.Join(dir, "webhook-gen.yml"), []byte("version: 1\n"), 0o644)
			},
			"webhook-gen.yml: error: webhook-gen.yml is not read [C7]\n    rename it to webhook-gen.yaml\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := test.make(dir); err != nil {
				t.Fatal(err)
			}
			c, problems := Read(dir)
			if got := print(t, dir, problems).text; got != test.problems {
				t.Errorf("problems:\n%s\nwant:\n%s", got, test.problems)
			}
			if diff := cmp.Diff(Default(), c); diff != "" {
				t.Errorf("not the defaults:\n%s", diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		lines := yamltext.Lines(source)
		_, problems := Parse("/m/webhook-gen.yaml", source)
		for _, d := range problems {
			if d.Pos.Line < 1 || d.Pos.Line > len(lines) || d.Pos.Column < 1 || d.Pos.Column > len(lines[d.Pos.Line-1])+1 || d.End.Column < d.Pos.Column {
				t.Errorf("%v lies outside the file", d)
			}
		}
	})
}
