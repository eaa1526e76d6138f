// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"context"
	"errors"
	"go/format"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// SetRuntime moves a project from the runtime module to a copy of it, or back: it sets handlers.runtime in
// webhook-gen.yaml, rewrites the import paths in the user's own files, and generates.
func SetRuntime(ctx context.Context, c Config, mode string) (Result, error) {
	s, stopped, err := c.site(ctx)
	if err != nil {
		return stopped, err
	}
	settings := filepath.Join(s.Root, config.FileName)
	old, err := regular.ReadFile(settings)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Result{}, err
	}
	text, err := config.Set(old, "handlers.runtime", mode)
	if err != nil {
		return Result{}, err
	}
	var e edits
	s.Run = c.ResolveWith(text)
	if !bytes.Equal(text, old) {
		if old == nil {
			e.Change = append(e.Change, output.Change{Path: settings, Action: output.Create, New: text})
		} else {
			e.Put(settings, old, text)
		}
	}
	found, err := s.Strays(ctx, engine.Edits{})
	if err != nil {
		return Result{}, err
	}
	for i := len(found) - 1; i >= 0; { // backwards through each file, so that offsets stay right
		file, source := found[i].Pos.File, found[i].Source
		text := slices.Clone(source)
		for ; i >= 0 && found[i].Pos.File == file; i-- {
			text = slices.Concat(text[:found[i].Start], []byte(`"`+s.Wanted(found[i].Path)+`"`), text[found[i].End:])
		}
		e.Put(file, source, formattedAs(source, text))
	}
	return Result{Result: s.generate(ctx, s.Read(ctx, e.Edits), e), Next: []string{s.test()}}, nil
}

// formattedAs returns the changed text of a Go file, with its imports sorted if the file was formatted by gofmt before.
func formattedAs(old, changed []byte) []byte {
	was, err := format.Source(old)
	if err != nil || !bytes.Equal(was, old) {
		return changed
	}
	sorted, err := format.Source(changed)
	if err != nil {
		return changed
	}
	return sorted
}
