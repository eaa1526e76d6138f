// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// unknownMember is the name of a member that no Go type has.
const unknownMember = "unknownToTheType"

// withUnknown adds an unknown member to each JSON object that is a struct in Go, as a newer client would write it. Each
// has a value of its own.
func withUnknown(t reflect.Type, object []byte) []byte {
	value, err := failure.Decode(object)
	if err != nil {
		return object
	}
	count := 0
	eachStruct(t, value, func(_ reflect.Type, members map[string]any) {
		count++
		members[unknownMember] = map[string]any{"number": json.Number("9007199254740993"), "count": count}
	})
	data, err := json.Marshal(value)
	if err != nil {
		return object
	}
	return data
}

// withoutUnknown removes the unknown members again, wherever they are now.
func withoutUnknown(value any) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, unknownMember)
		for _, v := range value {
			withoutUnknown(v)
		}
	case []any:
		for _, v := range value {
			withoutUnknown(v)
		}
	}
	return value
}

// lostUnknown returns the path of an unknown member that is in before and not in after; empty if all are kept. It skips
// the elements of a list if their number has changed, or a text that may identify one of them: a removed element takes
// its unknown members along.
func lostUnknown(before, after any, path string) string {
	switch before := before.(type) {
	case map[string]any:
		after, ok := after.(map[string]any)
		if !ok {
			return ""
		}
		if _, had := before[unknownMember]; had && after[unknownMember] == nil {
			return path + "." + unknownMember
		}
		for name, value := range before {
			if lost := lostUnknown(value, after[name], path+"."+name); lost != "" {
				return lost
			}
		}
	case []any:
		after, ok := after.([]any)
		if !ok || len(after) != len(before) {
			return ""
		}
		for i := range before {
			if !sameTexts(before[i], after[i]) {
				continue
			}
			if lost := lostUnknown(before[i], after[i], fmt.Sprintf("%s[%d]", path, i)); lost != "" {
				return lost
			}
		}
	}
	return ""
}

// sameTexts reports whether all non-empty texts of an object are unchanged.
func sameTexts(before, after any) bool {
	had, _ := before.(map[string]any)
	has, _ := after.(map[string]any)
	for name, value := range had {
		if text, ok := value.(string); ok && text != "" && has[name] != text {
			return false
		}
	}
	return true
}

// eachStruct visits every JSON object below a value that is a struct in Go, the outer ones first.
func eachStruct(t reflect.Type, value any, visit func(reflect.Type, map[string]any)) {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		eachStruct(t.Elem(), value, visit)
	case reflect.Slice, reflect.Array:
		list, _ := value.([]any)
		for _, element := range list {
			eachStruct(t.Elem(), element, visit)
		}
	case reflect.Map:
		entries, _ := value.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			eachStruct(t.Elem(), entries[key], visit)
		}
	case reflect.Struct:
		members, ok := value.(map[string]any)
		if !ok {
			return
		}
		visit(t, members)
		fields := fieldsOf(t)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			eachStruct(fields[name].Type, members[name], visit)
		}
	}
}

// fieldsOf returns the fields of a struct by their JSON names.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	fields := map[string]reflect.StructField{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-":
		case field.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			maps.Copy(fields, fieldsOf(inner))
		case field.IsExported() && name == "":
			fields[field.Name] = field
		case field.IsExported():
			fields[name] = field
		}
	}
	return fields
}
