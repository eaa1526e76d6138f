// SPDX-License-Identifier: Apache-2.0

package program

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"golang.org/x/term"
)

// Outcome is what a webhook did with an object.
type outcome string

// The outcomes of findings.
const (
	// denied means that the webhook refuses the object.
	denied outcome = "denied"
	// failed means that the webhook could not decide, or that a document is no object. The failurePolicy of the webhook
	// decides about such objects.
	failed outcome = "failed"
	// warned means that the webhook allows the object with a warning.
	warned outcome = "warning"
)

// finding is one line of the report: a cause of a denial, a failed call or a warning. It is an element of findings in
// the output of scan --output json.
type finding struct {
	// Source is the file and line where the object's document begins. It is empty for an object of a cluster.
	Source string `json:"source,omitempty"`
	// APIVersion is the group and version of the object.
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind is the kind of the object.
	Kind string `json:"kind,omitempty"`
	// Namespace is the object's namespace, if it has one.
	Namespace string `json:"namespace,omitempty"`
	// Name is the object's name.
	Name string `json:"name,omitempty"`
	// Webhook is the name of the webhook.
	Webhook string `json:"webhook,omitempty"`
	// Outcome is what the webhook did.
	Outcome outcome `json:"outcome"`
	// Code is the HTTP code of the denial or of the failed call; 0 without one.
	Code int32 `json:"code,omitempty"`
	// Field is the path of the field that is the cause, if the validator names one.
	Field string `json:"field,omitempty"`
	// Message is the reason.
	Message string `json:"message"`
}

// report is what a scan found.
type report struct {
	// Objects is the number of objects that were scanned. An object in two versions counts twice.
	Objects    int64     `json:"objects"`
	Findings   []finding `json:"findings"`
	NotScanned []skipped `json:"notScanned"`
	Problems   []string  `json:"problems"`
}

// skipped is something that was not scanned, and the reason.
type skipped struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

func (r *report) add(findings ...finding) { r.Findings = append(r.Findings, findings...) }
func (r *report) skip(what, why string)   { r.NotScanned = append(r.NotScanned, skipped{what, why}) }
func (r *report) problem(message string)  { r.Problems = append(r.Problems, message) }

func (r *report) code(strict bool) int {
	if len(r.Problems) > 0 {
		return exitProblem
	}
	for _, f := range r.Findings {
		if f.Outcome != warned || strict {
			return exitFindings
		}
	}
	return exitClean
}

func (r *report) write(out io.Writer, format string) error {
	if format == "json" {
		whole := *r
		whole.Findings = append([]finding{}, r.Findings...)
		whole.NotScanned = append([]skipped{}, r.NotScanned...)
		whole.Problems = append([]string{}, r.Problems...)
		encoder := json.NewEncoder(out)
		encoder.SetIndent("", "  ")
		return encoder.Encode(whole)
	}
	return r.table(out)
}

// table writes the report for people. Text of objects and of other programs cannot control the terminal.
func (r *report) table(out io.Writer) error {
	if len(r.Findings) > 0 {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "OUTCOME\tKIND\tOBJECT\tWEBHOOK\tFIELD\tMESSAGE")
		for _, f := range r.Findings {
			name := f.Name
			if f.Namespace != "" {
				name = f.Namespace + "/" + name
			}
			if f.Source != "" {
				name = strings.TrimSpace(f.Source + " " + name)
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", f.Outcome, cell(kindOf(f)), cell(name), cell(f.Webhook), cell(f.Field), cell(f.Message))
		}
		if err := w.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	for _, s := range r.NotScanned {
		fmt.Fprintf(out, "not scanned: %s: %s\n", cell(s.What), cell(s.Why))
	}
	for _, p := range r.Problems {
		fmt.Fprintf(out, "problem: %s\n", cell(p))
	}
	_, err := fmt.Fprintf(out, "objects scanned: %d, findings: %d\n", r.Objects, len(r.Findings))
	return err
}

// kindOf returns a kind as kubectl takes it, such as Order.v1.shop.example.com.
func kindOf(f finding) string {
	group, version, ok := strings.Cut(f.APIVersion, "/")
	switch {
	case f.Kind == "":
		return "-"
	case !ok:
		return f.Kind + "." + group
	}
	return f.Kind + "." + version + "." + group
}

// longest is the length of the longest cell of a table, in characters.
const longest = 400

// cell returns text for a table: short, on one line, without control characters.
func cell(text string) string {
	clean := []rune(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return '\uFFFD'
		}
		return r
	}, text))
	if len(clean) > longest {
		clean = append(clean[:longest], '…')
	}
	return cmp.Or(string(clean), "-")
}

// progress is a bar on a terminal. Without a terminal it shows nothing.
type progress struct {
	out   io.Writer // nil without a terminal
	last  time.Time
	shown bool
}

func newProgress(stderr io.Writer) *progress {
	if f, ok := stderr.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return &progress{out: f}
	}
	return &progress{}
}

// show draws the bar, at most ten times a second.
func (p *progress) show(what string, done, total int64) {
	if p.out == nil || time.Since(p.last) < 100*time.Millisecond {
		return
	}
	p.last, p.shown = time.Now(), true
	const width = 30
	full := int(width * done / max(total, 1))
	fmt.Fprintf(p.out, "\r\x1b[K[%s%s] %d/%d %s", strings.Repeat("=", full), strings.Repeat(" ", width-full), done, total, cell(what))
}

// clear removes the bar.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.shown = false
	}
}
