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

// Diff prints the changes as a unified diff that `patch -p1` and `git apply` carry out in
// dir. Paths are relative to dir, which lies at or above all of them.
func Diff(w io.Writer, dir string, changes []Change) error {
	var out bytes.Buffer
	for _, c := range changes {
		rel, err := filepath.Rel(dir, c.Path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		from, to := label("a/"+name), label("b/"+name)
		// git's own header lines let a file without lines be created too. git reads them for
		// the whole diff or for none of it.
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

// label ends a name that holds a space in a tab, as git does: GNU patch takes only what
// precedes the first blank for the name otherwise.
func label(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}
