// SPDX-License-Identifier: Apache-2.0

package upgrade

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Formats are the forms in which a Printer can write.
func Formats() []string { return []string{"text", "json", "github"} }

// Printer writes findings, with paths of the new state relative to a folder.
type Printer struct {
	diag.Printer
	// Trees are folders that do not stay.
	Trees []Tree
}

// Tree is a folder with the files of a git revision, and what that is called.
type Tree struct{ Dir, Name string }

// Print writes findings in one of the Formats.
//
//   - text: for each severity and rule, the worst first, their number and title, if there are several findings. For
//     each finding file:line:column: severity: message [rule], the source line with a caret below it, the effect, and
//     the steps. Findings with the same effect and steps share them.
//   - json: one array of objects with the fields of Finding.
//   - github: workflow commands that GitHub shows beside the lines of a pull request.
func (p Printer) Print(w io.Writer, format string, found []Finding) error {
	switch format {
	case "json":
		return p.json(w, found)
	case "github":
		return p.github(w, found)
	case "text":
		return p.text(w, found)
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(Formats(), ", "))
}

// file is how a finding's file is shown: one of a revision as git names it, HEAD~1:api/v1/order_types.go.
func (p Printer) file(f Finding) string {
	for _, t := range p.Trees {
		if rel, err := filepath.Rel(t.Dir, f.Pos.File); err == nil && filepath.IsLocal(rel) {
			return t.Name + ":" + filepath.ToSlash(rel)
		}
	}
	return p.File(f.Pos)
}

// position is file:line:column, as far as they are known.
func (p Printer) position(f Finding) string {
	return fmt.Sprintf("%s:%d:%d", p.file(f), f.Pos.Line, f.Pos.Column)
}

// advice is the effect, the steps, and why the finding is accepted, each a line.
func (f Finding) advice() []string {
	lines := []string{f.Effect}
	for i, step := range f.Steps {
		if len(f.Steps) > 1 {
			step = fmt.Sprintf("%d. %s", i+1, step)
		}
		lines = append(lines, step)
	}
	if f.Accepted != "" {
		lines = append(lines, "accepted: "+f.Accepted)
	}
	return lines
}

func (p Printer) text(w io.Writer, found []Finding) error {
	var out bytes.Buffer
	for _, severity := range []Severity{Breaking, Careful, Safe} {
		for _, r := range Rules() {
			group := slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.Severity != severity || f.Rule != r.ID })
			if len(group) == 0 {
				continue
			}
			if out.Len() > 0 {
				out.WriteByte('\n')
			}
			if len(found) > 1 {
				fmt.Fprintf(&out, "%d %s: %s [%s]\n\n", len(group), severity, r.Title, r.ID)
			}
			p.group(&out, group)
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// group writes the findings of a rule that have the same severity.
func (p Printer) group(out *bytes.Buffer, group []Finding) {
	for i, f := range group {
		fmt.Fprintf(out, "%s: %s: %s\n", p.position(f), f.Severity, f.title())
		p.Excerpt(out, f.Range)
		if i+1 < len(group) && slices.Equal(f.advice(), group[i+1].advice()) {
			continue // the next one has the same
		}
		for _, line := range f.advice() {
			fmt.Fprintf(out, "    %s\n", line)
		}
		if i+1 < len(group) {
			out.WriteByte('\n')
		}
	}
}

// The json shape is part of the command's contract: fields are added, never renamed.
type jsonFinding struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	State    string   `json:"state"`
	Severity string   `json:"severity"`
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
	Effect   string   `json:"effect"`
	Steps    []string `json:"steps,omitempty"`
	Accepted string   `json:"accepted,omitempty"`
}

func (p Printer) json(w io.Writer, found []Finding) error {
	out := make([]jsonFinding, 0, len(found))
	for _, f := range found {
		state := "new"
		if f.InOld {
			state = "old"
		}
		out = append(out, jsonFinding{p.file(f), f.Pos.Line, f.Pos.Column, state, f.Severity.String(), f.Rule, f.Message, f.Effect, f.Steps, f.Accepted})
	}
	return diag.WriteJSON(w, out)
}

func (p Printer) github(w io.Writer, found []Finding) error {
	var out bytes.Buffer
	for _, f := range found {
		level := [...]string{Breaking: "error", Careful: "warning", Safe: "notice"}[f.Severity]
		if f.Accepted != "" {
			level = "notice"
		}
		file, message := p.file(f), strings.Join(append([]string{f.Message}, f.advice()...), "\n")
		if f.InOld { // the line is in the old state, not in the pull request
			file, message = "", p.position(f)+": "+message
		}
		out.WriteString(diag.Command(level, file, diag.Range{Pos: f.Pos}, "webhook-gen "+f.Rule, message))
	}
	_, err := w.Write(out.Bytes())
	return err
}
