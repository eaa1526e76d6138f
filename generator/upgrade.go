// SPDX-License-Identifier: Apache-2.0

package generator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/convert"
	"github.com/webhook-gen/webhook-gen/generator/internal/crd"
	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/manifest"
	"github.com/webhook-gen/webhook-gen/generator/internal/upgrade"
)

// State is one state of a project, of which Upgrade compares two. Close removes what it has written for that.
type State struct {
	name    string
	dir     string // where its files lie
	scratch string // a folder of its own; empty where there is none
	*upgrade.State
}

// OpenState reads the state of a project that a word names, relative to dir:
//
//   - nothing: the module that dir stands in, as it is in the work tree
//   - a folder with go.mod: a module's markers, and its CustomResourceDefinitions as far as files say them
//   - another folder: the manifests in it, *.yaml and *.yml
//   - a file, or - for in: a manifest
//   - anything else: that module in a revision of the git repository around dir
//
// Mistakes are an error: what they were to mean is not known.
func OpenState(ctx context.Context, dir, word string, in io.Reader) (*State, error) {
	s := &State{name: word, dir: dir}
	if word == "" {
		s.name = "the work tree"
		return s, s.module(ctx)
	}
	if word == "-" {
		return s, s.manifests(word, in)
	}
	if s.dir = word; !filepath.IsAbs(word) {
		s.dir = filepath.Join(dir, word)
	}
	_, err := os.Stat(s.dir)
	switch {
	case err == nil && isModule(s.dir):
		return s, s.module(ctx)
	case err == nil:
		return s, s.manifests(s.dir, in)
	}
	if s.scratch, s.dir, err = checkOut(ctx, dir, word); err != nil {
		return nil, err
	}
	if err := s.module(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close removes what OpenState has written.
func (s *State) Close() error {
	if s.scratch == "" {
		return nil
	}
	return os.RemoveAll(s.scratch)
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// module reads the markers of the module that the state lies in, and its definitions.
func (s *State) module(ctx context.Context) error {
	run, diags := Config{Dir: s.dir}.resolve()
	source, project, found := run.project(ctx, edits{})
	diags.Add(found...)
	conversions, found := convert.Project(ctx, source.Module, project)
	diags.Add(found...)
	if err := s.mistakes(diags, s.dir); err != nil {
		return err
	}
	patterns := run.CRDs
	if len(patterns) == 0 {
		patterns = []string{"config/crd", "config/crd/bases"} // where kubebuilder has them
	}
	sources, err := manifest.Open(crd.Options{Root: run.root, Patterns: patterns}.Files(), nil)
	if err != nil {
		return err
	}
	contents, _ := manifest.Read(sources) // what is no manifest is a template, or generate complains of it
	s.State = upgrade.Of(project, conversions, contents.Definitions)
	s.Accepted = run.Upgrade.Accepted
	return nil
}

// manifests reads a file, a folder or standard input.
func (s *State) manifests(path string, in io.Reader) error {
	sources, err := manifest.Open([]string{path}, in)
	if err != nil {
		return err
	}
	contents, diags := manifest.Read(sources)
	s.State = upgrade.OfManifests(contents)
	return s.mistakes(diags, filepath.Dir(path))
}

// mistakes is an error where the state cannot be understood. Paths in it are relative to dir.
func (s *State) mistakes(list diag.List, dir string) error {
	if !list.HasErrors() {
		return nil
	}
	var text bytes.Buffer
	if err := diag.Print(&text, "text", dir, list.Sort(), nil); err != nil {
		return err
	}
	return fmt.Errorf("%s cannot be understood:\n%s", s.name, strings.TrimSpace(text.String()))
}

// UpgradeFindings are what a cluster notices of the step from one state to another.
type UpgradeFindings struct {
	// Unused are those of upgrade.accepted that the step adds, and of which nothing is found.
	Unused []string

	found    []upgrade.Finding
	old, new *State
}

// Upgrade compares two states.
func Upgrade(old, new *State) UpgradeFindings {
	found := upgrade.Compare(old.State, new.State)
	return UpgradeFindings{upgrade.Accept(found, old.State, new.State), found, old, new}
}

// Count counts the findings that are breaking, careful and safe, and those that are accepted, which are none of these.
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

// UpgradeFormats are the forms in which findings can be printed.
func UpgradeFormats() []string { return upgrade.Formats() }

// Print writes the findings in one of the UpgradeFormats, with paths relative to dir, and those of a revision as git
// names them.
func (u UpgradeFindings) Print(w io.Writer, format, dir string) error {
	p := upgrade.Printer{Printer: diag.NewPrinter(dir)}
	for _, s := range []*State{u.old, u.new} {
		if s.scratch != "" {
			p.Trees = append(p.Trees, upgrade.Tree{Dir: treeOf(s.scratch), Name: s.name})
		}
	}
	return p.Print(w, format, u.found)
}
