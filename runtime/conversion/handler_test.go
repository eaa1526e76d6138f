// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// lamp is a kind. Its v1 has watts in text, v2 has watts in a number, and v0 has a field that no other version has.
type lamp[S any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   S `json:"spec,omitempty"`
	Status struct {
		On bool `json:"on"`
	} `json:"status,omitempty"`
}

type textSpec struct {
	Watts string            `json:"watts,omitempty"`
	Room  map[string]string `json:"room,omitempty"`
}

type numberSpec struct {
	Watts int64             `json:"watts,omitempty"`
	Color string            `json:"color,omitempty"`
	Room  map[string]string `json:"room,omitempty"`
}

var (
	numberStash = NewStash[lamp[numberSpec]]("v2", Schema{})
	textStash   = NewStash[lamp[textSpec]]("v1", Schema{Lossless: true})
)

func lampToHub(ctx context.Context, src *lamp[textSpec], dst *lamp[numberSpec]) error {
	*dst = lamp[numberSpec]{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v2", Kind: "Lamp"}}
	if err := fieldsToHub(ctx, src, dst); err != nil {
		return err
	}
	return Exchange(ctx, src, dst, textStash, numberStash, fieldsFromHub)
}

func fieldsToHub(ctx context.Context, src *lamp[textSpec], dst *lamp[numberSpec]) error {
	src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
	dst.Status, dst.Spec.Room = src.Status, src.Spec.Room
	if src.Spec.Watts == "panic" {
		panic("short circuit")
	}
	if err := ParseInteger(&dst.Spec.Watts, src.Spec.Watts); err != nil && !Omit(ctx) {
		return fmt.Errorf("spec.watts: %w", err)
	}
	return nil
}

func lampFromHub(ctx context.Context, src *lamp[numberSpec], dst *lamp[textSpec]) error {
	*dst = lamp[textSpec]{TypeMeta: metav1.TypeMeta{APIVersion: "example.com/v1", Kind: "Lamp"}}
	if err := fieldsFromHub(ctx, src, dst); err != nil {
		return err
	}
	return Exchange(ctx, src, dst, numberStash, textStash, fieldsToHub)
}

func fieldsFromHub(ctx context.Context, src *lamp[numberSpec], dst *lamp[textSpec]) error {
	src.ObjectMeta.DeepCopyInto(&dst.ObjectMeta)
	dst.Status, dst.Spec.Room = src.Status, src.Spec.Room
	if src.Spec.Watts > math.MaxInt32 {
		if !Omit(ctx) {
			return fmt.Errorf("spec.watts: %d watts are no lamp", src.Spec.Watts)
		}
		return nil
	}
	if src.Spec.Watts != 0 {
		return FormatInteger(&dst.Spec.Watts, src.Spec.Watts)
	}
	return nil
}

// wide returns the conversion between v2 and v1, or another version that looks like v1.
func wide(version string, same Same) Conversion {
	return Between("example.com", "Lamp", version, "v2", lampToHub, lampFromHub, same)
}

var lampSame = Same{"metadata": nil, "status": nil, "spec": {"room": nil}}

// call has a handler answer a body.
func call(h http.Handler, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func reviewOf(desired string, objects ...string) string {
	return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"` + desired + `","objects":[` + strings.Join(objects, ",") + `]}}`
}

// answer is the content of an answering review.
type answer struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Response   struct {
		UID              string            `json:"uid"`
		ConvertedObjects []json.RawMessage `json:"convertedObjects"`
		Result           metav1.Status     `json:"result"`
	} `json:"response"`
}

func answerOf(t *testing.T, w *httptest.ResponseRecorder) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatalf("%v: %s", err, w.Body)
	}
	return a
}

// TestConvert converts single objects.
func TestConvert(t *testing.T) {
	h := NewHandler(Serve(wide("v1", lampSame), wide("v0", lampSame)))
	for _, tc := range []struct{ name, desired, object, want string }{
		{"to the hub", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":"60"},"status":{"on":true}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a"},"spec":{"watts":60},"status":{"on":true}}`},
		{"from the hub", "example.com/v1",
			`{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":60}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v1","metadata":{"name":"a"},"spec":{"watts":"60"}}`},
		{"to the version that it has", "example.com/v1",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{},"spec":{"watts":"x"}}`,
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{},"spec":{"watts":"x"}}`},
		{"between spokes", "example.com/v0",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":"60","room":{"a":"b"}}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v0","metadata":{"name":"a"},"spec":{"watts":"60","room":{"a":"b"}}}`},
		{"what is the same comes out as it went in", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"zone":1.50,"name":"a","labels":{"b":"<","a":""},"x":null},"status":{ "z":[1,2], "on":"perhaps"},"spec":{"room":{"b":9007199254740993,"a":{}},"watts":"1"}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"zone":1.50,"name":"a","labels":{"b":"<","a":""},"x":null},"spec":{"watts":1,"room":{"b":9007199254740993,"a":{}}},"status":{ "z":[1,2], "on":"perhaps"}}`},
		{"a part of an object", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","status":{"on":false}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{},"status":{"on":false}}`},
		{"nulls", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":null,"spec":null,"status":null}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{},"status":null}`},
		{"nulls below", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"annotations":null,"creationTimestamp":null},"spec":{"watts":null,"room":null}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"annotations":null,"creationTimestamp":null},"spec":{"room":null}}`},
		{"a key with escapes", "example.com/v2",
			`{"api\u0056ersion":"example.com/v1","kind":"Lamp","\u006detadata":{"name":"a"},"sp\u0065c":{"watts":"1","ro\u006fm":{"a":"b"}}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a"},"spec":{"watts":1,"ro\u006fm":{"a":"b"}}}`},
		{"what the spoke cannot say is kept", "example.com/v1",
			`{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"a","annotations":{"x":"y"}},"spec":{"color":"red"}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v1","metadata":{"name":"a","annotations":{"x":"y","webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"color\"],\"is\":\"red\"}]}"}},"spec":{}}`},
		{"and kept where there are no annotations", "example.com/v1",
			`{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"a"},"spec":{"color":"red"}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v1","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"color\"],\"is\":\"red\"}]}"}},"spec":{}}`},
		{"and restored", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"color\"],\"is\":\"red\"}]}","x":"y"}},"spec":{}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a","annotations":{"x":"y"}},"spec":{"color":"red"}}`},
		{"and not restored in a struct that is gone", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"color\"],\"is\":\"red\"}]}","x":"y"}}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a","annotations":{"x":"y"}}}`},
		{"and not restored where both versions have it by now", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"room\"],\"is\":{\"b\":\"c\"}}]}"}},"spec":{"watts":"1"},"status":{"x":1}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a"},"spec":{"watts":1},"status":{"x":1}}`},
		{"unless a live value is there", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"room\"],\"is\":{\"b\":\"c\"}}]}"}},"spec":{"room":{"a":"live"}}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a"},"spec":{"room":{"a":"live"}}}`},
		{"nor another one than the conversion makes of nothing", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"status\",\"on\"],\"was\":\"b5fae2c14238b978\",\"is\":true}]}"}},"spec":{"room":{"a":{}}},"status":{}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a"},"spec":{"room":{"a":{}}},"status":{}}`},
		{"what is kept of another version leaves the same as it is", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v3\":[{\"at\":[\"spec\",\"room\"],\"is\":{}}]}"}},"spec":{"room":{"a":{}}}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v3\":[{\"at\":[\"spec\",\"room\"],\"is\":{}}]}"}},"spec":{"room":{"a":{}}}}`},
		{"and leaves no empty annotations", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"broken"}}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a"}}`},
		{"empty annotations of the user stay", "example.com/v2",
			`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{}}}`,
			`{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a","annotations":{}}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := answerOf(t, call(h, reviewOf(tc.desired, tc.object)))
			if a.Response.Result.Status != metav1.StatusSuccess || len(a.Response.ConvertedObjects) != 1 {
				t.Fatalf("%+v", a)
			}
			if got := string(a.Response.ConvertedObjects[0]); got != tc.want {
				t.Errorf("\ngot  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestStopOnTheWay checks that an object on its way through the hub is not overwritten by another one that takes the
// first half of the way meanwhile.
func TestStopOnTheWay(t *testing.T) {
	var h *Handler
	meanwhile := func(ctx context.Context, src *lamp[numberSpec], dst *lamp[textSpec]) error {
		call(h, reviewOf("example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","spec":{"room":{"other":"other"},"watts":"1"},"status":{"other":"other"}}`))
		return lampFromHub(ctx, src, dst)
	}
	h = NewHandler(Parallel(1), Serve(wide("v1", lampSame), Between("example.com", "Lamp", "v0", "v2", lampToHub, meanwhile, lampSame)))
	a := answerOf(t, call(h, reviewOf("example.com/v0", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":"60","room":{"a":"b"}},"status":{"on":true}}`)))
	want := `{"kind":"Lamp","apiVersion":"example.com/v0","metadata":{"name":"a"},"spec":{"watts":"60","room":{"a":"b"}},"status":{"on":true}}`
	if got := string(a.Response.ConvertedObjects[0]); got != want {
		t.Errorf("\ngot  %s\nwant %s", got, want)
	}
}

// TestMetadataSeen checks that functions which see the metadata can set labels and annotations, and no other metadata.
func TestMetadataSeen(t *testing.T) {
	relabel := func(_ context.Context, src, dst *lamp[textSpec]) error {
		*dst = *src
		dst.Name, dst.UID = "other", "other"
		dst.Labels = map[string]string{"was": src.Labels["is"]}
		dst.Annotations = nil
		return nil
	}
	h := NewHandler(Serve(Between("example.com", "Lamp", "v1", "v2", relabel, relabel, nil)))
	a := answerOf(t, call(h, reviewOf("example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","labels":{"is":"x"},"annotations":{"b":"c"},"uid":"1"}}`)))
	want := `{"kind":"Lamp","apiVersion":"example.com/v2","metadata":{"name":"a","uid":"1","labels":{"was":"x"}}}`
	if got := string(a.Response.ConvertedObjects[0]); got != want {
		t.Errorf("\ngot  %s\nwant %s", got, want)
	}
}

// rackSpec has a struct with a member that JSON always writes.
type rackSpec struct {
	Room   string `json:"room,omitempty"`
	Limits struct {
		Max int64 `json:"max"`
	} `json:"limits,omitempty"`
	Shelves []tray           `json:"shelves,omitempty"`
	ByName  map[string]*tray `json:"byName,omitempty"`
	Top     *tray            `json:"top,omitempty"`
}

type tray struct {
	Depth  int64 `json:"depth,omitempty"`
	Limits struct {
		Max int64 `json:"max"`
	} `json:"limits,omitempty"`
}

// TestRemovedStruct removes a struct from an object. The values that the annotation keeps for its members stay away,
// although the conversion sets another member.
func TestRemovedStruct(t *testing.T) {
	fields := func(ctx context.Context, src *lamp[textSpec], dst *lamp[numberSpec]) error {
		err := fieldsToHub(ctx, src, dst)
		dst.Spec.Watts = cmp.Or(dst.Spec.Watts, 40)
		return err
	}
	toHub := func(ctx context.Context, src *lamp[textSpec], dst *lamp[numberSpec]) error {
		*dst = lamp[numberSpec]{}
		if err := fields(ctx, src, dst); err != nil {
			return err
		}
		return Exchange(ctx, src, dst, textStash, numberStash, fieldsFromHub)
	}
	fromHub := func(ctx context.Context, src *lamp[numberSpec], dst *lamp[textSpec]) error {
		*dst = lamp[textSpec]{}
		if err := fieldsFromHub(ctx, src, dst); err != nil {
			return err
		}
		return Exchange(ctx, src, dst, numberStash, textStash, fields)
	}
	h := NewHandler(Serve(Between("example.com", "Lamp", "v1", "v2", toHub, fromHub, nil)))
	convert := func(to, object string) string {
		return string(answerOf(t, call(h, reviewOf("example.com/"+to, object))).Response.ConvertedObjects[0])
	}
	stored := convert("v1", `{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"a"},"spec":{"color":"red","watts":60}}`)
	if got := convert("v2", stored); !strings.Contains(got, `"color":"red"`) {
		t.Fatal(got)
	}
	removed := strings.Replace(stored, `,"spec":{"watts":"60"}`, "", 1)
	if got := convert("v2", removed); removed == stored || !strings.Contains(got, `"spec":{"watts":40}`) {
		t.Errorf("%s\n%s", removed, got)
	}

	// A member that is missing in the version stays missing.
	dark := convert("v1", `{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"a"}}`)
	if got := convert("v2", dark); strings.Contains(got, "watts") {
		t.Errorf("%s\n%s", dark, got)
	}
}

// TestPointerMade checks that an empty struct to which a conversion has made a pointer stays.
func TestPointerMade(t *testing.T) {
	make := func(_ context.Context, src, dst *lamp[rackSpec]) error {
		*dst = *src
		dst.Spec.Top = &tray{}
		return nil
	}
	h := NewHandler(Serve(Between("example.com", "Lamp", "v1", "v2", make, make, nil)))
	a := answerOf(t, call(h, reviewOf("example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"}}`)))
	if got := string(a.Response.ConvertedObjects[0]); !strings.Contains(got, `"spec":{"top":{}}`) {
		t.Error(got)
	}
}

