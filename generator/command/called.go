// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"path/filepath"
	"regexp"
	"strings"
)

// called returns the words by which the user calls this program, from the first word of its command line.
func called(program string) string {
	switch {
	case !strings.ContainsRune(program, filepath.Separator), strings.Contains(program, "go-build") && !isTool(program):
		return "webhook-gen" // in PATH, or built by go run
	case isTool(program):
		return "go tool webhook-gen"
	}
	return program
}

// isTool reports whether the program lies in the build cache, from which go tool runs it.
func isTool(program string) bool { return strings.HasSuffix(filepath.Dir(program), "-d") }

// ownCommands matches commands of this program in messages.
var ownCommands = regexp.MustCompile(`(^|[\s` + "`" + `(])webhook-gen( (?:generate|verify|lint|markers|explain|graph|import|init|create|delete|dev|version|help)\b| and commit\b)`)

// named returns a message with this program's commands as the user calls it.
func (s streams) named(message string) string {
	called := cmp.Or(s.called, "webhook-gen")
	return ownCommands.ReplaceAllString(message, "${1}"+strings.ReplaceAll(called, "$", "$$")+"${2}")
}
