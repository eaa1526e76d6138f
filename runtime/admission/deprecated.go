// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Deprecation is a deprecated field of an object, or a deprecated value of it.
type Deprecation struct {
	// Field is the path of the field: JSON names, and [*] for the elements of a list or a map, as in
	// "spec.parcels[*].note".
	Field string
	// Value is the deprecated value of a string. If it is empty, every value is deprecated.
	Value string
	// Message tells users what to do, such as "use spec.notes".
	Message string
}

// Deprecated warns of deprecated fields and values that a request sets: on CREATE all of them, on UPDATE those that the
// stored object does not have at that path. Only requests in the version of the webhook are warned of: in others, the
// conversion has set the field. A validator's verdict does not matter. Mutating webhooks do not warn.
func Deprecated(all ...Deprecation) Option {
	return func(h *Handler) {
		for _, d := range all {
			h.deprecations = append(h.deprecations, deprecation{d, strings.Split(strings.ReplaceAll(d.Field, elements, "."+elements), ".")})
		}
	}
}

// elements is the step of a path to the elements of a list or a map.
const elements = "[*]"

// deprecation is a Deprecation with the steps of its path.
type deprecation struct {
	Deprecation
	steps []string
}

// deprecated warns of what the request sets. Objects are decoded only if they can contain a deprecated field.
func (h *Handler) deprecated(c *call) {
	if h.mutating || len(h.deprecations) == 0 || c.head.Operation != Create && c.head.Operation != Update || c.head.Kind != c.head.RequestKind {
		return
	}
	raw := c.envelope.raw(objectPart)
	var object, old any
	for _, d := range h.deprecations {
		if !d.isIn(raw) {
			continue
		}
		if object == nil {
			if object = decoded(raw); object == nil {
				return // The validator's decoder has the message.
			}
			old = decoded(c.envelope.raw(oldObjectPart))
		}
		var before map[string]bool
		d.visit(object, d.steps, "", func(path, value string) bool {
			if before == nil {
				before = map[string]bool{}
				d.visit(old, d.steps, "", func(_, value string) bool {
					before[value] = true
					return true
				})
			}
			if before[value] {
				return true
			}
			what := path
			if d.Value != "" {
				what = fmt.Sprintf("%s: %q", path, d.Value)
			}
			c.head.Warn(what + " is deprecated: " + d.Message)
			return false // One warning for each deprecation.
		})
	}
}

// isIn reports whether the text of an object may have the deprecated field. A member's name can be escaped.
func (d *deprecation) isIn(raw []byte) bool {
	return bytes.IndexByte(raw, '\\') >= 0 || bytes.Contains(raw, []byte(d.member()))
}

// member is the last JSON name of the path.
func (d *deprecation) member() string {
	for i := len(d.steps) - 1; i > 0; i-- {
		if d.steps[i] != elements {
			return d.steps[i]
		}
	}
	return d.steps[0]
}

// decoded returns an object, or nil if there is none.
func decoded(raw []byte) any {
	var object any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil {
		return nil
	}
	return object
}

// visit calls f for each value at the path that is deprecated, with the path and the value's JSON. It ends when f
// returns false. Null is no value.
func (d *deprecation) visit(v any, steps []string, path string, f func(path, value string) bool) bool {
	if v == nil {
		return true
	}
	if len(steps) == 0 {
		if d.Value != "" && v != any(d.Value) {
			return true
		}
		text, err := json.Marshal(v)
		return err != nil || f(path, string(text))
	}
	switch v := v.(type) {
	case map[string]any:
		if steps[0] != elements {
			return d.visit(v[steps[0]], steps[1:], strings.TrimPrefix(path+"."+steps[0], "."), f)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !d.visit(v[key], steps[1:], path+"["+key+"]", f) {
				return false
			}
		}
	case []any:
		for i, element := range v {
			if steps[0] == elements && !d.visit(element, steps[1:], fmt.Sprintf("%s[%d]", path, i), f) {
				return false
			}
		}
	}
	return true
}
