// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// scribble changes everything that an object refers to.
func scribble(o any) {
	walk(reflect.ValueOf(o).Elem(), func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.Map && !v.IsNil():
			for _, key := range v.MapKeys() {
				v.SetMapIndex(key, reflect.Value{})
			}
		case v.Kind() == reflect.Pointer && !v.IsNil():
			v.Elem().SetZero() // also types with unexported fields, such as metav1.Time
		case !v.CanSet():
		case v.Kind() == reflect.String:
			v.SetString("scribbled")
		case v.CanInt():
			v.SetInt(^v.Int())
		case v.CanUint():
			v.SetUint(^v.Uint())
		case v.CanFloat():
			v.SetFloat(-1 - v.Float())
		case v.Kind() == reflect.Bool:
			v.SetBool(!v.Bool())
		}
	})
}

// walk visits every value below one, the inner ones first.
func walk(v reflect.Value, visit func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			walk(v.Elem(), visit)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			walk(v.MapIndex(key), visit)
		}
	case reflect.Struct:
		if _, isTime := v.Interface().(metav1.Time); isTime {
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				walk(v.Field(i), visit)
			}
		}
	}
	visit(v)
}

// hollow removes all values of an object but leaves its structs. It leaves structs in lists only if lists is true.
func hollow(o any, lists bool) {
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		switch v.Field(i).Interface().(type) {
		case metav1.TypeMeta, metav1.ObjectMeta:
		default:
			hollowOut(v.Field(i), lists)
		}
	}
}

func hollowOut(v reflect.Value, lists bool) {
	switch {
	case !v.CanSet():
	case isPlainStruct(v.Type()):
		for i := range v.NumField() {
			hollowOut(v.Field(i), lists)
		}
	case v.Kind() == reflect.Pointer && isPlainStruct(v.Type().Elem()):
		if !v.IsNil() {
			hollowOut(v.Elem(), lists)
		}
	case lists && v.Kind() == reflect.Slice && isPlainStruct(v.Type().Elem()):
		for i := range v.Len() {
			hollowOut(v.Index(i), lists)
		}
	default:
		v.SetZero()
	}
}

// isPlainStruct reports whether the JSON of a struct consists of its fields.
func isPlainStruct(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t.Kind() == reflect.Struct && !p.Implements(reflect.TypeFor[json.Marshaler]()) && !p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// distinctions compares nil, empty and zero values in two objects of a type.
type distinctions struct{ excused func(path string) bool }

// kept checks that nil pointers, lists and maps of the first value are nil in the second, if a field of the same name
// in another type can be nil, too. The argument omitted means that JSON has no empty list or map there.
func (d distinctions) kept(path string, want, got reflect.Value, other reflect.Type, omitted bool) error {
	if other.Kind() != want.Kind() || path != "" && d.excused(path) {
		return nil
	}
	switch want.Kind() {
	case reflect.Pointer:
		says := !isPlainStruct(want.Type().Elem()) || other == want.Type()
		if says && want.IsNil() != got.IsNil() {
			return fmt.Errorf("%s is %s and comes back as %s", path, text(want.Interface()), text(got.Interface()))
		}
		if !want.IsNil() && !got.IsNil() {
			return d.kept(path, want.Elem(), got.Elem(), other.Elem(), false)
		}
	case reflect.Slice:
		if !omitted && want.Len()+got.Len() == 0 && want.IsNil() != got.IsNil() {
			return fmt.Errorf("%s is %s and comes back as %s", path, text(want.Interface()), text(got.Interface()))
		}
		for i := range min(want.Len(), got.Len()) {
			if err := d.kept(fmt.Sprintf("%s[%d]", path, i), want.Index(i), got.Index(i), other.Elem(), false); err != nil {
				return err
			}
		}
	case reflect.Map:
		if !omitted && want.Len()+got.Len() == 0 && want.IsNil() != got.IsNil() {
			return fmt.Errorf("%s is %s and comes back as %s", path, text(want.Interface()), text(got.Interface()))
		}
		for _, key := range want.MapKeys() {
			if value := got.MapIndex(key); value.IsValid() {
				if err := d.kept(fmt.Sprintf("%s.%v", path, key), want.MapIndex(key), value, other.Elem(), false); err != nil {
					return err
				}
			}
		}
	case reflect.Struct:
		return d.fields(path, want, got, other)
	}
	return nil
}

func (d distinctions) fields(path string, want, got reflect.Value, other reflect.Type) error {
	if !isPlainStruct(want.Type()) {
		return nil
	}
	for i := range want.NumField() {
		name, omitted, ok := nameInJSON(want.Type().Field(i))
		if !ok {
			continue
		}
		for j := range other.NumField() {
			otherName, otherOmitted, ok := nameInJSON(other.Field(j))
			if !ok || otherName != name || want.Type().Field(i).Type == reflect.TypeFor[metav1.ObjectMeta]() {
				continue
			}
			at := path
			if name != "" {
				at = join(path, name)
			}
			if err := d.kept(at, want.Field(i), got.Field(i), other.Field(j).Type, omitted || otherOmitted); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameInJSON returns a field's name, and whether JSON omits the field if it is empty. The name is empty if the fields
// of an embedded struct belong to the outer struct.
func nameInJSON(f reflect.StructField) (name string, omitted, ok bool) {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	if !f.IsExported() || name == "-" {
		return "", false, false
	}
	if name == "" && !f.Anonymous {
		name = f.Name
	}
	return name, strings.Contains(options, "omitempty"), true
}
