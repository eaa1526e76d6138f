// SPDX-License-Identifier: Apache-2.0

package load

import (
	"bytes"
	"path/filepath"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
)

// parse returns a job that parses a marked file of a package. The job adds the file if it belongs to the package.
func (w *walk) parse(p *Package, name string, text []byte) job {
	return func(*sieve) []job {
		f, problems := w.selection.parseMarked(filepath.Join(p.Dir, name), text)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.problems.Add(problems...)
		if f != nil {
			p.Files = append(p.Files, f)
		}
		return nil
	}
}

// parseMarked parses a marked file. It returns nil for a file that does not belong to its package or does not parse.
func (s *selection) parseMarked(path string, text []byte) (*File, diag.List) {
	if IsOurs(text) {
		return nil, nil
	}
	included, badConstraint := s.includes(filepath.Base(path), text)
	if !included && badConstraint == nil {
		return nil, nil
	}
	f, errs := parseFile(path, text)
	switch {
	case len(errs) > 0:
		return nil, errs
	case badConstraint != nil:
		return nil, diag.List{diag.Errorf(constraintOf(path, text), ruleSyntax, "%v", badConstraint)}
	case f.AST.Name.Name == "documentation":
		return nil, nil // go/build ignores this package, too
	}
	return f, nil
}

// constraintOf returns the position of a file's first build constraint.
func constraintOf(path string, text []byte) diag.Range {
	before, _, found := bytes.Cut(text, []byte("//go:build"))
	if !found {
		return diag.InFile(path)
	}
	return diag.Range{Pos: diag.Position{File: path, Line: bytes.Count(before, []byte("\n")) + 1, Column: 1}}
}
