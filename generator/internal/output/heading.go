// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"cmp"
	"go/build/constraint"
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Heading is the user's text at the top of generated files, such as a licence. The zero value is empty.
type Heading struct {
	golang string // as a Go comment
	hash   string // as lines with #
}

// Above puts the heading above the content of Go and YAML files. Parts, bare files and files with the heading stay
// unchanged.
func (h Heading) Above(files []File) []File {
	texts := map[string]string{".go": h.golang, ".yaml": h.hash, ".yml": h.hash, ".tpl": h.hash}
	files = slices.Clone(files)
	for i, f := range files {
		if text := texts[filepath.Ext(f.Path)]; text != "" && !f.Bare && f.Owner != Part && !bytes.HasPrefix(f.Content, []byte(text)) {
			files[i].Content = slices.Concat([]byte(text+"\n"), f.Content)
		}
	}
	return files
}

// ReadHeading reads a heading from a file below root. setting is the position of the file's name in the
// configuration.
func ReadHeading(root, file string, setting diag.Range) (Heading, diag.List) {
	text, err := regular.ReadBelow(root, file, regular.Settings)
	if err != nil {
		return Heading{}, diag.List{diag.Errorf(setting, RuleHeading, "cannot read %s: %v", file, regular.Reason(err)).
			WithHint("create the file, or remove headerFile")}
	}
	h, problem := parseHeading(text)
	if problem.text == "" {
		return h, nil
	}
	at := diag.Range{Pos: diag.Position{File: filepath.Join(root, filepath.FromSlash(file)), Line: problem.line, Column: 1}}
	return Heading{}, diag.List{diag.Errorf(at, RuleHeading, "%s %s", filepath.Base(file), problem.text).WithRelated(setting, "named here")}
}

// flaw is an error in a heading's text.
type flaw struct {
	line int
	text string
}

// parseHeading returns the heading for a text of Go comments, of lines with #, or of neither.
func parseHeading(text []byte) (Heading, flaw) {
	if !utf8.Valid(text) {
		return Heading{}, flaw{1, "is not UTF-8 text"}
	}
	lines := strings.Split(strings.ReplaceAll(strings.TrimPrefix(string(text), "\ufeff"), "\r\n", "\n"), "\n")
	for i, line := range lines {
		if strings.ContainsFunc(line, isUnprintable) {
			return Heading{}, flaw{i + 1, "contains a control character"}
		}
		lines[i] = strings.TrimRight(line, " \t")
	}
	first := slices.IndexFunc(lines, func(line string) bool { return line != "" })
	if first < 0 {
		return Heading{}, flaw{1, "is empty"}
	}
	isGo := strings.HasPrefix(lines[first], "//") || strings.HasPrefix(lines[first], "/*")
	isHash := !slices.ContainsFunc(lines, func(line string) bool { return line != "" && !strings.HasPrefix(line, "#") })
	if line := codeAt(lines); isGo && line > 0 {
		return Heading{}, flaw{line, "contains text that is not in a comment"}
	}
	inGo, plain, hash := slices.Clone(lines), slices.Clone(lines), slices.Clone(lines)
	for i, line := range lines {
		switch {
		case isGo:
			plain[i] = withoutSigns(line)
		case isHash:
			plain[i] = strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
		}
		hash[i] = strings.TrimRight("# "+plain[i], " ")
		if !isGo {
			inGo[i] = strings.TrimRight("// "+plain[i], " ")
		}
		if what := unfit(inGo[i], plain[i]); what != "" {
			return Heading{}, flaw{i + 1, what}
		}
	}
	return Heading{golang: trimToText(inGo, lines), hash: trimToText(hash, plain)}, flaw{}
}

// isUnprintable reports control characters, line ends of YAML and Go, and characters that change the text direction.
func isUnprintable(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || unicode.Is(unicode.Bidi_Control, r)
}

// codeAt returns the first line with code outside of Go comments, or 0.
func codeAt(lines []string) int {
	text := []byte(strings.Join(lines, "\n"))
	file := token.NewFileSet().AddFile("", -1, len(text))
	line := 0
	var s scanner.Scanner
	s.Init(file, text, func(at token.Position, _ string) { line = cmp.Or(line, at.Line) }, scanner.ScanComments)
	for {
		switch pos, tok, _ := s.Scan(); {
		case tok == token.EOF || line > 0:
			return line
		case tok != token.COMMENT:
			return file.Line(pos)
		}
	}
}

func withoutSigns(line string) string {
	line = openingSign.ReplaceAllString(strings.TrimSpace(line), "")
	return strings.TrimSpace(strings.TrimSuffix(line, "*/"))
}

// trimToText joins the lines from the first to the last with text.
func trimToText(lines, texts []string) string {
	hasText := func(line string) bool { return line != "" }
	first := slices.IndexFunc(texts, hasText)
	last := len(texts) - 1
	for last > first && texts[last] == "" {
		last--
	}
	return strings.Join(lines[max(first, 0):last+1], "\n") + "\n"
}

// unfit returns the reason why a line cannot be in the heading, or "". Tools would read such a line as more than a
// comment.
func unfit(inGo, plain string) string {
	switch {
	case constraint.IsGoBuild(inGo), constraint.IsPlusBuild(inGo), strings.HasPrefix(plain, "go:build "), strings.HasPrefix(plain, "+build "):
		return "contains a build constraint"
	case strings.HasPrefix(inGo, "package "), packageClause.MatchString(plain):
		return "contains a package clause"
	case generatedLine.MatchString(plain):
		return "contains the line of a generated file"
	case directive.MatchString(inGo):
		return "contains a directive for a Go tool"
	case strings.HasPrefix(plain, "+"):
		return "contains a marker"
	case strings.Contains(plain, "{{"):
		return "contains {{, which Helm reads"
	}
	return ""
}

var (
	openingSign   = regexp.MustCompile(`^(//|/\*|\*/|\*)`)
	packageClause = regexp.MustCompile(`^package [\pL_][\pL\d_]*$`)
	generatedLine = regexp.MustCompile(`^(// )?Code generated .* DO NOT EDIT\.$`)
	directive     = regexp.MustCompile(`^// ?nolint\b|^//(line |export |extern |[a-z0-9]+:[a-z0-9])|/\*line `)
)
