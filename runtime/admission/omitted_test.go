// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

var omittedSeed = flag.Uint64("omittedseed", 1, "the seed of TestOmittedAgreesWithEncodingJSON")

// Embedded has a member that reads itself, behind an embedded struct or pointer.
type Embedded struct {
	Within     json.RawMessage `json:"within,omitempty"`
	WithinZero json.RawMessage `json:"withinZero,omitzero"`
}

// picked is left out by its own rule, and cannot be written if it is bad.
type picked struct{ text string }

func (p *picked) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &p.text) }

func (p picked) MarshalJSON() ([]byte, error) {
	if p.text == "bad" {
		return nil, fmt.Errorf("no JSON of %q", p.text)
	}
	return json.Marshal(p.text)
}

func (p picked) IsZero() bool { return p.text == "" || p.text == "bad" }

// randomStruct returns a struct with members that read themselves, in many places and with many options.
func randomStruct(r *rand.Rand, depth int) reflect.Type {
	raw := reflect.TypeFor[json.RawMessage]()
	var fields []reflect.StructField
	for i := range 1 + r.IntN(5) {
		types := []reflect.Type{
			raw, raw, reflect.PointerTo(raw), reflect.SliceOf(raw), reflect.MapOf(reflect.TypeFor[string](), raw),
			reflect.TypeFor[string](), reflect.TypeFor[any](), reflect.TypeFor[picked](), reflect.TypeFor[*picked](), reflect.TypeFor[[]byte](),
		}
		if depth > 0 {
			inner := randomStruct(r, depth-1)
			types = append(types, inner, reflect.PointerTo(inner), reflect.SliceOf(inner), reflect.MapOf(reflect.TypeFor[string](), inner))
		}
		name := string(rune('A' + i))
		tag := fmt.Sprintf(`json:"%s%s"`, strings.ToLower(name), []string{"", ",omitempty", ",omitzero", ",omitempty,omitzero"}[r.IntN(4)])
		fields = append(fields, reflect.StructField{Name: name, Type: types[r.IntN(len(types))], Tag: reflect.StructTag(tag)})
	}
	if embedded := reflect.TypeFor[Embedded](); r.IntN(3) == 0 {
		if r.IntN(2) == 0 {
			embedded = reflect.PointerTo(embedded)
		}
		fields = append(fields, reflect.StructField{Name: "Embedded", Type: embedded, Anonymous: true, Tag: `json:",inline"`})
	}
	return reflect.StructOf(fields)
}

// fillRandom gives v a random value.
func fillRandom(r *rand.Rand, v reflect.Value) {
	if raw, ok := v.Addr().Interface().(*json.RawMessage); ok {
		*raw = []json.RawMessage{nil, {}, json.RawMessage(`null`), json.RawMessage(`""`), json.RawMessage(`{"x":[1]}`), json.RawMessage(`7`), json.RawMessage(`bad`)}[r.IntN(20)%7]
		return
	}
	if p, ok := v.Addr().Interface().(*picked); ok {
		p.text = []string{"", "bad", "a", "b"}[r.IntN(4)]
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"", "a"}[r.IntN(2)])
	case reflect.Interface:
		if x := []any{nil, "a", int64(1), []any{}, map[string]any{"k": nil}}[r.IntN(5)]; x != nil {
			v.Set(reflect.ValueOf(x))
		} else {
			v.SetZero()
		}
	case reflect.Pointer:
		if v.SetZero(); r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillRandom(r, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fillRandom(r, v.Field(i))
		}
	case reflect.Slice:
		if v.SetZero(); r.IntN(3) > 0 {
			v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
			for i := range v.Len() {
				if e := v.Index(i); e.Kind() == reflect.Uint8 {
					e.SetUint(uint64(r.IntN(256)))
				} else {
					fillRandom(r, e)
				}
			}
		}
	case reflect.Map:
		if v.SetZero(); r.IntN(3) > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range r.IntN(3) {
				e := reflect.New(v.Type().Elem()).Elem()
				fillRandom(r, e)
				v.SetMapIndex(reflect.ValueOf(strconv.Itoa(r.IntN(3))), e)
			}
		}
	}
}

// editRandom changes some parts of v.
func editRandom(r *rand.Rand, v reflect.Value) {
	switch {
	case r.IntN(4) == 0:
		fillRandom(r, v)
	case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[picked]():
		for i := range v.NumField() {
			if r.IntN(2) == 0 {
				editRandom(r, v.Field(i))
			}
		}
	case v.Kind() == reflect.Pointer && !v.IsNil():
		editRandom(r, v.Elem())
	case v.Kind() == reflect.Slice && v.Len() > 0 && v.Type().Elem().Kind() != reflect.Uint8:
		editRandom(r, v.Index(r.IntN(v.Len())))
	}
}

