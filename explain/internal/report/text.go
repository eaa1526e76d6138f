// SPDX-License-Identifier: Apache-2.0

package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/evaluate"
	"github.com/webhook-gen/webhook-gen/explain/internal/policy"
)

const indent = "              "

func (r Report) text() string {
	p := printer{Report: r}
	p.line("%s", r.Request.text())
	omitted := cmp.Or(r.Omitted, &Omitted{})
	p.policies("mutating policies", evaluate.Mutation)
	p.webhooks("mutating webhooks, one after the other", evaluate.Mutation, r.Mutating, omitted.Mutating)
	if again := p.of(func(s evaluate.Step) bool { return s.Phase == evaluate.Reinvocation }); len(again) > 0 {
		p.line("\nonce more, since the object was changed:")
		for _, s := range again {
			if s.Policy != "" {
				p.policy(s)
				continue
			}
			p.line("  %-11s %s (%s[%d])%s", "called", s.Webhook, s.Configuration, *s.Index, unknown(&s))
			p.details(answer(s)...)
			p.after(s)
		}
	}
	p.policies("validating policies", evaluate.Validation)
	p.webhooks("validating webhooks, all at once", evaluate.Validation, r.Validating, omitted.Validating)
	if omitted.Policies > 0 {
		p.line("\npolicies that do not match: %d, not shown", omitted.Policies)
	}
	p.list("warnings", r.Warnings)
	p.list("audit annotations", annotations(r.AuditAnnotations))
	p.list("assumed", r.Assumed)
	p.verdict()
	return p.out.String()
}

// printer writes the text. It follows the object, Report.Before, from step to step.
type printer struct {
	Report
	out strings.Builder
}

func (p *printer) line(format string, args ...any) { fmt.Fprintf(&p.out, format+"\n", args...) }

// details writes lines below a step. A message may have several lines.
func (p *printer) details(lines ...string) {
	for _, text := range lines {
		for part := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
			p.line("%s%s", indent, part)
		}
	}
}

func (p *printer) list(title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	p.line("\n%s:", title)
	for _, text := range lines {
		p.line("  %s", strings.ReplaceAll(text, "\n", "\n  "))
	}
}

func (p *printer) of(is func(evaluate.Step) bool) []evaluate.Step {
	return slices.DeleteFunc(slices.Clone(p.Steps), func(s evaluate.Step) bool { return !is(s) })
}

// policies writes the steps of the policies in a phase, if there are any.
func (p *printer) policies(title string, phase evaluate.Phase) {
	steps := p.of(func(s evaluate.Step) bool { return s.Policy != "" && s.Phase == phase })
	if len(steps) == 0 {
		return
	}
	p.line("\n%s:", title)
	for _, s := range steps {
		p.policy(s)
	}
}

func (p *printer) policy(s evaluate.Step) {
	verdict := string(s.Verdict)
	if skips(s) {
		verdict = "skipped"
	}
	var about []string
	if s.Binding != "" && s.Binding != s.Policy {
		about = append(about, "binding "+s.Binding)
	}
	if s.Mutation != nil {
		about = append(about, fmt.Sprintf("mutation %d", *s.Mutation))
	}
	if s.Params != "" {
		about = append(about, "params "+s.Params)
	}
	if s.Cost > 0 {
		about = append(about, fmt.Sprintf("cost %d", s.Cost))
	}
	if s.EstimatedCost > 0 {
		about = append(about, "worst case "+worst(s.EstimatedCost))
	}
	name := s.Policy
	if len(about) > 0 {
		name += " (" + strings.Join(about, ", ") + ")"
	}
	p.line("  %-11s %s", verdict, name)
	if s.Message != "" {
		p.details(s.Message)
	}
	p.after(s)
}

// worst writes an estimated cost.
func worst(cost int64) string {
	if cost == math.MaxInt64 {
		return "unlimited"
	}
	return policy.Number(uint64(cost))
}

// after writes the effect of a step on the object, and what leaves the step open.
func (p *printer) after(s evaluate.Step) {
	if s.Object != nil {
		p.details(changes(p.Before, s.Object)...)
		p.Before = s.Object
	}
	if s.Advice != "" {
		p.details(s.Advice)
	}
	if len(s.Open) > 0 {
		p.details(fmt.Sprintf("may differ if %s changes the object", strings.Join(s.Open, " or ")))
	}
}

