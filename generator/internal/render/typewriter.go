// SPDX-License-Identifier: Apache-2.0

package render

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/block"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/sides"
)

// typeWriter writes types and names into a generated file, for the statements of a block.
type typeWriter struct {
	file *jen.File
	// aliases are the aliases of packages, by path.
	aliases map[string]string
	// zero maps types to the functions that compare a struct with its zero value. zeros lists these types in the
	// order of first use.
	zero  map[*resolve.Type]string
	zeros []*resolve.Type
}

// Type returns a type in the syntax of the generated file.
func (w *typeWriter) Type(t *resolve.Type) *jen.Statement {
	switch {
	case t.Name != "":
		s := w.Qualified(t.Package, t.Name)
		if len(t.Args) > 0 {
			s.Types(codes(t.Args, w.Type)...)
		}
		return s
	case t.Key() != nil:
		return jen.Map(w.Type(t.Key())).Add(w.Type(t.Elem()))
	case t.Elem() != nil:
		signs := strings.TrimSuffix(t.String(), t.Elem().String()) // for example []
		return jen.Op(signs).Add(w.Type(t.Elem()))
	}
	return jen.Id(t.String())
}

// Qualified returns a qualified name and imports its package. A version's package has an alias with the preceding
// element of its path.
func (w *typeWriter) Qualified(importPath, name string) *jen.Statement {
	if importPath == "" {
		return jen.Id(name)
	}
	alias := strings.NewReplacer("-", "", ".", "").Replace(path.Base(importPath))
	if versionPackage(alias) {
		alias = strings.ReplaceAll(path.Base(path.Dir(importPath)), "-", "") + alias
	}
	if alias = cmp.Or(w.aliases[importPath], alias); alias == path.Base(importPath) {
		w.file.ImportName(importPath, alias)
	} else {
		w.file.ImportAlias(importPath, alias)
	}
	return jen.Qual(importPath, name)
}

// Runtime returns a name of the package conversion.
func (*typeWriter) Runtime(name string) *jen.Statement { return jen.Qual(conversionPackage, name) }

// Comment returns a comment of one line.
func (*typeWriter) Comment(format string, args ...any) *jen.Statement {
	return comment(format, args...)
}

// ZeroFunction returns the name of the function that reports whether a struct or an array is zero.
func (w *typeWriter) ZeroFunction(t *resolve.Type) string {
	if name, ok := w.zero[t]; ok {
		return name
	}
	name := "isZero" + t.Name
	for i := 2; slices.Contains(slices.Collect(maps.Values(w.zero)), name); i++ {
		name = fmt.Sprint("isZero", t.Name, i)
	}
	w.zero[t] = name
	w.zeros = append(w.zeros, t)
	return name
}

// isZero writes the function that reports whether a struct or an array that Go cannot compare is zero.
func (w *typeWriter) isZero(t *resolve.Type) {
	w.file.Add(comment("%s reports whether nothing is set.", w.zero[t]))
	w.file.Func().Id(w.zero[t]).Params(jen.Id("v").Op("*").Add(w.Type(t))).Bool().BlockFunc(func(g *jen.Group) {
		block.New(w, g, sides.ToHub).IsZero(t)
	})
}