// TestNothingInvented checks that an object, or a part of one, gets no struct that it lacks, though JSON writes zero
// members of the struct.
func TestNothingInvented(t *testing.T) {
	same := func(_ context.Context, src, dst *lamp[rackSpec]) error {
		*dst = *src
		return nil
	}
	for name, s := range map[string]Same{"alike": {"metadata": nil, "spec": {"room": nil}}, "converted": nil} {
		h := NewHandler(Serve(Between("example.com", "Lamp", "v1", "v2", same, same, s)))
		for object, want := range map[string]string{
			`"spec":{"room":"a"}`:                                                     `"metadata":{},"spec":{"room":"a"}`,
			`"metadata":{}`:                                                           `"metadata":{}`,
			`"spec":{"limits":{"max":0}}`:                                             `"metadata":{},"spec":{"limits":{"max":0}}`,
			`"spec":{"limits":{}}`:                                                    `"metadata":{},"spec":{"limits":{"max":0}}`,
			`"spec":{"limits":{"max":1}},"status":{}`:                                 `"metadata":{},"spec":{"limits":{"max":1}},"status":{"on":false}`,
			`"metadata":{"name":"a"},"spec":{"room":"a"}`:                             `"metadata":{"name":"a"},"spec":{"room":"a"}`,
			`"metadata":{"name":"a"},"spec":{"limits":{}}`:                            `"metadata":{"name":"a"},"spec":{"limits":{"max":0}}`,
			`"metadata":{"name":"a"},"spec":{"shelves":[{"depth":1},{"limits":{}}]}`:  `"metadata":{"name":"a"},"spec":{"shelves":[{"depth":1},{"limits":{"max":0}}]}`,
			`"spec":{"byName":{"b":{"limits":{}},"a":{"depth":1},"c":null},"top":{}}`: `"metadata":{},"spec":{"byName":{"a":{"depth":1},"b":{"limits":{"max":0}},"c":null},"top":{}}`,
		} {
			a := answerOf(t, call(h, reviewOf("example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp",`+object+`}`)))
			var got, wanted any
			if json.Unmarshal(a.Response.ConvertedObjects[0], &got) != nil || json.Unmarshal([]byte(`{"kind":"Lamp","apiVersion":"example.com/v2",`+want+`}`), &wanted) != nil {
				t.Fatalf("%+v", a)
			}
			if fmt.Sprint(got) != fmt.Sprint(wanted) {
				t.Errorf("%s: %s\ngot  %v\nwant %v", name, object, got, wanted)
			}
		}
	}
}

// TestReview checks that the answer repeats the review's version and uid, and has all objects in their order.
func TestReview(t *testing.T) {
	h := NewHandler(Serve(wide("v1", lampSame)), Parallel(3))
	var objects []string
	for i := range 50 {
		objects = append(objects, fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"lamp-%d"}}`, i))
	}
	for _, version := range []string{"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"} {
		w := call(h, strings.ReplaceAll(reviewOf("example.com/v2", objects...), "apiextensions.k8s.io/v1", version))
		a := answerOf(t, w)
		if w.Code != http.StatusOK || a.Kind != "ConversionReview" || a.APIVersion != version || a.Response.UID != "u-1" || len(a.Response.ConvertedObjects) != len(objects) {
			t.Fatalf("%d %+v", w.Code, a)
		}
		for i, text := range a.Response.ConvertedObjects {
			var o metav1.PartialObjectMetadata
			if err := json.Unmarshal(text, &o); err != nil || o.Name != fmt.Sprint("lamp-", i) || o.APIVersion != "example.com/v2" || o.Kind != "Lamp" {
				t.Errorf("object %d is %s", i, text)
			}
		}
	}
	if a := answerOf(t, call(h, reviewOf("example.com/v2"))); a.Response.Result.Status != metav1.StatusSuccess || a.Response.ConvertedObjects == nil {
		t.Errorf("a review of nothing: %+v", a)
	}
}

// TestFailures checks that one object which cannot be converted leaves all of them unconverted, and checks the message.
func TestFailures(t *testing.T) {
	good := `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"good"}}`
	for _, tc := range []struct{ name, desired, object, want string }{
		{"the field", "example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","namespace":"shop"},"spec":{"watts":"many"}}`,
			`Lamp shop/a of example.com/v1 cannot be converted to example.com/v2: spec.watts: "many" is not a whole number`},
		{"a type", "example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"generateName":"a-"},"spec":{"watts":60}}`,
			`Lamp a- of example.com/v1 cannot be converted to example.com/v2: spec.watts: a number cannot be read as string`},
		{"a panic", "example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","spec":{"watts":"panic"}}`,
			`Lamp without a name of example.com/v1 cannot be converted to example.com/v2: panic: short circuit`},
		{"a version", "example.com/v9", good, `Lamp good of example.com/v1 cannot be converted to example.com/v9: there is no way between these versions, but between v1, v2`},
		{"a group", "example.org/v2", good, `Lamp good of example.com/v1 cannot be converted to example.org/v2: an object stays in its group`},
		{"a kind", "example.com/v2", `{"apiVersion":"example.com/v1","kind":"Candle","metadata":{"name":"a"}}`, `no conversion of this kind is served`},
		{"no kind", "example.com/v2", `{"apiVersion":"example.com/v1","metadata":{"name":"a"}}`, `an object a of example.com/v1 cannot be converted to example.com/v2: it has no apiVersion or no kind`},
		{"a member twice", "example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","spec":{},"spec":{"watts":"1"}}`, `the key "spec" stands twice`},
		{"no object", "example.com/v2", `7`, `a number cannot be read as object`},
		{"null", "example.com/v2", `null`, `an object without a name of no version cannot be converted to example.com/v2: it is null`},
		{"a version that is none", "a/b/c", good, `unexpected GroupVersion string`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var seen Observation
			h := NewHandler(Serve(wide("v1", lampSame)), Observe(observe(func(o Observation) { seen = o })))
			w := call(h, reviewOf(tc.desired, good, tc.object, good))
			a := answerOf(t, w)
			if w.Code != http.StatusOK || a.Response.UID != "u-1" || a.Response.Result.Status != metav1.StatusFailure || len(a.Response.ConvertedObjects) != 0 {
				t.Fatalf("%d %s", w.Code, w.Body)
			}
			if !strings.Contains(a.Response.Result.Message, tc.want) {
				t.Errorf("\ngot  %s\nwant %s", a.Response.Result.Message, tc.want)
			}
			if !seen.Failed || seen.Err == nil || seen.Objects != 3 || seen.UID != "u-1" || seen.BytesOut != w.Body.Len() {
				t.Errorf("observed %+v", seen)
			}
			if p := (*PanicError)(nil); tc.name == "a panic" && (!errors.As(seen.Err, &p) || !strings.Contains(string(p.Stack), "lampToHub")) {
				t.Error("the observation has not the stack of the panic")
			}
		})
	}
}

