// SPDX-License-Identifier: Apache-2.0

package conversiontest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filling is the way in which objects are filled.
type filling struct {
	// elements is how many elements lists and maps have at most. If it is 0, pointers are also nil more often than not.
	elements int
	// full sets everything, as far as recursive types allow.
	full bool
	// extreme sets numbers at the bounds of their types, and texts with separators.
	extreme bool
}

// filled makes an object from a seed, as it arrives when it is sent. It makes some lists and maps empty instead of nil,
// as if they had been written out, even where JSON would omit them.
func filled[T any](seed uint64, how filling, repair func(*T, *rand.Rand)) *T {
	o := new(T)
	random := rand.New(rand.NewPCG(seed, uint64(how.elements)))
	(&filler{filling: how, random: random, inside: map[reflect.Type]int{}, budget: 600}).object(o)
	if repair != nil {
		repair(o, random)
	}
	o = wire(o)
	walk(reflect.ValueOf(o).Elem(), func(v reflect.Value) {
		switch {
		case !v.CanSet() || random.IntN(4) > 0:
		case v.Kind() == reflect.Slice && v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8:
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		case v.Kind() == reflect.Map && v.IsNil():
			v.Set(reflect.MakeMap(v.Type()))
		}
	})
	return o
}

// filler fills an object at random. All texts differ, so all keys differ.
type filler struct {
	filling
	random *rand.Rand
	depth  int
	inside map[reflect.Type]int // how often each struct is around the value
	texts  int
	budget int // of values: types are large, and a recursive one has no end
}

// object fills an API object and its metadata.
func (f *filler) object(o any) {
	m := object(o)
	m.SetName("name")
	m.SetGenerateName("nam")
	m.SetNamespace("namespace")
	m.SetUID(types.UID("uid"))
	m.SetResourceVersion("7")
	m.SetGeneration(3)
	m.SetCreationTimestamp(metav1.NewTime(time.Unix(1<<30, 0).UTC()))
	m.SetFinalizers([]string{"example.com/finalizer"})
	m.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Owner", Name: f.text(), UID: "owner"}})
	owned := new(metav1.FieldsV1)
	_ = owned.UnmarshalJSON([]byte(`{"f:spec":{}}`)) // it accepts any text
	m.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: f.text(), Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1", FieldsV1: owned}})
	m.SetLabels(map[string]string{"label": f.text()})
	if f.random.IntN(2) == 0 {
		m.SetAnnotations(map[string]string{"example.com/annotation": f.text()})
	}
	v := reflect.ValueOf(o).Elem()
	var fields []reflect.Value
	for i := range v.NumField() {
		switch v.Field(i).Interface().(type) {
		case metav1.TypeMeta, metav1.ObjectMeta:
		default:
			fields = append(fields, v.Field(i))
		}
	}
	left := f.budget
	for i, field := range fields { // a large spec must leave something for the status
		share := left / (len(fields) - i)
		if f.full {
			share = left
		}
		f.budget = share
		if f.value(field); !f.full {
			left -= share - max(f.budget, 0)
		}
	}
}

func (f *filler) value(v reflect.Value) {
	if f.special(v) {
		return
	}
	const deepest = 12 // of recursive types
	f.budget--
	if f.returns(v.Type()) {
		return
	}
	if f.depth++; f.depth > deepest && !f.full || f.budget < 0 && f.depth > 3 {
		f.depth--
		f.writable(v)
		return
	}
	defer func() { f.depth-- }()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.set(2))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if f.set(4) {
			v.SetInt(f.integer(v.Type().Bits()))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if f.set(4) {
			v.SetUint(f.unsigned(v.Type().Bits()))
		}
	case reflect.Float32, reflect.Float64:
		if f.set(4) {
			v.SetFloat(float64(1+f.random.IntN(100)) / 4)
		}
	case reflect.String:
		if f.set(4) {
			v.SetString(f.content())
		}
	case reflect.Pointer:
		if f.present() {
			v.Set(reflect.New(v.Type().Elem()))
			f.value(v.Elem())
		}
	case reflect.Slice:
		if n, ok := f.length(); ok {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.value(v.Index(i))
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.value(v.Index(i))
		}
	case reflect.Map:
		if n, ok := f.length(); ok {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				if key.Kind() == reflect.String {
					key.SetString(f.text())
				} else {
					f.value(key)
				}
				f.value(value)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		f.inside[v.Type()]++
		defer func() { f.inside[v.Type()]-- }()
		for _, i := range f.random.Perm(v.NumField()) { // no field is always the one without a budget
			if v.Field(i).CanSet() {
				f.value(v.Field(i))
			}
		}
	}
	f.writable(v)
}

// returns reports whether a pointer, list or map leads into a struct that is often enough inside itself. Further levels
// cost much and show no more.
func (f *filler) returns(t reflect.Type) bool {
	const most = 3
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return f.inside[t] == most
}

