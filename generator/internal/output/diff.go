// SPDX-License-Identifier: Apache-2.0

package output

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Diff prints the changes as a unified diff for `patch -p1` or `git apply` in dir. Its paths are relative to dir,
// which contains all of the files.
func Diff(w io.Writer, dir string, changes []Change) error {
	var out bytes.Buffer
	for _, c := range changes {
		rel, err := filepath.Rel(dir, c.Path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		from, to := label("a/"+name), label("b/"+name)
		// An empty file needs git's own header lines. git reads them in every file of the diff or in none.
		fmt.Fprintf(&out, "diff --git a/%s b/%s\n", name, name)
		switch c.Action {
		case Create:
			from = "/dev/null"
			out.WriteString("new file mode 100644\n")
		case Remove:
			to = "/dev/null"
			out.WriteString("deleted file mode 100644\n")
		}
		out.WriteString(udiff.Unified(from, to, string(c.Old), string(c.New)))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// label returns a name for the header of a diff. GNU patch cuts names at the first blank, so a name with a space ends
// in a tab, as in git's diffs.
func label(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}
