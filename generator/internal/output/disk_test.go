// SPDX-License-Identifier: Apache-2.0

package output

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// entryOnDisk describes a file, link or folder in a snapshot.
type entryOnDisk struct {
	Mode fs.FileMode
	Text string // for a link, its target
}

// snapshot reads every entry below a folder, including temporary files.
func snapshot(t *testing.T, root string) map[string]entryOnDisk {
	t.Helper()
	found := make(map[string]entryOnDisk)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entryOnDisk{Mode: info.Mode()}
		switch {
		case e.Mode.IsRegular():
			var text []byte
			text, err = os.ReadFile(path)
			e.Text = string(text)
		case e.Mode&fs.ModeSymlink != 0:
			e.Text, err = os.Readlink(path)
		}
		found[rel(t, root, path)] = e
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func rel(t *testing.T, root, path string) string {
	t.Helper()
	name, err := filepath.Rel(root, path)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

// write creates a file and its folders.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
