// SPDX-License-Identifier: Apache-2.0

// Prose checks the comments, texts, templates and pages of this repository by the rules in CONTRIBUTING.md:
//
//	go run ./hack/prose [files]
//
// Without files it checks every tracked Go file, Markdown page and template, except generated files and testdata. In
// string literals it checks only the words. It prints one finding a line, as file:line: message, and exits with 1 if
// there is any.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

func main() {
	files := os.Args[1:]
	if len(files) == 0 {
		out, err := exec.Command("git", "ls-files", "*.go", "*.md", "*.tmpl").Output()
		if err != nil {
			fmt.Fprintln(os.Stderr, "prose: git ls-files:", err)
			os.Exit(2)
		}
		files = strings.Fields(string(out))
	}
	found := false
	for _, file := range files {
		if exempt(file) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, "prose:", err)
			os.Exit(2)
		}
		problems, err := check(file, text)
		if err != nil {
			fmt.Fprintln(os.Stderr, "prose:", err)
			os.Exit(2)
		}
		for _, p := range problems {
			found = true
			fmt.Printf("%s:%d: %s\n", file, p.line, p.text)
		}
	}
	if found {
		os.Exit(1)
	}
}

// exempt reports whether other people or programs wrote a file.
func exempt(file string) bool {
	for part := range strings.SplitSeq(file, "/") {
		if part == "testdata" || part == "vendor" || strings.HasPrefix(part, "zz_generated") {
			return true
		}
	}
	return false
}
