// SPDX-License-Identifier: Apache-2.0

// Package schema derives what a CustomResourceDefinition says of a Go type: from its declaration and the markers that
// controller-gen and Kubernetes' own generators read.
package schema

import (
	"encoding/json"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/load"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Limits are the limits that validation markers set for a value.
type Limits struct {
	Enum                               []string
	Minimum, Maximum, Pattern          string
	ExclusiveMinimum, ExclusiveMaximum bool
	// Counts are the bounds of lengths, by the name of the marker.
	Counts             map[string]int
	MultipleOf, Format string
	Unique             bool
	// ListType is the type of a list, and ListKeys are the members that are the keys of its elements.
	ListType string
	ListKeys []string
}

// validation is the prefix of the markers from which controller-gen makes a schema.
const validation = "+kubebuilder:validation:"

// declarative returns the name under which controller-gen also has a marker of Kubernetes' own types.
func declarative(marker string) (name string, ok bool) {
	names := map[string]string{"+k8s:minimum": "Minimum", "+k8s:maximum": "Maximum", "+k8s:maxItems": "MaxItems"}
	if name, ok = names[marker]; ok {
		return name, true
	}
	return strings.CutPrefix(marker, validation)
}

// Read adds the limits from comments. Markers for a list's elements begin with items. A value follows = or :=.
func (l *Limits) Read(groups []*ast.CommentGroup, items bool) {
	for _, m := range load.Markers(groups...) {
		name, value, _ := strings.Cut(m, "=")
		switch {
		case items:
		case name == "+listType":
			l.ListType = strings.TrimSpace(value)
		case name == "+listMapKey":
			l.ListKeys = append(l.ListKeys, strings.TrimSpace(value))
		}
		name, ok := declarative(strings.TrimSuffix(name, ":"))
		if name, ofItems := strings.CutPrefix(name, "items:"); ok && ofItems == items {
			l.set(name, strings.TrimSpace(value))
		}
	}
}

func (l *Limits) set(name, value string) {
	switch name {
	case "Enum":
		l.Enum = nil
		separator := ";"
		if inner, ok := strings.CutPrefix(value, "{"); ok {
			value, separator = strings.TrimSuffix(inner, "}"), ","
		}
		for word := range strings.SplitSeq(value, separator) {
			l.Enum = append(l.Enum, Unquoted(strings.TrimSpace(word)))
		}
	case "Minimum":
		l.Minimum = value
	case "Maximum":
		l.Maximum = value
	case "ExclusiveMinimum":
		l.ExclusiveMinimum = value != "false"
	case "ExclusiveMaximum":
		l.ExclusiveMaximum = value != "false"
	case "Pattern":
		l.Pattern = Unquoted(value)
	case "MultipleOf":
		l.MultipleOf = value
	case "Format":
		l.Format = Unquoted(value)
	case "UniqueItems":
		l.Unique = value != "false"
	case "MinLength", "MaxLength", "MinItems", "MaxItems", "MinProperties", "MaxProperties":
		if n, err := strconv.Atoi(value); err == nil && n > 0 {
			if l.Counts == nil {
				l.Counts = map[string]int{}
			}
			l.Counts[name] = n
		}
	}
}

// Unquoted returns the text of a value that may be quoted as in Go.
func Unquoted(value string) string {
	if text, err := strconv.Unquote(value); err == nil {
		return text
	}
	return value
}

// Default returns the default that markers set for a field, as it is written: the value that an API server sets if
// the field is missing, or null without being nullable. The result is empty without such a marker.
func Default(f *resolve.Field) string {
	found := ""
	for _, text := range load.Markers(f.Doc...) {
		for _, name := range []string{"+kubebuilder:default", "+default"} {
			value, ok := strings.CutPrefix(text, name)
			if value, isSet := strings.CutPrefix(strings.TrimPrefix(value, ":"), "="); ok && isSet {
				found = strings.TrimSpace(value)
			}
		}
	}
	return found
}

// IsNullable reports whether a field may be null: an API server then does not replace null by the default.
func IsNullable(f *resolve.Field) bool {
	return slices.ContainsFunc(load.Markers(f.Doc...), func(marker string) bool {
		name, _, _ := strings.Cut(marker, "=")
		return name == "+nullable"
	})
}

// IsRequired reports whether a marker requires a field, though JSON may omit it.
func IsRequired(f *resolve.Field) bool {
	return hasMarker(f, "+required", "+k8s:required", validation+"Required")
}

// Preserves reports whether comments have the marker by which an API server keeps members that a schema does not have.
func Preserves(groups []*ast.CommentGroup) bool {
	return slices.ContainsFunc(load.Markers(groups...), func(marker string) bool {
		return marker == "+kubebuilder:pruning:PreserveUnknownFields" || marker == validation+"XPreserveUnknownFields"
	})
}

// hasMarker reports whether a field has one of the markers.
func hasMarker(f *resolve.Field, markers ...string) bool {
	return slices.ContainsFunc(load.Markers(f.Doc...), func(marker string) bool { return slices.Contains(markers, marker) })
}

// DefaultJSON returns a field's default in JSON. It is empty without a default, or if the default is written in a form
// that only controller-gen reads.
func DefaultJSON(f *resolve.Field) string {
	text := Default(f)
	if text == "" {
		return ""
	}
	if isText(f.Type) {
		quoted, err := json.Marshal(strings.Trim(Unquoted(text), "'"))
		if err != nil {
			return ""
		}
		return string(quoted)
	}
	if quoted, err := strconv.Unquote(text); err == nil && !json.Valid([]byte(text)) {
		text = strconv.Quote(quoted) // a duration or quantity in backquotes
	}
	if !json.Valid([]byte(text)) {
		return ""
	}
	return text
}

// isText reports whether a value is text, or a pointer to it.
func isText(t *resolve.Type) bool {
	for t.Kind() == resolve.Pointer {
		t = t.Elem()
	}
	return t.Kind() == resolve.Basic && t.Basic() == "string"
}
