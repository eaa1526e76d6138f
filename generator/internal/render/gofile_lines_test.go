// SPDX-License-Identifier: Apache-2.0

package render

import (
	"strings"
	"testing"
)

// TestBreakLines breaks long lines of each form, and keeps those that cannot be broken.
func TestBreakLines(t *testing.T) {
	long := strings.Repeat("x", 50)
	for name, test := range map[string]struct{ in, want string }{
		"short":     {"var _ = f(a, b)", "var _ = f(a, b)"},
		"arguments": {"var _ = f(" + long + ", " + long + ", a, " + long + ")", "var _ = f(\n\t" + long + ", " + long + ", a,\n\t" + long + ",\n)"},
		"parameters": {"func f(a " + long + ", b " + long + ", c int) error { return nil }",
			"func f(\n\ta " + long + ", b " + long + ", c int,\n) error {\n\treturn nil\n}"},
		"a literal":    {"var _ = []T{" + long + ", " + long + ", " + long + "}", "var _ = []T{\n\t" + long + ",\n\t" + long + ",\n\t" + long + ",\n}"},
		"types":        {"var _ = T[" + long + ", " + long + ", " + long + "](a, b)", "var _ = T[\n\t" + long + ", " + long + ",\n\t" + long + ",\n](a, b)"},
		"inside":       {"var _ = f(g(" + long + ", " + long + "), T{a: " + long + "})", "var _ = f(\n\tg(" + long + ", " + long + "),\n\tT{a: " + long + "},\n)"},
		"inside again": {"var _ = f(g(" + long + ", " + long + ", " + long + "))", "var _ = f(\n\tg(\n\t\t" + long + ", " + long + ",\n\t\t" + long + ",\n\t),\n)"},
		"closed below": {"var _ = f(" + long + ", " + long + ", a, b, T{\n\ta: b,\n}, c, " + long + ")",
			"var _ = f(\n\t" + long + ", " + long + ", a, b,\n\tT{\n\t\ta: b,\n\t},\n\tc, " + long + ",\n)"},
		"the rest of a list": {"var _ = f(" + long + long + "...)", "var _ = f(" + long + long + "...)"},
		"a string":           {`var _ = "` + long + long + long + `"`, `var _ = "` + long + long + long + `"`},
		"a long string":      {`var _ = f("` + long + long + long + `")`, "var _ = f(\n\t\"" + long + long + long + "\",\n)"},
		"a value": {"var _ = T{a: `" + long + "," + long + "," + long + "`}",
			"var _ = T{\n\ta: `" + long + "," + long + ",` +\n\t\t`" + long + "`,\n}"},
		"a value without commas":   {"var _ = T{a: `" + long + long + long + "`}", "var _ = T{\n\ta: `" + (long + long + long)[:112] + "` +\n\t\t`" + (long + long + long)[112:] + "`,\n}"},
		"a value below a long key": {"var _ = T{" + long + long + ": `{a,b,c,d,e,f,g,h}`}", "var _ = T{\n\t" + long + long + ": `` +\n\t\t`{a,b,c,d,e,f,g,h}`,\n}"},
		"a value with escapes": {`var _ = T{a: "` + strings.Repeat(`\u00e9`, 30) + `"}`,
			"var _ = T{\n\ta: \"" + strings.Repeat(`\u00e9`, 18) + "\" +\n\t\t\"" + strings.Repeat(`\u00e9`, 12) + "\",\n}"},
		"a comment":         {"// " + long + " " + long + " " + long + "\nvar _ = 1", "// " + long + " " + long + "\n// " + long + "\nvar _ = 1"},
		"a comment inside":  {"func f() {\n\t// " + long + " " + long + " " + long + "\n}", "func f() {\n\t// " + long + " " + long + "\n\t// " + long + "\n}"},
		"code in a comment": {"//\t" + long + " " + long + " " + long + "\nvar _ = 1", "//\t" + long + " " + long + " " + long + "\nvar _ = 1"},
		"a long word":       {"// " + long + long + long + "\nvar _ = 1", "// " + long + long + long + "\nvar _ = 1"},
	} {
		t.Run(name, func(t *testing.T) {
			const header = "package p\n\n"
			got, err := breakLines([]byte(header + test.in + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			if want := header + test.want + "\n"; string(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			again, err := breakLines(got)
			if err != nil || string(again) != string(got) {
				t.Errorf("once more: %v\n%s", err, again)
			}
		})
	}
}