// TestNoReview checks the answer to a call that is not a review.
func TestNoReview(t *testing.T) {
	h := NewHandler(Serve(wide("v1", lampSame)), BodyLimit(1000))
	for _, tc := range []struct {
		name, method, media, path, body string
		code                            int
	}{
		{"GET", http.MethodGet, "application/json", "", "", http.StatusMethodNotAllowed},
		{"media type", http.MethodPost, "application/yaml", "", "{}", http.StatusUnsupportedMediaType},
		{"empty", http.MethodPost, "application/json", "", "", http.StatusBadRequest},
		{"blank", http.MethodPost, "application/json", "", " \n", http.StatusBadRequest},
		{"no JSON", http.MethodPost, "application/json", "", "{", http.StatusBadRequest},
		{"a list", http.MethodPost, "application/json", "", "[]", http.StatusBadRequest},
		{"another kind", http.MethodPost, "application/json", "", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{}}`, http.StatusBadRequest},
		{"another version", http.MethodPost, "application/json", "", strings.ReplaceAll(reviewOf("v1"), "k8s.io/v1", "k8s.io/v2"), http.StatusBadRequest},
		{"no request", http.MethodPost, "application/json", "", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1"}`, http.StatusBadRequest},
		{"a request twice", http.MethodPost, "application/json", "", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{},"request":{}}`, http.StatusBadRequest},
		{"objects that are none", http.MethodPost, "application/json", "", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"objects":{}}}`, http.StatusBadRequest},
		{"a uid that is none", http.MethodPost, "application/json", "", `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":7}}`, http.StatusBadRequest},
		{"no timeout", http.MethodPost, "application/json", "?timeout=soon", reviewOf("example.com/v2"), http.StatusBadRequest},
		{"too long", http.MethodPost, "application/json", "", reviewOf("example.com/v2", strings.Repeat(" ", 1000)), http.StatusRequestEntityTooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequest(tc.method, Path+tc.path, strings.NewReader(tc.body))
			r.Header.Set("Content-Type", tc.media)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			var s metav1.Status
			if err := json.Unmarshal(w.Body.Bytes(), &s); err != nil || w.Code != tc.code || s.Kind != "Status" || int(s.Code) != tc.code || s.Message == "" {
				t.Errorf("%d %s, %v", w.Code, w.Body, err)
			}
		})
	}
}

