package oracle

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// expect converts an object to another version through the hub, and compares with what cert-manager's
// integration test of its webhook expects.
func expect(t *testing.T, input runtime.Object, target schema.GroupVersionKind, output runtime.Object) {
	t.Helper()
	got := input
	for _, k := range kinds {
		if reflect.TypeOf(k.spoke()) == reflect.TypeOf(input) {
			got = k.hub()
			must(t, k.toHub(input, got), input)
		}
	}
	for _, k := range kinds {
		if k.name == target.Version+" "+target.Kind {
			spoke := k.spoke()
			must(t, k.fromHub(got, spoke), got)
			got = spoke
		}
	}
	if want := target.GroupVersion().String(); reflect.ValueOf(got).Elem().FieldByName("APIVersion").String() != want {
		t.Errorf("apiVersion is not %s: %s", want, text(got))
	}
	got.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // as a typed client does
	if !equality.Semantic.DeepEqual(output, got) {
		t.Errorf("got  %s\nwant %s", text(got), text(output))
	}
}
