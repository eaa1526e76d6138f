// SPDX-License-Identifier: Apache-2.0

package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// dropEmpty removes members that Go types write without a value, such as a status. It leaves members that the user has
// written, and those without which isSame reports false: an empty struct may have a meaning.
func dropEmpty(value, written map[string]any, isSame func() bool) {
	for _, name := range slices.Sorted(maps.Keys(value)) {
		member := value[name]
		own, isWritten := written[name]
		inner, ok := member.(map[string]any)
		if ok {
			before, _ := own.(map[string]any)
			dropEmpty(inner, before, isSame)
		}
		if isWritten || member != nil && !(ok && len(inner) == 0) {
			continue
		}
		if delete(value, name); !isSame() {
			value[name] = member
		}
	}
}

// hasParts reports whether an object has all members of another one that the user has written, even if they are empty.
func hasParts(written, whole, object map[string]any) bool {
	for name, own := range written {
		part, ok := whole[name].(map[string]any)
		other, has := object[name].(map[string]any)
		if before, _ := own.(map[string]any); ok && (!has || !hasParts(before, part, other)) {
			return false
		}
	}
	return true
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

// isJSON reports whether a document is JSON, and not only YAML.
func (d document) isJSON() bool { return json.Valid(d.text) }

// decoded reads a document as kubectl does.
func (d document) decoded() (map[string]any, error) {
	text, err := yaml.YAMLToJSON(d.text)
	if err != nil {
		return nil, err
	}
	return decoded(text)
}

// rendered writes an object as the document is written: as YAML, or as JSON, indented if the document has lines.
func (d document) rendered(object map[string]any) ([]byte, error) {
	if !d.isJSON() {
		return rendered(d.text, object)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if bytes.Contains(bytes.TrimSpace(d.text), []byte("\n")) {
		encoder.SetIndent("", "  ")
	}
	err := encoder.Encode(object)
	return out.Bytes(), err
}

// positioned is an error at a line of a document, counted from its first.
type positioned struct {
	error
	line int
}

func (p *positioned) Unwrap() error { return p.error }

// misread is an error of the handler about a value that is not text.
var misread = regexp.MustCompile(`(?:^|: )((?:items\[\d+\]: )*)(?:.*: )?([^ :]+): a (?:number|boolean) cannot be read as string$`)

// located gives an error about a value that YAML does not read as text the value's line, and says to quote it.
func (d document) located(err error) error {
	found := misread.FindStringSubmatch(err.Error())
	var document goyaml.Node
	if found == nil || goyaml.Unmarshal(d.text, &document) != nil || len(document.Content) != 1 {
		return err
	}
	n := document.Content[0]
	path := strings.FieldsFunc(found[1]+found[2], func(r rune) bool { return strings.ContainsRune(".[]: ", r) })
	for len(path) > 0 {
		var child *goyaml.Node
		end := len(path)
		for ; end > 0 && child == nil; end-- { // keys of maps may have dots
			child = childOf(n, strings.Join(path[:end], "."))
		}
		if child == nil {
			return err
		}
		n, path = child, path[end+1:]
	}
	if n.Kind != goyaml.ScalarNode {
		return err
	}
	line := n.Line - 1
	if d.line > 1 { // its text begins behind the ---
		line--
	}
	return &positioned{fmt.Errorf("%w: for text, write %q", err, n.Value), line}
}

// childOf returns the node of a member or of an element; nil without one.
func childOf(n *goyaml.Node, name string) *goyaml.Node {
	for n.Kind == goyaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case goyaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return n.Content[i+1]
			}
		}
	case goyaml.SequenceNode:
		if i, err := strconv.Atoi(name); err == nil && i < len(n.Content) {
			return n.Content[i]
		}
	}
	return nil
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
		if said, err := scalar(was); err == nil && said == value {
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

// scalar returns the value of a node as kubectl reads it: a plain no is a bool, and 010 is 8.
func scalar(n *goyaml.Node) (value any, err error) {
	if n.Style&(goyaml.DoubleQuotedStyle|goyaml.SingleQuotedStyle|goyaml.LiteralStyle|goyaml.FoldedStyle) != 0 {
		return n.Value, nil
	}
	text, err := yaml.YAMLToJSON([]byte(n.Value))
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
}

// merge is the tag of a plain <<, which stands for the members of another map.
const merge = "!!merge"

func mergedMap(was *goyaml.Node, value map[string]any) (*goyaml.Node, error) {
	node := &goyaml.Node{Kind: goyaml.MappingNode, Tag: "!!map"}
	comments(node, was)
	done := map[string]bool{}
	add := func(key, before *goyaml.Node) error {
		inner, err := merged(before, value[key.Value])
		node.Content = append(node.Content, key, inner)
		done[key.Value] = true
		return err
	}
	if was != nil && was.Kind == goyaml.MappingNode {
		node.Style = was.Style
		for i := 0; i+1 < len(was.Content); i += 2 {
			if _, ok := value[was.Content[i].Value]; ok && !done[was.Content[i].Value] && was.Content[i].Tag != merge {
				if err := add(was.Content[i], was.Content[i+1]); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if !done[name] {
			key := &goyaml.Node{}
			err := key.Encode(name)
			if key.Tag == merge {
				key.Tag, key.Style = "!!str", goyaml.DoubleQuotedStyle
			}
			if err == nil {
				err = add(key, nil)
			}
			if err != nil {
				return nil, err
			}
		}
	}
	return node, nil
}

// comments gives a node the comments of the one whose place it takes.
func comments(node, was *goyaml.Node) {
	if was != nil {
		node.HeadComment, node.LineComment, node.FootComment = was.HeadComment, was.LineComment, was.FootComment
	}
}
