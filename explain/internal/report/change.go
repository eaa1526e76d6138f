// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
)

// shown is the number of changed fields that a step shows, and longest the length of their values.
const (
	shown   = 10
	longest = 60
)

// changes describes the changed fields of an object, a line for each.
func changes(before, after map[string]any) []string {
	var lines []string
	compare(&lines, "", before, after)
	if more := len(lines) - shown; more > 0 {
		lines = append(lines[:shown], fmt.Sprintf("and %d more", more))
	}
	return lines
}

func compare(lines *[]string, path string, before, after any) {
	if equality.Semantic.DeepEqual(before, after) {
		return
	}
	switch was := before.(type) {
	case map[string]any:
		if is, ok := after.(map[string]any); ok {
			all := maps.Clone(was)
			maps.Copy(all, is)
			for _, key := range slices.Sorted(maps.Keys(all)) {
				compare(lines, path+member(key, path), was[key], is[key])
			}
			return
		}
	case []any:
		if is, ok := after.([]any); ok {
			for i := range max(len(was), len(is)) {
				compare(lines, fmt.Sprintf("%s[%d]", path, i), at(was, i), at(is, i))
			}
			return
		}
	}
	switch {
	case before == nil:
		*lines = append(*lines, fmt.Sprintf("+ %s: %s", path, value(after)))
	case after == nil:
		*lines = append(*lines, fmt.Sprintf("- %s: %s", path, value(before)))
	default:
		*lines = append(*lines, fmt.Sprintf("~ %s: %s -> %s", path, value(before), value(after)))
	}
}

func member(key, path string) string {
	switch {
	case strings.ContainsAny(key, "./[]\" \n"):
		return fmt.Sprintf("[%q]", key)
	case path == "":
		return key
	}
	return "." + key
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func value(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if letters := []rune(text); len(letters) > longest {
		return string(letters[:longest]) + "..."
	}
	return text
}
