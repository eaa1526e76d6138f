// SPDX-License-Identifier: Apache-2.0

package structural

import (
	"encoding/base64"
	"encoding/json"
	"errors"
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

// Validate returns an error with the first path whose value an API server refuses. The rules in CEL are left out. See
// NewSchemaValidator in k8s.io/apiextensions-apiserver/pkg/apiserver/validation, and ValidateListSetsAndMaps in
// pkg/apiserver/schema/listtype.
func (s *Schema) Validate(object map[string]any) error { return s.validate("", object) }

func (s *Schema) validate(path string, v any) error {
	if s == nil {
		return nil
	}
	at := func(format string, args ...any) error {
		return fmt.Errorf("%s: "+format, append([]any{path}, args...)...)
	}
	if !s.hasType(v) && !(v == nil && s.Nullable) {
		return at("want the type %s", s.Type)
	}
	if len(s.Enum) > 0 && !s.inEnum(v) {
		return at("not in the enum")
	}
	if v == nil {
		return nil // other rules are not for null
	}
	err := error(nil)
	switch value := v.(type) {
	case string:
		if problem := s.problemOfText(value); problem != "" {
			return at("%s", problem)
		}
	case map[string]any:
		err = s.validateObject(path, at, value)
	case []any:
		err = s.validateList(path, at, value)
	default:
		if n, ok := number(v); ok && s.problemOfNumber(n) != "" {
			return at("%s", s.problemOfNumber(n))
		}
	}
	if err != nil {
		return err
	}
	return s.validateJunctors(path, at, v)
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
	matched, err := regexp.MatchString(s.Pattern, text)
	return matched || err != nil
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

func (s *Schema) validateObject(path string, at func(string, ...any) error, object map[string]any) error {
	switch {
	case s.MinProperties != nil && len(object) < *s.MinProperties:
		return at("fewer than %d members", *s.MinProperties)
	case s.MaxProperties != nil && len(object) > *s.MaxProperties:
		return at("more than %d members", *s.MaxProperties)
	}
	if s.Embedded {
		for _, name := range []string{"apiVersion", "kind"} {
			if text, _ := object[name].(string); text == "" {
				return at("%s is required", name)
			}
		}
	}
	for _, name := range s.Required {
		if _, ok := object[name]; !ok {
			return at("%s is required", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if err := s.Member(name).validate(below(path, name), object[name]); err != nil {
			return err
		}
	}
	return nil
}

func below(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

func (s *Schema) validateList(path string, at func(string, ...any) error, list []any) error {
	switch {
	case s.MinItems != nil && len(list) < *s.MinItems:
		return at("fewer than %d elements", *s.MinItems)
	case s.MaxItems != nil && len(list) > *s.MaxItems:
		return at("more than %d elements", *s.MaxItems)
	}
	for i, element := range list {
		if err := s.Items.validate(path+"["+strconv.Itoa(i)+"]", element); err != nil {
			return err
		}
		if slices.ContainsFunc(list[:i], func(other any) bool { return s.twice(other, element) }) {
			return at("element %d is there already", i)
		}
	}
	return nil
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

func (s *Schema) validateJunctors(path string, at func(string, ...any) error, v any) error {
	errs := func(all []*Schema) (valid int, err error) {
		for _, one := range all {
			if e := one.validate(path, v); e != nil {
				err = errors.Join(err, e)
			} else {
				valid++
			}
		}
		return valid, err
	}
	if _, err := errs(s.AllOf); err != nil {
		return err
	}
	if valid, err := errs(s.AnyOf); valid == 0 && err != nil {
		return err
	}
	if valid, _ := errs(s.OneOf); len(s.OneOf) > 0 && valid != 1 {
		return at("%d of its alternatives apply, want one", valid)
	}
	if s.Not != nil && s.Not.validate(path, v) == nil {
		return at("has what it must not have")
	}
	return nil
}
