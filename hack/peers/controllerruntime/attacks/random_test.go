// SPDX-License-Identifier: Apache-2.0

package attacks

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// random makes and mutates objects of any type.
type random struct {
	*rand.Rand
	unknown int // how many unknown members have been given out
}

func newRandom(seed uint64) *random { return &random{Rand: rand.New(rand.NewPCG(seed, 1))} }

func (r *random) chance(percent int) bool { return r.IntN(100) < percent }

func (r *random) text() string {
	words := []string{"", "a", "web", "IfNotPresent", "app.kubernetes.io/name", "x~y/z", `quo"ted\`, "<html>&\u2028", "zwölf\n", "😀", strings.Repeat("long ", 30)}
	return words[r.IntN(len(words))] + fmt.Sprint(r.IntN(3))
}

// own sets values of types with their own MarshalJSON or MarshalText.
func (r *random) own(v reflect.Value) bool {
	at := time.Unix(1700000000+r.Int64N(1000), 0)
	switch x := v.Addr().Interface().(type) {
	case *resource.Quantity:
		*x = resource.MustParse([]string{"1", "0.5", "100m", "1024Mi", "1Gi", "3e3"}[r.IntN(6)])
	case *metav1.Time:
		*x = metav1.NewTime(at)
	case *metav1.MicroTime:
		*x = metav1.NewMicroTime(at)
	case *metav1.Duration:
		x.Duration = time.Duration(r.IntN(1000)) * time.Second
	case *intstr.IntOrString:
		*x = []intstr.IntOrString{intstr.FromInt32(r.Int32N(100)), intstr.FromString("http")}[r.IntN(2)]
	case *metav1.FieldsV1:
		x.SetRawString(fmt.Sprintf(`{"f:a":{"f:%d":{}}}`, r.IntN(5)))
	case *runtime.RawExtension:
		x.Raw = []byte(fmt.Sprintf(`{"raw":%d,"big":12345678901234567890}`, r.IntN(5)))
	case *pair:
		x.left, x.right = r.Int64(), r.Int64()
	case *tag:
		x.name = r.text()
	case *code:
		*x = code("c" + r.text())
	case *json.Number:
		*x = json.Number(fmt.Sprint(r.IntN(100)))
	case *json.RawMessage:
		*x = json.RawMessage(fmt.Sprintf(`{"raw":[%d]}`, r.IntN(5)))
	case *unstructured.Unstructured:
		x.SetUnstructuredContent(map[string]any{"apiVersion": "v1", "kind": "X", "n": r.Int64N(100)})
	default:
		return false
	}
	return true
}

// fill sets v to a random value. Values nested deeper than depth stay empty.
func (r *random) fill(v reflect.Value, depth int) {
	if r.own(v) {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.chance(50))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64() >> (64 - v.Type().Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(r.Uint64() >> (64 - v.Type().Bits()))
	case reflect.Array:
		for i := range v.Len() {
			r.fill(v.Index(i), depth-1)
		}
	case reflect.Float32, reflect.Float64:
		v.SetFloat(float64(r.IntN(1000)) / 8)
	case reflect.String:
		v.SetString(r.text())
	case reflect.Pointer:
		if depth > 0 && r.chance(40) {
			v.Set(reflect.New(v.Type().Elem()))
			r.fill(v.Elem(), depth-1)
		}
	case reflect.Interface:
		if x := r.untyped(2); x != nil {
			v.Set(reflect.ValueOf(x))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && (depth > 0 || v.Field(i).Kind() != reflect.Struct) && r.chance(70) {
				r.fill(v.Field(i), depth-1)
				r.unique(v.Type().Field(i), v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			text := reflect.ValueOf([]byte(r.text()))
			v.Set(reflect.MakeSlice(v.Type(), text.Len(), text.Len()))
			for i := range v.Len() {
				v.Index(i).SetUint(text.Index(i).Uint())
			}
			return
		}
		if depth > 0 && r.chance(60) {
			v.Set(reflect.MakeSlice(v.Type(), r.IntN(5), 8))
			for i := range v.Len() {
				r.fill(v.Index(i), depth-1)
			}
		}
	case reflect.Map:
		if depth > 0 && r.chance(60) {
			v.Set(reflect.MakeMap(v.Type()))
			for range r.IntN(4) {
				r.put(v, depth)
			}
		}
	}
}

// put sets some element of a map.
func (r *random) put(v reflect.Value, depth int) {
	key, elem := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	r.fill(key, depth-1)
	r.fill(elem, depth-1)
	v.SetMapIndex(key, elem)
}

// untyped returns a random value for a field of type any.
func (r *random) untyped(depth int) any {
	switch n := r.IntN(7); {
	case n == 0 && depth > 0:
		m := map[string]any{}
		for range r.IntN(4) {
			m[r.text()] = r.untyped(depth - 1)
		}
		return m
	case n == 1 && depth > 0:
		l := []any{}
		for range r.IntN(4) {
			l = append(l, r.untyped(depth-1))
		}
		return l
	case n == 2:
		return r.Int64()
	case n == 3:
		return 0.5
	case n == 4:
		return true
	case n == 5:
		return nil
	}
	return r.text()
}

// unique gives the elements of a keyed list keys of their own, as the API server demands.
func (r *random) unique(f reflect.StructField, v reflect.Value) {
	key := f.Tag.Get("patchMergeKey")
	if key == "" || v.Kind() != reflect.Slice {
		return
	}
	seen := map[string]bool{}
	for i := range v.Len() {
		member, ok := memberNamed(v.Index(i), key)
		if !ok {
			continue
		}
		for seen[fmt.Sprint(member)] {
			if member.Kind() == reflect.String {
				member.SetString(fmt.Sprintf("key-%d", r.IntN(1000)))
			} else {
				member.SetInt(int64(r.IntN(60000)))
			}
		}
		seen[fmt.Sprint(member)] = true
	}
}

// mutate changes something here and there in v.
func (r *random) mutate(v reflect.Value, depth int) {
	if depth < 0 {
		return
	}
	if r.chance(3) {
		r.fill(v, 2)
		return
	}
	if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface && v.Kind() != reflect.Array && v.Kind() != reflect.Map && whole(v.Type()) {
		if r.chance(10) {
			r.own(v)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() {
				r.mutate(v.Field(i), depth-1)
				r.unique(f, v.Field(i))
			}
		}
	case reflect.Pointer:
		switch {
		case v.IsNil():
			if r.chance(3) {
				v.Set(reflect.New(v.Type().Elem()))
				r.fill(v.Elem(), 2)
			}
		case r.chance(3):
			v.SetZero()
		default:
			r.mutate(v.Elem(), depth-1)
		}
	case reflect.Array:
		for i := range v.Len() {
			r.mutate(v.Index(i), depth-1)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			r.mutateList(v, depth)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			elem := reflect.New(v.Type().Elem()).Elem()
			elem.Set(v.MapIndex(key))
			if r.chance(5) {
				v.SetMapIndex(key, reflect.Value{})
			} else if r.mutate(elem, depth-1); elem.Kind() != reflect.Interface {
				v.SetMapIndex(key, elem)
			}
		}
		if !v.IsNil() && r.chance(10) {
			r.put(v, 2)
		}
	case reflect.Interface:
		if r.chance(5) {
			v.Set(reflect.ValueOf([]any{r.untyped(1)}))
		}
	default:
		if r.chance(5) {
			r.fill(v, 0)
		}
	}
}

func (r *random) mutateList(v reflect.Value, depth int) {
	for i := range v.Len() {
		r.mutate(v.Index(i), depth-1)
	}
	n := v.Len()
	if n > 0 && r.chance(10) { // remove
		i := r.IntN(n)
		v.Set(reflect.AppendSlice(clone(v.Slice(0, i)), v.Slice(i+1, n)))
		n--
	}
	if r.chance(10) { // insert
		elem := reflect.New(v.Type().Elem()).Elem()
		r.fill(elem, 2)
		i := r.IntN(n + 1)
		v.Set(reflect.AppendSlice(reflect.Append(clone(v.Slice(0, i)), elem), v.Slice(i, n)))
		n++
	}
	if n > 1 && r.chance(10) { // move
		swap := reflect.Swapper(v.Interface())
		for range 1 + r.IntN(2) {
			swap(r.IntN(n), r.IntN(n))
		}
	}
	if n > 0 && r.chance(2) {
		v.SetZero()
	}
}

func clone(v reflect.Value) reflect.Value {
	return reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()+1), v)
}

// unknownKey is a member that no type has. Its values are numbers that neither float64 nor int64 can hold.
const unknownKey = "futureMember"

// addUnknown adds an unknown member to JSON objects that are structs in typ, each with another value.
func (r *random) addUnknown(x any, typ reflect.Type) {
	if whole(typ) {
		return
	}
	switch typ.Kind() {
	case reflect.Pointer:
		r.addUnknown(x, typ.Elem())
	case reflect.Struct:
		object, ok := x.(map[string]any)
		if !ok {
			return
		}
		for name, member := range membersOf(typ) {
			r.addUnknown(object[name], member.Type)
		}
		if r.chance(60) {
			r.unknown++
			object[unknownKey] = json.Number(fmt.Sprintf("123456789012345678901%d", r.unknown))
		}
	case reflect.Slice:
		list, _ := x.([]any)
		for _, elem := range list {
			r.addUnknown(elem, typ.Elem())
		}
	case reflect.Map:
		object, _ := x.(map[string]any)
		names := make([]string, 0, len(object))
		for name := range object {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			r.addUnknown(object[name], typ.Elem())
		}
	}
}

// membersOf returns the members of a struct by their JSON names.
func membersOf(typ reflect.Type) map[string]reflect.StructField {
	members := map[string]reflect.StructField{}
	for i := range typ.NumField() {
		f := typ.Field(i)
		tag := f.Tag.Get("json")
		name, _, _ := strings.Cut(tag, ",")
		embedded := f.Type
		if f.Anonymous && embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		switch {
		case tag == "-":
		case f.Anonymous && name == "" && embedded.Kind() == reflect.Struct:
			for name, member := range membersOf(embedded) {
				members[name] = member
			}
		case !f.IsExported():
		case name == "":
			members[f.Name] = f
		default:
			members[name] = f
		}
	}
	return members
}

// memberNamed returns the member of a struct, or of a pointer's struct, by its JSON name.
func memberNamed(v reflect.Value, name string) (reflect.Value, bool) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return reflect.Value{}, false
	}
	f, ok := membersOf(v.Type())[name]
	if !ok {
		return reflect.Value{}, false
	}
	return v.FieldByName(f.Name), true
}
