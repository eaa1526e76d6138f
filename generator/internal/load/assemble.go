// SPDX-License-Identifier: Apache-2.0

package load

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// assemble makes packages of the parsed files of each folder.
func (s *selection) assemble(folders []*folder) (packages []*Package, problems diag.List) {
	for _, folder := range folders {
		list := folder.parsed
		if len(list) == 0 {
			continue
		}
		slices.SortFunc(list, func(a, b *File) int { return cmp.Compare(a.Path, b.Path) })
		p := &Package{
			Module: folder.module, Path: folder.module.importPath(folder.dir), Name: list[0].AST.Name.Name, Dir: folder.dir,
			selection: s, others: folder.others,
		}
		for _, f := range list {
			if name := f.AST.Name; name.Name != p.Name {
				first := list[0].AST.Name
				problems.Add(diag.Errorf(f.Range(name.Pos(), name.End()), rulePackageName,
					"packages %s and %s are in one folder", name.Name, p.Name).
					WithRelated(list[0].Range(first.Pos(), first.End()), "package %s", p.Name))
				continue
			}
			p.Files = append(p.Files, f)
		}
		packages = append(packages, p)
	}
	slices.SortFunc(packages, func(a, b *Package) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Dir, b.Dir))
	})
	return packages, problems
}
