// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// follow updates the files of validators and defaulters after the edits. It generates an unedited file anew or removes
// it. Beside a file that the user has edited, the methods of further webhooks get a new file. It returns the files with
// the user's code that no marker needs after the edits.
func (s site) follow(ctx context.Context, e *edits) (left []string, err error) {
	_, before, found := s.project(ctx, edits{})
	_, _, problems := s.project(ctx, *e)
	if found.HasErrors() || problems.HasErrors() {
		return nil, nil // the next run reports why
	}
	old, err := s.stubs(ctx, edits{})
	if err != nil {
		return nil, err
	}
	wanted, err := s.stubs(ctx, *e)
	if err != nil {
		return nil, err
	}
	for path, generated := range old {
		text, err := regular.ReadFile(path)
		if err != nil {
			continue
		}
		now, isWanted := wanted[path]
		switch {
		case !bytes.Equal(text, generated) && !isWanted:
			left = append(left, path)
		case bytes.Equal(text, generated) && !bytes.Equal(text, now):
			e.put(path, text, now)
		}
	}
	slices.Sort(left)
	changed, after, problems := s.project(ctx, *e)
	if problems.HasErrors() {
		return left, nil
	}
	further, err := render.Further(after, func(w *model.Webhook) []string {
		isOld := slices.ContainsFunc(before.Webhooks(), func(b *model.Webhook) bool { return b.Spec.Name == w.Spec.Name })
		if isOld || w.Handler.NeedsStub {
			return nil
		}
		return w.Handler.Missing
	}, s.render(changed.Module))
	e.create = append(e.create, further...)
	return left, err
}

// stubs returns the files that are created once for the user to edit, with their initial content, by path.
func (s site) stubs(ctx context.Context, e edits) (map[string][]byte, error) {
	s.asNew = true
	source, p, _ := s.project(ctx, e)
	planned, _ := convert.Project(ctx, source.Module, p)
	options := s.render(source.Module)
	files, err := render.Project(p, planned, options)
	if err != nil {
		return nil, err
	}
	further, err := render.Further(p, func(w *model.Webhook) []string { return w.Handler.Operations }, options)
	stubs := map[string][]byte{}
	for _, f := range s.heading.Above(slices.Concat(further, files)) {
		if f.Owner == output.Once && strings.HasSuffix(f.Path, ".go") {
			stubs[f.Path] = f.Content
		}
	}
	return stubs, err
}
