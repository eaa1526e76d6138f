// SPDX-License-Identifier: Apache-2.0

// lines prints how much of each port of an API's conversions is written by hand, and of its original: lines with
// markers, and lines with Go code, without blank lines, comments and generated files. It counts the originals in the
// module cache.
//
//	go run . # in hack/peers/lines
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const root = "../../.."

func main() {
	counted, err := count(ports())
	if err == nil {
		_, err = os.Stdout.WriteString(table(counted))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// port is a pair of versions of an API.
type port struct {
	name           string
	markers, hooks []string // patterns of files in this tree
	require        string   // the go.mod with the original's version, in this tree, or the version
	original       []files  // by hand, there
	around         int      // lines around the texts of an original that is no file
	why            string   // what the hooks do
}

// files are files of a module.
type files struct {
	module   string
	patterns []string
	texts    []string // constants with the code; nil if the files are the code
}

// counts are the lines of a port.
type counts struct {
	port
	marked, hooked, before int
}

// share returns the hooks' part of the original's lines, in percent.
func (c counts) share() int {
	if c.before == 0 {
		return 0
	}
	return (100*c.hooked + c.before/2) / c.before
}

// count counts the lines of ports.
func count(ports []port) ([]counts, error) {
	var all []counts
	for _, p := range ports {
		c := counts{port: p, before: p.around}
		for _, name := range expand(root, p.markers) {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			for line := range bytes.Lines(text) {
				if trimmed := bytes.TrimSpace(line); bytes.HasPrefix(trimmed, []byte("// +webhook:conversion")) && !bytes.HasPrefix(trimmed, []byte("// +webhook:conversion:hub")) {
					c.marked++
				}
			}
		}
		for _, name := range expand(root, p.hooks) {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			c.hooked += code(text)
		}
		if len(p.hooks) > 0 && c.hooked == 0 || c.marked == 0 && p.markers != nil {
			return nil, fmt.Errorf("%s: no lines in %v or %v", p.name, p.markers, p.hooks)
		}
		for _, f := range p.original {
			n, err := f.count(p.require)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p.name, err)
			}
			c.before += n
		}
		all = append(all, c)
	}
	return all, nil
}

// count counts the lines with code of a module's files.
func (f files) count(require string) (int, error) {
	dir, err := download(f.module, require)
	if err != nil {
		return 0, err
	}
	lines := 0
	names := expand(dir, f.patterns)
	if len(names) == 0 {
		return 0, fmt.Errorf("no files %v in %s", f.patterns, f.module)
	}
	for _, name := range names {
		if base := filepath.Base(name); strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_generated") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return 0, err
		}
		if f.texts == nil {
			lines += code(text)
			continue
		}
		n, err := inTexts(text, f.texts)
		if err != nil {
			return 0, err
		}
		lines += n
	}
	return lines, nil
}

// inTexts counts the lines with code in text constants and variables of a file.
func inTexts(file []byte, names []string) (int, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", file, parser.SkipObjectResolution)
	if err != nil {
		return 0, err
	}
	lines, found := 0, 0
	ast.Inspect(parsed, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		for _, name := range names {
			if literal, ok := v.Values[0].(*ast.BasicLit); ok && v.Names[0].Name == name {
				text, _ := strconv.Unquote(literal.Value) // the parser has read it
				lines += code([]byte(text))
				found++
			}
		}
		return true
	})
	if found != len(names) {
		return 0, fmt.Errorf("the file has %d of %v", found, names)
	}
	return lines, nil
}

// code counts the lines that have Go code on them.
func code(text []byte) int {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && literal == "\n" {
			continue
		}
		for i := range 1 + strings.Count(literal, "\n") {
			lines[file.Line(pos)+i] = true
		}
	}
}

// expand returns the files in a folder that have one of the patterns.
func expand(dir string, patterns []string) []string {
	var names []string
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the patterns are good ones
		names = append(names, found...)
	}
	return names
}

// download returns the folder of a module at the version that a go.mod of this tree requires, with its go.sum, or at a
// version.
func download(module, require string) (string, error) {
	dir, err := os.MkdirTemp("", "lines")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if strings.HasSuffix(require, ".mod") {
		for _, name := range []string{"mod", "sum"} {
			text, err := os.ReadFile(filepath.Join(root, strings.TrimSuffix(require, "mod")+name))
			if err != nil {
				return "", err
			}
			if err := os.WriteFile(filepath.Join(dir, "go."+name), text, 0o644); err != nil {
				return "", err
			}
		}
	} else {
		module += "@" + require
	}
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var answer struct{ Dir, Error string }
	if bad := json.Unmarshal(out, &answer); bad != nil || err != nil || answer.Error != "" {
		return "", fmt.Errorf("%v: %w %s", cmd, errors.Join(err, bad), answer.Error)
	}
	return answer.Dir, nil
}

// table is the table in hack/peers/figures.md.
func table(all []counts) string {
	var b strings.Builder
	b.WriteString("| | markers | hooks | the original's hand lines | share of hooks | what the hooks do |\n|---|---|---|---|---|---|\n")
	var sum counts
	for _, c := range all {
		sum.marked, sum.hooked, sum.before = sum.marked+c.marked, sum.hooked+c.hooked, sum.before+c.before
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d%% | %s |\n", c.name, c.marked, c.hooked, c.before, c.share(), c.why)
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %d%% | |\n", sum.marked, sum.hooked, sum.before, sum.share())
	return b.String()
}
