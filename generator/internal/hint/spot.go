// SPDX-License-Identifier: Apache-2.0

// Package hint writes what a user can do about fields that do not convert.
package hint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/diag"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
)

// Spot is where the markers of a hint can stand.
type Spot struct {
	// Of and Fields are the values of these arguments. They are empty for a marker on the field itself.
	Of, Fields string
	// Hub leads from the counterpart of the marker's struct to the counterpart of the field's struct.
	Hub []string
	// On names the declaration with the marker. It is empty for the field itself, and for the rule that is there.
	On string
}

// Marker writes a marker. Arguments are names, each with its value behind it.
func (s Spot) Marker(verb model.Verb, arguments ...string) string {
	if s.Fields != "" {
		arguments = slices.Insert(arguments, 0, "field", s.Fields)
	}
	if s.Of != "" {
		arguments = slices.Insert(arguments, 0, "of", s.Of)
	}
	var written []string
	for argument := range slices.Chunk(arguments, 2) {
		written = append(written, fmt.Sprintf("%s: %q", argument[0], argument[1]))
	}
	text := "+webhook:conversion:" + string(verb)
	if written != nil {
		text += "(" + strings.Join(written, ", ") + ")"
	}
	if verb == model.Drop || verb == model.Allow {
		text += `="why"`
	}
	return text + s.On
}

// Valued writes a marker with a value.
func (s Spot) Valued(verb model.Verb, value string) string {
	before := s
	before.On = ""
	return fmt.Sprintf("%s=%q%s", before.Marker(verb), value, s.On)
}

// To writes the marker that moves the field to a path of the counterpart of its struct.
func (s Spot) To(path, as string) string {
	if path = s.Within(path); as == "" && s.Fields == "" {
		return fmt.Sprintf("+webhook:conversion:to=%q", path)
	}
	if as == "" {
		return s.Marker(model.ToHub, "path", path)
	}
	return s.Marker(model.ToHub, "path", path, "as", as)
}

// Within returns the path from the counterpart of the marker's struct.
func (s Spot) Within(path string) string {
	return strings.Join(append(slices.Clip(s.Hub), path), ".")
}

// Enum describes the rules for values of an enum that only the spoke has, and that only the hub has. A value has
// probably become the one whose name is most like its own.
func (s Spot) Enum(lost, new []string) string {
	var renames []string
	left := slices.Clone(new)
	for _, value := range lost {
		i := slices.IndexFunc(left, func(other string) bool { return strings.EqualFold(other, value) })
		if near, ok := diag.Nearest(value, left); i < 0 && ok {
			i = slices.Index(left, near)
		}
		to := "..."
		if value == "" {
			to = value // both versions may have no value
		}
		if i >= 0 {
			to = left[i]
			left = slices.Delete(left, i, i+1)
		}
		renames = append(renames, s.Marker(model.Enum, "from", value, "to", to))
	}
	for _, value := range left {
		from := "..."
		if value == "" {
			from = value
		}
		renames = append(renames, s.Marker(model.Enum, "from", from, "to", value))
	}
	others := slices.DeleteFunc(slices.Concat(lost, new), func(value string) bool { return value == "" })
	if len(others) == 0 {
		return "add " + strings.Join(renames, ", ")
	}
	same := s.Marker(model.Enum, "same", strings.Join(others, ";"))
	return fmt.Sprintf("add %s; %s is for values that clients of the other version are to see as they are", strings.Join(renames, ", "), same)
}
