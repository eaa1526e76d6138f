// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// Limits are the restrictions that the validation markers of a type put on a value. A limit of zero means no limit.
type Limits struct {
	// Enum are the allowed constants, as text.
	Enum []string
	// Minimum and Maximum are numbers as they are written.
	Minimum, Maximum                   string
	ExclusiveMinimum, ExclusiveMaximum bool
	// MinLength and MaxLength count the characters of text. The other limits count elements and members.
	MinLength, MaxLength         int
	MinItems, MaxItems           int
	MinProperties, MaxProperties int
	// Pattern is a regular expression that text must match.
	Pattern string
}

// allows reports whether a value in JSON satisfies the markers of its type, and of the types of the values in it.
func (r *restoring) allows(p *plan, text json.RawMessage) bool {
	if r.unlimited || p.Limits.isZero() && p.Members == nil && p.Elements == nil {
		return true
	}
	value, err := parsed(text)
	return err == nil && r.allowsValue(p, value)
}

// allowed returns a value in JSON without the members that the markers of their types refuse, or nil if the markers
// refuse the rest, or if a refused member is required.
func (r *restoring) allowed(p *plan, s *wire.Shape, text json.RawMessage) json.RawMessage {
	if text == nil || r.allows(p, text) {
		return text
	}
	value, err := parsed(text)
	if err != nil || !r.work.take(len(text)) || !r.prune(p, s, value) || !r.allowsValue(p, value) {
		return nil
	}
	pruned, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return pruned
}

// prune removes refused members of objects from a value in JSON, and reports whether no other value is refused.
func (r *restoring) prune(p *plan, s *wire.Shape, value any) bool {
	var kind wire.Kind
	if s != nil {
		s = s.Target()
		kind = s.Kind
	}
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			var below *wire.Shape
			required := false
			switch kind {
			case wire.Dict:
				below = s.Elem
			case wire.Structure:
				if i, ok := s.Index[name]; ok {
					f := &s.Fields[i]
					below, required = f.Shape, !f.OmitsEmpty() && !f.OmitZero
				}
			}
			switch {
			case r.prune(p.member(name), below, member):
			case required:
				return false
			default:
				delete(value, name)
			}
		}
		return true
	case []any:
		var below *wire.Shape
		if kind == wire.List {
			below = s.Elem
		}
		return !slices.ContainsFunc(value, func(e any) bool { return !r.prune(p.elements, below, e) })
	}
	return r.allowsValue(p, value)
}

// allowsLength reports whether a list may have this number of elements.
func (r *restoring) allowsLength(p *plan, elements int) bool {
	return r.unlimited || within(elements, p.Limits.MinItems, p.Limits.MaxItems)
}

func (r *restoring) allowsValue(p *plan, value any) bool {
	l := p.Limits
	if r.unlimited || value == nil {
		return true
	}
	if l.Enum != nil && !slices.Contains(l.Enum, fmt.Sprint(value)) {
		return false
	}
	switch value := value.(type) {
	case json.Number:
		return l.allowsNumber(value)
	case string:
		return within(utf8.RuneCountInString(value), l.MinLength, l.MaxLength) && (p.pattern == nil || p.pattern.MatchString(value))
	case []any:
		if !within(len(value), l.MinItems, l.MaxItems) {
			return false
		}
		for _, e := range value {
			if !r.allowsValue(p.elements, e) {
				return false
			}
		}
	case map[string]any:
		if !within(len(value), l.MinProperties, l.MaxProperties) {
			return false
		}
		for name, member := range value {
			if !r.allowsValue(p.member(name), member) {
				return false
			}
		}
	}
	return true
}

func (l Limits) isZero() bool {
	return l.Enum == nil && l.Minimum == "" && l.Maximum == "" && l.Pattern == "" &&
		l.MinLength|l.MaxLength|l.MinItems|l.MaxItems|l.MinProperties|l.MaxProperties == 0
}

func (l Limits) allowsNumber(n json.Number) bool {
	if c, ok := compareNumbers(n.String(), l.Minimum); ok && (c < 0 || c == 0 && l.ExclusiveMinimum) {
		return false
	}
	c, ok := compareNumbers(n.String(), l.Maximum)
	return !ok || c < 0 || c == 0 && !l.ExclusiveMaximum
}

// compareNumbers compares two numbers as they are written, and reports whether both are numbers.
func compareNumbers(a, b string) (int, bool) {
	if b == "" {
		return 0, false
	}
	i, err := strconv.ParseInt(a, 10, 64)
	j, err2 := strconv.ParseInt(b, 10, 64)
	if err == nil && err2 == nil {
		return cmp.Compare(i, j), true
	}
	x, err := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return cmp.Compare(x, y), (err == nil || x != 0) && err2 == nil
}

// within reports whether a count is within bounds. An upper bound of zero means no bound.
func within(n, least, most int) bool { return n >= least && (most == 0 || n <= most) }
