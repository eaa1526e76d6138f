// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// assemble names and sorts the packages of the walk and their files. It drops files of other packages in the same
// folder.
func (w *walk) assemble() []*Package {
	packages := slices.DeleteFunc(w.packages, func(p *Package) bool { return len(p.Files) == 0 })
	for _, p := range packages {
		slices.SortFunc(p.Files, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
		first := p.Files[0]
		p.Name = first.AST.Name.Name
		p.Files = slices.DeleteFunc(p.Files, func(f *File) bool {
			name := f.AST.Name
			if name.Name == p.Name {
				return false
			}
			if w.selection.everything {
				return true
			}
			w.report(diag.Errorf(f.Range(name.Pos(), name.End()), rulePackageName, "packages %s and %s are in one folder", name.Name, p.Name).
				WithRelated(first.Range(first.AST.Name.Pos(), first.AST.Name.End()), "package %s", p.Name))
			return true
		})
	}
	slices.SortFunc(packages, func(a, b *Package) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Dir, b.Dir))
	})
	return packages
}
