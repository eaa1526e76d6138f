// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"regexp"
	"strings"
)

// Wrapped breaks the lines of paragraphs and lists at 120 columns, but no code.
func Wrapped(text string) string {
	const columns = 120
	word := regexp.MustCompile("(?:`[^`]*`|[^ `])+")
	var out strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if fenced || len(line) <= columns || strings.ContainsAny(line[:1], "|# ") {
			out.WriteString(line)
			continue
		}
		indent := ""
		if strings.HasPrefix(line, "- ") {
			indent = "  "
		}
		length := 0
		for i, w := range word.FindAllString(strings.TrimSuffix(line, "\n"), -1) {
			switch {
			case i == 0:
			case length+1+len(w) > columns:
				out.WriteString("\n" + indent)
				length = len(indent)
			default:
				out.WriteString(" ")
				length++
			}
			out.WriteString(w)
			length += len(w)
		}
		out.WriteString("\n")
	}
	return out.String()
}
