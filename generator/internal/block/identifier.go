// SPDX-License-Identifier: Apache-2.0

package block

import (
	"github.com/webhook-gen/webhook-gen/generator/internal/model"
	"github.com/webhook-gen/webhook-gen/generator/internal/resolve"
)

// Identifier returns the name of a type as a part of an identifier: StringList for []string.
func Identifier(t *resolve.Type) string {
	if t.Name == "" {
		switch t.Kind() {
		case resolve.Pointer:
			return model.Upper(Identifier(t.Elem())) + "Pointer"
		case resolve.Slice:
			return model.Upper(Identifier(t.Elem())) + "List"
		case resolve.Array:
			return model.Upper(Identifier(t.Elem())) + "Array"
		case resolve.Map:
			return model.Upper(Identifier(t.Elem())) + "Map"
		}
		return t.Kind().String() // a literal
	}
	name := t.Name
	for _, a := range t.Args {
		name += "Of" + model.Upper(Identifier(a))
	}
	return name
}
