// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// MarkerDoc documents one marker. Editors read its JSON.
type MarkerDoc struct {
	Name       string         `json:"name"`
	On         string         `json:"on"`
	Repeatable bool           `json:"repeatable"`
	Doc        string         `json:"doc"`
	Example    string         `json:"example"`
	Arguments  []ParameterDoc `json:"arguments"`
	// Value documents the value after the equals sign, if the marker takes a value.
	Value *ParameterDoc `json:"value,omitempty"`
}

// ParameterDoc documents one argument.
type ParameterDoc struct {
	Name     string   `json:"name,omitempty"`
	Type     string   `json:"type"`
	Words    []string `json:"words,omitempty"`
	Required bool     `json:"required"`
	Default  string   `json:"default,omitempty"`
	Doc      string   `json:"doc"`
}

// MarkerDocs documents every marker, in the registry's order.
func MarkerDocs() []MarkerDoc {
	var docs []MarkerDoc
	for _, d := range Markers() {
		doc := MarkerDoc{Name: d.Name, On: d.On.String(), Repeatable: d.Repeatable, Doc: d.Doc, Example: d.Example, Arguments: []ParameterDoc{}}
		_, parameters := d.New()
		for _, p := range parameters {
			parameter := ParameterDoc{Name: p.Name, Type: p.Type.Name, Words: p.Type.Words, Required: p.Required, Default: p.Default, Doc: p.Doc}
			if p.Name == "" {
				doc.Value = &parameter
			} else {
				doc.Arguments = append(doc.Arguments, parameter)
			}
		}
		docs = append(docs, doc)
	}
	return docs
}

// MarkerFormats returns the output formats of PrintMarkers.
func MarkerFormats() []string { return []string{"text", "markdown", "json"} }

// PrintMarkers writes the documentation of the markers in names, or of all markers.
func PrintMarkers(w io.Writer, format string, names []string) error {
	docs := MarkerDocs()
	if len(names) > 0 {
		var chosen []MarkerDoc
		for _, name := range names {
			doc, err := findMarker(docs, name)
			if err != nil {
				return err
			}
			chosen = append(chosen, doc)
		}
		docs = chosen
	}
	switch format {
	case "json":
		return diag.WriteJSON(w, docs)
	case "markdown":
		return printMarkersMarkdown(w, docs)
	case "text":
		return printMarkersText(w, docs, len(names) > 0)
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(MarkerFormats(), ", "))
}

func findMarker(docs []MarkerDoc, name string) (MarkerDoc, error) {
	var names []string
	for _, d := range docs {
		names = append(names, d.Name)
		if d.Name == strings.TrimPrefix(name, "+") || strings.TrimPrefix(d.Name, Prefix+":") == name {
			return d, nil
		}
	}
	if near, ok := diag.Nearest(name, names); ok {
		return MarkerDoc{}, fmt.Errorf("unknown marker %q: did you mean %q?", name, near)
	}
	return MarkerDoc{}, fmt.Errorf("unknown marker %q: `webhook-gen markers` lists them", name)
}

// printMarkersText prints one line for each marker or, if whole is set, its full text.
func printMarkersText(w io.Writer, docs []MarkerDoc, whole bool) error {
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for i, d := range docs {
		if !whole {
			summary, _, _ := strings.Cut(d.Doc, ". ")
			fmt.Fprintf(table, "+%s\t%s\t%s\n", d.Name, d.On, strings.TrimSuffix(summary, "."))
			continue
		}
		if i > 0 {
			fmt.Fprintln(table)
		}
		fmt.Fprintf(table, "+%s, on a %s\n%s\n\n    %s\n\n", d.Name, d.On, d.Doc, d.Example)
		for _, p := range d.parameters() {
			fmt.Fprintf(table, "  %s\t%s\t%s\n\t\t%s\n", p.label(), p.Type, p.absence(), p.Doc)
		}
	}
	return table.Flush()
}

func printMarkersMarkdown(w io.Writer, docs []MarkerDoc) error {
	var b strings.Builder
	for i, d := range docs {
		if i > 0 {
			b.WriteString("\n")
		}
		repeatable := ""
		if d.Repeatable {
			repeatable = ", repeatable"
		}
		fmt.Fprintf(&b, "### `+%s`\n\nOn a %s%s. %s\n\n```go\n// %s\n```\n\n", d.Name, d.On, repeatable, d.Doc, d.Example)
		b.WriteString("| argument | type | when absent | meaning |\n|---|---|---|---|\n")
		for _, p := range d.parameters() {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", p.label(), cell(p.Type), cell(p.absence()), cell(p.Doc))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (d MarkerDoc) parameters() []ParameterDoc {
	if d.Value == nil {
		return d.Arguments
	}
	return append(slices.Clip(d.Arguments), *d.Value)
}

func (p ParameterDoc) label() string {
	if p.Name == "" {
		return `="..."`
	}
	return p.Name
}

func (p ParameterDoc) absence() string {
	if p.Required {
		return "required"
	}
	return p.Default
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
