// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	goyaml "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/webhook-gen/webhook-gen/runtime/conversion"
)

// withoutKept returns an object without the annotations of package conversion.
func withoutKept(object map[string]any) {
	meta, _ := object["metadata"].(map[string]any)
	annotations, ok := meta["annotations"].(map[string]any)
	if !ok {
		return
	}
	delete(annotations, conversion.Annotation)
	delete(annotations, conversion.Signature)
	if len(annotations) == 0 {
		delete(meta, "annotations")
	}
}

// dropEmpty removes members that Go types write without a value, such as a status, unless the user has written them.
func dropEmpty(value, written map[string]any) {
	for name, member := range value {
		said, known := written[name]
		if inner, ok := member.(map[string]any); ok {
			before, _ := said.(map[string]any)
			dropEmpty(inner, before)
		}
		if inner, ok := member.(map[string]any); !known && (member == nil || ok && len(inner) == 0) {
			delete(value, name)
		}
	}
}

// decoded reads an object in JSON.
func decoded(text []byte) (map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	err := decoder.Decode(&object)
	return object, err
}

// lostPaths returns the paths of values that another object lacks or has changed. Values that are zero count as absent.
func lostPaths(path string, was, is any) []string {
	switch was := was.(type) {
	case map[string]any:
		there, _ := is.(map[string]any)
		var all []string
		for _, name := range slices.Sorted(maps.Keys(was)) {
			if path == "" && (name == "apiVersion" || name == "kind") {
				continue
			}
			below := name
			if path != "" {
				below = path + "." + name
			}
			all = append(all, lostPaths(below, was[name], there[name])...)
		}
		return all
	case []any:
		there, _ := is.([]any)
		var all []string
		for i, element := range was {
			var other any
			if i < len(there) {
				other = there[i]
			}
			all = append(all, lostPaths(path+"["+strconv.Itoa(i)+"]", element, other)...)
		}
		return all
	}
	if isZero(was) && (is == nil || isZero(is)) || fmt.Sprint(was) == fmt.Sprint(is) {
		return nil
	}
	return []string{path + ": " + fmt.Sprint(was)}
}

func isZero(v any) bool {
	return v == nil || v == "" || v == false || fmt.Sprint(v) == "0"
}

// rendered writes an object as YAML. Members that the document has, too, stay in its order and with its comments.
func rendered(document []byte, object map[string]any) ([]byte, error) {
	var was goyaml.Node
	if err := goyaml.Unmarshal(document, &was); err != nil {
		return nil, err
	}
	if was.Kind != goyaml.DocumentNode || len(was.Content) != 1 {
		return nil, fmt.Errorf("the document is not an object")
	}
	is, err := merged(was.Content[0], object)
	if err != nil {
		return nil, err
	}
	was.Content[0] = is
	if text := bytes.TrimSpace(document); json.Valid(text) {
		return jsonText(is, bytes.ContainsRune(text, '\n'))
	}
	var out bytes.Buffer
	encoder := goyaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(&was); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// merged returns the node of a value, which takes the place of a node; was may be nil.
func merged(was *goyaml.Node, value any) (*goyaml.Node, error) {
	for was != nil && was.Kind == goyaml.AliasNode {
		was = was.Alias
	}
	switch value := value.(type) {
	case map[string]any:
		return mergedMap(was, value)
	case []any:
		node := &goyaml.Node{Kind: goyaml.SequenceNode, Tag: "!!seq"}
		var elements []*goyaml.Node
		if was != nil {
			comments(node, was)
			if was.Kind == goyaml.SequenceNode {
				node.Style, elements = was.Style, was.Content
			}
		}
		for i, element := range value {
			var before *goyaml.Node
			if i < len(elements) {
				before = elements[i]
			}
			inner, err := merged(before, element)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, inner)
		}
		return node, nil
	}
	if was != nil && was.Kind == goyaml.ScalarNode {
		var said any
		if was.Decode(&said) == nil && fmt.Sprint(said) == fmt.Sprint(value) || readAs(was) == fmt.Sprint(value) {
			same := *was
			same.Anchor = "" // an alias has been replaced by the value
			return &same, nil
		}
	}
	if number, ok := value.(json.Number); ok {
		node := &goyaml.Node{Kind: goyaml.ScalarNode, Tag: "!!int", Value: number.String()}
		if _, err := strconv.ParseInt(number.String(), 10, 64); err != nil {
			node.Tag = "!!float"
		}
		comments(node, was)
		return node, nil
	}
	node := &goyaml.Node{}
	if err := node.Encode(value); err != nil {
		return nil, err
	}
	comments(node, was)
	return node, nil
}

func mergedMap(was *goyaml.Node, value map[string]any) (*goyaml.Node, error) {
	node := &goyaml.Node{Kind: goyaml.MappingNode, Tag: "!!map"}
	comments(node, was)
	done := map[string]bool{}
	add := func(name string, key, before *goyaml.Node) error {
		inner, err := merged(before, value[name])
		node.Content = append(node.Content, key, inner)
		done[name] = true
		return err
	}
	if was != nil && was.Kind == goyaml.MappingNode {
		node.Style = was.Style
		for i := 0; i+1 < len(was.Content); i += 2 {
			name := readAs(was.Content[i])
			if _, ok := value[name]; ok && !done[name] {
				if err := add(name, was.Content[i], was.Content[i+1]); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if !done[name] {
			key := &goyaml.Node{}
			key.SetString(name)
			if err := add(name, key, nil); err != nil {
				return nil, err
			}
		}
	}
	return node, nil
}

// readAs returns the value of a scalar as kubectl reads it: y without quotes is true.
func readAs(n *goyaml.Node) string {
	if n.Kind != goyaml.ScalarNode || n.Style != 0 {
		return n.Value
	}
	text, err := yaml.YAMLToJSON([]byte(n.Value))
	if err != nil {
		return n.Value
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil || value == nil {
		return n.Value
	}
	return fmt.Sprint(value)
}

// jsonText writes a node as JSON, on one line or on several.
func jsonText(n *goyaml.Node, lines bool) ([]byte, error) {
	var out bytes.Buffer
	if err := writeJSON(&out, n); err != nil {
		return nil, err
	}
	if lines {
		text := slices.Clone(out.Bytes())
		out.Reset()
		if err := json.Indent(&out, text, "", "  "); err != nil {
			return nil, err
		}
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// writeJSON writes a node in the order of its members.
func writeJSON(out *bytes.Buffer, n *goyaml.Node) error {
	switch n.Kind {
	case goyaml.MappingNode, goyaml.SequenceNode:
		brackets := "{}"
		if n.Kind == goyaml.SequenceNode {
			brackets = "[]"
		}
		out.WriteByte(brackets[0])
		for i, part := range n.Content {
			isValue := n.Kind == goyaml.MappingNode && i%2 == 1
			switch {
			case isValue:
				out.WriteString(": ")
			case i > 0:
				out.WriteString(", ")
			}
			if err := writeJSON(out, part); err != nil {
				return err
			}
		}
		out.WriteByte(brackets[1])
		return nil
	}
	if n.ShortTag() != "!!str" {
		out.WriteString(n.Value) // true, null and numbers are as they were in JSON
		return nil
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(n.Value)
	out.Truncate(out.Len() - len("\n"))
	return err
}

// comments gives a node the comments of the one whose place it takes.
func comments(node, was *goyaml.Node) {
	if was != nil {
		node.HeadComment, node.LineComment, node.FootComment = was.HeadComment, was.LineComment, was.FootComment
	}
}
