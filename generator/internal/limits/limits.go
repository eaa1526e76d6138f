// SPDX-License-Identifier: Apache-2.0

// Package limits compares the values that validation markers and defaults of two fields allow.
package limits

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// Limits are the limits that validation markers set for a value, as in conversion.Limits. MultipleOf, Format and Unique
// are compared between versions. The stash does not check them.
type Limits struct{ schema.Limits }

// IsZero reports whether there are no limits for the stash to check.
func (l Limits) IsZero() bool {
	return len(l.Enum) == 0 && l.Minimum == "" && l.Maximum == "" && l.Pattern == "" && len(l.Counts) == 0
}

// OfField returns the limits of a field's value: its own and the limits of its type.
func OfField(f *resolve.Field) Limits { return In(f.Type.Target(), f) }

// In returns the limits of a value in a field, with the Enum of the field and of its type.
func In(t *resolve.Type, f *resolve.Field) (l Limits) {
	l.Read(Value{Type: t}.doc(), false)
	ofType := l.Enum
	switch outer := f.Type.Target(); {
	case outer == t:
		l.Read(f.Doc, false)
	case outer.Kind() == resolve.Slice && outer.Elem().Target() == t:
		l.Read(outer.Doc(), true)
		l.Read(f.Doc, true)
	}
	both := slices.DeleteFunc(slices.Clone(l.Enum), func(v string) bool { return !slices.Contains(ofType, v) })
	if len(both) > 0 { // a value must satisfy both
		l.Enum = both
	}
	return l
}

// Allows reports whether the limits allow a text, whole number or bool.
func (l Limits) Allows(value any) bool { return len(l.refusing(value)) == 0 }

// RefusingZero returns the names of the markers that refuse the zero value of a type: of a list or map, the empty one.
func (l Limits) RefusingZero(t *resolve.Type) []string {
	least := map[resolve.Kind]string{resolve.Slice: "MinItems", resolve.Map: "MinProperties"}[t.Kind()]
	switch {
	case l.Counts[least] > 0:
		return []string{least}
	case t.IsText():
		return l.refusing("")
	case t.Kind() == resolve.Basic && !t.IsBool():
		return l.refusing(0)
	}
	return nil
}

// refusing returns the names of the markers that refuse a text, whole number or bool. A pattern that Go cannot read
// refuses no text.
func (l Limits) refusing(value any) []string {
	var names []string
	note := func(name string, refuses bool) {
		if refuses {
			names = append(names, name)
		}
	}
	note("Enum", len(l.Enum) > 0 && !slices.Contains(l.Enum, fmt.Sprint(value)))
	switch value := value.(type) {
	case string:
		length := utf8.RuneCountInString(value)
		note("MinLength", length < l.Counts["MinLength"])
		most, ok := l.Counts["MaxLength"]
		note("MaxLength", ok && length > most)
		matched, err := regexp.MatchString(l.Pattern, value)
		note("Pattern", err == nil && !matched)
	case int:
		n, low, high := float64(value), l.low(), l.high()
		note("Minimum", low.ok && (n < low.n || n == low.n && low.strict))
		note("Maximum", high.ok && (n > high.n || n == high.n && high.strict))
	}
	return names
}

// marked returns the names of the markers that limit a value.
func (l Limits) marked() []string {
	values := l.values()
	return slices.DeleteFunc([]string{
		"Enum", "Minimum", "Maximum", "MultipleOf", "MinLength", "MaxLength", "Pattern", "Format",
		"MinItems", "MaxItems", "UniqueItems", "MinProperties", "MaxProperties", listType,
	}, func(name string) bool { return values[name] == "" })
}

// listType is the marker of lists that may not have an element twice.
const listType = "listType"

// text returns a marker as it is written, or nothing without that marker.
func (l Limits) text(name string) string {
	if value := l.values()[name]; value != "" {
		return name + "=" + value
	}
	return ""
}

// values returns the values of the markers, by name. They are empty for missing markers.
func (l Limits) values() map[string]string {
	values := map[string]string{
		"Enum": strings.Join(l.Enum, ";"), "Minimum": l.Minimum, "Maximum": l.Maximum,
		"MultipleOf": l.MultipleOf, "Pattern": l.Pattern, "Format": l.Format,
	}
	if l.Minimum != "" && l.ExclusiveMinimum {
		values["Minimum"] += " with ExclusiveMinimum"
	}
	if l.Maximum != "" && l.ExclusiveMaximum {
		values["Maximum"] += " with ExclusiveMaximum"
	}
	if l.Unique {
		values["UniqueItems"] = "true"
	}
	switch l.ListType {
	case "set":
		values[listType] = l.ListType
	case "map":
		values[listType] = "map with the keys " + strings.Join(l.ListKeys, ",")
	}
	for name, n := range l.Counts {
		values[name] = strconv.Itoa(n)
	}
	return values
}

// matters reports whether a marker has an effect on values of a type. A type that encodes itself may be anything.
func matters(name string, t *resolve.Type) bool {
	if t.EncodesItself() {
		return true
	}
	isBytes := t.Kind() == resolve.Slice && IsBlob(t)
	switch name {
	case "Enum":
		return t.Kind() == resolve.Basic
	case "Minimum", "Maximum", "MultipleOf":
		return t.Kind() == resolve.Basic && !t.IsText() && !t.IsBool()
	case "MinLength", "MaxLength", "Pattern", "Format":
		return t.IsText() || isBytes
	case "MinItems", "MaxItems", "UniqueItems", listType:
		return (t.Kind() == resolve.Slice || t.Kind() == resolve.Array) && !isBytes
	}
	return t.Kind() == resolve.Map || t.Kind() == resolve.Struct
}

// end is a bound of a number. It is strict if the number itself is excluded.
type end struct {
	n      float64
	strict bool
	ok     bool
}

func (l Limits) low() end { return endOf(l.Minimum, l.ExclusiveMinimum) }

func (l Limits) high() end { return endOf(l.Maximum, l.ExclusiveMaximum) }

func endOf(text string, strict bool) end {
	n, err := strconv.ParseFloat(text, 64)
	return end{n, strict, err == nil}
}

// inward returns the bound with the last whole number that it allows. Sign is 1 for a lower bound and -1 for an upper.
func (e end) inward(sign float64) end {
	n := math.Ceil(e.n * sign)
	if e.strict && n == e.n*sign {
		n++
	}
	return end{n: n * sign, ok: e.ok}
}

// Constant reads a value of a basic type: a string, int or bool.
func Constant(t *resolve.Type, text string) (any, bool) {
	switch {
	case t.IsText():
		return text, true
	case t.IsWhole():
		n, err := strconv.Atoi(text)
		return n, err == nil
	case t.IsBool():
		b, err := strconv.ParseBool(text)
		return b, err == nil
	}
	return nil, false
}

// ZeroOf returns the zero value of a constant's type.
func ZeroOf(constant any) any {
	switch constant.(type) {
	case string:
		return ""
	case int:
		return 0
	}
	return false
}

// IsBlob reports whether a type contains JSON as text.
func IsBlob(t *resolve.Type) bool {
	return t.IsText() || t.Is("k8s.io/apimachinery/pkg/runtime", "RawExtension") ||
		t.Is("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "JSON") ||
		t.Kind() == resolve.Slice && t.Elem().Basic() == "uint8"
}
