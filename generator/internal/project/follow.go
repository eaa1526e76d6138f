// SPDX-License-Identifier: Apache-2.0

package project

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/render"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// follow updates the files of validators and defaulters after the edits. It rewrites or removes unedited files. For
// an edited file, it writes new methods to a new file beside it. It returns the state after the edits, and the user's
// files that no marker needs any more.
func (s site) follow(ctx context.Context, e *edits) (after engine.State, unused []string, err error) {
	before := s.Read(ctx, engine.Edits{})
	after = s.Read(ctx, e.Edits)
	if before.Diagnostics.HasErrors() || after.Diagnostics.HasErrors() {
		return after, nil, nil // generate reports the reason
	}
	before.Reread(ctx, engine.Edits{})
	after.Reread(ctx, e.Edits)
	old, err := s.stubs(ctx, before)
	if err != nil {
		return after, nil, err
	}
	wanted, err := s.stubs(ctx, after)
	if err != nil {
		return after, nil, err
	}
	for path, generated := range old {
		text, err := regular.ReadFile(path, regular.Source)
		if err != nil {
			continue
		}
		now, isWanted := wanted[path]
		switch {
		case !bytes.Equal(text, generated) && !isWanted:
			unused = append(unused, path)
		case bytes.Equal(text, generated) && !bytes.Equal(text, now):
			e.Put(path, text, now)
		case isWanted:
			if less := lessAsserted(text, generated, now); !bytes.Equal(text, less) {
				e.Put(path, text, less)
			}
		}
	}
	slices.Sort(unused)
	after.Reread(ctx, e.Edits)
	options, _ := s.Rendering(after.Module, nil) // generate reports unreadable files
	further, err := render.Further(after.Project, func(w *model.Webhook) []string {
		if w.Handler.NeedsStub {
			return nil
		}
		all := before.Project.Webhooks()
		i := slices.IndexFunc(all, func(b *model.Webhook) bool { return b.Spec.Name == w.Spec.Name })
		return slices.DeleteFunc(slices.Clone(w.Handler.Missing), func(operation string) bool {
			return i >= 0 && slices.Contains(all[i].Handler.Operations, operation)
		})
	}, options)
	for _, f := range further {
		base := strings.TrimSuffix(f.Path, ".go")
		for n := 2; regular.Exists(f.Path); n++ { // methods of an earlier webhook or operation
			f.Path = fmt.Sprintf("%s_%d.go", base, n)
		}
		e.Create = append(e.Create, f)
	}
	return after, unused, err
}

// assertion matches the declaration in a stub that makes the compiler report missing methods.
var assertion = regexp.MustCompile(`(?m)^var _ (?:interface \{\n(?:\t.*\n)+\}|\w+) = .*$`)

// lessAsserted removes interfaces that no longer exist from the assertion in an edited stub. before and after are
// unedited stubs. It keeps an assertion that the user has edited.
func lessAsserted(text, before, after []byte) []byte {
	old, now := assertion.Find(before), assertion.Find(after)
	if old == nil || len(now) == 0 || len(now) >= len(old) {
		return text
	}
	return bytes.Replace(text, old, now, 1)
}

// stubs returns the files for the user to complete, with their initial content, by path.
func (s site) stubs(ctx context.Context, state engine.State) (map[string][]byte, error) {
	planned, _ := convert.Project(ctx, state.Module, state.Project)
	options, _ := s.Rendering(state.Module, nil) // generate reports unreadable files
	options.AsNew = true
	files, err := render.Project(state.Project, planned, options)
	if err != nil {
		return nil, err
	}
	further, err := render.Further(state.Project, func(w *model.Webhook) []string { return w.Handler.Operations }, options)
	stubs := map[string][]byte{}
	for _, f := range s.Heading.Above(slices.Concat(further, files)) {
		if f.Owner == output.Once && strings.HasSuffix(f.Path, ".go") {
			stubs[f.Path] = f.Content
		}
	}
	return stubs, err
}