// TestTooLongWithoutLength checks the limit with a client that does not announce how much it sends.
func TestTooLongWithoutLength(t *testing.T) {
	server := httptest.NewServer(NewHandler(BodyLimit(3 << 20)))
	defer server.Close()
	for size, want := range map[int]int{2 << 20: http.StatusBadRequest, 4 << 20: http.StatusRequestEntityTooLarge} {
		body := struct{ *strings.Reader }{strings.NewReader(strings.Repeat(" ", size))} // of no type that has a length
		response, err := http.Post(server.URL, "application/json", body)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%d bytes: %s, want %d", size, response.Status, want)
		}
	}
}

// TestBound checks that as many objects are converted at once as allowed, and no more.
func TestBound(t *testing.T) {
	const bound, objects = 4, 64
	var now, most atomic.Int32
	var all sync.Once
	arrived := make(chan struct{})
	slow := func(_ context.Context, src, dst *lamp[textSpec]) error {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		if n == bound {
			all.Do(func() { close(arrived) })
		}
		<-arrived // blocks forever if fewer are let in
		time.Sleep(time.Millisecond)
		*dst = *src
		now.Add(-1)
		return nil
	}
	h := NewHandler(Serve(Between("example.com", "Lamp", "v1", "v2", slow, slow, lampSame)), Parallel(bound))
	texts := make([]string, objects)
	for i := range texts {
		texts[i] = `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"}}`
	}
	if a := answerOf(t, call(h, reviewOf("example.com/v2", texts...))); len(a.Response.ConvertedObjects) != objects || most.Load() != bound {
		t.Errorf("%d objects, at most %d at once", len(a.Response.ConvertedObjects), most.Load())
	}
}

