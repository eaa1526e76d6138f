// SPDX-License-Identifier: Apache-2.0

package templates

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestWord reads words back as the same texts, in the places of a file that words have.
func TestWord(t *testing.T) {
	for _, text := range []string{"", "a", "cmd/webhook", "true", "null", "1", "1e3", "0x1", "~", "no", "a: b", "a #b", "- a", "a\nb: c", "\u2028", "'", "\"", "{{ x }}", "*a", "&a", "!a", "%", "@", "`", "[", "2001-01-01", ".inf", "../x", "a b", "a ", "{"} {
		word := Word(text)
		var read struct {
			Key  string
			List []string
		}
		if err := yaml.UnmarshalStrict([]byte("key: "+word+" # comment\nlist:\n  - "+word+"\n"), &read); err != nil || read.Key != text || len(read.List) != 1 || read.List[0] != text {
			t.Errorf("%q becomes %s: %+v, %v", text, word, read, err)
		}
		if strings.Contains(word, "\n") {
			t.Errorf("%q has several lines", text)
		}
	}
}
