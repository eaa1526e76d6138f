package admission

import (
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestKept has one call read parts that come again, change, are absent, are wrong and are long.
func TestKept(t *testing.T) {
	var k kept[metav1.GroupVersionKind]
	long := strings.Repeat("x", longPart)
	for _, test := range []struct {
		part string
		want metav1.GroupVersionKind
		ok   bool
	}{
		{`null`, metav1.GroupVersionKind{}, true},
		{`{"version":"v1","kind":"Pod"}`, metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}, true},
		{`{"version":"v1","kind":"Pod"}`, metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}, true},
		{`{"version":"v1","kind":"Job"}`, metav1.GroupVersionKind{Version: "v1", Kind: "Job"}, true},
		{`{"version":"v1","kind":5}`, metav1.GroupVersionKind{Version: "v1"}, false},
		{`{"version":"v1","kind":5}`, metav1.GroupVersionKind{Version: "v1"}, false},
		{`null`, metav1.GroupVersionKind{}, true},
		{`{"kind":"` + long + `"}`, metav1.GroupVersionKind{Kind: long}, true},
		{`{"version":"v1","kind":"Job"}`, metav1.GroupVersionKind{Version: "v1", Kind: "Job"}, true},
	} {
		var e envelope
		if err := e.scan([]byte(`{"request":{"kind":` + test.part + `}}`)); err != nil {
			t.Fatal(err)
		}
		var got metav1.GroupVersionKind
		if err := k.decode(&e, objectKindPart, kindShape, &got); got != test.want || (err == nil) != test.ok {
			t.Errorf("%.40s is %.80v with %v", test.part, got, err)
		}
		if len(k.raw) >= longPart {
			t.Errorf("%d bytes are kept", len(k.raw))
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeOf(new(call).kind.value), reflect.TypeOf(new(call).resource.value)} {
		for i := range typ.NumField() {
			if typ.Field(i).Type.Kind() != reflect.String {
				t.Errorf("%s of %s is shared between calls", typ.Field(i).Name, typ)
			}
		}
	}
}
