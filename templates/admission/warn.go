package admission

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The API server's limits on warnings, in characters: see AddWarning in k8s.io/apiserver/pkg/endpoints/filters. When
// the warnings of a request are longer than all of them may be, each is cut, and what still goes beyond is dropped.
const (
	warningLimit  = 256
	warningsLimit = 4096
)

// Warn shows messages to the user, whether the request is allowed or denied. `kubectl` prints each on a line.
//
// The API server drops without a word what it cannot put into a header or what is too long, so messages are made to
// fit: a control character such as a line break becomes a space, what is no UTF-8 becomes U+FFFD, and a message ends
// after 256 characters. Empty and repeated messages, and those that go beyond 4096 characters in all, are left out.
func (r *Request) Warn(messages ...string) {
	for _, message := range messages {
		message = printable(message)
		if message == "" || slices.Contains(r.warnings, message) {
			continue
		}
		length := utf8.RuneCountInString(message)
		for _, other := range r.warnings {
			length += utf8.RuneCountInString(other)
		}
		if length <= warningsLimit {
			r.warnings = append(r.warnings, message)
		}
	}
}

// Warnings returns what [Request.Warn] has taken, as the API server will get it.
func (r *Request) Warnings() []string { return slices.Clone(r.warnings) }

// printable returns one line of at most warningLimit characters.
func printable(message string) string {
	message = strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(message, "\ufffd")))
	if utf8.RuneCountInString(message) > warningLimit {
		return string([]rune(message)[:warningLimit-1]) + "…"
	}
	return message
}
