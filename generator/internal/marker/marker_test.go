// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

func lines(text string) []Line {
	var out []Line
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimPrefix(l, "//")
		out = append(out, Line{Text: l, Pos: diag.Position{File: "f.go", Line: i + 1, Column: 3}})
	}
	return out
}

func show(ms []Marker, ds diag.List) string {
	var b strings.Builder
	for _, m := range ms {
		fmt.Fprintf(&b, "%s %s\n", at(m.Range), m.Name)
		for _, a := range m.Arguments {
			fmt.Fprintf(&b, "  %s %s: %s %q\n", at(a.NameAt), a.Name, at(a.Value.Range), a.Value.Text)
		}
		if m.Value != nil {
			fmt.Fprintf(&b, "  = %s %q\n", at(m.Value.Range), m.Value.Text)
		}
		for _, a := range m.Equations {
			fmt.Fprintf(&b, "  %s %s= %q\n", at(a.NameAt), a.Name, a.Value.Text)
		}
	}
	for _, d := range ds {
		fmt.Fprintf(&b, "%s %s %s", at(d.Range), d.Rule, d.Message)
		if d.Hint != "" {
			fmt.Fprintf(&b, " (%s)", d.Hint)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func at(r diag.Range) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Pos.Line, r.Pos.Column, r.End.Line, r.End.Column)
}

func TestParse(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"bare", `// +webhook:conversion:hub`, "1:4-1:27 webhook:conversion:hub\n"},
		{"arguments", `// +webhook:mutating(operations: "create;update", timeoutSeconds: 5)`,
			"1:4-1:69 webhook:mutating\n  1:22-1:32 operations: 1:34-1:49 \"create;update\"\n  1:51-1:65 timeoutSeconds: 1:67-1:68 \"5\"\n"},
		{"several lines", "// +webhook:m(a: x,\n//\n//\tb: \"one\n//   two\")\n// prose", "1:4-4:11 webhook:m\n  1:15-1:16 a: 1:18-1:19 \"x\"\n  3:4-3:5 b: 3:7-4:10 \"one two\"\n"},
		{"backticks keep lines and backslashes", "// +webhook:m=`a\\d\n// b`", "1:4-2:6 webhook:m\n  = 1:15-2:6 \"a\\\\d\\nb\"\n"},
		{"escapes are Go's", `// +webhook:m="a\tb\u00e4"`, "1:4-1:27 webhook:m\n  = 1:15-1:27 \"a\\tbä\"\n"},
		{"comment", `// +webhook:m # why`, "1:4-1:14 webhook:m\n"},
		{"comment within", "// +webhook:m(a: 1, # why\n// b: 2)", "1:4-2:9 webhook:m\n  1:15-1:16 a: 1:18-1:19 \"1\"\n  2:4-2:5 b: 2:7-2:8 \"2\"\n"},
		{"code example", "//\t+webhook:m", ""},
		{"another's marker", "// +webhooks:m\n// +webhookgen", ""},
		{"unclosed stops at the next marker", "// +webhook:m(a: 1\n// +webhook:n", "2:4-2:14 webhook:n\n1:14-1:15 M1 this parenthesis is never closed\n"},
		{"unclosed quote", "// +webhook:m(a: \"x\n// y", "1:18-1:19 M1 this quote is never closed\n"},
		{"kubebuilder style", `// +webhook:m:path=/x,mutating=true`, "1:4-1:36 webhook:m:path\n  = 1:20-1:22 \"/x\"\n  1:15-1:19 path= \"/x\"\n  1:23-1:31 mutating= \"true\"\n"},
		{"kubebuilder style without a value", `// +webhook:m:path=/x,mutating=`, "1:22-1:23 M1 unexpected \",\" (put quotes around a value that is more than one word)\n"},
		{"pasted quotes", "// +webhook:m(a: “x;y”)", "1:18-1:21 M9 the character '\\u201c' (U+201C) is not part of a marker's grammar (in ASCII: // +webhook:m(a: \"x;y\"))\n"},
		{"pasted blank before", "//\u00a0+webhook:m", "1:3-1:5 M9 the character '\\u00a0' (U+00A0) is not part of a marker's grammar (in ASCII: // +webhook:m)\n"},
		{"any characters in a string", "// +webhook:m(a: \"“ – ＋\")", "1:4-1:32 webhook:m\n  1:15-1:16 a: 1:18-1:31 \"“ – ＋\"\n"},
		{"two on a line", `// +webhook:m(a: 1) +webhook:n(a: 2)`, "1:21-1:29 M1 unexpected \"+webhook\" (a marker has a line of its own: begin another line before +webhook:n)\n"},
		{"a unit", `// +webhook:m(a: 5s)`, "1:18-1:20 M1 unexpected \"5s\" (a number has no unit: write 5)\n"},
		{"equals in arguments", `// +webhook:m(a=1)`, "1:16-1:17 M1 unexpected \"=\" (write a: 1)\n"},
		{"bare slash", `// +webhook:m(a: /x)`, "1:18-1:20 M1 unexpected \"/x\" (only words, whole numbers, true and false need no quotes: write \"/x\")\n"},
		{"bare list", `// +webhook:m(a: x;y)`, "1:18-1:21 M1 unexpected \"x;y\" (only words, whole numbers, true and false need no quotes: write \"x;y\")\n"},
		{"colon in a word", `// +webhook:m(a: b:c)`, "1:19-1:20 M1 unexpected \":\" (put quotes around a value that holds a colon)\n"},
		{"trailing comma", `// +webhook:m(a: 1,)`, "1:19-1:20 M1 a value is missing after \",\"\n"},
		{"no value", `// +webhook:m=`, "1:14-1:15 M1 a value is missing after \"=\"\n"},
		{"bad escape", `// +webhook:m="\d"`, "1:16-1:18 M1 unknown escape \\d (the escapes are Go's; in backticks the text is taken as it is)\n"},
		{"prose after", `// +webhook:m is good`, "1:15-1:17 M1 unexpected \"is\" (arguments are in parentheses: +webhook:m(name: \"value\"))\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := show(Parse(lines(tc.in), "webhook")); got != tc.want {
				t.Errorf("got:\n%swant:\n%s", got, tc.want)
			}
		})
	}
}

