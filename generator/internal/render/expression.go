// SPDX-License-Identifier: Apache-2.0

package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// marshal writes an object as YAML. An expression is a literal block or one line. The package yaml alone folds long
// ones, at any space.
func marshal(object any) ([]byte, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var content any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&content); err != nil {
		return nil, err
	}
	var whole []string // texts in place of words, each with its word before it
	if err := unfold(content, &whole, string(text)); err != nil {
		return nil, err
	}
	written, err := yaml.Marshal(content)
	return []byte(strings.NewReplacer(whole...).Replace(string(written))), err
}

// unfold puts a word in place of every expression that is no literal block. The word is not in the text of the object.
func unfold(value any, whole *[]string, text string) error {
	switch v := value.(type) {
	case []any:
		for _, e := range v {
			if err := unfold(e, whole, text); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, e := range v {
			expression, isText := e.(string)
			if !isText || !slices.Contains([]string{"expression", "messageExpression", "valueExpression"}, key) {
				if err := unfold(e, whole, text); err != nil {
					return err
				}
				continue
			}
			written, err := yaml.Marshal(map[string]string{"e": expression})
			if err != nil {
				return err
			}
			line, err := unfolded(expression, strings.TrimSuffix(strings.TrimPrefix(string(written), "e: "), "\n"))
			if err != nil {
				return err
			}
			if line == "" {
				continue
			}
			word := fmt.Sprintf("expression-%d-", len(*whole))
			for strings.Contains(text, word) {
				word += "-"
			}
			word += "x"
			v[key] = word
			*whole = append(*whole, word, line)
		}
	}
	return nil
}

// unfolded returns a text as one line of YAML, from the YAML that the package yaml writes; empty for a literal block.
func unfolded(text, written string) (string, error) {
	lines := strings.Split(written, "\n")
	switch {
	case strings.HasPrefix(written, "|"):
		return "", nil
	case len(lines) == 1:
		return written, nil
	case !strings.HasPrefix(written, `"`) && !strings.Contains(text, "\n"): // it is folded at single spaces
		for i := range lines {
			lines[i] = strings.TrimLeft(lines[i], " ")
		}
		return strings.Join(lines, " "), nil
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line) // a string of JSON is one of YAML
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(text)
	return strings.TrimSpace(line.String()), err
}
