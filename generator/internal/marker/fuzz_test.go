// SPDX-License-Identifier: Apache-2.0

package marker

import (
	"strings"
	"testing"
	"unicode/utf8"

	"k8s.io/gengo/v2/codetags"
)

// FuzzParse checks that the parser does not panic and that every position is inside the comment. Every argument must
// have codetags' value, and every marker must give a result or a diagnostic.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`// +webhook:mutating(operations: "create;update", timeoutSeconds: 5)`,
		"// +webhook:m(a: x,\n//\tb: `one\n//   two`) # why",
		"// +webhook:matchCondition(name: \"x\")=\"a.b != 'c'\"",
		"// +webhook:m(a: 1\n// +webhook:n=true",
		`// +webhook:m="\x41\u00e4\U0001F600\101\n"`,
		"// +webhook", "// +webhook:", "// +webhook(", "// +webhook=", "// +webhook(a:b:c)", "// +webhook(a: b c)", "// +webhook:m(a: 0x1F, b: -3)",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, comment string) {
		if !utf8.ValidString(comment) || strings.ContainsRune(comment, '\r') {
			t.Skip("the Go scanner lets neither through")
		}
		in := lines(comment)
		markers, diags := Parse(in, "webhook")
		inside := func(at interface{ IsValid() bool }, line, column int) {
			if !at.IsValid() || line < 1 || line > len(in) || column < 1 || column > len(in[line-1].Text)+3 {
				t.Errorf("%d:%d is outside of the comment %q", line, column, comment)
			}
		}
		for _, d := range diags {
			inside(d.Pos, d.Pos.Line, d.Pos.Column)
			inside(d.End, d.End.Line, d.End.Column)
		}
		begun := 0
		for _, l := range in {
			if _, ok := start(l, "webhook"); ok {
				begun++
			}
		}
		if begun > 0 && len(markers)+len(diags) == 0 {
			t.Errorf("neither marker nor diagnostic for %q", comment)
		}
		for _, m := range markers {
			inside(m.Pos, m.Pos.Line, m.Pos.Column)
			inside(m.End, m.End.Line, m.End.Column)
			for _, a := range m.Arguments {
				inside(a.Value.Pos, a.Value.Pos.Line, a.Value.Pos.Column)
				for i := range a.Value.Text {
					part := a.Value.Part(i, i+1)
					inside(part.Pos, part.Pos.Line, part.Pos.Column)
					inside(part.End, part.End.Line, part.End.Column-1) // a line break ends one byte after its line
				}
			}
			agree(t, m)
		}
	})
}

// agree writes the marker in codetags' dialect and compares the values that codetags reads. codetags replaces each
// byte that is not UTF-8.
func agree(t *testing.T, m Marker) {
	var b strings.Builder
	b.WriteString(m.Name + "(")
	for i, a := range m.Arguments {
		if i > 0 {
			b.WriteString(", ")
		}
		if a.Name != "" {
			b.WriteString(a.Name + ": ")
		}
		if a.Value.Quoted {
			b.WriteString("`" + strings.NewReplacer("`", "\\`", `\`, `\\`).Replace(a.Value.Text) + "`")
		} else {
			b.WriteString(a.Value.Text)
		}
	}
	b.WriteString(")")
	tag, err := codetags.Parse(b.String())
	if err != nil {
		t.Fatalf("codetags refuses %q: %v", b.String(), err)
	}
	if tag.Name != m.Name || len(tag.Args) != len(m.Arguments) {
		t.Fatalf("codetags reads %q as %v", b.String(), tag)
	}
	for i, a := range m.Arguments {
		if got := tag.Args[i]; got.Name != a.Name || got.Value != string([]rune(a.Value.Text)) {
			t.Fatalf("argument %d of %q: codetags reads %q: %q", i, b.String(), got.Name, got.Value)
		}
	}
}
