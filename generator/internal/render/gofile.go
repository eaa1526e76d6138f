// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"strings"

	"github.com/dave/jennifer/jen"
	"golang.org/x/sync/errgroup"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
)

// newFile begins a Go file. With ours, it has our header.
func newFile(p model.HandlerPackage, ours bool) *jen.File {
	f := jen.NewFilePathName(p.Path, p.Name)
	if ours {
		f.HeaderComment(output.GoHeader) //nolint:forbidigo // it is ours
	}
	return f
}

// doc writes a comment with //, because jennifer writes /* */ for several lines.
func doc(f *jen.File, format string, args ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, args...), "\n") {
		f.Add(comment("%s", line))
	}
}

// fileList collects the files of a project until the first error. It formats Go files on all processors while the next
// ones are generated.
type fileList struct {
	all []output.File // Go files have no text before format
	err error         // the first one

	texts   []*goText
	workers errgroup.Group
}

// goText is the text of a Go file.
type goText struct {
	place   int // in fileList.all
	content []byte
	err     error
}

// put adds a file, or records the error that prevents it.
func (f *fileList) put(file output.File, err error) {
	f.err = cmp.Or(f.err, err)
	f.all = append(f.all, file)
}

func (f *fileList) add(path string, file *jen.File, owner output.Ownership, cause diag.Range) {
	if f.texts == nil {
		f.workers.SetLimit(runtime.GOMAXPROCS(0))
	}
	text := &goText{place: len(f.all)}
	f.texts = append(f.texts, text)
	f.put(output.File{Path: path, Owner: owner, Cause: cause}, nil)
	f.workers.Go(func() error {
		text.content, text.err = source(file)
		return nil
	})
}

// format waits for the texts of the Go files.
func (f *fileList) format() {
	_ = f.workers.Wait() // each text has its error
	for _, t := range f.texts {
		f.all[t.place].Content, f.err = t.content, cmp.Or(f.err, t.err)
	}
	f.texts = nil
}

// source returns the formatted text of a file.
func source(f *jen.File) ([]byte, error) {
	var text bytes.Buffer
	if err := f.Render(&text); err != nil {
		return nil, err
	}
	return breakLines(groupImports(text.String()))
}

// groupImports separates the standard library's imports from others, as goimports does. jennifer sorts all imports
// into one block.
func groupImports(text string) []byte {
	before, rest, ok := strings.Cut(text, "import (\n")
	block, after, ok2 := strings.Cut(rest, ")\n")
	if !ok || !ok2 {
		return []byte(text)
	}
	var standard, others strings.Builder
	for line := range strings.Lines(block) {
		first, _, _ := strings.Cut(line[strings.Index(line, `"`)+1:], "/")
		if strings.Contains(first, ".") {
			others.WriteString(line)
		} else {
			standard.WriteString(line)
		}
	}
	if standard.Len() > 0 && others.Len() > 0 {
		standard.WriteString("\n")
	}
	return []byte(before + "import (\n" + standard.String() + others.String() + ")\n" + after)
}

func lits[V any](values []V) []jen.Code {
	return codes(values, func(v V) *jen.Statement { return jen.Lit(v) })
}

func textList(texts []string) *jen.Statement { return jen.Index().String().Values(lits(texts)...) }

// codes returns the code of each item.
func codes[T any](items []T, code func(T) *jen.Statement) []jen.Code {
	var all []jen.Code
	for _, item := range items {
		all = append(all, code(item))
	}
	return all
}

// lines returns the code of each item, each on its own line.
func lines[T any](items []T, code func(T) *jen.Statement) []jen.Code {
	return append(codes(items, func(item T) *jen.Statement { return jen.Line().Add(code(item)) }), jen.Line())
}

// putSet adds the nonzero values to the fields of a literal.
func putSet[V comparable](fields jen.Dict, values map[string]V) {
	var zero V
	for name, v := range values {
		if v != zero {
			fields[jen.Id(name)] = jen.Lit(v)
		}
	}
}

// qualified returns a qualified type name, and imports the package with the type's alias.
func qualified(f *jen.File, t model.GoType) *jen.Statement {
	f.ImportAlias(t.Path, t.Alias)
	return jen.Qual(t.Path, t.Name)
}
