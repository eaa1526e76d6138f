// SPDX-License-Identifier: Apache-2.0

package resolve

import (
	"context"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// standardLibrary is the module "std" that GOROOT/src is.
type standardLibrary struct {
	module *load.Module // nil if there is no GOROOT to be found
}

// mayBeStandard reports whether an import path can be the standard library's: none of its paths
// has a dot in the first element (cmd/go/internal/search.IsStandardImportPath).
func mayBeStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// openStandardLibrary finds GOROOT: where GOROOT says, around the go command, or where this
// program was built.
func openStandardLibrary(ctx context.Context) *standardLibrary {
	roots := []string{os.Getenv("GOROOT")}
	if command, err := exec.LookPath("go"); err == nil {
		if command, err = filepath.EvalSymlinks(command); err == nil {
			roots = append(roots, filepath.Dir(filepath.Dir(command)))
		}
	}
	for _, root := range append(roots, build.Default.GOROOT) {
		src := filepath.Join(root, "src")
		if !filepath.IsAbs(src) {
			continue
		}
		// No file holds no marker, so that only go.mod is read.
		found, _ := load.Load(ctx, load.Config{Dir: src, Patterns: []string{"."}})
		if m := found.Module; m != nil && m.Path == "std" {
			return &standardLibrary{m}
		}
	}
	return &standardLibrary{}
}

// locate returns a package of the standard library, and nil for an import path that is not its.
// As for the go command, a folder in GOROOT goes before one elsewhere.
func (l *standardLibrary) locate(ctx context.Context, importPath string) *load.Package {
	if l.module == nil {
		return nil
	}
	// Locate would run the go command for a missing package.
	if info, err := os.Stat(filepath.Join(l.module.Dir, filepath.FromSlash(importPath))); err != nil || !info.IsDir() {
		return nil
	}
	p, err := l.module.Locate(ctx, "std/"+importPath)
	if err != nil {
		return nil
	}
	return p
}
