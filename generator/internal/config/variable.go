// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// variable is a field of a Config that takes a value of the file.
type variable struct {
	// Type describes in words the kind of value that the key takes. Default is a value in YAML.
	Type, Default string
	// Required is true if a file must have the key.
	Required bool
	// set decodes the value of the key called name into the field, or reports why not.
	set func(f *file, name string, value *yaml.Node)
}

// version is the variable of the file's version. This tool supports one version.
func version(field *int) variable {
	*field = format
	return variable{"whole number", strconv.Itoa(format), true, func(f *file, name string, value *yaml.Node) {
		switch {
		case value.ShortTag() != "!!int" || value.Decode(field) != nil:
			f.problems.Add(f.errorAt(value, ruleType, "%s must be a whole number, not %s", name, describe(value)).
				WithHint("write version: %d", format))
		case *field > format:
			f.problems.Add(f.errorAt(value, ruleVersion, "%s was written for a newer webhook-gen: its version is %d, and this one reads %d",
				FileName, *field, format).WithHint("update webhook-gen"))
		case *field < format:
			f.problems.Add(f.errorAt(value, ruleVersion, "there is no version %d of %s", *field, FileName).
				WithHint("write version: %d", format))
		}
	}}
}

// truth is the variable of a key that is true or false.
func truth(field *bool, preset bool) variable {
	*field = preset
	return variable{"true or false", strconv.FormatBool(preset), false, func(f *file, name string, value *yaml.Node) {
		if value.ShortTag() != "!!bool" || value.Decode(field) != nil {
			f.problems.Add(f.errorAt(value, ruleType, "%s must be true or false, not %s", name, describe(value)))
		}
	}}
}

// text is the variable of a key with a single text. The text may be empty if the default is.
func text(field *string, preset string, check func(string) error) variable {
	return single(field, preset, nil, check)
}

// word is the variable of a key with one of several words; the first is the default.
func word(field *string, choice ...string) variable {
	return single(field, choice[0], choice, oneOf(choice))
}

// texts is the variable of a key with a list of texts. The list may be empty if the default is.
func texts(field *[]string, preset []string, check func(string) error) variable {
	return list(field, preset, nil, check)
}

// words is the variable of a key with a list of some of the words; all are the default.
func words(field *[]string, choice ...string) variable {
	return list(field, choice, choice, oneOf(choice))
}

func single(field *string, preset string, choice []string, check func(string) error) variable {
	*field = preset
	return variable{"text", cmp.Or(preset, `""`), false, func(f *file, name string, value *yaml.Node) {
		if f.isText(name, value) && (value.Value == preset || f.passes(name, value, check, choice)) {
			*field = value.Value
		}
	}}
}

// positioned is text, empty by default, that keeps the position of a value that is not empty.
func positioned(field *diag.Sourced[string], check func(string) error) variable {
	v := text(&field.V, "", check)
	set := v.set
	v.set = func(f *file, name string, value *yaml.Node) {
		if value.Value != "" {
			field.At = f.Range(value)
		}
		set(f, name, value)
	}
	return v
}

func list(field *[]string, preset, choice []string, check func(string) error) variable {
	*field = slices.Clone(preset)
	return variable{"list of texts", flow(preset), false, func(f *file, name string, value *yaml.Node) {
		if value.Kind != yaml.SequenceNode {
			d := f.errorAt(value, ruleType, "%s must be a list, not %s", name, describe(value))
			if value.ShortTag() == "!!str" {
				d = d.WithHint("write [%q]", value.Value)
			}
			f.problems.Add(d)
			return
		}
		if len(value.Content) == 0 && len(preset) > 0 {
			f.problems.Add(f.errorAt(value, ruleValue, "%s is empty", name).
				WithHint("leave the key out for its default, %s", flow(preset)))
			return
		}
		elements := make([]string, 0, len(value.Content))
		seen := make(map[string]*yaml.Node)
		for _, element := range value.Content {
			element = yamltext.Resolve(element)
			if !f.isText("an element of "+name, element) || !f.passes(name, element, check, choice) {
				continue
			}
			if first, twice := seen[element.Value]; twice {
				f.problems.Add(f.errorAt(element, ruleValue, "%s lists %q twice", name, element.Value).
					WithRelated(f.Range(first), "first listed here"))
				continue
			}
			seen[element.Value] = element
			elements = append(elements, element.Value)
		}
		*field = elements
	}}
}

// manifests is the variable of a list of manifests, each a mapping of path and packages.
func manifests(field *[]Manifest) variable {
	return variable{"list of mappings", "[]", false, func(f *file, name string, value *yaml.Node) {
		if value.Kind != yaml.SequenceNode {
			f.problems.Add(f.errorAt(value, ruleType, "%s must be a list, not %s", name, describe(value)).
				WithHint(`write one line for each manifest: - {path: config/edge/manifests.yaml, packages: ["./internal/webhook/edge/..."]}`))
			return
		}
		for i, element := range value.Content {
			var m Manifest
			prefix := fmt.Sprintf("%s[%d]", name, i)
			table := []Key{
				{Name: prefix + ".path", variable: positioned(&m.Path, manifestPath)},
				{Name: prefix + ".packages", variable: texts(&m.Packages, nil, notEmpty)},
			}
			if element = yamltext.Resolve(element); element.Kind != yaml.MappingNode {
				f.problems.Add(f.errorAt(element, ruleType, "%s must be a mapping of path and packages, not %s", prefix, describe(element)))
				continue
			}
			before := len(f.problems)
			f.decode(prefix+".", element, table)
			for key, lacks := range map[string]bool{"path": m.Path.V == "", "packages": len(m.Packages) == 0} {
				if lacks && len(f.problems) == before {
					f.problems.Add(f.errorAt(element, ruleValue, "%s has no %s", prefix, key))
				}
			}
			*field = append(*field, m)
		}
	}}
}

// isText reports whether a value is text. A value that YAML reads as text only in quotes is not text.
func (f *file) isText(what string, value *yaml.Node) bool {
	if value.ShortTag() == "!!str" {
		return true
	}
	d := f.errorAt(value, ruleType, "%s must be text, not %s", what, describe(value))
	if value.Kind == yaml.ScalarNode && value.ShortTag() != "!!null" {
		d = d.WithHint("put it in quotes: %q", value.Value)
	}
	f.problems.Add(d)
	return false
}

// passes reports whether a text of the key called name passes a check. If not, it reports the reason, and the word of
// the choice that was probably meant.
func (f *file) passes(name string, value *yaml.Node, check func(string) error, choice []string) bool {
	err := check(value.Value)
	if err != nil {
		f.problems.Add(f.errorAt(value, ruleValue, "%s: %v", name, err).WithNearest(value.Value, choice))
	}
	return err == nil
}

// describe describes a value in words.
func describe(value *yaml.Node) string {
	words := map[string]string{
		"!!map": "a mapping", "!!seq": "a list", "!!null": "nothing", "!!str": fmt.Sprintf("the text %q", value.Value),
	}
	return cmp.Or(words[value.ShortTag()], value.Value)
}

// flow writes a list as YAML.
func flow(list []string) string { return "[" + strings.Join(list, ", ") + "]" }