// applied applies the operations of a patch, which are few and simple, to a document.
func applied(t *testing.T, document any, patch []byte) any {
	t.Helper()
	var operations []struct {
		Op, Path string
		Value    any
	}
	if len(patch) > 0 {
		if err := json.Unmarshal(patch, &operations); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range operations {
		steps := strings.Split(o.Path, "/")[1:]
		var apply func(at any, steps []string) any
		apply = func(at any, steps []string) any {
			switch at := at.(type) {
			case map[string]any:
				_, ok := at[steps[0]]
				switch {
				case len(steps) > 1:
					at[steps[0]] = apply(at[steps[0]], steps[1:])
				case o.Op == "remove" && ok:
					delete(at, steps[0])
				case o.Op == "add" || o.Op == "replace" && ok:
					at[steps[0]] = o.Value
				default:
					t.Fatalf("%s of %s does not apply", o.Op, o.Path)
				}
				return at
			case []any:
				i, err := strconv.Atoi(steps[0])
				switch {
				case err != nil || i > len(at) || i == len(at) && o.Op != "add":
					t.Fatalf("%s of %s does not apply: %v", o.Op, o.Path, err)
				case len(steps) > 1:
					at[i] = apply(at[i], steps[1:])
				case o.Op == "remove":
					return append(at[:i:i], at[i+1:]...)
				case o.Op == "add":
					return append(at[:i:i], append([]any{o.Value}, at[i:]...)...)
				default:
					at[i] = o.Value
				}
				return at
			}
			t.Fatalf("%s of %s does not apply to %v", o.Op, o.Path, at)
			return nil
		}
		document = apply(document, steps)
	}
	return document
}

// withoutNulls returns a document without nulls, and without objects that contain nothing else. The type of a
// json.RawMessage does not tell null from absent: its zero value is written as null.
func withoutNulls(t *testing.T, text []byte) any {
	t.Helper()
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	var strip func(v any) any
	strip = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for key, below := range v {
				if below = strip(below); below == nil {
					delete(v, key)
				} else {
					v[key] = below
				}
			}
			if len(v) == 0 {
				return nil
			}
		case []any:
			for i := range v {
				v[i] = strip(v[i])
			}
		}
		return v
	}
	return strip(document)
}

// TestOmittedAgreesWithEncodingJSON edits random values of random types, and compares the patched object with the JSON
// of the edited value. Both fail, or a decoded patched object has the JSON of the edited value.
func TestOmittedAgreesWithEncodingJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(*omittedSeed, 11))
	compared, failed := 0, 0
	for range 1500 {
		typ := randomStruct(r, 2)
		s := new(wire.Shapes).Of(typ)
		before := reflect.New(typ)
		fillRandom(r, before.Elem())
		src, err := json.Marshal(before.Interface())
		if err != nil {
			continue
		}
		v, err := decodeAll(src, s)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		if patch, err := new(patcher).diff(src, wire.Whole(src), s, reflect.ValueOf(v).Elem()); err != nil || patch != nil {
			t.Fatalf("%s: without an edit, the patch is %s: %v", src, patch, err)
		}
		editRandom(r, reflect.ValueOf(v).Elem())
		want, wantErr := json.Marshal(v)
		patch, err := new(patcher).diff(src, wire.Whole(src), s, reflect.ValueOf(v).Elem())
		if wantErr != nil {
			failed++
			if err == nil {
				t.Fatalf("%s of %s: the patch is %s, and encoding/json fails: %v", src, typ, patch, wantErr)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%s of %s: no patch to %s: %v", src, typ, want, err)
		}
		var document any
		if err := json.Unmarshal(src, &document); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(applied(t, document, patch))
		if err != nil {
			t.Fatal(err)
		}
		again := reflect.New(typ)
		if err := json.Unmarshal(text, again.Interface()); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(again.Interface())
		if err != nil {
			t.Fatal(err)
		}
		// The edited value, too, loses what JSON does not tell apart.
		wanted := reflect.New(typ)
		if err := json.Unmarshal(want, wanted.Interface()); err != nil {
			t.Fatal(err)
		}
		want, err = json.Marshal(wanted.Interface())
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(withoutNulls(t, got), withoutNulls(t, want)) {
			t.Fatalf("%s of %s:\nthe patch %s\nmakes %s\nwant  %s\n%s", src, typ, patch, got, want, cmp.Diff(string(want), string(got)))
		}
		compared++
	}
	t.Logf("%d values were compared, %d cannot be written", compared, failed)
	if compared < 200 || failed < 40 {
		t.Errorf("%d values were compared, %d cannot be written", compared, failed)
	}
}

// TestEmptyRawMessageIsOmitted has a defaulter empty a json.RawMessage.
func TestEmptyRawMessageIsOmitted(t *testing.T) {
	type object struct {
		Raw  json.RawMessage `json:"raw,omitempty"`
		Kept json.RawMessage `json:"kept"`
	}
	for name, test := range map[string]struct {
		edit    func(o *object)
		allowed bool
	}{
		"with omitempty":    {func(o *object) { o.Raw = json.RawMessage{} }, true},
		"without omitempty": {func(o *object) { o.Kept = json.RawMessage{} }, false},
		"nil":               {func(o *object) { o.Raw, o.Kept = nil, nil }, true},
	} {
		h := Mutating("raw.example.com", OnCreate(func(_ context.Context, r *CreateRequest[object]) error {
			test.edit(r.Object)
			return nil
		}))
		got := verdictOf(t, h, reviewOf(Create, `{"raw":{"a":1},"kept":{}}`, "")).Response
		if got.Allowed != test.allowed {
			t.Errorf("%s: allowed is %v: %+v", name, got.Allowed, got.Result)
		}
		if want := `[{"op":"remove","path":"/raw"}]`; name == "with omitempty" && string(got.Patch) != want {
			t.Errorf("%s: the patch is %s, want %s", name, got.Patch, want)
		}
	}
}
