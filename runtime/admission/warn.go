// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
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
// control characters such as line breaks become spaces, and invalid UTF-8 becomes U+FFFD. Once all messages of the
// request together exceed 4096 characters, each is cut in its middle to 256, and messages beyond the total are left
// out. Empty and repeated messages are left out, too.
func (r *Request) Warn(messages ...string) {
	fitting := 0 // what the messages of this call take at least
	for _, message := range messages {
		if fitting > warningsLimit {
			break // no further message can fit
		}
		message = printable(message)
		if message == "" || slices.Contains(r.warnings, message) {
			continue
		}
		r.warnings = append(r.warnings, message)
		fitting += min(utf8.RuneCountInString(message), warningLimit)
	}
	total := 0
	for _, message := range r.warnings {
		total += utf8.RuneCountInString(message)
	}
	if total > warningsLimit {
		r.warnings = shortened(r.warnings)
	}
}

// shortened returns the messages with at most warningLimit characters each, and as many of them as do not exceed
// warningsLimit.
func shortened(messages []string) (all []string) {
	total := 0
	for _, message := range messages {
		if text := []rune(message); len(text) > warningLimit {
			const half = warningLimit / 2
			message = string(text[:half]) + wire.Gap + string(text[len(text)-half+1:])
		}
		if slices.Contains(all, message) {
			continue
		}
		if total += utf8.RuneCountInString(message); total > warningsLimit {
			break
		}
		all = append(all, message)
	}
	return all
}

// Warnings returns the warnings given so far, as the API server will get them.
func (r *Request) Warnings() []string { return slices.Clone(r.warnings) }

// printable returns one line.
func printable(message string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(message, "\ufffd")))
}
