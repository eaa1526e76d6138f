// SPDX-License-Identifier: Apache-2.0

package structural

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Validation has the rules of a schema for values, except for rules in CEL.
type Validation struct {
	Type             string    `json:"type"`
	Format           string    `json:"format"`
	Enum             []any     `json:"enum"`
	Required         []string  `json:"required"`
	Minimum          *float64  `json:"minimum"`
	Maximum          *float64  `json:"maximum"`
	ExclusiveMinimum bool      `json:"exclusiveMinimum"`
	ExclusiveMaximum bool      `json:"exclusiveMaximum"`
	MultipleOf       *float64  `json:"multipleOf"`
	MinLength        *int      `json:"minLength"`
	MaxLength        *int      `json:"maxLength"`
	Pattern          string    `json:"pattern"`
	MinItems         *int      `json:"minItems"`
	MaxItems         *int      `json:"maxItems"`
	MinProperties    *int      `json:"minProperties"`
	MaxProperties    *int      `json:"maxProperties"`
	AllOf            []*Schema `json:"allOf"`
	AnyOf            []*Schema `json:"anyOf"`
	OneOf            []*Schema `json:"oneOf"`
	Not              *Schema   `json:"not"`
	IntOrString      bool      `json:"x-kubernetes-int-or-string"`
	ListType         string    `json:"x-kubernetes-list-type"`
	ListMapKeys      []string  `json:"x-kubernetes-list-map-keys"`
}

// Problem is a value that an API server refuses.
type Problem struct {
	// Path has indexes of lists and keys of maps. Field is the path without them.
	Path, Field string
	Text        string
}

func (p Problem) Error() string { return p.Path + ": " + p.Text }

// at is the place of a value.
type at struct{ path, field string }

func (a at) member(name string) at { return at{below(a.path, name), below(a.field, name)} }

func (a at) value(key string) at { return at{below(a.path, key), a.field} }

func (a at) element(i int) at { return at{a.path + "[" + strconv.Itoa(i) + "]", a.field} }

func (a at) problem(format string, args ...any) []Problem {
	return []Problem{{a.path, a.field, fmt.Sprintf(format, args...)}}
}

// Validate returns the values of an object that an API server refuses. The rules in CEL are left out. See
// NewSchemaValidator in k8s.io/apiextensions-apiserver/pkg/apiserver/validation, and ValidateListSetsAndMaps in
// pkg/apiserver/schema/listtype.
func (s *Schema) Validate(object map[string]any) []Problem { return s.validate(at{}, object) }

// allows reports whether an API server accepts a value.
func (s *Schema) allows(v any) bool { return len(s.validate(at{}, v)) == 0 }

func (s *Schema) validate(a at, v any) []Problem {
	if s == nil {
		return nil
	}
	if !s.hasType(v) && !(v == nil && s.Nullable) {
		return a.problem("want the type %s", s.Type)
	}
	if len(s.Enum) > 0 && !s.inEnum(v) {
		return a.problem("not in the enum")
	}
	if v == nil {
		return nil // other rules are not for null
	}
	var found []Problem
	switch value := v.(type) {
	case string:
		if problem := s.problemOfText(value); problem != "" {
			return a.problem("%s", problem)
		}
	case map[string]any:
		found = s.validateObject(a, value)
	case []any:
		found = s.validateList(a, value)
	default:
		if n, ok := number(v); ok && s.problemOfNumber(n) != "" {
			return a.problem("%s", s.problemOfNumber(n))
		}
	}
	return append(found, s.validateJunctors(a, v)...)
}

func (s *Schema) hasType(v any) bool {
	if s.IntOrString {
		n, ok := number(v)
		_, text := v.(string)
		return text || ok && n == math.Trunc(n)
	}
	switch s.Type {
	case "object":
		_, ok := v.(map[string]any)
		return ok
	case "array":
		_, ok := v.([]any)
		return ok
	case "string":
		_, ok := v.(string)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "integer":
		n, ok := number(v)
		return ok && n == math.Trunc(n)
	case "number":
		_, ok := number(v)
		return ok
	}
	return true
}

// number returns a number in JSON.
func number(v any) (float64, bool) {
	switch n := v.(type) {
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case float64:
		return n, true
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	}
	return 0, false
}

// same reports whether two values are the same in JSON.
func same(a, b any) bool {
	n, ok := number(a)
	m, also := number(b)
	if ok && also {
		return n == m
	}
	x, err := json.Marshal(a)
	y, alsoErr := json.Marshal(b)
	return err == nil && alsoErr == nil && string(x) == string(y) || reflect.DeepEqual(a, b)
}

func (s *Schema) inEnum(v any) bool {
	return slices.ContainsFunc(s.Enum, func(constant any) bool { return same(constant, v) })
}

