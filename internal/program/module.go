// SPDX-License-Identifier: Apache-2.0

package program

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// CheckModule returns an error if the go command, run in dir, would read something else than a regular file as a file
// of its modules. It would wait for the writer of a pipe.
func CheckModule(dir string) error {
	for _, root := range []string{"go.mod", "go.work"} {
		for at := dir; ; at = filepath.Dir(at) {
			if _, err := os.Lstat(filepath.Join(at, root)); err == nil {
				for _, name := range []string{root, root[:len("go.")] + "sum", root + ".sum", filepath.Join("vendor", "modules.txt")} {
					if err := regular.Check(filepath.Join(at, name), regular.Source); err != nil {
						return err
					}
				}
				break
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return nil
}

// isSource reports whether the go command reads files with an extension in the folder of a package
// (go/build, fileListForExt).
func isSource(extension string) bool {
	return slices.Contains(strings.Fields(".go .c .cc .cpp .cxx .m .h .hh .hpp .hxx .f .F .for .f90 .s .S .sx .swig .swigcxx"), extension)
}

// CheckSources is CheckModule, and checks all files of packages below dir, too.
func CheckSources(dir string) error {
	if err := CheckModule(dir); err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Type().IsRegular() || !isSource(filepath.Ext(path)) {
			return nil //nolint:nilerr // the go command reports a folder that cannot be read
		}
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return nil //nolint:nilerr // the go command passes over a broken link
		}
		return regular.Check(path, regular.Source)
	})
}
