// SPDX-License-Identifier: Apache-2.0

package load

import (
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// WithText returns the package as it is when the file at path holds text. The package itself
// and the disk stay as they are.
func (p *Package) WithText(path string, text []byte) (*Package, diag.List) {
	f, problems := parseFile(path, text)
	changed := &Package{
		Module: p.Module, Path: p.Path, Name: p.Name, Dir: p.Dir,
		Files: slices.Clone(p.Files), selection: p.selection, others: p.others,
	}
	for i, old := range changed.Files {
		if old.Path == path {
			changed.Files[i] = f
		}
	}
	return changed, problems
}
