// SPDX-License-Identifier: Apache-2.0

package limits

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/generator/internal/fields"
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
	"github.com/webhook-gen/webhook-gen/generator/internal/schema"
)

// Mark is what markers add to the schema of a field.
type Mark struct {
	// Path is the path of the field, in JSON names.
	Path string
	// Schema is a part of an OpenAPI schema, in JSON, or has "required": true.
	Schema string
}

// Marks returns the marks of the fields of a kind, in the order of the fields. It leaves out types of Kubernetes
// itself.
func Marks(kind *resolve.Type) []Mark {
	var found []Mark
	fields.Visit(kind, nil, nil, func(path []string, f *resolve.Field) {
		marked := Of(f).schema()
		if value := schema.DefaultJSON(f); value != "" {
			marked["default"] = json.RawMessage(value)
		}
		if schema.IsNullable(f) {
			marked["nullable"] = true
		}
		addRequired(marked, f)
		if text, err := json.Marshal(marked); err == nil && len(marked) > 0 {
			found = append(found, Mark{strings.Join(path, "."), string(text)})
		}
	})

	return found
}

// addRequired marks a field that a marker requires. A value that Go omits is not in the schema, as no type could write
// it. A schema cannot leave out the zeros of numbers and bools, nor the null that Go writes for a nil list. So it has
// no such fields.
func addRequired(marked map[string]any, f *resolve.Field) {
	if !schema.IsRequired(f) || f.Type.Err() != nil {
		return
	}
	omits, shortest := f.OmitEmpty || f.OmitZero, ""
	switch t := f.Type; {
	case IsBlob(t) && !t.IsText():
		return
	case t.Kind() == resolve.Pointer, t.Kind() == resolve.Interface, t.Kind() == resolve.Slice, t.Kind() == resolve.Map:
		if !omits {
			return
		}
		shortest = map[resolve.Kind]string{resolve.Slice: "minItems", resolve.Map: "minProperties"}[t.Kind()]
	case !omits, t.EncodesItself():
	case t.IsText():
		shortest = "minLength"
	case t.Kind() == resolve.Struct:
		if f.OmitZero {
			shortest = "minProperties"
		}
	default:
		return
	}
	marked["required"] = true
	if least, _ := marked[shortest].(int); shortest != "" && least == 0 {
		marked[shortest] = 1
	}
}

// schema returns the limits of a value and of its elements as controller-gen writes them: of several limits of a kind
// the closest.
func (b Value) schema() map[string]any {
	schema := map[string]any{}
	if b.Type.Err() != nil {
		return schema
	}
	for _, l := range b.limits() {
		for _, name := range l.marked() {
			if matters(name, b.Type) {
				l.addTo(schema, name, b.Type)
			}
		}
	}
	if kind := b.Type.Kind(); (kind == resolve.Slice || kind == resolve.Array || kind == resolve.Map) && !IsBlob(b.Type) && !b.Type.EncodesItself() {
		if inner := b.Elements().schema(); len(inner) > 0 {
			name := "items"
			if kind == resolve.Map {
				name = "additionalProperties"
			}
			schema[name] = inner
		}
	}
	return schema
}

// addTo adds a limit to the schema of a type.
func (l Limits) addTo(schema map[string]any, name string, t *resolve.Type) {
	key := strings.ToLower(name[:1]) + name[1:]
	switch name {
	case "Enum":
		var values []any
		for _, text := range l.Enum {
			value, ok := Constant(t, text)
			if known, _ := schema[key].([]any); ok && (known == nil || slices.Contains(known, value)) {
				values = append(values, value)
			}
		}
		if len(values) > 0 {
			schema[key] = values
		}
	case "Minimum":
		addBound(schema, key, l.low(), 1)
	case "Maximum":
		addBound(schema, key, l.high(), -1)
	case "MultipleOf":
		if n := endOf(l.MultipleOf, false); n.ok {
			schema[key] = n.n
		}
	case "Pattern", "Format":
		schema[key] = l.values()[name]
	case "UniqueItems", listType: // an API server does not take the former, and no test checks the latter
	default:
		n := l.Counts[name]
		if known, ok := schema[key].(int); ok && strings.HasPrefix(name, "Min") {
			n = max(n, known)
		} else if ok {
			n = min(n, known)
		}
		schema[key] = n
	}
}

// addBound adds a bound of a number. Sign is 1 for a lower bound and -1 for an upper one.
func addBound(schema map[string]any, key string, e end, sign float64) {
	known, ok := schema[key].(float64)
	if !e.ok || ok && known*sign > e.n*sign || math.IsInf(e.n, 0) {
		return
	}
	schema[key] = e.n
	if exclusive := "exclusive" + model.Upper(key); e.strict {
		schema[exclusive] = true
	} else if known != e.n {
		delete(schema, exclusive)
	}
}
