// SPDX-License-Identifier: Apache-2.0

package conversion

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/webhook-gen/webhook-gen/runtime/internal/settings"
	"github.com/webhook-gen/webhook-gen/runtime/internal/wire"
)

// FuzzReview checks that every body is answered with a review or a status in well-formed JSON, and that no body makes
// the handler panic.
func FuzzReview(f *testing.F) {
	object := `{"apiVersion":"example.com/v1","kind":"Lamp","metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"color\"],\"is\":\"red\"}]}"}},"spec":{"watts":"60","room":{"a":"b"}},"status":{"on":true}}`
	for _, body := range []string{
		"", "{", "null", reviewOf("example.com/v2"), reviewOf("example.com/v2", object), reviewOf("example.com/v1", object), reviewOf("example.com/v0", object, "7", "null"),
		reviewOf("example.com/v1", `{"apiVersion":"example.com/v2","kind":"Lamp","metadata":{"name":"a"},"spec":{"watts":60,"color":"red"}}`),
	} {
		f.Add([]byte(body))
	}
	h := NewHandler(Serve(wide("v1", lampSame), wide("v0", lampSame)), BodyLimit(1<<20))
	h.observers = nil // the default observer would log every failure
	f.Fuzz(func(t *testing.T, body []byte) {
		w := call(h, string(body))
		if !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if w.Code != http.StatusOK {
			return
		}
		a := answerOf(t, w)
		var asked review
		if err := asked.read(body); err != nil {
			t.Fatal(err)
		}
		if a.Response.Result.Status == metav1.StatusSuccess && len(a.Response.ConvertedObjects) != len(asked.objects) {
			t.Fatalf("%d objects asked for, %d in the answer", len(asked.objects), len(a.Response.ConvertedObjects))
		}
	})
}

// FuzzSame checks that an object with equal parts passed on as text becomes the same as the function makes of the whole
// object. It also checks that nothing is added: a member which the source does not have is there only if the function
// sets it.
func FuzzSame(f *testing.F) {
	for _, object := range []string{
		`{}`, `{"spec":{"watts":"60","room":{"a":"b"}},"status":{"on":true}}`, `{"metadata":{"name":"a","labels":{"x":"y"}},"status":null,"spec":null}`,
		`{"metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"spec\",\"color\"],\"is\":\"red\"},{\"at\":[\"spec\",\"room\"],\"is\":{\"c\":\"d\"}}]}"}},"spec":{}}`,
		`{"metadata":{"name":"a","annotations":{"webhook-gen.github.io/conversion":"{\"v2\":[{\"at\":[\"status\",\"on\"],\"was\":\"b5fae2c14238b978\",\"is\":true}]}"}},"status":{"x":1}}`,
	} {
		f.Add([]byte(object))
	}
	route := wide("v1", lampSame).toHub
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.Trim(text, " \t\r\n")
		var src, again lamp[textSpec]
		if wire.ScanAll(text, func(i int) int { return wire.ScanValue(text, i, wire.MaxDepth) }) < 0 || !isObject(text) || kjson.Unmarshal(text, &src) != nil {
			t.Skip()
		}
		if _, err := wire.Unique(text, 0); err != nil || wire.Decode(text, wire.Whole(text), nil, new(wire.Shapes).Of(reflect.TypeOf(again)), reflect.ValueOf(&again).Elem()) != nil {
			t.Skip() // API servers send no key twice, and no member of another type than the schema has
		}
		var want lamp[numberSpec]
		wantErr := lampToHub(context.Background(), &src, &want)
		var converted []byte
		err := route.text(context.Background(), objectOf(text), new(settings.Omissions), func(text []byte) { converted = bytes.Clone(text) })
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("error %v, want %v", err, wantErr)
		}
		if err != nil {
			return
		}
		var got lamp[numberSpec]
		if err := kjson.Unmarshal(converted, &got); err != nil {
			t.Fatalf("%v: %s", err, converted)
		}
		got.ObjectMeta, want.ObjectMeta = metav1.ObjectMeta{}, metav1.ObjectMeta{}
		if !equality.Semantic.DeepEqual(want, got) {
			t.Fatalf("got  %+v\nwant %+v", got, want)
		}
	})
}
