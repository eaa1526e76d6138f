// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/scenario"
)

// hostileTexts are texts with which an author tries to leave a text in generated files: for a comment or string of Go,
// a scalar or comment of YAML, and an action of Helm. The word injected is then code: a name of Go, a key of YAML, or a
// function of Helm.
var hostileTexts = []string{
	"x\n*/ injected() /*\nfunc init() { injected() }\n//go:linkname injected injected\n---\ninjected: true\n{{ injected }}\n",
	"*/ injected() /* {{ injected }} ` + injected() + ` \" + injected() + \" ' \u2028injected: true\u202e # injected",
	"+injected=true",
	"go:build injected",
	"nolint " + strings.Repeat("long ", 18) + "+injected=true " + strings.Repeat("long ", 18) + "+build injected #nosec",
	"a: {injected: true}, injected: [",
}

// value is a place in an input file for a text.
type value struct {
	file     string
	from, to int    // offsets
	text     string // the present text
	name     string // the field or marker with the value
}

// TestHostileText puts hostile texts into every argument of every marker, and into other places with texts of the
// user's, and generates everything. A run refuses the text, or it is a text in every file.
func TestHostileText(t *testing.T) {
	if testing.Short() {
		t.Skip("generates a thousand times")
	}
	taken := 0
	tried, accepted := map[string]int{}, map[string]int{}
	runs := 0
	for _, file := range scenarioFiles(t) {
		s := readScenario(t, file)
		var known map[string]bool // directives without a hostile text
		for _, v := range valuesOf(t, s) {
			if accepted[v.name] > 0 || tried[v.name] > 1 {
				continue
			}
			tried[v.name]++
			takes := false
			for i, hostile := range hostileTexts {
				if i > 1 && !takes {
					break // it takes no text of its author's
				}
				text := v.text + hostile
				if strings.HasPrefix(hostile, "+") || strings.HasPrefix(hostile, "go:") || strings.HasPrefix(hostile, "nolint") {
					text = hostile
				}
				files := generateWith(t, s, v, text)
				if runs++; len(files) == 0 {
					continue
				}
				if known == nil {
					known = directives(generateWith(t, s, value{}, ""))
				}
				for _, problem := range injections(files, known) {
					t.Errorf("%s, %s = %q: %s", s.Name, v.name, text, problem)
				}
				takes = true
				taken++
			}
			if takes {
				accepted[v.name]++
			}
		}
	}
	for _, d := range registry.MarkerDocs() {
		names := []string{}
		for _, a := range d.Arguments {
			names = append(names, d.Name+" "+a.Name)
		}
		if d.Value != nil {
			names = append(names, d.Name)
		}
		for _, name := range names {
			if _, ok := tried[name]; !ok {
				t.Errorf("no scenario has a value of %q to replace", name)
			}
		}
	}
	t.Logf("%d runs, %d of them took the text", runs, taken)
	if taken < runs/20 {
		t.Errorf("only %d of %d runs took the text", taken, runs)
	}
}

// Places of texts in Go files besides markers.
var goTexts = map[string]*regexp.Regexp{
	"JSON name":        regexp.MustCompile("`json:\"([a-z]\\w+)"),
	"constant":         regexp.MustCompile(`(?m)^\t\w+ +\w* *= ("\w+")$`),
	"default":          regexp.MustCompile(`(?m)^\t// \+(?:kubebuilder:)?default[:=]+("?\w+"?)$`),
	"enum":             regexp.MustCompile(`(?m)^\t*// \+kubebuilder:validation:Enum=(\S+)$`),
	"list map key":     regexp.MustCompile(`(?m)^\t*// \+listMapKey=(\S+)$`),
	"group":            regexp.MustCompile(`(?m)^// \+groupName=(\S+)$`),
	"resource path":    regexp.MustCompile(`(?m)^// \+kubebuilder:resource:path=(\w+)`),
	"doc comment":      regexp.MustCompile(`(?m)^// \w+ (is \w+.*)$`),
	"validation of go": regexp.MustCompile(`(?m)^\t// \+kubebuilder:validation:Pattern=(\S+)$`),
}

// valuesOf returns the places for texts in the files of a scenario: the values of markers, other texts in Go files, and
// the values in YAML files.
func valuesOf(t *testing.T, s scenario.Scenario) []value {
	t.Helper()
	var all []value
	for _, f := range s.Input {
		switch filepath.Ext(f.Name) {
		case ".go":
			all = append(all, valuesOfGo(f)...)
		case ".yaml":
			all = append(all, valuesOfYAML(f)...)
		}
	}
	return all
}

