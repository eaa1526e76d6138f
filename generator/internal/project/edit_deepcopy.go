// SPDX-License-Identifier: Apache-2.0

package project

import (
	"cmp"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
)

// deepCopyFile is controller-gen's file with the methods that copy a package's types. Registered types do not compile
// without them, so a command that adds or removes a type updates the file as far as possible without type
// information. controller-gen replaces it later.
const deepCopyFile = "zz_generated.deepcopy.go"

// deepCopies is the content of such a file.
type deepCopies struct {
	head    string            // before the package clause
	imports []string          // in source form: runtime "k8s.io/apimachinery/pkg/runtime"
	methods map[string]string // by receiver type
}

// readDeepCopies reads the content of the file. An empty text has no methods.
func readDeepCopies(text []byte) (deepCopies, error) {
	d := deepCopies{methods: map[string]string{}}
	if len(text) == 0 {
		return d, nil
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, deepCopyFile, text, parser.ParseComments)
	if err != nil {
		return d, err
	}
	cut := func(from, to token.Pos) string {
		return string(text[set.Position(from).Offset:set.Position(to).Offset])
	}
	d.head = cut(tree.FileStart, tree.Package)
	for _, i := range tree.Imports {
		d.imports = append(d.imports, cut(i.Pos(), i.End()))
	}
	for _, declaration := range tree.Decls {
		f, ok := declaration.(*ast.FuncDecl)
		if !ok || f.Recv == nil {
			continue
		}
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		d.methods[load.Receiver(f)] += cut(from, f.End()) + "\n\n"
	}
	return d, nil
}

// merge adds methods of others for types without methods.
func (d deepCopies) merge(others deepCopies) deepCopies {
	all := deepCopies{head: cmp.Or(d.head, others.head), imports: slices.Concat(d.imports, others.imports), methods: maps.Clone(others.methods)}
	maps.Copy(all.methods, d.methods)
	return all
}

// text returns the content of the file for a package, with methods sorted by type like controller-gen's. It returns
// nil without methods.
func (d deepCopies) text(packageName string) ([]byte, error) {
	if len(d.methods) == 0 {
		return nil, nil
	}
	var code strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.methods)) {
		code.WriteString(d.methods[name])
	}
	var specs []string
	for _, spec := range d.imports {
		name, _, named := strings.Cut(spec, " ")
		if !named { // controller-gen omits the name only if it is the path's last element
			name = path.Base(strings.Trim(spec, "\"`"))
		}
		used := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\.`)
		if !slices.Contains(specs, spec) && used.MatchString(code.String()) {
			specs = append(specs, spec)
		}
	}
	return format.Source([]byte(d.head + "package " + packageName + "\n\nimport (\n\t" + strings.Join(specs, "\n\t") + "\n)\n\n" + code.String()))
}
