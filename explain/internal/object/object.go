// SPDX-License-Identifier: Apache-2.0

// Package object reads objects from YAML and JSON, and turns them into the objects that an API server has when it calls
// webhooks.
package object

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/webhook-gen/webhook-gen/internal/defaulting"
	"github.com/webhook-gen/webhook-gen/internal/regular"
)

// Read reads every object of a file, including the items of lists. A document without apiVersion and kind, such as a
// kustomization.yaml, is not an object.
func Read(file string) ([]*unstructured.Unstructured, error) {
	text, err := regular.ReadArgument(file, regular.Manifest)
	if err != nil {
		return nil, err
	}
	objects, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return objects, nil
}

// ReadOne reads a file that holds one object. It also returns the fields that the file has twice.
func ReadOne(file string) (o *unstructured.Unstructured, twice []string, err error) {
	text, err := regular.ReadArgument(file, regular.Manifest)
	if err != nil {
		return nil, nil, err
	}
	objects, err := parse(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	switch len(objects) {
	case 0:
		return nil, nil, fmt.Errorf("%s holds no object, which has an apiVersion and a kind", file)
	case 1:
	default:
		return nil, nil, fmt.Errorf("%s holds %d objects: a request is about one", file, len(objects))
	}
	return objects[0], fieldsTwice(text), nil
}

func parse(text []byte) ([]*unstructured.Unstructured, error) {
	var objects []*unstructured.Unstructured
	documents := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		var text json.RawMessage
		if err := documents.Decode(&text); errors.Is(err, io.EOF) {
			return objects, nil
		} else if err != nil {
			return nil, err
		}
		if len(text) > 0 { // as an API server reads it: whole numbers are integers
			if err := utiljson.Unmarshal(text, &object.Object); err != nil {
				return nil, err
			}
		}
		switch {
		case len(object.Object) == 0:
		case object.IsList():
			list, err := object.ToList()
			if err != nil {
				return nil, err
			}
			for i := range list.Items {
				if err := checkTypes(&list.Items[i]); err != nil {
					return nil, fmt.Errorf("items[%d]: %w", i, err)
				}
				objects = append(objects, &list.Items[i])
			}
		case object.Object["kind"] != nil && object.Object["apiVersion"] != nil:
			if err := checkTypes(object); err != nil {
				return nil, err
			}
			objects = append(objects, object)
		}
	}
}

// Typed makes Go types of objects of Kubernetes' own kinds, as an API server has them, so that expressions see the
// fields that these always have; it returns others as they are. Fields that the type does not know are dropped.
func Typed(object *unstructured.Unstructured) (runtime.Object, error) {
	kind := object.GroupVersionKind()
	if !scheme.Scheme.Recognizes(kind) {
		return object, nil
	}
	typed, err := Empty(kind)
	if err != nil {
		return nil, err
	}
	if err := Decode(object, typed); err != nil {
		return nil, err
	}
	typed.GetObjectKind().SetGroupVersionKind(kind)
	if namespace, ok := typed.(*corev1.Namespace); ok {
		labelWithName(namespace)
	}
	return typed, nil
}

// Default sets the defaults of one of Kubernetes' own kinds. It reports whether they are known.
func Default(o runtime.Object) (bool, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil || !defaulting.Kubernetes().Set(fields) {
		return false, err
	}
	completed, err := Empty(o.GetObjectKind().GroupVersionKind())
	if err == nil {
		err = runtime.DefaultUnstructuredConverter.FromUnstructured(fields, completed)
	}
	if err != nil {
		return false, err
	}
	reflect.ValueOf(o).Elem().Set(reflect.ValueOf(completed).Elem())
	return true, nil
}

// Decode reads an object into a Go type. Fields that the type does not know are dropped.
func Decode(object *unstructured.Unstructured, into any) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, into); err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// Empty returns an empty object of one of Kubernetes' own kinds.
func Empty(kind schema.GroupVersionKind) (runtime.Object, error) {
	empty, err := scheme.Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	empty.GetObjectKind().SetGroupVersionKind(kind)
	return empty, nil
}

// Namespace returns a namespace with these labels and the one that every namespace has.
func Namespace(name string, labels map[string]string) *corev1.Namespace {
	namespace := &corev1.Namespace{}
	namespace.Name, namespace.Labels = name, labels
	labelWithName(namespace)
	return namespace
}

// labelWithName sets the label that k8s.io/kubernetes/pkg/apis/core/v1.SetDefaults_Namespace sets.
func labelWithName(namespace *corev1.Namespace) {
	if namespace.Name != "" {
		metav1.SetMetaDataLabel(&namespace.ObjectMeta, corev1.LabelMetadataName, namespace.Name)
	}
}
