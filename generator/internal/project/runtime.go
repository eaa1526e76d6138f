// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"context"
	"errors"
	"go/format"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/config"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// SetRuntime moves a project from the runtime module to a copy of it, or back: it sets handlers.runtime in
// webhook-gen.yaml, rewrites the import paths in the user's own files, and generates. On the way to a copy, it removes
// the commands of new projects, which need the module.
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
		e.Put(settings, old, text)
	}
	if s.Vendored() {
		if err := s.removeCommands(ctx, &e); err != nil {
			return Result{}, err
		}
	}
	found, err := s.Strays(ctx, e.Edits)
	if err != nil {
		return Result{}, err
	}
	for i := len(found) - 1; i >= 0; { // backwards through each file, so that offsets stay right
		file, source := found[i].Pos.File, found[i].Source
		text := slices.Clone(source)
		for ; i >= 0 && found[i].Pos.File == file; i-- {
			text = slices.Concat(text[:found[i].Start], []byte(`"`+s.Wanted(found[i].Path)+`"`), text[found[i].End:])
		}
		e.Put(file, load.ReadText(file).Content, formattedAs(source, text))
	}
	return Result{Result: s.generate(ctx, s.Read(ctx, e.Edits), e), Next: []string{s.test()}}, nil
}

// removeCommands removes the import of the commands' module, and the statement that new projects call it with. Where a
// file uses it otherwise, the file stays as it is, and D16 reports the import.
func (s site) removeCommands(ctx context.Context, e *edits) error {
	found, err := load.Imports(ctx, s.Root, e.Overlay(), engine.CommandsModule)
	if err != nil {
		return err
	}
	for _, i := range found {
		if text, ok := withoutCommands(i.Source); ok {
			e.Put(i.Pos.File, i.Source, text)
		}
	}
	return nil
}

// withoutCommands returns a Go file without the import of the commands' module and the statement that calls it. It
// returns false if the file has another use of that package, or no other use of the statement's packages.
func withoutCommands(source []byte) (text []byte, ok bool) {
	importLine := regexp.MustCompile(`(?m)^\t(\w+ )?"` + regexp.QuoteMeta(engine.CommandsModule) + `"\n`)
	statement := regexp.MustCompile(`(?m)^\tif code, ran := (\w+)\.Run\((.*)\); ran \{\n\t\tos\.Exit\(code\)\n\t\}\n`)
	call := statement.FindSubmatch(source)
	if call == nil || !importLine.Match(source) {
		return nil, false
	}
	text = statement.ReplaceAll(importLine.ReplaceAll(source, nil), nil)
	uses := func(name string) bool { return regexp.MustCompile(`\b` + name + `\.`).Match(text) }
	if uses(string(call[1])) || !uses("os") || bytes.Contains(call[2], []byte("context.")) && !uses("context") {
		return nil, false
	}
	return text, true
}

// formattedAs returns the changed text of a Go file, with its imports sorted if the file was formatted by gofmt before.
func formattedAs(old, changed []byte) []byte {
	if was, err := format.Source(old); err == nil && bytes.Equal(was, old) {
		if sorted, err := format.Source(changed); err == nil {
			return sorted
		}
	}
	return changed
}
