// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
)

// findings decodes the comment of a type and returns the diagnostics that generate would report.
func findings(t *testing.T, comment string) diag.List {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "a.go", "package a\n\n//"+comment+"\ntype A struct {\n}\n", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	position := func(p token.Pos) diag.Position { return diag.At(set.Position(p)) }
	diags := Markers().Misspelt(file, position, Prefix)
	placed, bad := marker.InFile(file, position, Prefix)
	_, wrong := Markers().Decode(placed)
	return append(append(diags, bad...), wrong...)
}

// TestPastedMarkers replaces signs of the grammar in every example by characters that look like them. Each diagnostic
// must be at the first such character, and its remedy must be the example.
func TestPastedMarkers(t *testing.T) {
	tried := 0
	for _, d := range Markers() {
		example := " " + d.Example
		for from, tos := range map[string][]string{
			"+": {"＋", "\u200b+", "\u00a0+", "\u2009+", "\u3000+", "\u2060+"}, "(": {"（"}, ")": {"）"}, ",": {"，", "、"}, ":": {"：", "∶"}, "=": {"＝"}, `"`: {"“", "”", "„", "＂", "«"},
		} {
			for _, to := range tos {
				text := replaceOutsideStrings(example, from, to)
				if text == example {
					continue
				}
				tried++
				found := findings(t, text)
				if len(found) != 1 || found[0].Rule != marker.RulePasted || found[0].Severity != diag.Error {
					t.Errorf("%q has the findings %v", text, found)
					continue
				}
				_, remedy, _ := strings.Cut(found[0].Hint, "//")
				if strings.ReplaceAll(strings.TrimSpace(remedy), " ", "") != strings.ReplaceAll(d.Example, " ", "") {
					t.Errorf("%q has the remedy %q", text, remedy)
				}
				if text[found[0].Pos.Column-3] < utf8.RuneSelf {
					t.Errorf("%q: column %d is no pasted character", text, found[0].Pos.Column)
				}
			}
		}
	}
	if tried < 200 {
		t.Errorf("%d markers", tried)
	}
}

// replaceOutsideStrings replaces a character outside of string literals. For a quote, it replaces the quotes of the
// first literal.
func replaceOutsideStrings(text, from, to string) string {
	if from == `"` {
		before, rest, ok := strings.Cut(text, from)
		inner, _, closed := strings.Cut(rest, from)
		if !ok || !closed || strings.Contains(before, "`") || strings.Contains(inner, `\`) {
			return text // another kind of literal, or an escape
		}
		return text[:len(before)] + to + inner + to + rest[len(inner)+1:]
	}
	var b strings.Builder
	quote := rune(0)
	for _, r := range text {
		switch {
		case quote == 0 && string(r) == from:
			b.WriteString(to)
			continue
		case r == quote:
			quote = 0
		case quote == 0 && (r == '"' || r == '`'):
			quote = r
		}
		b.WriteRune(r)
	}
	return b.String()
}

// TestRemedies makes mistakes from other tools in every argument of every marker. Each must be reported, and the text
// behind "write " in the remedy must be accepted instead.
func TestRemedies(t *testing.T) {
	tried := 0
	try := func(text, mistake string) {
		t.Helper()
		tried++
		found := findings(t, text)
		if !found.HasErrors() {
			t.Errorf("%s is accepted", text)
			return
		}
		_, remedy, ok := strings.Cut(found[0].Hint, "write ")
		if !ok {
			t.Errorf("%s has no remedy: %s (%s)", text, found[0].Message, found[0].Hint)
			return
		}
		for _, d := range findings(t, strings.Replace(text, mistake, remedy, 1)) {
			t.Errorf("%s becomes %s, which has a finding: %s", text, strings.Replace(text, mistake, remedy, 1), d.Message)
		}
	}
	for _, d := range Markers() {
		if d.On&marker.OnType == 0 || d.Name == "webhook:allow" {
			continue
		}
		_, parameters := d.New()
		if slices.ContainsFunc(parameters, func(p marker.Parameter) bool { return p.Required }) {
			continue
		}
		for _, p := range parameters {
			if p.Name == "" {
				continue
			}
			value := "x"
			if len(p.Type.Words) > 0 {
				value = p.Type.Words[0]
			}
			argument := func(name, value string) string { return fmt.Sprintf(" +%s(%s: %s)", d.Name, name, value) }
			switch {
			case strings.HasPrefix(p.Type.Name, "list"):
				second := "y"
				if len(p.Type.Words) > 1 {
					second = p.Type.Words[1]
				}
				list := value + ";" + second
				if p.Name != "as" && p.Name != "same" {
					for _, separator := range []string{",", ", ", "|"} {
						try(argument(p.Name, `"`+value+separator+second+`"`), `"`+value+separator+second+`"`)
					}
				}
				if p.Name != "as" { // its words are checked later
					try(argument(p.Name, list), list)
					try(argument(p.Name, "'"+list+"'"), "'"+list+"'")
					try(fmt.Sprintf(" +%s(%s=%s)", d.Name, p.Name, list), p.Name+"="+list)
				}
				if !strings.HasPrefix(d.Name, "webhook:conversion:") {
					try(fmt.Sprintf(" +%s:%s=%s", d.Name, p.Name, list), fmt.Sprintf("+%s:%s=%s", d.Name, p.Name, list))
				}
			case p.Type.Name == "1..30":
				for _, text := range []string{"5s", `"5s"`} {
					try(argument(p.Name, text), text)
				}
			}
			for _, other := range p.Elsewhere {
				if strings.HasPrefix(p.Type.Name, "list") {
					try(argument(other, `"`+value+`"`), other+`: "`+value+`"`)
				}
			}
		}
	}
	for _, text := range []string{
		"+webhook:path=/x,mutating=true,failurePolicy=fail,sideEffects=None,groups=shop.example.com,resources=orders,verbs=create;update,versions=v1,name=morder.kb.io,admissionReviewVersions={v1,v1beta1}",
		`+webhook:path=/x,mutating=false,matchPolicy=Equivalent,groups="",resources=pods,verbs=create,versions=v1,name=vpod.kb.io,timeoutSeconds=5`,
		"+webhook:validating:verbs=create;update,timeoutSeconds=5",
		"+webhook:mutating:failurePolicy=ignore",
	} {
		try(" "+text, text)
	}
	if tried < 100 {
		t.Errorf("%d mistakes", tried)
	}
}
