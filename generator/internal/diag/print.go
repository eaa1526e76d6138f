// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Formats returns the output formats of Print.
func Formats() []string { return []string{"text", "json", "github", "sarif"} }

// Terminal is the format text with colours.
const Terminal = "terminal"

// Print writes the list in one of the Formats, or for a Terminal. Paths are relative to dir if that is shorter.
//
//   - text: file:line:column: severity: message [rule], the source line and a caret below it.
//   - json: one array of objects with the fields of Diagnostic.
//   - github: workflow commands that GitHub shows beside the lines of a pull request.
//   - sarif: a log in the Static Analysis Results Interchange Format 2.1.0. It describes the rules of the
//     list's findings, from all rules, which no other form needs.
func Print(w io.Writer, format, dir string, list List, rules func() []Rule) error {
	p := NewPrinter(dir)
	switch format {
	case "json":
		return p.json(w, list)
	case "github":
		return p.github(w, list)
	case "sarif":
		return p.sarif(w, list, rules())
	case Terminal, "text":
		p.colours = format == Terminal
		return p.text(w, list)
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats(), ", "))
}

// Printer prints positions and source lines in the formats of Print, for findings with more content than a
// Diagnostic.
type Printer struct {
	dir     string
	sources map[string][]string // lines by file, read on first use
	colours bool
}

// NewPrinter returns a printer with paths relative to dir.
func NewPrinter(dir string) Printer { return Printer{dir: dir, sources: map[string][]string{}} }

// coloured returns a text in the colour of a severity: red for errors, yellow for warnings, blue for notes.
func (p Printer) coloured(s Severity, text string) string {
	if !p.colours || text == "" {
		return text
	}
	colour := map[Severity]string{Error: "31", Warning: "33", Note: "34"}[s]
	return "\x1b[1;" + colour + "m" + text + "\x1b[0m"
}

