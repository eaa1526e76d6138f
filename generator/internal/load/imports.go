// SPDX-License-Identifier: Apache-2.0

package load

import (
	"go/parser"
	"go/token"
	"strconv"
)

// ImportsOf returns the import paths of a Go file, or nil if it does not parse.
func ImportsOf(text []byte) (paths []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return nil
	}
	for _, i := range f.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}
