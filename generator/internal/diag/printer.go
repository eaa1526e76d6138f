// SPDX-License-Identifier: Apache-2.0

package diag

import (
	"bytes"
	"fmt"
)

// Printer shows positions and source lines in the forms of Print, for findings with more content than a Diagnostic.
type Printer struct{ printer }

// NewPrinter makes a printer that shows paths relative to a folder.
func NewPrinter(dir string) Printer {
	return Printer{printer{dir: dir, sources: map[string][]string{}}}
}

// File returns a file's path as printed.
func (p Printer) File(at Position) string { return p.file(at) }

// Excerpt writes the source line of a range, with a caret below it.
func (p Printer) Excerpt(out *bytes.Buffer, at Range) { p.excerpt(out, at, Note) }

// Command returns a workflow command by which GitHub shows a message beside a line of a pull request. If file is empty,
// the message has no line. The level is error, warning or notice.
func Command(level, file string, line, column int, title, message string) string {
	position := ""
	if file != "" {
		position = fmt.Sprintf("file=%s,line=%d,col=%d,", escapeProperty(file), line, column)
	}
	return fmt.Sprintf("::%s %stitle=%s::%s\n", level, position, escapeProperty(title), escapeData(message))
}
