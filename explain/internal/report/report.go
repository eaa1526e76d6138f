// SPDX-License-Identifier: Apache-2.0

// Package report writes the results, for people and for programs.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/admission"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
)

// Report is the result for one request.
type Report struct {
	Request Request `json:"request"`
	admit.Result
	// Assumed lists the assumptions about the request.
	Assumed []string `json:"assumed,omitempty"`
	// Omitted counts the skipped webhooks that the lists lack.
	Omitted *Omitted `json:"omitted,omitempty"`
}

// Omitted counts webhooks.
type Omitted struct {
	Mutating   int `json:"mutating"`
	Validating int `json:"validating"`
}

// WithoutSkipped returns the report without the webhooks that are skipped, and with their number.
func (r Report) WithoutSkipped() Report {
	skipped := func(w admit.Webhook) bool { return w.Verdict == admit.Skipped }
	mutating, validating := len(r.Mutating), len(r.Validating)
	r.Mutating = slices.DeleteFunc(slices.Clone(r.Mutating), skipped)
	r.Validating = slices.DeleteFunc(slices.Clone(r.Validating), skipped)
	r.Omitted = &Omitted{mutating - len(r.Mutating), validating - len(r.Validating)}
	return r
}

// Request is the request as the API server sees it.
type Request struct {
	Operation   string   `json:"operation"`
	Kind        string   `json:"kind"`
	Resource    string   `json:"resource"`
	Subresource string   `json:"subresource,omitempty"`
	Version     string   `json:"version"`
	Group       string   `json:"group"`
	Namespace   string   `json:"namespace,omitempty"`
	Name        string   `json:"name,omitempty"`
	User        string   `json:"user"`
	Groups      []string `json:"groups"`
	DryRun      bool     `json:"dryRun,omitempty"`
}

// NewRequest describes a request.
func NewRequest(a admission.Attributes) Request {
	r := a.GetResource()
	return Request{
		Operation: string(a.GetOperation()), Kind: a.GetKind().Kind, Resource: r.Resource, Subresource: a.GetSubresource(),
		Version: r.Version, Group: r.Group, Namespace: a.GetNamespace(), Name: a.GetName(),
		User: a.GetUserInfo().GetName(), Groups: a.GetUserInfo().GetGroups(), DryRun: a.IsDryRun(),
	}
}

// Formats are the forms in which Write can write.
func Formats() []string { return []string{"text", "json"} }

// Write writes a report in one of the Formats.
func (r Report) Write(w io.Writer, format string) error {
	if format == "json" {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	_, err := io.WriteString(w, r.text())
	return err
}

func (r Report) text() string {
	var b strings.Builder
	b.WriteString(r.Request.text() + "\n")
	omitted := Omitted{}
	if r.Omitted != nil {
		omitted = *r.Omitted
	}
	phase(&b, "mutating webhooks, one after the other", r.Mutating, omitted.Mutating)
	phase(&b, "validating webhooks, all at once", r.Validating, omitted.Validating)
	if len(r.Assumed) > 0 {
		b.WriteString("\nassumed:\n")
	}
	for _, a := range r.Assumed {
		fmt.Fprintf(&b, "  %s\n", a)
	}
	return b.String()
}

func (r Request) text() string {
	resource := r.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	text := fmt.Sprintf("%s %s.%s", r.Operation, resource, r.Version)
	if r.Group != "" {
		text += "." + r.Group
	}
	if r.Name != "" {
		text += " " + r.Name
	}
	if r.Namespace != "" && r.Kind != "Namespace" {
		text += " in the namespace " + r.Namespace
	}
	if r.DryRun {
		text += ", as a dry run"
	}
	return fmt.Sprintf("%s, by %s (%s)", text, r.User, strings.Join(r.Groups, ", "))
}

func phase(b *strings.Builder, title string, webhooks []admit.Webhook, omitted int) {
	fmt.Fprintf(b, "\n%s:\n", title)
	switch {
	case omitted > 0:
		fmt.Fprintf(b, "  %d skipped, not shown\n", omitted)
	case len(webhooks) == 0:
		b.WriteString("  none\n")
	}
	for _, w := range webhooks {
		position := fmt.Sprintf("%s[%d]", w.Configuration, w.Index)
		if w.Position != "" {
			position += ", " + w.Position
		}
		fmt.Fprintf(b, "  %-11s %s (%s)\n", w.Verdict, w.Name, position)
		for _, line := range details(w) {
			fmt.Fprintf(b, "              %s\n", line)
		}
	}
}

// details describes a webhook besides its verdict, line by line.
func details(w admit.Webhook) []string {
	var lines []string
	switch {
	case w.Step != "":
		lines = append(lines, fmt.Sprintf("%s: %s", w.Step, w.Reason))
	case w.Reason != "":
		lines = append(lines, w.Reason)
	}
	if len(w.Undefaulted) > 0 {
		lines = append(lines, fmt.Sprintf("assumed: no default for %s, which its conditions read; kubectl create --dry-run=server -o yaml prints what an API server sets", strings.Join(w.Undefaulted, ", ")))
	}
	if w.Verdict != admit.Called {
		return lines
	}
	if w.Converted != "" {
		lines = append(lines, "gets the object as "+w.Converted)
	}
	if w.Reinvoked {
		lines = append(lines, "is called once more where a webhook after it changes the object")
	}
	return lines
}