// TestFirstFailure checks that the error always names the first of several objects that cannot be converted.
func TestFirstFailure(t *testing.T) {
	h := NewHandler(Serve(wide("v1", lampSame)), Parallel(8))
	var objects []string
	for i := range 40 {
		watts := "1"
		if i >= 11 {
			watts = "many"
		}
		objects = append(objects, fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"lamp-%d"},"spec":{"watts":%q}}`, i, watts))
	}
	for range 20 {
		if a := answerOf(t, call(h, reviewOf("example.com/v2", objects...))); !strings.HasPrefix(a.Response.Result.Message, "Lamp lamp-11 ") {
			t.Fatal(a.Response.Result.Message)
		}
	}
}

// TestDeadline checks that conversions end when nobody waits any more, and that their context has this deadline.
func TestDeadline(t *testing.T) {
	wait := func(ctx context.Context, src, dst *lamp[textSpec]) error {
		if at, ok := ctx.Deadline(); !ok || time.Until(at) > patience {
			return errors.New("there is no deadline")
		}
		<-ctx.Done()
		return ctx.Err()
	}
	h := NewHandler(Serve(Between("example.com", "Lamp", "v1", "v2", wait, wait, lampSame)), Parallel(1))
	r := httptest.NewRequest(http.MethodPost, Path+"?timeout=20ms", strings.NewReader(reviewOf("example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"}}`)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if a := answerOf(t, w); !strings.Contains(a.Response.Result.Message, context.DeadlineExceeded.Error()) {
		t.Errorf("%+v", a)
	}
}

