// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// Import is an import in a Go file.
type Import struct {
	// Range is the import's path with its quotes.
	diag.Range
	// Path is the imported package.
	Path string
	// Source is the text of the file, and Start and End the offsets of the range in it.
	Source     []byte
	Start, End int
}

// Imports returns the imports with one of the prefixes in all Go files below the absolute folder dir, sorted by
// position: in tests and nested modules too, for every platform, but not in files that webhook-gen generates. A file
// that does not parse has no imports here; the compiler reports it.
func Imports(ctx context.Context, dir string, overlay Overlay, prefixes ...string) ([]Import, error) {
	var found []Import
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case d.IsDir() && path != dir && (isLeftOut(d.Name()) || d.Name() == "vendor" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || !d.Type().IsRegular():
			return nil
		}
		text, err := overlay.readFile(path)
		contained := func(prefix string) bool { return bytes.Contains(text, []byte(prefix)) }
		if err != nil || !slices.ContainsFunc(prefixes, contained) || isGeneratedName(d.Name()) && IsOurs(text) {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, text, parser.ImportsOnly)
		if err != nil {
			return nil
		}
		for _, i := range f.Imports {
			imported, _ := strconv.Unquote(i.Path.Value) // the parser takes only valid literals
			if !slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(imported, prefix) }) {
				continue
			}
			at := diag.Range{Pos: diag.At(files.Position(i.Path.Pos())), End: diag.At(files.Position(i.Path.End()))}
			found = append(found, Import{Range: at, Path: imported, Source: text, Start: files.Position(i.Path.Pos()).Offset, End: files.Position(i.Path.End()).Offset})
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b Import) int { return a.Pos.Compare(b.Pos) })
	if err != nil {
		err = fmt.Errorf("reading the project's imports: %w", err)
	}
	return found, err
}
