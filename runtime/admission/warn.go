// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The API server's limits on warnings, in characters: see AddWarning in k8s.io/apiserver/pkg/endpoints/filters. If the
// warnings of a request exceed the total, the API server cuts each, and drops the warnings that still exceed it.
const (
	warningLimit  = 256
	warningsLimit = 4096
)

// Warn shows messages to the user, whether the request is allowed or denied. `kubectl` prints each on a line of its
// own.
//
// The API server silently drops messages that do not fit into a header or are too long, so Warn makes messages fit:
// control characters such as line breaks become spaces, invalid UTF-8 becomes U+FFFD, and a message is cut after 256
// characters. Warn leaves out empty and repeated messages, and messages beyond 4096 characters in total.
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

// Warnings returns the warnings given so far, as the API server will get them.
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
