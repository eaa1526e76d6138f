// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
	"golang.org/x/mod/modfile"
)

// hostileFlags are texts by which a value leaves its place in a file of Go, YAML, make, Docker or go.mod.
var hostileFlags = []string{
	"x\ninjected: true", "x\n\ninjected:\n\techo\n", "x\nRUN injected", "x\nreplace injected => injected", "x*/ injected() /*", "x\"; injected(); \"", "x` + injected() + `", "x$(shell injected)", "x{{ injected }}", "x'injected'", "../injected", "x\n)\n\nfunc injected() {}",
}

// TestHostileFlags passes hostile texts to every flag of the commands that write files of the user's. A command refuses
// the text, or it is a text in every file.
func TestHostileFlags(t *testing.T) {
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	start := t.TempDir()
	execute := func(dir string, args ...string) int {
		return run(context.Background(), append(args, "-C", dir), streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard, goCommand: recorded})
	}
	shop := []string{"--group", "shop", "--version", "v1", "--kind", "Order"}
	always := []string{"--skip-tidy", "--source", source}
	for _, args := range [][]string{{"init", "--module", "example.com/shop"}, append([]string{"create", "api"}, shop...)} {
		if code := execute(start, append(args, always...)...); code != 0 {
			t.Fatalf("%v: %d", args, code)
		}
	}
	runs, written := 0, 0
	for _, c := range []struct {
		words []string
		usual []string
		empty bool // in an empty folder
	}{
		{[]string{"init"}, []string{"--module", "example.com/app"}, true},
		{[]string{"init"}, nil, false},
		{[]string{"create", "api"}, []string{"--group", "shop", "--version", "v1", "--kind", "Item"}, false},
		{[]string{"create", "webhook"}, append([]string{"--validating"}, shop...), false},
		{[]string{"create", "webhook"}, []string{"--validating", "--group", "apps", "--version", "v1", "--kind", "Deployment"}, false},
		{[]string{"create", "version"}, []string{"--group", "shop", "--version", "v2", "--kind", "Order"}, false},
		{[]string{"create", "tests"}, nil, false},
		{[]string{"import"}, []string{"--handlers", "adapters"}, false},
	} {
		command, _, err := rootCommand(streams{out: io.Discard, err: io.Discard}).Find(c.words)
		if err != nil {
			t.Fatal(err)
		}
		for _, flag := range textFlags(command) {
			for _, text := range hostileFlags {
				dir := t.TempDir()
				if !c.empty {
					if err := os.CopyFS(dir, os.DirFS(start)); err != nil {
						t.Fatal(err)
					}
				}
				args := append(append([]string{}, c.words...), always...)
				for i := 0; i < len(c.usual); i++ {
					if c.usual[i] == "--"+flag {
						i++
						continue
					}
					args = append(args, c.usual[i])
				}
				if runs++; execute(dir, append(args, "--"+flag+"="+text)...) == 0 {
					written++
				}
				for name, content := range textsBelow(t, dir) {
					if problem := injectedIn(name, content); problem != "" {
						t.Errorf("%v --%s=%q: %s: %s", c.words, flag, text, name, problem)
					}
				}
			}
		}
	}
	t.Logf("%d runs, %d of them took the text", runs, written)
}

// textFlags returns the names of the flags that take texts for the project.
func textFlags(c *cobra.Command) (names []string) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if (f.Value.Type() == "string" || f.Value.Type() == "stringSlice") && f.Name != "directory" && f.Name != "source" {
			names = append(names, f.Name)
		}
	})
	return names
}

func textsBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path) // it is below
		files[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var injectedLine = regexp.MustCompile(`(?m)^\s*(-\s*)?(injected\b|RUN injected|replace injected)|\$\((shell )?injected|\{\{ injected`)

// injectedIn returns how a text of hostileFlags is more than a text in a file, or an empty text.
func injectedIn(name, text string) string {
	switch filepath.Ext(name) {
	case ".go":
		tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return err.Error()
		}
		for n := range ast.Preorder(tree) {
			if id, ok := n.(*ast.Ident); ok && id.Name == "injected" {
				return "it is code"
			}
		}
		return ""
	case ".mod":
		file, err := modfile.Parse(name, []byte(text), nil)
		if err != nil {
			return err.Error()
		}
		for _, r := range file.Replace {
			if r.Old.Path == "injected" {
				return "it replaces a module"
			}
		}
		return ""
	case ".yaml", ".yml":
		if strings.HasPrefix(name, "charts/") && strings.Contains(name, "/templates/") {
			break
		}
		decoder := yaml.NewDecoder(bytes.NewReader([]byte(text)))
		for {
			var document yaml.Node
			if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
				return ""
			} else if err != nil {
				return err.Error()
			}
			if hasKey(&document, "injected") {
				return "it is a key"
			}
		}
	}
	if line := injectedLine.FindString(text); line != "" {
		return "it is " + line
	}
	return ""
}

func hasKey(n *yaml.Node, key string) bool {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Value == key || hasKey(c, key) {
			return true
		}
	}
	return false
}
