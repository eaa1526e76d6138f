// SPDX-License-Identifier: Apache-2.0

package yamltext

import (
	"bytes"
	"fmt"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestPlace looks for a word behind each way for a line to end, and behind characters of several bytes.
func TestPlace(t *testing.T) {
	for name, test := range map[string]struct {
		text, want string
	}{
		"LF":              {"a: 1\nb: word\n", "f:2:4"},
		"CRLF":            {"a: 1\r\nb: word\r\n", "f:2:4"},
		"CR":              {"a: 1\rb: word\r", "f:2:4"},
		"line separator":  {"a: 1\u2028b: word\n", "f:2:4"},
		"no end":          {"a: 1\nb: word", "f:2:4"},
		"characters":      {"{ä: é, b: word}\n", "f:1:13"},
		"byte order mark": {"\ufeffa: 1\nb: word\n", "f:2:4"},
		"quotes":          {"a: 1\nb: 'word'\n", "f:2:4"},
	} {
		t.Run(name, func(t *testing.T) {
			var document yaml.Node
			if err := yaml.Unmarshal([]byte(test.text), &document); err != nil {
				t.Fatal(err)
			}
			root := document.Content[0]
			place := New("f", []byte(test.text)).Range(root.Content[len(root.Content)-1])
			if got := fmt.Sprintf("%s:%d:%d", place.Pos.File, place.Pos.Line, place.Pos.Column); got != test.want {
				t.Errorf("at %s, want %s", got, test.want)
			}
			if length := place.End.Column - place.Pos.Column; length != len("word") && length != len("'word'") {
				t.Errorf("%d bytes long", length)
			}
		})
	}
}

// TestPlaceOfNothing looks for a document that is not there, which the parser places behind the end of the file.
func TestPlaceOfNothing(t *testing.T) {
	text := []byte("a: 1\n---")
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	for range 2 {
		if err := decoder.Decode(&document); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := New("f", text).Range(document.Content[0]), New("f", text).Span(2, 3, 3); got != want {
		t.Errorf("at %v, want %v", got, want)
	}
}
