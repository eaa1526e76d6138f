// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/marker"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/yamltext"
)

// text is a file that is read.
type text struct {
	yamltext.File
	source load.Text
}

// positions adds the position of every field of a node, and of the fields and elements in it: of its value if that is
// one word, and else of its key.
func (t text) positions(at model.Positions, path string, node *yaml.Node) {
	node = yamltext.Resolve(node)
	switch node.Kind {
	case yaml.MappingNode:
		for key, value := range yamltext.Entries(node) {
			field := strings.TrimPrefix(path+"."+key.Value, ".")
			at[field] = t.Range(key)
			if value.Kind == yaml.ScalarNode && value.Value != "" {
				at[field] = t.Range(value)
			}
			t.positions(at, field, value)
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			element := fmt.Sprintf("%s[%d]", path, i)
			at[element] = t.Range(item)
			t.positions(at, element, item)
		}
	}
}

// above is the comment in the lines directly above a node.
func (t text) above(node *yaml.Node) (comment []marker.Line) {
	for i := min(node.Line-1, len(t.Lines)) - 1; i >= 0; i-- {
		line := strings.TrimRight(string(t.Lines[i]), "\r\n")
		content, ok := strings.CutPrefix(strings.TrimLeft(line, " "), "#")
		if !ok {
			break
		}
		at := diag.Position{File: t.Path, Line: i + 1, Column: len(line) - len(content) + 1}
		comment = append(comment, marker.Line{Text: content, Pos: at})
	}
	slices.Reverse(comment)
	return comment
}

// toJSON returns a node as JSON.
func toJSON(node *yaml.Node) ([]byte, error) {
	var content any
	if err := node.Decode(&content); err != nil {
		return nil, err
	}
	return json.Marshal(content)
}

// entry returns the value of a mapping's key; nil without the key or the mapping.
func entry(mapping *yaml.Node, key string) *yaml.Node {
	if value := yamltext.Lookup(mapping, key).Value; value != nil {
		return yamltext.Resolve(value)
	}
	return nil
}

// elements returns the elements of a list.
func elements(list *yaml.Node) []*yaml.Node {
	if list == nil || list.Kind != yaml.SequenceNode {
		return nil
	}
	return list.Content
}

// value is the text of a mapping's key.
func value(mapping *yaml.Node, key string) string {
	if node := entry(mapping, key); node != nil {
		return node.Value
	}
	return ""
}