func valuesOfGo(f txtar.File) (all []value) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, f.Name, f.Data, parser.ParseComments)
	if err != nil {
		return nil
	}
	lines := strings.SplitAfter(string(f.Data), "\n")
	offset := func(line, column int) int {
		n := column - 1
		for _, l := range lines[:line-1] {
			n += len(l)
		}
		return n
	}
	for _, group := range tree.Comments {
		found, _ := marker.Parse(marker.Lines(group, func(p token.Pos) diag.Position { return diag.At(files.Position(p)) }), registry.Prefix)
		for _, m := range found {
			for _, a := range m.Arguments {
				all = append(all, value{f.Name, offset(a.Value.Pos.Line, a.Value.Pos.Column), offset(a.Value.End.Line, a.Value.End.Column), a.Value.Text, m.Name + " " + a.Name})
			}
			if m.Value != nil {
				all = append(all, value{f.Name, offset(m.Value.Pos.Line, m.Value.Pos.Column), offset(m.Value.End.Line, m.Value.End.Column), m.Value.Text, m.Name})
			}
		}
	}
	for name, pattern := range goTexts {
		for _, at := range pattern.FindAllSubmatchIndex(f.Data, -1) {
			all = append(all, value{f.Name, at[2], at[3], strings.Trim(string(f.Data[at[2]:at[3]]), `"`), name})
		}
	}
	return all
}

func valuesOfYAML(f txtar.File) (all []value) {
	var document yaml.Node
	if yaml.Unmarshal(f.Data, &document) != nil {
		return nil
	}
	lines := strings.SplitAfter(string(f.Data), "\n")
	var walk func(n *yaml.Node, path string)
	walk = func(n *yaml.Node, path string) {
		for i, c := range n.Content {
			below := path
			if n.Kind == yaml.MappingNode && i%2 == 1 {
				below += "." + n.Content[i-1].Value
			}
			if c.Kind == yaml.ScalarNode && c.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 && strings.HasPrefix(lines[c.Line-1][c.Column-1:], c.Value) && c.Value != "" {
				from := c.Column - 1
				for _, l := range lines[:c.Line-1] {
					from += len(l)
				}
				kind := "YAML"
				if f.Name == "webhook-gen.yaml" {
					kind = "setting"
				}
				if n.Kind == yaml.MappingNode && i%2 == 0 {
					kind += " key"
				}
				all = append(all, value{f.Name, from, from + len(c.Value), c.Value, kind + below[max(strings.LastIndexByte(below, '.'), 0):]})
			}
			walk(c, below)
		}
	}
	walk(&document, "")
	return all
}

// generateWith generates all outputs of a scenario with another text in a place. It returns nothing if the run refuses
// the text.
func generateWith(t *testing.T, s scenario.Scenario, v value, text string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	settings := "version: 1\n"
	for _, f := range s.Input {
		content := string(f.Data)
		if f.Name == v.file {
			content = content[:v.from] + inLanguage(f.Name, v.name, text) + content[v.to:]
		}
		if f.Name == "webhook-gen.yaml" {
			settings = content
			continue
		}
		writeFile(t, filepath.Join(dir, f.Name), content)
	}
	if !slices.ContainsFunc(s.Input, func(f txtar.File) bool { return f.Name == "go.mod" }) {
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	}
	if !strings.Contains(settings, "delivery:") {
		settings += "delivery: {name: shop}\n"
	}
	writeFile(t, filepath.Join(dir, "webhook-gen.yaml"), settings)
	result := engine.Generate(context.Background(), engine.Config{
		Dir: filepath.Join(dir, s.Run.Dir), Patterns: s.Run.Patterns, Tags: s.Run.Tags, AdmissionRegistration: s.Run.AdmissionRegistration,
		Outputs: []string{output.Manifests, output.Handlers, output.Conversions, output.Tests, output.Deliveries},
	})
	files := map[string]string{}
	for _, f := range result.Files {
		if name, err := filepath.Rel(dir, f.Path); err == nil {
			files[filepath.ToSlash(name)] = string(f.Content)
		}
	}
	return files
}

// inLanguage returns a text as the language of a file has it.
func inLanguage(file, name, text string) string {
	switch quoted := strconv.Quote(text); {
	case strings.HasSuffix(file, ".yaml"):
		return quoted
	case name == "JSON name": // in a tag, which is in backticks
		return strings.ReplaceAll(quoted[1:len(quoted)-1], "`", `\x60`)
	case name == "doc comment", name == "enum", name == "group", name == "resource path", name == "list map key":
		return strings.Map(func(r rune) rune {
			if r == '\n' {
				return -1
			}
			return r
		}, text)
	default:
		return quoted
	}
}

