// SPDX-License-Identifier: Apache-2.0

package object

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// checkTypes reports what the decoder of an API server refuses in the fields of every kind: apiVersion, kind and
// metadata (unstructuredSchemaCoercer of k8s.io/apiextensions-apiserver/pkg/apiserver).
func checkTypes(o *unstructured.Unstructured) error {
	for _, field := range []string{"apiVersion", "kind"} {
		if _, ok := o.Object[field].(string); !ok {
			return fmt.Errorf("%s is %v, and must be a string", field, o.Object[field])
		}
	}
	if _, err := schema.ParseGroupVersion(o.GetAPIVersion()); err != nil {
		return fmt.Errorf("apiVersion: %w", err)
	}
	_, _, _, err := objectmeta.GetObjectMetaWithOptions(o.Object, objectmeta.ObjectMetaOptions{})
	return decodeError("metadata", err)
}

// Strict returns the unknown fields of an object's metadata. If the kind is Kubernetes' own, it returns all unknown
// fields. An API server drops them, or refuses the request (fieldValidation). It returns an error if the decoder of an
// API server refuses a field's type.
func Strict(o *unstructured.Unstructured) (unknown []string, err error) {
	if kind := o.GroupVersionKind(); scheme.Scheme.Recognizes(kind) {
		typed, err := Empty(kind)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(o.Object)
		if err != nil {
			return nil, err
		}
		fields, err := kjson.UnmarshalStrict(text, typed)
		if err := decodeError("", err); err != nil {
			return nil, err
		}
		return paths(fields), nil
	}
	_, _, unknown, err = objectmeta.GetObjectMetaWithOptions(o.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err := decodeError("metadata", err); err != nil {
		return nil, err
	}
	for i, path := range unknown {
		unknown[i] = "metadata." + strings.TrimPrefix(path[strings.LastIndex(path, "metadata.")+len("metadata."):], ".")
	}
	return unknown, nil
}

// paths returns the fields of strict errors, sorted.
func paths(errs []error) (all []string) {
	for _, err := range errs {
		if field, ok := err.(kjson.FieldError); ok { //nolint:errorlint // UnmarshalStrict documents the type
			all = append(all, field.FieldPath())
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// decodeError describes an error of the decoder. Its field is below parent.
func decodeError(parent string, err error) error {
	wrong, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		if err != nil && parent != "" {
			err = fmt.Errorf("%s: %w", parent, err)
		}
		return err
	}
	field := strings.Trim(parent+"."+wrong.Field, ".")
	value := map[string]string{"array": "an array", "object": "an object", "bool": "true or false"}[wrong.Value]
	return fmt.Errorf("%s is %s, and must be %s", field, cmp.Or(value, "a "+wrong.Value), jsonType(wrong.Type))
}

// jsonType names a Go type in the words of JSON.
func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Pointer:
		return jsonType(t.Elem())
	}
	return "a whole number"
}

// fieldsTwice returns the descriptions of the fields that a text of YAML or JSON has twice.
func fieldsTwice(text []byte) (all []string) {
	if utilyaml.IsJSONBuffer(text) {
		fields, _ := kjson.UnmarshalStrict(text, &map[string]any{})
		return paths(fields)
	}
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
	for {
		document, err := documents.Read()
		if err != nil {
			return all
		}
		if _, err := yaml.YAMLToJSONStrict(document); err != nil {
			for line := range strings.Lines(err.Error()) {
				if _, field, ok := strings.Cut(line, `: key "`); ok {
					name, _, _ := strings.Cut(field, `"`)
					all = append(all, name)
				}
			}
		}
	}
}
