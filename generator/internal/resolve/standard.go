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

// mayBeStandard reports whether an import path can be in the standard library. The first element of such a path has
// no dot (cmd/go/internal/search.IsStandardImportPath).
func mayBeStandard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}

// openStandardLibrary returns the module "std" in GOROOT/src. GOROOT is the environment variable, the folder of the
// go command or the one of this program's build. It returns nil without a GOROOT.
func openStandardLibrary(ctx context.Context) *load.Module {
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
		// Without files there are no markers, so Load reads only go.mod.
		found, _ := load.Load(ctx, load.Config{Dir: src, Patterns: []string{"."}})
		if m := found.Module; m != nil && m.Path == "std" {
			return m
		}
	}
	return nil
}

// locate finds a package of the standard library in GOROOT, and others from the module. GOROOT takes precedence, as
// in the go command.
func (r *Resolver) locate(importPath string) (*load.Package, error) {
	if mayBeStandard(importPath) && r.standard() != nil {
		// Locate would run the go command for a missing package.
		info, err := os.Stat(filepath.Join(r.standard().Dir, filepath.FromSlash(importPath)))
		if err == nil && info.IsDir() {
			if p, err := r.standard().Locate(r.ctx, "std/"+importPath); err == nil {
				return p, nil
			}
		}
	}
	return r.module.Locate(r.ctx, importPath)
}
