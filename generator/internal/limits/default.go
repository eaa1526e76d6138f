// SPDX-License-Identifier: Apache-2.0

package limits

import (
	"cmp"
	"slices"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// ReplacesZero reports whether an API server sets a field to something else than the zero value if the field is
// missing.
func ReplacesZero(f *resolve.Field) bool {
	switch schema.Default(f) {
	case "", "false", "0", `""`, "''", "``", "[]", "null":
		return false
	case "{}":
		inner := f.Type.Target()
		return inner.Kind() == resolve.Struct && defaultsBelow(inner, nil)
	}
	return true
}

// ReplacesNil reports whether an API server sets a field to something else if Go has nil for it. JSON then has null, or
// omits the field. Null stays where the field is nullable.
func ReplacesNil(f *resolve.Field) bool {
	writesNull := !f.OmitEmpty && !f.OmitZero
	return ReplacesZero(f) && !(writesNull && schema.IsNullable(f))
}

// defaultsBelow reports whether an API server sets anything in an empty object of a struct.
func defaultsBelow(t *resolve.Type, inside []*resolve.Type) bool {
	return !slices.Contains(inside, t) && slices.ContainsFunc(fields.Of(t, nil), func(m fields.Path) bool {
		f := m.Last()
		isWritten := f.Type.Kind() == resolve.Struct && !f.Type.EncodesItself() // even an empty one
		return ReplacesZero(f) || isWritten && defaultsBelow(f.Type, append(inside, t))
	})
}

// LeavesZeroOut reports whether a field is left out if its value is zero, so that the API server replaces the zero. A
// pointer to zero is written.
func LeavesZeroOut(f *resolve.Field) bool { return OmitsEmpty(f) && ReplacesZero(f) }

// OmitsEmpty is OmitsZero with the empty list or map as zero. The option omitzero omits nil alone.
func OmitsEmpty(f *resolve.Field) bool {
	kind := f.Type.Kind()
	return OmitsZero(f) && (f.OmitEmpty || kind != resolve.Slice && kind != resolve.Map)
}

// OmitsZero reports whether JSON omits the zero value of a field that is no pointer. For a list or map, this is nil.
func OmitsZero(f *resolve.Field) bool {
	switch f.Type.Kind() {
	case resolve.Basic, resolve.Slice, resolve.Map:
		return f.OmitEmpty || f.OmitZero
	}
	return f.OmitZero && f.Type.Kind() != resolve.Pointer
}

// RefusesZero reports whether markers exclude the zero value of a field, so that nobody can have written it.
func RefusesZero(f *resolve.Field) bool { return len(OfField(f).RefusingZero(f.Type)) > 0 }

// ZeroText returns the zero value of a type, as JSON has it.
func ZeroText(t *resolve.Type) string {
	switch {
	case t.IsBool():
		return "false"
	case t.IsText():
		return `""`
	}
	texts := map[resolve.Kind]string{resolve.Basic: "0", resolve.Slice: "[]", resolve.Map: "{}", resolve.Struct: "{}", resolve.Array: "zero"}
	return cmp.Or(texts[t.Kind()], "null")
}
