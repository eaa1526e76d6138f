// SPDX-License-Identifier: Apache-2.0

// Package inspect explains a project and looks for advice: lint, explain, graph and the comparison of two states. It
// writes no files.
package inspect

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// ConversionDoc describes how every field of a kind is converted between a spoke and the hub.
type ConversionDoc struct {
	Group  string     `json:"group"`
	Kind   string     `json:"kind"`
	Spoke  string     `json:"spoke"`
	Hub    string     `json:"hub"`
	Fields []FieldDoc `json:"fields"`
	// Kept are the fields that need the annotation, named as package conversiontest expects them. Fields with custom
	// code are not included.
	Kept []string `json:"kept,omitempty"`
}

// FieldDoc describes how a field is converted in each direction.
type FieldDoc struct {
	// Spoke and Hub are paths in JSON names, with [] for the elements of a list or map, and * for all fields of a
	// struct that the user's own code completes. A path is empty if the version does not have the field.
	Spoke string `json:"spoke,omitempty"`
	Hub   string `json:"hub,omitempty"`
	// By is the rule that claims the field: "name" if both sides have the same name, or "to", "custom", "stash",
	// "drop".
	By string `json:"by"`
	// Reason is the reason of a drop.
	Reason string `json:"reason,omitempty"`
	// LostToHub and LostFromHub describe the part that the other version cannot hold, so the annotation keeps it.
	LostToHub   string `json:"lostToHub,omitempty"`
	LostFromHub string `json:"lostFromHub,omitempty"`
}

// byName is the By of a field that has the same name in both versions.
const byName = "name"

// Lossy returns the conversions with only the fields that lose something in a direction.
func Lossy(docs []ConversionDoc) []ConversionDoc {
	docs = slices.Clone(docs)
	for i, d := range docs {
		docs[i].Fields = slices.DeleteFunc(slices.Clone(d.Fields), FieldDoc.lossless)
	}
	return docs
}

// Conversions plans the conversions of the packages, for one kind or for all, and writes nothing.
func Conversions(ctx context.Context, c engine.Config, kind string) ([]ConversionDoc, diag.List) {
	run := c.Resolve()
	run.Outputs = []string{output.Conversions}
	state := run.Read(ctx, engine.Edits{})
	packages, found := convert.Project(ctx, state.Module, state.Project)
	diags := append(state.Diagnostics, found...)
	var docs []ConversionDoc
	for _, p := range packages {
		for _, plan := range p.Plans {
			if kind == "" || strings.EqualFold(kind, plan.Spoke.Name) {
				doc := ConversionDoc{Group: plan.Spoke.Group, Kind: plan.Spoke.Name, Spoke: plan.Spoke.Version, Hub: plan.Hub.Version, Kept: plan.Kept()}
				doc.add(plan.Root, "", "", convert.Ways[string]{}, map[*convert.Pair]bool{})
				docs = append(docs, doc)
			}
		}
	}
	return docs, diags.Sorted()
}

// changed follows a loss in the elements of a list without keys.
const changed = ", until somebody changes the element of the list"

// add adds the fields of a pair. The fields of a recursive struct are added once. until limits what the annotation
// keeps, by direction.
func (d *ConversionDoc) add(p *convert.Pair, spoke, hub string, until convert.Ways[string], inside map[*convert.Pair]bool) {
	if inside[p] {
		return
	}
	inside[p] = true
	defer delete(inside, p)
	if p.After != (convert.Ways[bool]{}) {
		d.Fields = append(d.Fields, FieldDoc{Spoke: spoke + "*", Hub: hub + "*", By: string(model.Custom), LostToHub: convert.HookLoss, LostFromHub: convert.HookLoss})
	}
	for _, c := range p.Claims {
		f := FieldDoc{By: string(c.Verb), Reason: c.Reason, LostToHub: c.Loss(convert.ToHub), LostFromHub: c.Loss(convert.FromHub)}
		switch {
		case c.IsHooked():
			f.By = string(model.Custom)
		case f.By == "":
			f.By = byName
		}
		if c.Spoke != nil {
			f.Spoke = spoke + c.Spoke.String()
		}
		if c.Hub != nil {
			f.Hub = hub + c.Hub.String()
		}
		for _, o := range c.Others.Spoke {
			f.Spoke += ", " + spoke + o.String()
		}
		for _, o := range c.Others.Hub {
			f.Hub += ", " + hub + o.String()
		}
		if pair, below := c.Value.Inner(); pair != nil && !pair.Opaque && !inside[pair] {
			if f.LostToHub, f.LostFromHub = around(c.Value, convert.ToHub), around(c.Value, convert.FromHub); f.LostToHub+f.LostFromHub != "" {
				d.Fields = append(d.Fields, f)
			}
			within := until
			for _, d := range sides.Directions() {
				if c.Unkeyed(d.From()) != nil {
					within[d] = changed
				}
			}
			d.add(pair, f.Spoke+below+".", f.Hub+below+".", within, inside)
			continue
		}
		if f.LostToHub != "" {
			f.LostToHub += until[convert.ToHub]
		}
		if f.LostFromHub != "" {
			f.LostFromHub += until[convert.FromHub]
		}
		d.Fields = append(d.Fields, f)
	}
}

