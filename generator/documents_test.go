// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/docs"
	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/lint"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/registry"
	"github.com/webhook-gen/webhook-gen/generator/internal/scenario"
	"github.com/webhook-gen/webhook-gen/generator/internal/upgrade"
)

// TestDocuments compares sections of pages of the manual with the tables in the code. Each section is between the
// comments <!-- name --> and <!-- end of name -->.
func TestDocuments(t *testing.T) {
	var markers bytes.Buffer
	if err := registry.PrintMarkers(&markers, "markdown", nil); err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct{ page, section, want string }{
		{"reference/markers.md", "markers", markers.String()},
		{"reference/rules.md", "rules of generate", rulesSection(t)},
		{"reference/configuration.md", "keys", keysSection()},
		{"reference/rules.md", "rules of lint", lintSection(t, "###", lint.Table())},
		{"reference/rules.md", "rules on allowances and files", lintSection(t, "####", fileRules())},
		{"reference/rules.md", "rules of upgrades", upgradeSection(t)},
	} {
		path := filepath.Join("..", "docs", filepath.FromSlash(s.page))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, ok := strings.Cut(string(text), "<!-- "+s.section+" -->\n")
		got, after, ok2 := strings.Cut(rest, "<!-- end of "+s.section+" -->")
		if !ok || !ok2 {
			t.Fatalf("docs/%s has no section %q", s.page, s.section)
		}
		want := "\n" + strings.Trim(scenario.Wrapped(s.want), "\n") + "\n\n"
		switch {
		case got == want:
		case *update:
			page := before + "<!-- " + s.section + " -->\n" + want + "<!-- end of " + s.section + " -->" + after
			if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("docs/%s is stale: go test ./generator -run TestDocuments -update", s.page)
		}
	}
}

// explained returns the text that the page itself has on a rule.
func explained(t *testing.T, r diag.Rule) string {
	text := cmp.Or(r.Doc, docs.Rules()[r.ID])
	if text == "" && !*update {
		t.Errorf("docs/reference/rules.md does not explain %s: write it below the heading that -update adds", r.ID)
	}
	return text
}

func rulesSection(t *testing.T) string {
	var b strings.Builder
	for _, r := range engine.Rules() {
		fmt.Fprintf(&b, "\n### %s: %s\n\n", r.ID, r.Title)
		if r.Severity == diag.Warning {
			b.WriteString("A warning. ")
		}
		b.WriteString(explained(t, r) + "\n")
	}
	return b.String()
}

func lintSection(t *testing.T, heading string, table []lint.Rule) string {
	var b strings.Builder
	for _, r := range table {
		severity := map[diag.Severity]string{diag.Error: "An error.", diag.Warning: "A warning.", diag.Note: "Advice."}[r.Severity]
		fmt.Fprintf(&b, "\n%s %s: %s\n\n%s %s\n", heading, r.ID, r.Title, severity, explained(t, r.Rule))
		if r.Fix != "" {
			fmt.Fprintf(&b, "\n*Fix:* %s.\n", r.Fix)
		}
		if r.By == lint.Code {
			b.WriteString("\n*Found by* `lint --code`, which reads code: [Lint](../guides/lint.md#code).\n")
		}
	}
	return b.String()
}

// fileRules are the rules on allowances and files.
func fileRules() []lint.Rule {
	var table []lint.Rule
	for _, r := range engine.LintRules() {
		if !strings.HasPrefix(r.ID, "W") {
			r.Fix = ""
			table = append(table, lint.Rule{Rule: r})
		}
	}
	return table
}

func keysSection() string {
	cell := strings.NewReplacer("|", `\|`).Replace
	var b strings.Builder
	b.WriteString("| key | type | default | example | meaning |\n|---|---|---|---|---|\n")
	code := func(text string) string {
		if text == "" {
			return ""
		}
		return "`" + cell(text) + "`"
	}
	for _, k := range config.Docs() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, cell(k.Type), code(k.Default), code(k.Example), cell(k.Doc))
	}
	return b.String()
}

func upgradeSection(t *testing.T) string {
	var b strings.Builder
	for _, r := range upgrade.Rules() {
		var words []string
		for _, s := range r.Severities {
			words = append(words, s.String())
		}
		fmt.Fprintf(&b, "\n### %s: %s\n\n*%s.* %s\n", r.ID, r.Title, strings.Join(words, ", "), explained(t, r.Rule))
	}
	return b.String()
}

// TestExamplesInTheRegistryParse parses every marker's own example by its definition.
func TestExamplesInTheRegistryParse(t *testing.T) {
	for _, d := range registry.Markers() {
		markers, diags := marker.Parse([]marker.Line{{Text: d.Example, Pos: diag.Position{File: "example.go", Line: 1, Column: 1}}}, registry.Prefix)
		var placed []marker.Placed
		for _, m := range markers {
			placed = append(placed, marker.Placed{Marker: m, On: d.On})
		}
		decoded, more := registry.Markers().Decode(placed)
		if diags = append(diags, more...); len(diags) > 0 || len(decoded) != 1 || decoded[0].Name != d.Name {
			t.Errorf("+%s: its example %q gives %d markers and %v", d.Name, d.Example, len(decoded), diags)
		}
	}
}
