// SPDX-License-Identifier: Apache-2.0

package ruleset

import (
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Kind is the spoke of a conversion.
type Kind struct {
	// Declared is the package that declares the conversion.
	Declared string
	Type     *resolve.Type
}

// Covering returns the markers that accept a warning about a field of a kind, or about a field or struct around it.
func (s Set) Covering(rule string, kind Kind, path fields.Path) []*model.ConversionRule {
	return s.allowances(rule, func(r *model.ConversionRule) bool { return kind.isCovered(r, path) })
}

// Accepting also returns the markers for a field of a struct, to which a converter may have led.
func (s Set) Accepting(rule string, kind Kind, path fields.Path, in *resolve.Type, field fields.Path) []*model.ConversionRule {
	return s.allowances(rule, func(r *model.ConversionRule) bool { return kind.isCovered(r, path) || kind.isFor(r, in, field) })
}

func (s Set) allowances(rule string, is func(*model.ConversionRule) bool) []*model.ConversionRule {
	return slices.DeleteFunc(slices.Clone(s.allowed), func(r *model.ConversionRule) bool { return r.Rule != rule || !is(r) })
}

// isCovered reports whether an allowance is for a field, or for a field or struct around it.
func (k Kind) isCovered(r *model.ConversionRule, path fields.Path) bool {
	around := k.Type
	for i, f := range path {
		if k.isFor(r, around, path[i:]) {
			return true
		}
		around = f.Type.Innermost()
	}
	return false
}

// isFor reports whether an allowance is for a field of a struct, or for a field around it.
func (k Kind) isFor(r *model.ConversionRule, t *resolve.Type, path fields.Path) bool {
	if r.Struct.IsZero() {
		return r.Declared == k.Declared && isAt(r.Field.V, path)
	}
	return r.Struct == GoType(t) && isAt(r.Field.V, path)
}

// isAt reports whether a path leads to a field or into it. A final * stands for every field. Without a field, any path
// does.
func isAt(field string, path fields.Path) bool {
	if len(path) > 0 && path[0].Inline && path[0].Name == field {
		return true
	}
	names := path.Names()
	want := strings.Split(strings.TrimSuffix(strings.TrimSuffix(field, "*"), "."), ".")
	if want[0] == "" {
		return true
	}
	return len(names) >= len(want) && slices.Equal(names[:len(want)], want)
}
