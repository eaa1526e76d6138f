// SPDX-License-Identifier: Apache-2.0

package crd

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/generator/internal/output"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// change replaces the lines [from, to).
type change struct {
	from, to int
	lines    [][]byte
}

// isOurs reports whether the stanza has our comment.
func (d *definition) isOurs(lines [][]byte) bool {
	return d.Key != nil && bytes.HasSuffix(bytes.TrimRight(lines[d.Key.Line-1], "\r\n"), []byte(": "+output.YAMLHeader))
}

// stanza returns the lines of spec.conversion: the line of the key, and the deeper indented lines below it.
func (d *definition) stanza(lines [][]byte) (from, to int) {
	from = d.Key.Line - 1
	to = from + 1
	for i, line := range lines[to:] {
		text := bytes.TrimLeft(line, " ")
		switch indent := len(line) - len(text); {
		case len(bytes.TrimSpace(text)) == 0:
		case indent >= d.Key.Column:
			to = from + 1 + i + 1
		case text[0] != '#':
			return from, to
		}
	}
	return from, to
}

// write replaces our stanza with a conversion, or inserts it first into spec, the position in controller-gen's order. A
// caBundle in our stanza is kept.
func (d *definition) write(c Conversion, lines [][]byte) change {
	from, to, column := d.spec.Key.Line, d.spec.Key.Line, d.spec.Value.Content[0].Column
	stanza := c.Stanza
	if d.Key != nil {
		from, to = d.stanza(lines)
		column = d.Key.Column
		stanza = withBundle(stanza, yamltext.Lookup(d.Value, "webhook", "clientConfig", "caBundle").Value)
	}
	ending := "\n"
	if bytes.HasSuffix(lines[d.spec.Key.Line-1], []byte("\r\n")) {
		ending = "\r\n"
	}
	indent := strings.Repeat(" ", column-1)
	written := [][]byte{[]byte(indent + "conversion: " + output.YAMLHeader + ending)}
	for line := range strings.Lines(string(stanza)) {
		written = append(written, []byte(indent+"  "+strings.TrimSuffix(line, "\n")+ending))
	}
	return change{from, to, written}
}

// withBundle returns a stanza with the caBundle of another stanza.
func withBundle(stanza []byte, bundle *yamlv3.Node) []byte {
	if bundle == nil {
		return stanza
	}
	var content map[string]any
	if err := yaml.Unmarshal(stanza, &content); err != nil {
		return stanza // the stanza is generated, so it is valid YAML
	}
	webhook, _ := content["webhook"].(map[string]any)
	if config, ok := webhook["clientConfig"].(map[string]any); ok {
		config["caBundle"] = strings.Join(strings.Fields(bundle.Value), "")
	}
	text, err := yaml.Marshal(content)
	if err != nil {
		return stanza
	}
	return text
}

// sameBesides reports whether two texts are equal as YAML, except for spec.conversion of the definitions with certain
// names. Lines of a file can depend on other lines, for example by anchors.
func sameBesides(names []string, a, b []byte) bool {
	x, errX := besides(names, a)
	y, errY := besides(names, b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func besides(names []string, text []byte) ([]any, error) {
	documents, err := yamltext.Documents(text)
	var contents []any
	for _, document := range documents {
		var content any
		if err := document.Decode(&content); err != nil {
			return nil, err
		}
		if object, ok := content.(map[string]any); ok {
			metadata, _ := object["metadata"].(map[string]any)
			spec, _ := object["spec"].(map[string]any)
			if name, _ := metadata["name"].(string); slices.Contains(names, name) {
				delete(spec, "conversion")
			}
		}
		contents = append(contents, content)
	}
	return contents, err
}
