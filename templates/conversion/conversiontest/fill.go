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

// filler fills objects at random. Lists and maps have up to elements elements; with none, pointers
// are nil more often than not too. All texts differ, so that keys do.
type filler struct {
	random   *rand.Rand
	elements int
	depth    int
	inside   map[reflect.Type]int // how often a struct is around the value
	texts    int
}

// object fills an API object, and of its metadata what a conversion webhook may see to.
func (f *filler) object(o any) {
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		switch v.Field(i).Interface().(type) {
		case metav1.TypeMeta, metav1.ObjectMeta:
		default:
			f.value(v.Field(i))
		}
	}
	m := object(o)
	m.SetName("name")
	m.SetNamespace("namespace")
	m.SetUID(types.UID("uid"))
	m.SetLabels(map[string]string{"label": f.text()})
	if f.random.IntN(2) == 0 {
		m.SetAnnotations(map[string]string{"example.com/annotation": f.text()})
	}
}

func (f *filler) value(v reflect.Value) {
	if f.special(v) {
		return
	}
	const deepest = 12 // of types inside themselves
	if f.depth++; f.depth > deepest {
		f.depth--
		return
	}
	defer func() { f.depth-- }()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(f.random.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.random.IntN(100)))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.random.IntN(100)))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(f.random.IntN(100)) / 4)
	case reflect.String:
		if f.random.IntN(4) > 0 {
			v.SetString(f.text())
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
		const most = 1 // time that a type is inside itself: more make objects that no API server takes
		if f.inside[v.Type()] > most {
			return
		}
		f.inside[v.Type()]++
		defer func() { f.inside[v.Type()]-- }()
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				f.value(v.Field(i))
			}
		}
	}
}

// special fills types whose fields do not say what they are in JSON.
func (f *filler) special(v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		if f.present() {
			*p = metav1.NewTime(time.Unix(int64(f.random.IntN(1<<30)), 0).UTC())
		}
	case *metav1.MicroTime:
		*p = metav1.NewMicroTime(time.Unix(int64(f.random.IntN(1<<30)), 0).UTC())
	case *metav1.Duration:
		p.Duration = time.Duration(f.random.IntN(100)) * 500 * time.Millisecond
	case *resource.Quantity:
		*p = resource.MustParse([]string{"0", "1", "1500m", "2Gi", "100k"}[f.random.IntN(5)])
	case *intstr.IntOrString:
		if *p = intstr.FromInt32(int32(f.random.IntN(3))); f.random.IntN(2) == 0 {
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

// json has its keys in order, as an API server sends all objects.
func (f *filler) json() []byte {
	return fmt.Appendf(nil, `{"number":%d,"text":%q}`, f.random.IntN(100), f.text())
}

func (f *filler) text() string {
	f.texts++
	return fmt.Sprintf("t%d-%d", f.texts, f.random.IntN(1000))
}

func (f *filler) present() bool { return f.random.IntN(4) < 1+min(f.elements, 2) }

// length is that of a list or map, which may also be nil.
func (f *filler) length() (int, bool) {
	if !f.present() || f.depth > 6 && f.elements > 1 && f.random.IntN(2) == 0 {
		return 0, false
	}
	if f.elements == 0 {
		return 0, true
	}
	return f.random.IntN(f.elements + 1), true
}

// turn turns every list round; bytes are no list.
func turn(o any) {
	walk(reflect.ValueOf(o).Elem(), func(v reflect.Value) {
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 {
			swap := reflect.Swapper(v.Interface())
			for i, j := 0, v.Len()-1; i < j; i, j = i+1, j-1 {
				swap(i, j)
			}
		}
	})
}

// scribble changes everything that an object refers to.
func scribble(o any) {
	walk(reflect.ValueOf(o).Elem(), func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.Map && !v.IsNil():
			for _, key := range v.MapKeys() {
				v.SetMapIndex(key, reflect.Value{})
			}
		case !v.CanSet():
		case v.Kind() == reflect.String:
			v.SetString("scribbled")
		case v.CanInt():
			v.SetInt(-1)
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