// around describes the loss of a value outside of its structs. It is empty if nothing is lost.
func around(v *convert.Value, d convert.Direction) string {
	for ; v != nil; v = v.Elem {
		if v.Loss[d] != "" {
			return v.Loss[d]
		}
	}
	return ""
}

// ConvertedByHand returns a line for each type of a kind that the user's own ConvertTo converts; for all kinds if the
// kind is empty. Nothing is known of their fields.
func ConvertedByHand(ctx context.Context, c engine.Config, kind string) []string {
	var lines []string
	printer := diag.NewPrinter(c.Dir)
	for _, method := range c.Resolve().ConvertedByHand(ctx) {
		if kind == "" || strings.EqualFold(kind, method.V) {
			lines = append(lines, fmt.Sprintf("%s is converted by hand, by ConvertTo at %s:%d:%d, so its fields are not shown",
				method.V, printer.File(method.At.Pos), method.At.Pos.Line, method.At.Pos.Column))
		}
	}
	return lines
}

// ConversionFormats are the output formats of PrintConversions.
func ConversionFormats() []string { return []string{"text", "json"} }

// PrintConversions writes how every field is converted.
func PrintConversions(w io.Writer, format string, docs []ConversionDoc) error {
	switch format {
	case "json":
		return diag.WriteJSON(w, append([]ConversionDoc{}, docs...)) // [] and not null
	case "text":
		printConversionsText(w, docs)
		return nil
	}
	return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(ConversionFormats(), ", "))
}

func printConversionsText(w io.Writer, docs []ConversionDoc) {
	for i, d := range docs {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s.%s: %s and the hub %s\n\n", d.Kind, d.Group, d.Spoke, d.Hub)
		for _, f := range d.Fields {
			if f.lossless() {
				fmt.Fprintf(w, "  %s: lossless\n", f.title(d))
				continue
			}
			fmt.Fprintf(w, "  %s:\n", f.title(d))
			if f.Spoke != "" {
				fmt.Fprintf(w, "    to %s: %s\n", d.Hub, f.outcome(f.LostToHub))
			}
			if f.Hub != "" {
				fmt.Fprintf(w, "    to %s: %s\n", d.Spoke, f.outcome(f.LostFromHub))
			}
		}
		if len(d.Fields) == 0 {
			fmt.Fprintln(w, "  every field is lossless")
		}
	}
}

// title names a field in both versions, and the rule that claims it.
func (f FieldDoc) title(d ConversionDoc) string {
	title := f.Spoke
	switch {
	case f.Hub == "":
		title += " of " + d.Spoke
	case f.Spoke == "":
		title = f.Hub + " of " + d.Hub
	case f.Spoke != f.Hub:
		title += " is " + f.Hub + " of " + d.Hub
	}
	if f.By != byName {
		title += ", by " + f.By
	}
	if f.Reason != "" {
		title += " (" + f.Reason + ")"
	}
	return title
}

func (f FieldDoc) lossless() bool {
	return f.LostToHub == "" && f.LostFromHub == "" && f.By != string(model.Drop)
}

// outcome describes in words how a field is converted in a direction.
func (f FieldDoc) outcome(lost string) string {
	switch {
	case f.By == string(model.Drop):
		return "given up"
	case lost != "":
		return "the annotation keeps " + lost
	}
	return "lossless"
}
