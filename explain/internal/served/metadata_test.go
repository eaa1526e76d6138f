// SPDX-License-Identifier: Apache-2.0

package served

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestMetadata compares the metadata of a custom resource and of an embedded one. Empty and unknown members go.
func TestMetadata(t *testing.T) {
	metadata := func() map[string]any {
		return map[string]any{
			"name": "a", "labels": nil, "annotations": map[string]any{}, "finalizers": []any{}, "ownerReferences": []any{}, "unknown": int64(1),
		}
	}
	want := map[string]any{"name": "a"}
	template := func(metadata map[string]any) map[string]any {
		return map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
	}
	d, err := NewDefinition("v1", &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"template": {Type: "object", XEmbeddedResource: true, XPreserveUnknownFields: new(true)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata(), "template": template(metadata()),
	}}
	_, err = d.Complete(u)
	if err = errors.Join(err, Metadata(u)); err != nil {
		t.Fatal(err)
	}
	embedded, _, err := unstructured.NestedMap(u.Object, "template", "metadata")
	if diff := cmp.Diff([]any{want, want}, []any{u.Object["metadata"], embedded}); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	u.Object["metadata"] = map[string]any{"name": "a", "labels": map[string]any{"a": int64(1)}}
	if Metadata(u) == nil {
		t.Error("a label that is a number passes")
	}
}
