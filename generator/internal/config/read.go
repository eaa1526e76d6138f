// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// format is the version of the file's format that this tool reads.
const format = 1

// Read reads the file of the module whose root is the absolute path moduleDir. Without the file, it returns Default. A
// Config returned with problems must not be used.
func Read(moduleDir string) (Config, diag.List) {
	path := filepath.Join(moduleDir, FileName)
	source, err := regular.ReadFile(path, regular.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		return Default(), misnamed(moduleDir)
	}
	if err != nil {
		return Default(), diag.List{diag.Errorf(diag.InFile(path), ruleFile, "cannot read %s: %v", FileName, regular.Reason(err))}
	}
	return Parse(path, source)
}

// misnamed reports a file with a wrong name that was probably meant as webhook-gen.yaml.
func misnamed(moduleDir string) diag.List {
	const name = "webhook-gen.yml"
	path := filepath.Join(moduleDir, name)
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return diag.List{diag.Errorf(diag.InFile(path), ruleFile, "%s is not read", name).WithHint("rename it to %s", FileName)}
}

// Parse is like Read for a text at path. The file need not exist.
func Parse(path string, source []byte) (Config, diag.List) {
	var c Config
	table := keys(&c)
	f := &file{File: yamltext.New(path, source), given: map[string]*yaml.Node{}}
	if root, ok := f.document(source); ok {
		f.decode("", root, table)
		f.require(table)
		f.checkManifests(c)
		if f.runtime != nil {
			f.reportRuntime(filepath.Dir(path), c, f.runtime)
		}
	}
	if c.Version > format {
		// The newer tool that the file is written for reports the file's other mistakes.
		f.problems = slices.DeleteFunc(f.problems, func(d diag.Diagnostic) bool { return d.Rule != ruleVersion })
	}
	return c, f.problems
}

// document returns the mapping in the file.
func (f *file) document(source []byte) (root *yaml.Node, ok bool) {
	if d, found := diag.Conflict(f.Path, ruleSyntax, source); found {
		f.problems.Add(d)
		return nil, false
	}
	documents, err := yamltext.Documents(source)
	if err != nil {
		f.problems.Add(f.broken(err))
		return nil, false
	}
	if len(documents) == 0 || documents[0].ShortTag() == "!!null" {
		f.problems.Add(diag.Errorf(f.Span(1, 0, 0), ruleSyntax, "%s is empty", FileName).
			WithHint("write version: %d, or remove the file", format))
		return nil, false
	}
	if len(documents) > 1 {
		f.problems.Add(f.errorAt(documents[1], ruleSyntax, "%s holds a second document", FileName).
			WithHint("write all keys in one document"))
	}
	if documents[0].Kind != yaml.MappingNode {
		f.problems.Add(f.errorAt(documents[0], ruleSyntax, "%s must be a mapping of keys, not %s", FileName, describe(documents[0])))
		return nil, false
	}
	return documents[0], true
}

// decode sets the keys of a mapping, whose full names have the prefix: "manifests.", or nothing for the whole file.
func (f *file) decode(prefix string, mapping *yaml.Node, table []Key) {
	for node, value := range yamltext.Entries(mapping) {
		value = yamltext.Resolve(value)
		name := prefix + node.Value
		first, twice := f.given[name]
		f.given[name] = cmp.Or(first, node)
		leaf := slices.IndexFunc(table, func(k Key) bool { return k.Name == name })
		switch {
		case name == removedRuntime:
			f.runtime = value
		case !slices.Contains(names(table, prefix), node.Value):
			f.problems.Add(f.unknown(node, prefix, table))
		case twice:
			f.problems.Add(f.errorAt(node, ruleRepeated, "%s is given twice", name).
				WithRelated(f.Range(first), "first given here"))
		case leaf >= 0:
			table[leaf].set(f, name, value)
		case value.Kind == yaml.MappingNode:
			f.decode(name+".", value, table)
		default:
			f.problems.Add(f.errorAt(value, ruleType, "%s must be a mapping of keys, not %s", name, describe(value)).
				WithHint("its keys are %s", strings.Join(names(table, name+"."), ", ")))
		}
	}
}

// unknown reports a key that is not in the table, and suggests the key that was probably meant.
func (f *file) unknown(node *yaml.Node, prefix string, table []Key) diag.Diagnostic {
	d := f.errorAt(node, ruleUnknown, "unknown key %q", node.Value)
	around := strings.TrimSuffix(prefix, ".")
	if around != "" {
		d = f.errorAt(node, ruleUnknown, "unknown key %q in %s", node.Value, around)
	}
	for _, k := range table {
		if outer, name, nested := strings.Cut(k.Name, "."); nested && (name == node.Value || k.Name == node.Value) {
			return d.WithHint("%s is a key of %s", name, outer)
		}
		if k.Name == node.Value {
			return d.WithHint("%s is not a key of %s", k.Name, around)
		}
	}
	siblings := names(table, prefix)
	return d.WithHint("the keys are %s", strings.Join(siblings, ", ")).WithNearest(node.Value, siblings)
}

// checkManifests reports manifests that share a folder, and settings that need all webhooks in one manifest.
func (f *file) checkManifests(c Config) {
	folders := map[string]string{path.Dir(c.Manifests.Path): c.Manifests.Path}
	for _, m := range c.Manifests.Files {
		folder := path.Dir(m.Path.V)
		if other, taken := folders[folder]; taken && m.Path.V != "" {
			f.problems.Add(diag.Errorf(m.Path.At, ruleValue, "%s is in the folder of %s", m.Path.V, other).
				WithHint("name another folder: policies.yaml and kustomization.yaml beside a manifest belong to it alone"))
		}
		folders[folder] = m.Path.V
	}
	for _, name := range []string{"delivery.name", "tests.integration"} {
		node := f.given[name]
		if first := f.given["manifests.files"]; node != nil && first != nil && len(c.Manifests.Files) > 0 {
			f.problems.Add(f.errorAt(first, ruleValue, "manifests.files and %s exclude each other: one program serves all webhooks of a delivery or an integration test", name).
				WithRelated(f.Range(node), "%s is here", name))
		}
	}
}

// require reports the required keys that this file lacks.
func (f *file) require(table []Key) {
	for _, k := range table {
		if _, given := f.given[k.Name]; k.Required && !given {
			f.problems.Add(diag.Errorf(f.Span(1, 0, 0), ruleVersion, "%s has no %s", FileName, k.Name).
				WithHint("write %s: %s", k.Name, k.Example))
		}
	}
}
