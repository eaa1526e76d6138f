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
	"github.com/webhook-gen/webhook-gen/explain/internal/evaluate"
)

// Report is the result for one request.
type Report struct {
	Request Request `json:"request"`
	// Mutating and Validating are the webhooks in the API server's order. It calls mutating webhooks one after the other,
	// and then validating webhooks all at once.
	Mutating   []admit.Webhook `json:"mutating"`
	Validating []admit.Webhook `json:"validating"`
	// Assumed lists the assumptions about the request.
	Assumed []string `json:"assumed,omitempty"`
	// Omitted counts the skipped webhooks and policies that the lists lack.
	Omitted *Omitted `json:"omitted,omitempty"`
	// Verdict is allowed, denied or open.
	Verdict string `json:"verdict"`
	// Open are the reasons why the answer may differ.
	Open []string `json:"open,omitempty"`
	evaluate.Answer
	// Before is the object before all steps.
	Before map[string]any `json:"-"`
}

// Omitted counts webhooks, and steps of policies.
type Omitted struct {
	Mutating   int `json:"mutating"`
	Validating int `json:"validating"`
	Policies   int `json:"policies,omitempty"`
}

// New returns the report of an explanation.
func New(request Request, before map[string]any, e evaluate.Explanation, assumed []string) Report {
	r := Report{
		Request: request, Mutating: append([]admit.Webhook{}, e.Mutating...), Validating: append([]admit.Webhook{}, e.Validating...),
		Assumed: assumed, Open: e.Open, Answer: e.Answer, Before: before, Verdict: "allowed",
	}
	switch {
	case e.Allowed && len(e.Open) > 0:
		r.Verdict = "open"
	case !e.Allowed:
		r.Verdict = "denied"
		if i := slices.IndexFunc(e.Steps, func(s evaluate.Step) bool { return s.Verdict == evaluate.Denied || s.Verdict == evaluate.Error }); i >= 0 && len(e.Steps[i].Open) > 0 {
			r.Verdict = "open"
		}
	}
	return r
}

// WithoutSkipped returns the report without the webhooks and policies that are skipped, and with their number.
func (r Report) WithoutSkipped() Report {
	skipped := func(w admit.Webhook) bool { return w.Verdict == admit.Skipped }
	mutating, validating := len(r.Mutating), len(r.Validating)
	r.Mutating = slices.DeleteFunc(slices.Clone(r.Mutating), skipped)
	r.Validating = slices.DeleteFunc(slices.Clone(r.Validating), skipped)
	r.Omitted = &Omitted{Mutating: mutating - len(r.Mutating), Validating: validating - len(r.Validating)}
	r.Steps = slices.DeleteFunc(slices.Clone(r.Steps), func(s evaluate.Step) bool {
		if !skips(s) {
			return false
		}
		if s.Policy != "" {
			r.Omitted.Policies++
		}
		return true
	})
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

// Write writes a report in one of the Formats. A width of more than 0 is the width of the terminal.
func (r Report) Write(w io.Writer, format string, width int) error {
	if format == "json" {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	_, err := io.WriteString(w, wrap(printable(r.text()), width))
	return err
}

func (r Request) text() string {
	resource := strings.TrimSuffix(r.Resource+"/"+r.Subresource, "/")
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