func (s *Schema) problemOfText(text string) string {
	switch length := utf8.RuneCountInString(text); {
	case s.MinLength != nil && length < *s.MinLength:
		return fmt.Sprintf("shorter than %d", *s.MinLength)
	case s.MaxLength != nil && length > *s.MaxLength:
		return fmt.Sprintf("longer than %d", *s.MaxLength)
	case !s.matchesPattern(text):
		return "does not match " + s.Pattern
	case !hasFormat(s.Format, text):
		return "no " + s.Format
	}
	return ""
}

func (s *Schema) matchesPattern(text string) bool {
	if s.Pattern == "" {
		return true
	}
	compiled := s.pattern.Load()
	if compiled == nil {
		var err error
		if compiled, err = regexp.Compile(s.Pattern); err != nil {
			return true
		}
		s.pattern.Store(compiled)
	}
	return compiled.MatchString(text)
}

// hasFormat reports whether text has a format of the ones that types of Kubernetes write. Others are not checked.
func hasFormat(format, text string) bool {
	err := error(nil)
	switch format {
	case "date-time":
		_, err = time.Parse(time.RFC3339, strings.ToUpper(text))
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	case "byte":
		_, err = base64.StdEncoding.DecodeString(text)
	}
	return err == nil
}

func (s *Schema) problemOfNumber(n float64) string {
	switch {
	case s.Minimum != nil && (n < *s.Minimum || s.ExclusiveMinimum && n == *s.Minimum):
		return fmt.Sprintf("less than %v", *s.Minimum)
	case s.Maximum != nil && (n > *s.Maximum || s.ExclusiveMaximum && n == *s.Maximum):
		return fmt.Sprintf("more than %v", *s.Maximum)
	case s.MultipleOf != nil && *s.MultipleOf > 0 && math.Mod(n, *s.MultipleOf) != 0:
		return fmt.Sprintf("no multiple of %v", *s.MultipleOf)
	}
	return ""
}

func (s *Schema) validateObject(a at, object map[string]any) []Problem {
	switch {
	case s.MinProperties != nil && len(object) < *s.MinProperties:
		return a.problem("fewer than %d members", *s.MinProperties)
	case s.MaxProperties != nil && len(object) > *s.MaxProperties:
		return a.problem("more than %d members", *s.MaxProperties)
	}
	var found []Problem
	if s.Embedded {
		for _, name := range []string{"apiVersion", "kind"} {
			if text, _ := object[name].(string); text == "" {
				found = append(found, a.member(name).problem("is required")...)
			}
		}
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			found = append(found, a.member(name).problem("is required")...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		inner := a.value(name)
		if _, ok := s.Properties[name]; ok {
			inner = a.member(name)
		}
		found = append(found, s.Member(name).validate(inner, object[name])...)
	}
	return found
}

func below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

func (s *Schema) validateList(a at, list []any) []Problem {
	switch {
	case s.MinItems != nil && len(list) < *s.MinItems:
		return a.problem("fewer than %d elements", *s.MinItems)
	case s.MaxItems != nil && len(list) > *s.MaxItems:
		return a.problem("more than %d elements", *s.MaxItems)
	}
	var found []Problem
	for i, element := range list {
		found = append(found, s.Items.validate(a.element(i), element)...)
		if slices.ContainsFunc(list[:i], func(other any) bool { return s.twice(other, element) }) {
			found = append(found, a.problem("element %d is there already", i)...)
		}
	}
	return found
}

// twice reports whether a list that is a set or a map must not have both elements.
func (s *Schema) twice(a, b any) bool {
	switch s.ListType {
	case "set":
		return same(a, b)
	case "map":
		x, ok := a.(map[string]any)
		y, also := b.(map[string]any)
		return ok && also && !slices.ContainsFunc(s.ListMapKeys, func(key string) bool { return !same(x[key], y[key]) })
	}
	return false
}

func (s *Schema) validateJunctors(a at, v any) []Problem {
	valid := func(all []*Schema) (n int, found []Problem) {
		for _, one := range all {
			if problems := one.validate(a, v); problems != nil {
				found = append(found, problems...)
			} else {
				n++
			}
		}
		return n, found
	}
	_, found := valid(s.AllOf)
	if n, problems := valid(s.AnyOf); n == 0 {
		found = append(found, problems...)
	}
	if n, _ := valid(s.OneOf); len(s.OneOf) > 0 && n != 1 {
		found = append(found, a.problem("%d of its alternatives apply, want one", n)...)
	}
	if s.Not != nil && s.Not.validate(a, v) == nil {
		found = append(found, a.problem("has what it must not have")...)
	}
	return found
}