func (p Printer) text(w io.Writer, list List) error {
	var out bytes.Buffer
	for _, d := range list {
		if d.Pos.IsValid() {
			fmt.Fprintf(&out, "%s: ", p.position(d.Pos))
		}
		fmt.Fprintf(&out, "%s %s", p.coloured(d.Severity, d.Severity.String()+":"), visible(d.Message))
		if d.Rule != "" {
			fmt.Fprintf(&out, " [%s]", d.Rule)
		}
		out.WriteByte('\n')
		p.excerpt(&out, d.Range, d.Severity)
		if d.Hint != "" {
			fmt.Fprintf(&out, "    %s\n", visible(d.Hint))
		}
		for _, r := range d.Related {
			fmt.Fprintf(&out, "    %s: %s\n", p.position(r.Pos), visible(r.Message))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Excerpt prints the source line of a range with a caret below it.
func (p Printer) Excerpt(out *bytes.Buffer, at Range) { p.excerpt(out, at, Note) }

// excerpt prints the source line with a caret below the range. It keeps tabs in the caret's line, so that both lines
// are aligned for any tab width.
func (p Printer) excerpt(out *bytes.Buffer, at Range, s Severity) {
	line, ok := p.line(at.Pos)
	if !ok || at.Pos.Column < 1 || at.Pos.Column > len(line)+1 {
		return
	}
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	start := max(at.Pos.Column-1, indent)
	width := 1
	if at.End.Line == at.Pos.Line && at.End.Column > at.Pos.Column {
		width = min(at.End.Column, len(line)+1) - at.Pos.Column
	} else if at.End.Line > at.Pos.Line {
		width = len(line) - start
	}
	pad := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, line[indent:start])
	const longest = 60 // longer texts are cut
	caret := "^" + strings.Repeat("~", min(max(width, 1), longest)-1)
	fmt.Fprintf(out, "    %s\n    %s%s\n", visible(line[indent:]), pad, p.coloured(s, caret))
}

func (p Printer) line(at Position) (string, bool) {
	if !at.IsValid() {
		return "", false
	}
	lines, read := p.sources[at.File]
	if !read {
		src, err := regular.ReadFile(at.File, regular.Source)
		if err == nil {
			lines = strings.Split(strings.ReplaceAll(string(src), "\r\n", "\n"), "\n")
		}
		p.sources[at.File] = lines
	}
	if at.Line < 1 || at.Line > len(lines) {
		return "", false
	}
	return lines[at.Line-1], true
}

// visible returns a text with escapes for characters with which an author of it could command a terminal, or hide other
// text there.
func visible(text string) string {
	hides := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029')
	}
	if !strings.ContainsFunc(text, hides) {
		return text
	}
	var out strings.Builder
	for _, r := range text {
		if hides(r) {
			out.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			out.WriteRune(r)
		}
	}
	return out.String()
}

func (p Printer) position(at Position) string {
	file := strings.ReplaceAll(visible(p.File(at)), "\n", `\n`)
	switch {
	case at.Line == 0:
		return file
	case at.Column == 0:
		return fmt.Sprintf("%s:%d", file, at.Line)
	}
	return fmt.Sprintf("%s:%d:%d", file, at.Line, at.Column)
}

// File returns the path of a position's file as printed.
func (p Printer) File(at Position) string {
	if rel, err := filepath.Rel(p.dir, at.File); err == nil && len(rel) < len(at.File) {
		return filepath.ToSlash(rel)
	}
	return at.File
}

// jsonDiagnostic is part of the command's interface. Fields may be added but not renamed.
type jsonDiagnostic struct {
	File      string        `json:"file,omitempty"`
	Line      int           `json:"line,omitempty"`
	Column    int           `json:"column,omitempty"`
	EndLine   int           `json:"endLine,omitempty"`
	EndColumn int           `json:"endColumn,omitempty"`
	Severity  string        `json:"severity"`
	Rule      string        `json:"rule,omitempty"`
	Message   string        `json:"message"`
	Hint      string        `json:"hint,omitempty"`
	Related   []jsonRelated `json:"related,omitempty"`
}

type jsonRelated struct {
	Position
	Message string `json:"message"`
}

func (p Printer) json(w io.Writer, list List) error {
	out := make([]jsonDiagnostic, 0, len(list))
	for _, d := range list {
		j := jsonDiagnostic{
			Line: d.Pos.Line, Column: d.Pos.Column, EndLine: d.End.Line, EndColumn: d.End.Column,
			Severity: d.Severity.String(), Rule: d.Rule, Message: d.Message, Hint: d.Hint,
		}
		if d.Pos.IsValid() {
			j.File = p.File(d.Pos)
		}
		for _, r := range d.Related {
			j.Related = append(j.Related, jsonRelated{Position{p.File(r.Pos), r.Pos.Line, r.Pos.Column}, r.Message})
		}
		out = append(out, j)
	}
	return WriteJSON(w, out)
}

// WriteJSON writes a value as indented JSON, without escapes for <, > and &.
func WriteJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(value)
}

func (p Printer) github(w io.Writer, list List) error {
	var out bytes.Buffer
	for _, d := range list {
		file, message := "", d.Message
		if d.Pos.IsValid() {
			file = p.File(d.Pos)
		}
		if d.Hint != "" {
			message += "\n" + d.Hint
		}
		for _, r := range d.Related {
			message += "\n" + p.position(r.Pos) + ": " + r.Message
		}
		level := [...]string{Error: "error", Warning: "warning", Note: "notice"}[d.Severity]
		out.WriteString(Command(level, file, d.Range, strings.TrimSpace("webhook-gen "+d.Rule), message))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Command returns a GitHub workflow command that shows a message beside a range in a pull request. Without a file,
// the message has no position. The level is error, warning or notice.
func Command(level, file string, at Range, title, message string) string {
	place := ""
	if file != "" {
		place = "file=" + escapeProperty(file) + ","
		if at.Pos.Line > 0 {
			place += fmt.Sprintf("line=%d,col=%d,", at.Pos.Line, at.Pos.Column)
		}
		if at.End.Line > 0 {
			place += fmt.Sprintf("endLine=%d,endColumn=%d,", at.End.Line, at.End.Column)
		}
	}
	return fmt.Sprintf("::%s %stitle=%s::%s\n", level, place, escapeProperty(title), escapeData(message))
}

// escapeData and escapeProperty follow the escaping of GitHub's workflow commands.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}
