// SPDX-License-Identifier: Apache-2.0

package output

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLocalImports(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{".golangci.yml", "linters-settings:\n  goimports:\n    local-prefixes: example.com/shop\n", "example.com/shop"},
		{".golangci.yaml", "formatters:\n  settings:\n    goimports:\n      local-prefixes:\n        - example.com\n", "example.com"},
		{".golangci.yml", "goimports: {local-prefixes: [\"example.com/shop\"]}\n", "example.com/shop"},
		{".golangci.yml", "gci:\n  sections: [standard, default, prefix(example.com/shop)]\n", "example.com/shop"},
		{".golangci.yml", "gci:\n  sections:\n  - standard\n  - localmodule\n", "example.com/shop"},
		{"Makefile", "fmt:\n\tgoimports -w -local example.com/other,example.com/shop .\n", "example.com/shop"},
		{"Makefile", "fmt:\n\tgci write -s standard -s default -s \"prefix(example.com/shop)\" .\n", "example.com/shop"},
		{".golangci.yml", "goimports: {local-prefixes: example.com/shopping}\n", ""},
		{".golangci.yml", "formatters:\n  enable: [goimports]\n", ""},
		{"Makefile", "build:\n\tgo build -o bin/shop\n", ""},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module example.com/shop\n", test.file: test.text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := localImports(dir); got != test.want {
			t.Errorf("%s\n%sgives %q, want %q", test.file, test.text, got, test.want)
		}
	}
}

func TestGroupedImports(t *testing.T) {
	const head, tail = "package a\n\nimport (\n", ")\n\nvar x = `\nimport (\n\t\"b.com/x\"\n)\n`\n"
	for given, want := range map[string]string{
		"\t\"fmt\"\n\n\t\"a.com/x\"\n\tv1 \"b.com/shop/v1\"\n\t\"c.com/y\"\n": "\t\"fmt\"\n\n\t\"a.com/x\"\n\t\"c.com/y\"\n\n\tv1 \"b.com/shop/v1\"\n",
		"\t\"b.com/shop\"\n\t\"b.com/shopping\"\n":                            "\t\"b.com/shopping\"\n\n\t\"b.com/shop\"\n",
		"\t\"fmt\"\n\n\t\"b.com/shop/v1\"\n":                                  "\t\"fmt\"\n\n\t\"b.com/shop/v1\"\n",
		"\t\"fmt\"\n":                                                         "\t\"fmt\"\n",
	} {
		got := grouped(head+given+tail, "b.com/shop")
		if got != head+want+tail || grouped(got, "b.com/shop") != got {
			t.Errorf("%s", got)
		}
	}
	if text := "package a\n"; grouped(text, "b.com") != text {
		t.Error("a file without imports changes")
	}
}
