// SPDX-License-Identifier: Apache-2.0

package program

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// conversionReport is what the command conversion found and did.
type conversionReport struct {
	Definitions []reportedDefinition `json:"definitions"`
	Skipped     []skipped            `json:"skipped"`
	Problems    []string             `json:"problems"`
}

// reportedDefinition is a CustomResourceDefinition. It is an element of definitions in the output of conversion
// --output json.
type reportedDefinition struct {
	// Name is the definition's name.
	Name string `json:"name"`
	// Kind is the kind of its objects.
	Kind string `json:"kind"`
	// Strategy is None or Webhook.
	Strategy string `json:"strategy"`
	// Versions are the definition's versions, after the change.
	Versions []reportedVersion `json:"versions"`
	// Changed is what was changed, or would be with --dry-run.
	Changed string `json:"changed,omitempty"`
	// Objects is the number of objects that the webhook converted to the version and back.
	Objects int64 `json:"objects,omitempty"`
	// Failures are the reasons why a version is not on or off. A failure with a name is about this object.
	Failures []failure `json:"failures"`

	answers []answered
}

// reportedVersion is a version of a definition.
type reportedVersion struct {
	Name    string `json:"name"`
	Served  bool   `json:"served"`
	Storage bool   `json:"storage"`
	// Stored means that objects may be stored in the version: status.storedVersions has it.
	Stored bool `json:"stored"`
	// Answered means that the webhook converts to the version and back. It is absent if it was not asked.
	Answered *bool `json:"answered,omitempty"`
	// Message is the reason why the version is not answered.
	Message string `json:"message,omitempty"`
}

// answered is what the webhook answers for a version: a message if it does not convert.
type answered struct{ Version, Message string }

// refuse adds a reason why the definition stays as it is.
func (d *reportedDefinition) refuse(message string) {
	d.Failures = append(d.Failures, failure{Message: message})
}

// describe fills in what the definition has.
func (d *reportedDefinition) describe(of *customResourceDefinition) {
	d.Strategy = of.Spec.Conversion.Strategy
	for _, v := range of.Spec.Versions {
		reported := reportedVersion{Name: v.Name, Served: v.Served, Storage: v.Storage, Stored: slices.Contains(of.Status.StoredVersions, v.Name)}
		if i := slices.IndexFunc(d.answers, func(a answered) bool { return a.Version == v.Name }); i >= 0 {
			reported.Message = d.answers[i].Message
			reported.Answered = new(bool)
			*reported.Answered = reported.Message == ""
		}
		d.Versions = append(d.Versions, reported)
	}
}

func (r *conversionReport) code() int {
	if len(r.Problems) > 0 {
		return exitProblem
	}
	if slices.ContainsFunc(r.Definitions, func(d reportedDefinition) bool { return len(d.Failures) > 0 }) {
		return exitFindings
	}
	return exitClean
}

func (r *conversionReport) write(out io.Writer, format string) error {
	if format == "json" {
		whole := conversionReport{
			append([]reportedDefinition{}, r.Definitions...), append([]skipped{}, r.Skipped...), append([]string{}, r.Problems...)}
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(whole)
	}
	return r.table(out)
}

// table writes the report for people. Text of objects and of other programs cannot control the terminal.
func (r *conversionReport) table(out io.Writer) error {
	word := map[bool]string{true: "yes", false: "no"}
	if len(r.Definitions) > 0 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "DEFINITION\tVERSION\tSERVED\tSTORAGE\tSTORED\tANSWERED")
		for _, d := range r.Definitions {
			for _, v := range d.Versions {
				answer := "-"
				if v.Answered != nil {
					answer = word[*v.Answered]
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", cell(d.Name), cell(v.Name), word[v.Served], word[v.Storage], word[v.Stored], answer)
			}
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	for _, d := range r.Definitions {
		for _, v := range d.Versions {
			if v.Message != "" {
				fmt.Fprintf(out, "not answered: %s %s: %s\n", cell(d.Name), cell(v.Name), cell(v.Message))
			}
		}
		for _, f := range d.Failures {
			if f.Name == "" {
				fmt.Fprintf(out, "refused: %s: %s\n", cell(d.Name), cell(f.Message))
			} else {
				fmt.Fprintf(out, "not converted: %s %s: %s\n", cell(d.Kind), cell(f.object()), cell(f.Message))
			}
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(out, "skipped: %s: %s\n", cell(s.What), cell(s.Why))
	}
	for _, p := range r.Problems {
		if _, err := fmt.Fprintf(out, "problem: %s\n", cell(p)); err != nil {
			return err
		}
	}
	return nil
}
