// SPDX-License-Identifier: Apache-2.0

package program

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

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

func (d reportedDefinition) failed() bool { return len(d.Failures) > 0 }

// conversionTable writes definitions for people.
func conversionTable(out io.Writer, all []reportedDefinition) error {
	word := map[bool]string{true: "yes", false: "no"}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "DEFINITION\tVERSION\tSERVED\tSTORAGE\tSTORED\tANSWERED")
	for _, d := range all {
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
	for _, d := range all {
		for _, v := range d.Versions {
			if v.Message != "" {
				fmt.Fprintf(out, "not answered: %s %s: %s\n", cell(d.Name), cell(v.Name), cell(v.Message))
			}
		}
		for _, f := range d.Failures {
			line := fmt.Sprintf("not converted: %s %s: %s\n", cell(d.Kind), cell(f.object()), cell(f.Message))
			if f.Name == "" {
				line = fmt.Sprintf("refused: %s: %s\n", cell(d.Name), cell(f.Message))
			}
			if _, err := io.WriteString(out, line); err != nil {
				return err
			}
		}
	}
	return nil
}
