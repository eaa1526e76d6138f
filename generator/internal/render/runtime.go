// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/templates"
)

// generation is the version of generated code: the smallest version.Max of the runtimes that it compiles with.
const generation = 1

// spdx is the first line of every Go file of the runtime.
const spdx = "// SPDX-License-Identifier: Apache-2.0\n"

// licence is the notice in every file of a project's copy of the runtime.
const licence = spdx +
	"// This file is a copy of the runtime of https://github.com/webhook-gen/webhook-gen, Copyright The webhook-gen Authors.\n" +
	"// You may obtain a copy of the License at https://www.apache.org/licenses/LICENSE-2.0.\n"

// runtime returns the import path of a package of the runtime: of the module or, in vendor mode, of the project's copy.
func (o Options) runtime(p *model.Project, pkg string) string {
	if o.Vendored {
		return path.Join(p.Module.Path, o.Handlers, pkg)
	}
	return path.Join(templates.RuntimePath, pkg)
}

// assertRuntime writes the constants that fail the build if the code and the runtime do not fit each other.
func assertRuntime(f *jen.File, version string) {
	f.ImportName(version, "version")
	f.Comment("If one of these constants overflows, the name of its type is the remedy.")
	f.Const().Defs(
		jen.Id("_").Op("=").Qual(version, "UpdateRuntimeInGoMod").Parens(jen.Qual(version, "Max").Op("-").Lit(generation)),
		jen.Id("_").Op("=").Qual(version, "RunWebhookGenAgain").Parens(jen.Lit(generation).Op("-").Qual(version, "Min")),
	)
	f.Line()
}

// runtimeCopy writes the packages of the runtime that the files and the project's own code import, and what those
// import themselves.
func runtimeCopy(p *model.Project, files []output.File, o Options) ([]output.File, error) {
	prefix := o.runtime(p, "") + "/"
	packages := map[string][]output.File{}
	imports := map[string][]string{}
	for _, f := range templates.Runtime() {
		pkg, name := path.Split(f.Name)
		pkg = path.Clean(pkg)
		text := bytes.ReplaceAll(bytes.TrimPrefix(f.Data, []byte(spdx+"\n")), []byte(templates.RuntimePath+"/"), []byte(prefix))
		found, err := importsBelow(prefix, text)
		if err != nil {
			return nil, err
		}
		imports[pkg] = append(imports[pkg], found...)
		file := filepath.Join(p.Module.Dir, filepath.FromSlash(o.Handlers), filepath.FromSlash(pkg), "zz_generated."+name)
		packages[pkg] = append(packages[pkg], output.File{
			Path: file, Content: slices.Concat([]byte(output.GoHeader+"\n\n"+licence+"\n"), text), Owner: output.Generated,
		})
	}
	wanted := slices.Clone(o.Imported)
	for _, f := range files {
		if filepath.Ext(f.Path) != ".go" {
			continue
		}
		found, err := importsBelow(prefix, f.Content)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, found...)
	}
	var copied []output.File
	for i := 0; i < len(wanted); i++ {
		copied = append(copied, packages[wanted[i]]...)
		delete(packages, wanted[i])
		wanted = append(wanted, imports[wanted[i]]...)
		delete(imports, wanted[i])
	}
	return copied, nil
}

// importsBelow returns what a Go file imports of the packages whose paths begin with a prefix, without the prefix.
func importsBelow(prefix string, text []byte) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, i := range f.Imports {
		path, _ := strconv.Unquote(i.Path.Value) // the parser takes only valid literals
		if pkg, ok := strings.CutPrefix(path, prefix); ok {
			found = append(found, pkg)
		}
	}
	return found, nil
}
