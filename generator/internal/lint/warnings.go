// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// auditKey is the name part of a qualified name, as k8s.io/apiserver/pkg/admission, checkKeyFormat, wants it.
var auditKey = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`)

func auditKeys(p pass) {
	for _, c := range p.Constants {
		if c.Use == AuditKey && !auditKey.MatchString(c.Text) {
			p.report(c.Webhook, c.Range, "an audit annotation cannot have the key %q, so that it gets another", c.Text)
		}
	}
}

func warnings(p pass) {
	const (
		longest = 256 // warningLimit of templates/admission
		advised = 120 // by the documentation of AdmissionResponse
	)
	for _, c := range p.Constants {
		control := strings.ContainsFunc(c.Text, unicode.IsControl)
		switch {
		case c.Use == RuntimeWarning && control:
			p.report(c.Webhook, c.Range, "a warning with a line break or another control character is dropped")
		case c.Use == Warning && control:
			p.report(c.Webhook, c.Range, "a warning is one line: users see a blank in place of each control character")
		case c.Use == Warning && utf8.RuneCountInString(c.Text) > longest:
			p.report(c.Webhook, c.Range, "a warning of %d characters is cut at %d where a request's warnings have more than 4096", utf8.RuneCountInString(c.Text), longest)
		case c.Use != AuditKey && strings.HasPrefix(strings.ToLower(c.Text), "warning:"):
			p.report(c.Webhook, c.Range, "clients print \"Warning:\" in front of every warning").Hint = "begin with the problem"
		case c.Use == Warning && utf8.RuneCountInString(c.Text) > advised:
			p.report(c.Webhook, c.Range, "a warning of %d characters: Kubernetes advises %d at most", utf8.RuneCountInString(c.Text), advised).Severity = diag.Note
		}
	}
}