// TestServerEnds checks that the end of a server with a BaseContext, as controller-runtime's has, cancels nothing in
// flight.
func TestServerEnds(t *testing.T) {
	base, end := context.WithCancel(context.Background())
	convert := func(ctx context.Context, src, dst *lamp[textSpec]) error {
		end()
		*dst = *src
		return ctx.Err()
	}
	h := NewHandler(Serve(Between("example.com", "Lamp", "v1", "v2", convert, convert, lampSame)))
	r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(reviewOf("example.com/v2", `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"}}`)))
	server := &http.Server{BaseContext: func(net.Listener) context.Context { return base }}
	r = r.WithContext(context.WithValue(base, http.ServerContextKey, server))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if a := answerOf(t, w); a.Response.Result.Status != metav1.StatusSuccess {
		t.Errorf("%+v", a)
	}
}

// TestObservation checks the observation of a review that went well, and that no foreign text becomes a label.
func TestObservation(t *testing.T) {
	var seen []Observation
	h := NewHandler(Serve(wide("v1", lampSame)), Observe(observe(func(o Observation) { seen = append(seen, o) })))
	good := `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a"}}`
	call(h, reviewOf("example.com/v2", good))
	call(h, reviewOf("example.com/v7", good))
	call(h, reviewOf("example.com/v2", strings.ReplaceAll(good, "Lamp", "Candle")))
	lampKind := schema.GroupKind{Group: "example.com", Kind: "Lamp"}
	if o := seen[0]; o.Failed || o.Code != http.StatusOK || o.Err != nil || o.Kind != lampKind || o.Desired != "v2" || o.Objects != 1 || o.BytesIn == 0 || o.BytesOut == 0 || o.Duration <= 0 {
		t.Errorf("%+v", o)
	}
	if o := seen[1]; o.Kind != lampKind || o.Desired != "" {
		t.Errorf("%+v", o)
	}
	if o := seen[2]; o.Kind != (schema.GroupKind{}) || o.Desired != "" {
		t.Errorf("%+v", o)
	}
}

// observe makes an Observer of a function.
type observe func(Observation)

func (f observe) Observe(_ context.Context, o Observation) { f(o) }