func TestPartOfValue(t *testing.T) {
	ms, _ := Parse(lines("// +webhook:m(a: \"create;\n//   upd\\u0061te\")"), "webhook")
	v := ms[0].Arguments[0].Value
	if v.Text != "create; update" {
		t.Fatalf("text %q", v.Text)
	}
	if got := at(v.Part(8, 14)); got != "2:6-2:17" {
		t.Errorf("update is at %s", got)
	}
}

func TestInFile(t *testing.T) {
	src := `// +webhook:pkg1

// Package p is.
// +webhook:pkg2
package p // +webhook:bad1

// +webhook:bad2

import "fmt" // +webhook:bad3

// +webhook:bad4

// +webhook:above

// A is.
// +webhook:a
type A struct { // +webhook:bad5
	// +webhook:x
	X int // +webhook:bad6

	// +webhook:y1

	// +webhook:y2
	Y struct {
		// +webhook:z
		Z int
	}
	// +webhook:bad7
}

// +webhook:bad8
type (
	// +webhook:b
	B int
	/*
	   +webhook:c
	*/
	C int
	// +webhook:bad9
)

// +webhook:bad10
func F() {
	// +webhook:bad11
	type L struct{}
	fmt.Println()
}

// +webhook:bad12
`
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	placed, diags := InFile(f, func(p token.Pos) diag.Position { return diag.At(fset.Position(p)) }, "webhook")
	var got []string
	for _, p := range placed {
		what := p.On.String()
		if p.Field != nil {
			what += " " + p.Type.Name.Name + "." + p.Field.Names[0].Name
		} else if p.Type != nil {
			what += " " + p.Type.Name.Name
		}
		got = append(got, strings.TrimPrefix(p.Name, "webhook:")+"="+what)
	}
	want := "pkg1=package pkg2=package above=type A a=type A x=field A.X y1=field A.Y y2=field A.Y z=field A.Z b=type B c=type C"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if len(diags) != 12 {
		t.Errorf("%d misplaced markers, want 12: %s", len(diags), show(nil, diags))
	}
	for _, d := range diags {
		line := strings.Split(src, "\n")[d.Pos.Line-1]
		if !strings.HasPrefix(line[d.Pos.Column-1:], "+webhook:bad") {
			t.Errorf("%s points at %q", at(d.Range), line)
		}
	}
}
