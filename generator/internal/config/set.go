// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// Set returns the text of a file with another value of a key "section.name". Everything else in the text stays the
// same, including comments. A nil text is a file that does not exist yet.
func Set(text []byte, key, value string) ([]byte, error) {
	section, name, _ := strings.Cut(key, ".")
	byHand := fmt.Errorf("write %s: %s in %s, and run the command again", key, value, FileName)
	if text == nil {
		text = fmt.Appendf(nil, "version: %d\n", format)
	}
	documents, err := yamltext.Documents(text)
	if err != nil || len(documents) != 1 || documents[0].Kind != yaml.MappingNode || documents[0].Style&yaml.FlowStyle != 0 {
		return nil, byHand
	}
	lines := slices.Collect(bytes.Lines(text))
	around := yamltext.Lookup(documents[0], section).Value
	switch {
	case around == nil:
		text = bytes.TrimRight(text, "\n")
		return fmt.Appendf(nil, "%s\n%s:\n  %s: %s\n", text, section, name, value), nil
	case around.Kind != yaml.MappingNode || around.Style&yaml.FlowStyle != 0 || len(around.Content) == 0:
		return nil, byHand
	}
	if old := yamltext.Lookup(around, name).Value; old != nil {
		if old.Kind != yaml.ScalarNode || old.Style != 0 {
			return nil, byHand
		}
		line := lines[old.Line-1]
		start := old.Column - 1
		lines[old.Line-1] = slices.Concat(line[:start], []byte(value), line[start+len(old.Value):])
		return slices.Concat(lines...), nil
	}
	first := around.Content[0]
	added := fmt.Appendf(nil, "%s%s: %s\n", strings.Repeat(" ", first.Column-1), name, value)
	return slices.Concat(slices.Insert(lines, first.Line-1, added)...), nil
}
