// SPDX-License-Identifier: Apache-2.0

package admissiontest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// filled returns the JSON of an object of a type that is filled at random, the same for the same seed. Lists and maps
// have at most as many elements as the parameter allows. Members without omitempty are always there, because the schema
// of a CRD would require them. In every fourth object all members are set, as far as there is room.
func filled(t reflect.Type, seed uint64, elements int) []byte {
	f := filler{random: rand.New(rand.NewPCG(seed, uint64(elements))), elements: elements, full: seed%4 == 0}
	object := reflect.New(t)
	f.value(object.Elem(), true)
	data, err := json.Marshal(object.Interface())
	if err != nil {
		data = []byte("{}") // its type cannot write values that it has not read itself
	}
	return data
}

type filler struct {
	random   *rand.Rand
	elements int
	full     bool
	depth    int
	values   int
	texts    int
}

// Recursive types end at the greatest depth. Once an object has too many values, members that may be left out are not
// added any more.
const (
	deepest = 12
	tooMany = 4000
)

func (f *filler) value(v reflect.Value, required bool) {
	f.values++
	if f.depth++; f.depth > deepest || f.custom(v) {
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
		if required || f.present() {
			v.Set(reflect.New(v.Type().Elem()))
			f.value(v.Elem(), false)
		}
	case reflect.Slice:
		if required || f.present() {
			n := f.length()
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.value(v.Index(i), false)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			f.value(v.Index(i), false)
		}
	case reflect.Map:
		if v.Type().Key().Kind() == reflect.String && (required || f.present()) {
			v.Set(reflect.MakeMap(v.Type()))
			for range f.length() {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				key.SetString(f.text())
				f.value(value, false)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				_, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
				f.value(v.Field(i), !strings.Contains(options, "omit"))
			}
		}
	}
}

// custom fills types whose JSON differs from their Go fields.
func (f *filler) custom(v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *metav1.TypeMeta, *metav1.FieldsV1:
	case *metav1.ObjectMeta:
		*p = metav1.ObjectMeta{Namespace: "default", Name: "filled", UID: "filled", Labels: map[string]string{"label": "filled"}}
		if f.present() {
			p.Annotations = map[string]string{"example.com/annotation": f.text()}
		}
	case *metav1.Time:
		*p = metav1.NewTime(time.Unix(int64(f.random.IntN(1<<30)), 0).UTC())
	case *metav1.MicroTime:
		*p = metav1.NewMicroTime(time.Unix(int64(f.random.IntN(1<<30)), 0).UTC())
	case *metav1.Duration:
		p.Duration = time.Duration(f.random.IntN(100)) * time.Second
	case *resource.Quantity:
		*p = resource.MustParse([]string{"0", "1", "1500m", "2Gi", "100k"}[f.random.IntN(5)])
	case *intstr.IntOrString:
		if *p = intstr.FromInt32(int32(f.random.IntN(100))); f.random.IntN(2) == 0 {
			*p = intstr.FromString(fmt.Sprintf("%d%%", f.random.IntN(100)))
		}
	case *json.RawMessage:
		*p = f.raw()
	case json.Unmarshaler:
		// Types that hold JSON of any kind, such as runtime.RawExtension, keep it in Raw. Others take any JSON that
		// they can read.
		if raw := reflect.Indirect(v).FieldByName("Raw"); v.Kind() == reflect.Struct && raw.IsValid() && raw.Type() == reflect.TypeFor[[]byte]() {
			raw.SetBytes(f.raw())
			break
		}
		samples := []string{`"text"`, `["text"]`, `{"key":"text"}`, `7`, `true`}
		for _, i := range f.random.Perm(len(samples)) {
			if p.UnmarshalJSON([]byte(samples[i])) == nil {
				if _, err := json.Marshal(p); err == nil {
					break
				}
			}
			v.SetZero()
		}
	default:
		return false
	}
	return true
}

func (f *filler) raw() []byte { return fmt.Appendf(nil, `{"text":%q}`, f.text()) }

// text returns a text that differs from all others, because it may become a key.
func (f *filler) text() string { return fmt.Sprintf("%s-%d", f.unique(), f.random.IntN(1000)) }

func (f *filler) unique() string {
	f.texts++
	return fmt.Sprintf("text-%d", f.texts)
}

func (f *filler) present() bool {
	return f.values < tooMany && (f.full || f.random.IntN(4) < 1+min(f.elements, 2))
}

func (f *filler) length() int {
	if f.full {
		return f.elements
	}
	return f.random.IntN(f.elements + 1)
}