// writable sets types that encode themselves, and that cannot write the content of their fields, to a value that they
// can read.
func (f *filler) writable(v reflect.Value) {
	p, ok := v.Addr().Interface().(json.Unmarshaler)
	if !ok {
		for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
			if v.Field(i).CanSet() {
				f.writable(v.Field(i))
			}
		}
		return
	}
	sample := func() any {
		return []any{f.text(), []string{f.text()}, map[string]string{"key": f.text()}, f.random.IntN(100), true}[f.random.IntN(5)]
	}
	for range 20 {
		if _, err := json.Marshal(p); err == nil {
			return
		}
		v.SetZero()
		if text, err := json.Marshal(sample()); err == nil {
			_ = json.Unmarshal(text, p) // the type may read other samples
		}
	}
}

// special fills types whose fields differ from their JSON.
func (f *filler) special(v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		if f.present() {
			*p = metav1.NewTime(time.Unix(int64(f.random.IntN(1<<30)), 0).UTC())
		}
	case *metav1.MicroTime:
		*p = metav1.NewMicroTime(time.Unix(int64(f.random.IntN(1<<30)), 0).UTC())
	case *metav1.Duration:
		if f.set(4) {
			p.Duration = time.Duration(1+f.random.IntN(100)) * 500 * time.Millisecond
		}
		if f.extreme {
			p.Duration = time.Duration(f.integer(64))
		}
	case *resource.Quantity:
		if f.set(4) {
			*p = resource.MustParse([]string{"1", "1500m", "2Gi", "100k", "-1"}[f.random.IntN(5)])
		}
	case *intstr.IntOrString:
		switch {
		case !f.set(4):
		case f.random.IntN(2) == 0:
			*p = intstr.FromInt32(int32(f.integer(32)))
		case f.random.IntN(4) == 0:
			*p = intstr.FromString("7") // a text, not a number
		default:
			*p = intstr.FromString(fmt.Sprintf("%d%%", f.random.IntN(100)))
		}
	case *metav1.FieldsV1:
	case *json.RawMessage:
		*p = f.json()
	default:
		return f.raw(v)
	}
	return true
}

// raw fills types that hold JSON of any kind: runtime.RawExtension, and JSON of apiextensions.
func (f *filler) raw(v reflect.Value) bool {
	if v.Kind() != reflect.Struct {
		return false
	}
	raw := v.FieldByName("Raw")
	if !raw.IsValid() || raw.Type() != reflect.TypeFor[[]byte]() {
		return false
	}
	raw.SetBytes(f.json())
	return true
}

// json returns JSON with its keys in order, as an API server sends all objects.
func (f *filler) json() []byte {
	return fmt.Appendf(nil, `{"number":%d,"text":%q}`, f.random.IntN(100), f.text())
}

// set decides whether a value is set. On average it is zero once in this many times.
func (f *filler) set(times int) bool { return f.full || f.random.IntN(times) > 0 }

// integer returns a number for a type with this many bits.
func (f *filler) integer(bits int) int64 {
	if !f.extreme {
		return int64(1 + f.random.IntN(100))
	}
	highest := int64(1)<<(bits-1) - 1
	return []int64{highest, -highest - 1, -1, highest >> 1, 1 << min(31, bits-2), 1 << min(32, bits-2)}[f.random.IntN(6)]
}

// unsigned returns a number for an unsigned type with this many bits.
func (f *filler) unsigned(bits int) uint64 {
	if !f.extreme {
		return uint64(1 + f.random.IntN(100))
	}
	highest := ^uint64(0) >> (64 - bits)
	return []uint64{highest, highest >> 1, highest>>1 + 1}[f.random.IntN(3)]
}

// separators are texts that join or quote other texts, and texts without any letters.
var separators = []string{",", ";", " ", "  ", ":", "/", "=", "|", ".", "-", "\n", "\t", `"`, `\`, "%", "é", "\u2028", "0", "-1", "1e3", "null", "true"}

// content returns the content of a text field.
func (f *filler) content() string {
	if !f.extreme {
		return f.text()
	}
	separator := separators[f.random.IntN(len(separators))]
	return []string{separator, f.text() + separator, separator + f.text(), f.text() + separator + separator + f.text()}[f.random.IntN(4)]
}

// text returns a unique text.
func (f *filler) text() string {
	f.texts++
	return fmt.Sprintf("t%d-%d", f.texts, f.random.IntN(1000))
}

// present decides whether a value that may be nil is set.
func (f *filler) present() bool {
	if f.full {
		return f.budget > 0
	}
	return f.random.IntN(4) < 1+min(f.elements, 2)
}

// length returns the length of a list or map, and false if it is nil.
func (f *filler) length() (int, bool) {
	if f.full {
		return 1, f.budget > 0
	}
	if !f.present() || f.depth > 6 && f.elements > 1 && f.random.IntN(2) == 0 {
		return 0, false
	}
	if f.elements == 0 {
		return 0, true
	}
	return f.random.IntN(f.elements + 1), true
}
