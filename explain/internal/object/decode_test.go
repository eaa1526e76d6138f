// SPDX-License-Identifier: Apache-2.0

package object

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestDecoder invents objects whose metadata, apiVersion and kind have values of the wrong type and unknown fields. The
// decoder of API servers refuses the same ones: for a kind of Kubernetes the one of its scheme, for a custom resource
// the one of PartialObjectMetadata.
func TestDecoder(t *testing.T) {
	partial := runtime.NewScheme()
	custom := schema.GroupVersionKind{Group: "shop.example.com", Version: "v1", Kind: "Order"}
	partial.AddKnownTypeWithName(custom, &metav1.PartialObjectMetadata{})
	decoderOf := func(s *runtime.Scheme, strict bool) runtime.Decoder {
		return serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, s, s, serializer.SerializerOptions{Strict: strict})
	}
	r := rand.New(rand.NewPCG(35, 11))
	pick := func(values ...any) any { return values[r.IntN(len(values))] }
	var refused, unknown int
	for range 8000 {
		metadata := map[string]any{"name": "a"}
		for _, field := range []string{
			"name", "generateName", "namespace", "labels", "annotations", "finalizers", "ownerReferences", "generation", "uid",
			"creationTimestamp", "deletionGracePeriodSeconds", "resourceVersion", "managedFields", "selfLink", "labelz", "Name",
		} {
			if r.IntN(20) > 0 {
				continue
			}
			metadata[field] = pick("a", 5, 1.5, true, nil, []any{}, []any{"a"}, []any{5}, map[string]any{}, map[string]any{"a": "b"}, map[string]any{"a": 5},
				[]any{map[string]any{"uid": pick("u", 5), "kind": "K", "name": "n", "controller": pick(true, "x"), "foo": "b"}}, "2026-01-02T03:04:05Z")
		}
		object := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
		decoder, strict := decoderOf(scheme.Scheme, false), decoderOf(scheme.Scheme, true)
		if r.IntN(2) == 0 {
			object["apiVersion"], object["kind"] = "shop.example.com/v1", "Order"
			decoder, strict = decoderOf(partial, false), decoderOf(partial, true)
		}
		switch r.IntN(12) {
		case 0:
			object["metadata"] = pick("a", 5, []any{}, true)
		case 1:
			object["kind"] = pick(5, true, []any{"Order"})
		case 2:
			object["apiVersion"] = pick(5, "a/b/c", map[string]any{"v1": "v1"})
		}
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		_, _, wantErr := decoder.Decode(text, nil, nil)
		_, _, wantStrict := strict.Decode(text, nil, nil)
		objects, err := parse(text)
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("%s\ngot  %v\nwant %v", text, err, wantErr)
		}
		if err != nil {
			refused++
			continue
		}
		fields, err := Strict(objects[0])
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if (len(fields) > 0) != (wantStrict != nil) {
			t.Fatalf("%s\ngot  %v\nwant %v", text, fields, wantStrict)
		}
		if len(fields) > 0 {
			unknown++
		}
	}
	t.Logf("%d refused, %d with unknown fields", refused, unknown)
	if refused < 500 || unknown < 200 {
		t.Error("the objects have too few mistakes")
	}
}

// TestFieldsTwice finds fields that texts have twice.
func TestFieldsTwice(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb: {c: 1, d: 2}\n":           "[]",
		"a: 1\nb: 1\na: 2\n":                "[a]",
		"---\na: 1\n---\nb: {c: 1, c: 2}\n": "[c]",
		`{"a": {"b": 1, "b": 2}}`:           "[a.b]",
		`{"a": 1}`:                          "[]",
	} {
		if got := fmt.Sprint(fieldsTwice([]byte(text))); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
