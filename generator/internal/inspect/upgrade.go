// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/engine"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/upgrade"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// State is one of the two states of a project that Upgrade compares. Close removes its temporary files.
type State struct {
	name    string
	scratch string // a temporary folder, or empty
	*upgrade.State
}

// OpenState reads the state of a project that a word names, relative to dir:
//
//   - empty: the module around dir, in the work tree
//   - a folder with go.mod: a module's markers, and its CustomResourceDefinitions from files
//   - another folder: the manifests in it, *.yaml and *.yml
//   - a file, or - for in: a manifest
//   - anything else: that module in a revision of the git repository around dir
//
// Mistakes in the state are an error, because their intended meaning is not known.
func OpenState(ctx context.Context, dir, word string, in io.Reader) (*State, error) {
	s := &State{name: cmp.Or(word, "the work tree")}
	at := word
	if !filepath.IsAbs(word) {
		at = filepath.Join(dir, word)
	}
	_, err := os.Stat(at)
	switch {
	case word == "-":
		return s, s.manifests(word, in)
	case word == "", regular.Exists(filepath.Join(at, "go.mod")):
		return s, s.module(ctx, at)
	case err == nil:
		return s, s.manifests(at, in)
	}
	if s.scratch, at, err = checkOut(ctx, dir, word); err != nil {
		return nil, err
	}
	if err := s.module(ctx, at); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close removes the files written by OpenState. Without any, RemoveAll has an empty path, and does nothing.
func (s *State) Close() error { return os.RemoveAll(s.scratch) }

// module reads the markers and the definitions of the module around a folder.
func (s *State) module(ctx context.Context, dir string) error {
	run := engine.Config{Dir: dir}.Resolve()
	state := run.Read(ctx, engine.Edits{})
	conversions, found := convert.Project(ctx, state.Module, state.Project)
	if err := s.mistakes(append(state.Diagnostics, found...), dir); err != nil {
		return err
	}
	definitions, err := definitionsOnDisk(run)
	if err != nil {
		return err
	}
	s.State = upgrade.Of(state.Project, conversions, definitions)
	types := resolve.New(ctx, state.Module)
	for _, d := range run.Declared(ctx, state.Project) {
		of := map[string]*resolve.Type{}
		for version, name := range d.Types {
			if t, err := types.Named(name.Path, name.Name); err == nil {
				of[version] = t
			}
		}
		if err := s.Declare(d.Definition, state.Module.Path, of); err != nil {
			return err
		}
	}
	s.Accepted = run.Upgrade.Accepted
	s.Registers = func(path string) bool { return registers(ctx, run, path) }
	return nil
}

// manifests reads a file, a folder or standard input.
func (s *State) manifests(path string, in io.Reader) error {
	sources, err := load.Arguments([]string{path}, in)
	if err != nil {
		return err
	}
	contents, diags := manifest.Read(sources)
	s.State = upgrade.OfManifests(contents)
	return s.mistakes(diags, filepath.Dir(path))
}

// mistakes returns an error if the state has mistakes. Paths in it are relative to dir.
func (s *State) mistakes(list diag.List, dir string) error {
	if !list.HasErrors() {
		return nil
	}
	var text bytes.Buffer
	if err := diag.Print(&text, "text", dir, list.Sorted(), nil); err != nil {
		return err
	}
	return fmt.Errorf("%s cannot be understood:\n%s", s.name, strings.TrimSpace(text.String()))
}

// UpgradeFindings are the effects on a cluster of the step from one state to another.
type UpgradeFindings struct {
	// Unused are the entries that the step adds to upgrade.accepted and that match no finding.
	Unused []string

	found    []upgrade.Finding
	old, new *State
}

// IsEmpty reports a state without webhooks, policies and kinds.
func (s *State) IsEmpty() bool {
	return len(s.Webhooks)+len(s.Policies)+len(s.Definitions) == 0 && !s.HasDeclared()
}

// Upgrade compares two states.
func Upgrade(old, new *State) UpgradeFindings {
	found := upgrade.Compare(old.State, new.State)
	return UpgradeFindings{upgrade.Accept(found, old.State, new.State), found, old, new}
}

// Count returns the numbers of breaking, careful and safe findings. Accepted findings are counted separately.
func (u UpgradeFindings) Count() (breaking, careful, safe, accepted int) {
	var n [3]int
	for _, f := range u.found {
		if f.Accepted != "" {
			accepted++
			continue
		}
		n[f.Severity]++
	}
	return n[upgrade.Breaking], n[upgrade.Careful], n[upgrade.Safe], accepted
}

// UpgradeFormats are the output formats of findings.
func UpgradeFormats() []string { return upgrade.Formats() }

// Print writes the findings in one of the UpgradeFormats. Paths are relative to dir; paths in a revision have the form
// that git uses.
func (u UpgradeFindings) Print(w io.Writer, format, dir string) error {
	p := upgrade.Printer{Printer: diag.NewPrinter(dir)}
	for _, s := range []*State{u.old, u.new} {
		if s.scratch != "" {
			p.Trees = append(p.Trees, upgrade.Tree{Dir: treeOf(s.scratch), Name: s.name})
		}
	}
	return p.Print(w, format, u.found)
}
