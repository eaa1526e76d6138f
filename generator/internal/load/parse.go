// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"context"
	"path/filepath"
	"sync"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// parse parses the marked files that count as their package's.
func (s *selection) parse(ctx context.Context, folders []*folder) (problems diag.List) {
	var sources []source
	var mu sync.Mutex
	for _, f := range folders {
		sources = append(sources, f.marked...)
	}
	crawl(ctx, sources, func() func(source) []source {
		return func(src source) []source {
			f, errs := s.parseMarked(src)
			mu.Lock()
			defer mu.Unlock()
			problems.Add(errs...)
			if f != nil {
				src.folder.parsed = append(src.folder.parsed, f)
			}
			return nil
		}
	})
	return problems
}

// parseMarked parses a marked file. It returns nil for one that does not count or not parse.
func (s *selection) parseMarked(src source) (*File, diag.List) {
	if isOurs(src.text) {
		return nil, nil
	}
	included, badConstraint := s.includes(src.name, src.text)
	if !included && badConstraint == nil {
		return nil, nil
	}
	path := filepath.Join(src.folder.dir, src.name)
	f, errs := parseFile(path, src.text)
	switch {
	case len(errs) > 0:
		return nil, errs
	case badConstraint != nil:
		return nil, diag.List{diag.Errorf(constraintOf(path, src.text), ruleSyntax, "%v", badConstraint)}
	case f.AST.Name.Name == "documentation":
		return nil, nil // what go/build, too, takes for prose
	}
	return f, nil
}

// constraintOf is the position of a file's first build constraint.
func constraintOf(path string, text []byte) diag.Range {
	before, _, found := bytes.Cut(text, []byte("//go:build"))
	if !found {
		return diag.InFile(path)
	}
	return diag.Range{Pos: diag.Position{File: path, Line: bytes.Count(before, []byte("\n")) + 1, Column: 1}}
}