func (p *printer) webhooks(title string, phase evaluate.Phase, webhooks []admit.Webhook, omitted int) {
	p.line("\n%s:", title)
	switch {
	case omitted > 0:
		p.line("  %d skipped, not shown", omitted)
	case len(webhooks) == 0:
		p.line("  none")
	}
	for _, w := range webhooks {
		position := fmt.Sprintf("%s[%d]", w.Configuration, w.Index)
		if w.Position != "" {
			position += ", " + w.Position
		}
		var step *evaluate.Step
		if i := slices.IndexFunc(p.Steps, func(s evaluate.Step) bool {
			return s.Phase == phase && s.Webhook != "" && s.Configuration == w.Configuration && s.Webhook == w.Name && *s.Index == w.Index
		}); i >= 0 {
			step = &p.Steps[i]
		}
		p.line("  %-11s %s (%s)%s", w.Verdict, w.Name, position, unknown(step))
		p.details(details(w, step)...)
		if step != nil {
			p.after(*step)
		}
	}
}

func unknown(s *evaluate.Step) string {
	if s != nil && s.Verdict == evaluate.Unknown {
		return ", verdict unknown"
	}
	return ""
}

// details describes a webhook besides its verdict, line by line.
func details(w admit.Webhook, s *evaluate.Step) []string {
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
	if s == nil {
		return lines
	}
	if w.Reinvoked && s.Verdict == evaluate.Unknown {
		lines = append(lines, "is called once more where a webhook after it changes the object")
	}
	return append(lines, answer(*s)...)
}

// answer describes the answer of a webhook.
func answer(s evaluate.Step) []string {
	switch s.Verdict {
	case evaluate.Allowed:
		return []string{"allows the request"}
	case evaluate.Changed:
		return []string{"changes the object:"}
	case evaluate.Denied, evaluate.Error:
		return []string{s.Message}
	case evaluate.Unknown:
		if !strings.HasPrefix(s.Message, "--webhooks") { // which the verdict says once
			return []string{s.Message}
		}
	}
	return nil
}

// skips reports a step without an effect, since it does not match.
func skips(s evaluate.Step) bool {
	return s.Verdict == evaluate.NotMatched || s.Verdict == evaluate.ConditionFalse
}

// annotations are the audit annotations of policies and webhooks, without the records of mutations.
func annotations(all map[string]string) (lines []string) {
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(key, "patch.webhook.admission.k8s.io/") || strings.HasPrefix(key, "mutation.webhook.admission.k8s.io/") {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s: %s", key, all[key]))
	}
	return lines
}

func (p *printer) verdict() {
	word := p.Verdict
	if word == "open" {
		word = "open, and allowed as far as is known"
		if !p.Allowed {
			word = "open, and denied as far as is known"
		}
	}
	if !p.Allowed {
		word += fmt.Sprintf(", %d %s", p.Code, cmp.Or(p.Reason, http.StatusText(int(p.Code))))
	}
	p.line("\nverdict: %s", word)
	lines := []string{}
	if !p.Allowed {
		lines = append(lines, p.Message)
	}
	lines = append(lines, p.Open...)
	if slices.ContainsFunc(p.Steps, func(s evaluate.Step) bool {
		return s.Verdict == evaluate.Unknown && strings.HasPrefix(s.Message, "--webhooks")
	}) {
		lines = append(lines, "--webhooks URL sends the request to a running program")
	}
	for _, text := range lines {
		p.line("  %s", strings.ReplaceAll(text, "\n", "\n  "))
	}
}

// printable escapes control characters, which a terminal would obey: messages and names come from clients and webhooks.
func printable(text string) string {
	var b strings.Builder
	for _, letter := range text {
		if letter != '\n' && (unicode.IsControl(letter) || unicode.Is(unicode.Bidi_Control, letter)) {
			fmt.Fprintf(&b, "\\u%04x", letter)
			continue
		}
		b.WriteRune(letter)
	}
	return b.String()
}

// wrap breaks lines at the width of a terminal. The rest of a line is indented like the line.
func wrap(text string, width int) string {
	if width < 40 { // no terminal, or too small for an indented text
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
		if len(margin) < 4 && margin != "" {
			margin = indent
		}
		for letters := []rune(line); ; letters = []rune(margin + string(letters)) {
			at := 0
			if len(letters) > width {
				at = width
			}
			for at > len(margin) && letters[at] != ' ' {
				at--
			}
			if at <= len(margin) { // the line fits, or is a word without a space
				b.WriteString(string(letters) + "\n")
				break
			}
			b.WriteString(strings.TrimRight(string(letters[:at]), " ") + "\n")
			letters = letters[at+1:]
		}
	}
	return b.String()
}