// injections returns the places in which a hostile text is more than a text.
func injections(files map[string]string, known map[string]bool) (problems []string) {
	for _, name := range sortedKeys(files) {
		text := files[name]
		add := func(format string, args ...any) { problems = append(problems, name+" "+fmt.Sprintf(format, args...)) }
		isChart := strings.HasPrefix(name, "charts/") && strings.Contains(name, "/templates/")
		switch {
		case filepath.Ext(name) == ".go":
			tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				add("does not parse: %v", err)
				continue
			}
			for n := range ast.Preorder(tree) {
				if id, ok := n.(*ast.Ident); ok && id.Name == "injected" {
					add("has code")
				}
			}
		case isChart:
			for _, action := range actions(name, text) {
				add("has %s", action)
			}
			if slices.Contains([]string{"crds.yaml", "policies.yaml", "webhooks.yaml"}, filepath.Base(name)) {
				checkYAML(withoutActions(text), add)
			}
		case filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".json":
			checkYAML(text, add)
		}
	}
	for d := range directives(files) {
		if !known[d] {
			problems = append(problems, fmt.Sprintf("a tool reads %q", d))
		}
	}
	return problems
}

// checkYAML reports a text that does not parse, and a key of the hostile text.
func checkYAML(text string, report func(string, ...any)) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			report("does not parse: %v", err)
			return
		case hasInjectedKey(&document):
			report("has another key")
		}
	}
}

var (
	actionLine   = regexp.MustCompile("(?m)^ *\\{\\{-? [^\n`]*\\}\\}\n")
	emptyList    = regexp.MustCompile(`\{\{ if and .*\}\} \[\]\{\{ end \}\}`)
	inlineAction = regexp.MustCompile("\\{\\{[^{}`]*\\}\\}|\\{\\{-? (include|merge|toJson)[^\n]*\\}\\}")
)

// withoutActions returns a template of the chart as YAML: constants in place, other actions as a word.
func withoutActions(text string) string {
	text = emptyList.ReplaceAllString(actionLine.ReplaceAllString(text, ""), "")
	return strings.ReplaceAll(inlineAction.ReplaceAllString(text, " x"), "{{ `{{` }}", "{{")
}

func hasInjectedKey(n *yaml.Node) bool {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Value == "injected" || hasInjectedKey(c) {
			return true
		}
	}
	return false
}

// actions returns the actions of a template that call the function injected, or the error that prevents parsing.
func actions(name, text string) (found []string) {
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck
	trees := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "", "", trees); err != nil {
		return []string{"a template that does not parse: " + err.Error()}
	}
	if regexp.MustCompile("[( |]injected[) ]").MatchString(withoutStrings(trees)) {
		return []string{"an action"}
	}
	return nil
}

// withoutStrings returns the actions of templates without the strings in them.
func withoutStrings(trees map[string]*parse.Tree) string {
	var all strings.Builder
	var walk func(n parse.Node)
	walk = func(n parse.Node) {
		switch n := n.(type) {
		case *parse.ListNode:
			if n != nil {
				for _, c := range n.Nodes {
					walk(c)
				}
			}
		case *parse.ActionNode:
			walk(n.Pipe)
		case *parse.PipeNode:
			if n != nil {
				for _, c := range n.Cmds {
					for _, a := range c.Args {
						walk(a)
					}
				}
			}
		case *parse.IdentifierNode:
			all.WriteString(" " + n.Ident + " ")
		case *parse.IfNode:
			walk(n.Pipe)
			walk(n.List)
			walk(n.ElseList)
		case *parse.WithNode:
			walk(n.Pipe)
			walk(n.List)
			walk(n.ElseList)
		case *parse.RangeNode:
			walk(n.Pipe)
			walk(n.List)
			walk(n.ElseList)
		}
	}
	for _, tree := range trees {
		walk(tree.Root)
	}
	return all.String()
}

var directive = regexp.MustCompile(`^\s*(//\s*(\+|#|//|/\*|nolint|lint:|export |line |go:|[a-z0-9]+:[a-z0-9])|/\*)|#nosec`)

// directives returns the comments in Go files that a tool may read.
func directives(files map[string]string) map[string]bool {
	found := map[string]bool{}
	for name, text := range files {
		if filepath.Ext(name) != ".go" {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		for _, group := range tree.Comments {
			for _, c := range group.List {
				if directive.MatchString(c.Text) {
					found[c.Text] = true
				}
			}
		}
	}
	return found
}
