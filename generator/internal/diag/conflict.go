// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"bytes"
	"strings"
)

// Conflict returns the first merge conflict in a file. Report it instead of a parser's errors about the conflict. It
// recognizes Git's conflict markers.
func Conflict(path, rule string, text []byte) (d Diagnostic, found bool) {
	begin, number := Range{}, 0
	for line := range bytes.Lines(text) {
		number++
		at := Position{File: path, Line: number, Column: 1}
		sign := string(line[:min(len(line), len("<<<<<<< "))])
		switch {
		case sign == "<<<<<<< ":
			end := at
			end.Column += len(strings.TrimRight(string(line), "\r\n"))
			begin = Range{Pos: at, End: end}
		case begin.IsValid() && (sign == ">>>>>>> " || strings.TrimSpace(sign) == ">>>>>>>"):
			return Errorf(begin, rule, "a merge conflict that is not resolved: it ends at line %d", number).
				WithHint("keep the lines of one side, and remove the lines <<<<<<<, ======= and >>>>>>>"), true
		}
	}
	return Diagnostic{}, false
}
