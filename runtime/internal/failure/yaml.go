// SPDX-License-Identifier: Apache-2.0

package failure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// mostLines is how many lines of an object or of a difference are shown.
const mostLines = 20

// YAML returns an object in JSON as YAML, without null and without empty structs of the object, which Go types write.
func YAML(object []byte) string {
	value, err := Decode(object)
	if err != nil {
		return clip(string(object), 2000)
	}
	if m, ok := value.(map[string]any); ok {
		for _, name := range []string{"status", "metadata"} {
			if meta, ok := m[name].(map[string]any); ok {
				maps.DeleteFunc(meta, func(_ string, v any) bool { return v == nil })
				if len(meta) == 0 {
					delete(m, name)
				}
			}
		}
	}
	var lines []string
	appendYAML(&lines, "", "", value)
	return strings.Join(shortened(lines), "\n")
}

// Decode reads one JSON value. Numbers stay as they are written.
func Decode(text []byte) (any, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something follows the JSON value")
	}
	return value, nil
}

// appendYAML appends the lines of a value. The first line begins with head, all others with indent.
func appendYAML(lines *[]string, head, indent string, value any) {
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 {
			break
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if member := value[name]; container(member) {
				*lines = append(*lines, head+scalar(name)+":")
				below := indent + "  "
				if _, list := member.([]any); list {
					below = indent
				}
				appendYAML(lines, below, below, member)
			} else {
				*lines = append(*lines, head+scalar(name)+": "+scalar(member))
			}
			head = indent
		}
		return
	case []any:
		if len(value) == 0 {
			break
		}
		for _, element := range value {
			appendYAML(lines, head+"- ", indent+"  ", element)
			head = indent
		}
		return
	}
	*lines = append(*lines, head+scalar(value))
}

// container reports whether a value takes lines of its own.
func container(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return len(v) > 0
	case []any:
		return len(v) > 0
	}
	return false
}

var (
	plain = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9_./ -]*$`)
	words = regexp.MustCompile(`(?i)^(true|false|yes|no|on|off|y|n|null|)$`)
)

// scalar returns a value on one line.
func scalar(v any) string {
	if text, ok := v.(string); ok && plain.MatchString(text) && !words.MatchString(text) && !strings.HasSuffix(text, " ") {
		return clip(text, 200)
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return clip(strings.TrimSpace(text.String()), 200)
}

// clip cuts a text.
func clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:most], ""), len(text))
}

// shortened cuts lines.
func shortened(lines []string) []string {
	if len(lines) <= mostLines {
		return lines
	}
	return append(slices.Clone(lines[:mostLines-1]), fmt.Sprintf("… %d more lines", len(lines)-mostLines+1))
}

// Diff returns the differences of two objects in JSON: for each path one line with the value in the first object and
// one with the value in the second. It is empty for equal objects.
func Diff(want, got []byte) string {
	w, wantErr := Decode(want)
	g, gotErr := Decode(got)
	if wantErr != nil || gotErr != nil {
		if bytes.Equal(want, got) {
			return ""
		}
		return "- " + clip(string(want), 200) + "\n+ " + clip(string(got), 200)
	}
	var lines []string
	diff(&lines, "", w, g)
	return strings.Join(shortened(lines), "\n")
}

// missing takes the place of a value in an object that has none.
type missing struct{}

func diff(lines *[]string, path string, want, got any) {
	w, isMap := want.(map[string]any)
	if g, both := got.(map[string]any); both && isMap {
		names := maps.Clone(w)
		maps.Copy(names, g)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			diff(lines, member(path, name), find(w, name), find(g, name))
		}
		return
	}
	l, isList := want.([]any)
	if g, both := got.([]any); both && isList {
		diffLists(lines, path, l, g)
		return
	}
	if same(want, got) {
		return
	}
	for _, side := range []struct {
		sign  string
		value any
	}{{"-", want}, {"+", got}} {
		if _, none := side.value.(missing); !none {
			*lines = append(*lines, strings.TrimSpace(fmt.Sprintf("%s %s: %s", side.sign, strings.TrimPrefix(path, "."), scalar(side.value))))
		}
	}
}

// diffLists compares the elements between the equal ones at both ends.
func diffLists(lines *[]string, path string, want, got []any) {
	first, after := 0, 0
	for first < min(len(want), len(got)) && same(want[first], got[first]) {
		first++
	}
	for after < min(len(want), len(got))-first && same(want[len(want)-1-after], got[len(got)-1-after]) {
		after++
	}
	for i := first; i < max(len(want), len(got))-after; i++ {
		element := func(list []any) any {
			if i < len(list)-after {
				return list[i]
			}
			return missing{}
		}
		diff(lines, fmt.Sprintf("%s[%d]", path, i), element(want), element(got))
	}
}

func find(m map[string]any, name string) any {
	if value, ok := m[name]; ok {
		return value
	}
	return missing{}
}

// member returns the path of a member.
func member(path, name string) string {
	if plain.MatchString(name) && !strings.ContainsAny(name, "./ ") {
		return path + "." + name
	}
	return fmt.Sprintf("%s[%q]", path, name)
}

// same compares two values in JSON. Numbers are the same if they are written alike, or as an integer and a float.
func same(a, b any) bool {
	_, noneA := a.(missing)
	_, noneB := b.(missing)
	if noneA || noneB {
		return noneA == noneB
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
