// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// The types of SARIF 2.1.0 (OASIS Standard, 27 March 2020), with the fields in use in the standard's order.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID            string         `json:"id"`
		Short         sarifText      `json:"shortDescription"`
		Full          sarifText      `json:"fullDescription"`
		Configuration map[string]any `json:"defaultConfiguration"`
	}
	sarifResult struct {
		RuleID  string          `json:"ruleId,omitempty"`
		Level   string          `json:"level"`
		Message sarifText       `json:"message"`
		Where   []sarifLocation `json:"locations,omitempty"`
		Related []sarifLocation `json:"relatedLocations,omitempty"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"`
	}
)

func (p Printer) sarif(w io.Writer, list List, rules []Rule) error {
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: "webhook-gen", Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints",
		Results:    make([]sarifResult, 0, len(list)),
	}
	for _, r := range rules {
		if slices.ContainsFunc(list, func(d Diagnostic) bool { return d.Rule == r.ID }) {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
				r.ID, sarifText{r.Title}, sarifText{r.Doc}, map[string]any{"level": r.Severity.String()},
			})
		}
	}
	for _, d := range list {
		result := sarifResult{RuleID: d.Rule, Level: d.Severity.String(), Message: sarifText{d.Message}}
		if d.Hint != "" {
			result.Message.Text += "\n" + d.Hint
		}
		if d.Pos.IsValid() {
			result.Where = []sarifLocation{{Physical: p.physical(d.Range)}}
		}
		for _, r := range d.Related {
			result.Related = append(result.Related, sarifLocation{p.physical(r.Range), &sarifText{r.Message}})
		}
		run.Results = append(run.Results, result)
	}
	return WriteJSON(w, sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}

func (p Printer) physical(at Range) sarifPhysical {
	where := sarifPhysical{Artifact: sarifArtifact{p.uri(at.Pos)}}
	if at.Pos.Line > 0 {
		where.Region = &sarifRegion{at.Pos.Line, p.character(at.Pos), at.End.Line, p.character(at.End)}
	}
	return where
}

// uri returns a file's URI. It is relative to the run's folder if the file is below it.
func (p Printer) uri(at Position) string {
	u := url.URL{Path: filepath.ToSlash(p.File(at))}
	if filepath.IsAbs(p.File(at)) {
		u.Scheme = "file"
	}
	return u.String()
}

// character returns a column in characters, as SARIF requires, instead of bytes.
func (p Printer) character(at Position) int {
	line, ok := p.line(at)
	if !ok || at.Column > len(line)+1 || at.Column < 1 {
		return at.Column
	}
	return utf8.RuneCountInString(strings.ToValidUTF8(line[:at.Column-1], "?")) + 1
}
