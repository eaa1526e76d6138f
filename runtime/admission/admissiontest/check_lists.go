// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"

	"github.com/webhook-gen/webhook-gen/runtime/internal/failure"
)

// movesElements has the function reverse a list with keys and edit each of its elements. Each element must keep the
// members that are unknown to its Go type, which only works if the handler has the keys.
func (c handlerCheck) movesElements(t testing.TB, list List, call call) {
	operation := c.operations()[0]
	if !c.Mutating || operation != admissionv1.Create && operation != admissionv1.Update {
		return
	}
	object := c.withElements(list)
	before := list.unknown(c.objectType(), object)
	if len(before) < 2 {
		t.Skipf("the list %s of %T is out of reach", list.Member, list.In)
	}
	c.probe.expect(func(q question) error {
		list.each(q.object, func(elements reflect.Value) {
			swap := reflect.Swapper(elements.Interface())
			for i, j := 0, elements.Len()-1; i < j; i, j = i+1, j-1 {
				swap(i, j)
			}
			for i := range elements.Len() {
				list.edit(reflect.Indirect(elements.Index(i)))
			}
		})
		return nil
	})
	result := c.reviewOf(operation, call, object, object).Send(t, c.handler).Allowed()
	if diff := cmp.Diff(before, list.unknown(c.objectType(), result.object)); diff != "" {
		t.Errorf("what the type does not know of the elements of %s, by key (-before +after):\n%s", list.Member, diff)
	}
}

// withElements returns an object with at least two elements in each such list, and with unknown members everywhere.
func (c handlerCheck) withElements(list List) []byte {
	object := reflect.New(c.objectType())
	f := filler{elements: 2}
	const tries = 20 // until the struct with the list is there: it may be behind pointers
	for seed := range uint64(tries) {
		if err := json.Unmarshal(filled(c.objectType(), seed, f.elements), object.Interface()); err != nil {
			continue
		}
		found := false
		list.each(object, func(elements reflect.Value) {
			found = true
			for elements.Len() < 2 {
				elements.Set(reflect.Append(elements, reflect.Zero(elements.Type().Elem())))
			}
			for i := range elements.Len() {
				element := elements.Index(i)
				if element.Kind() == reflect.Pointer && element.IsNil() {
					element.Set(reflect.New(element.Type().Elem()))
				}
				list.setKeys(reflect.Indirect(element), &f)
			}
		})
		if found {
			break
		}
	}
	return withUnknown(c.objectType(), []byte(written(object)))
}

// unknown returns the unknown members of the list's elements, by the elements' keys.
func (l List) unknown(t reflect.Type, object []byte) map[string]any {
	found := map[string]any{}
	value, err := failure.Decode(object)
	if err != nil {
		return nil
	}
	eachStruct(t, value, func(t reflect.Type, members map[string]any) {
		if t != reflect.TypeOf(l.In) {
			return
		}
		elements, _ := members[l.Member].([]any)
		for _, e := range elements {
			element, _ := e.(map[string]any)
			var keys []string
			for _, key := range l.Keys {
				keys = append(keys, fmt.Sprint(element[key]))
			}
			found[strings.Join(keys, ",")] = element[unknownMember]
		}
	})
	return found
}

// each visits the list in every struct below a value that has it.
func (l List) each(v reflect.Value, visit func(elements reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			l.each(v.Elem(), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			l.each(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				continue
			}
			if v.Type() == reflect.TypeOf(l.In) && memberName(field) == l.Member {
				visit(v.Field(i))
			}
			l.each(v.Field(i), visit)
		}
	}
}

// setKeys gives an element unique keys.
func (l List) setKeys(element reflect.Value, f *filler) {
	for i := range element.NumField() {
		member := reflect.Indirect(element.Field(i))
		if !slices.Contains(l.Keys, memberName(element.Type().Field(i))) || !member.IsValid() {
			continue
		}
		switch text := f.unique(); {
		case member.Kind() == reflect.String:
			member.SetString(text)
		case member.CanInt():
			member.SetInt(int64(f.texts))
		}
	}
}

// edit changes the texts of an element that are not keys.
func (l List) edit(element reflect.Value) {
	for i := range element.NumField() {
		member := element.Field(i)
		if member.Kind() == reflect.String && member.CanSet() && !slices.Contains(l.Keys, memberName(element.Type().Field(i))) {
			member.SetString(member.String() + " edited")
		}
	}
}

func memberName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}
