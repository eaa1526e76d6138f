// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/policy"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// objects are an API server's knowledge of objects: Go types of Kubernetes' own kinds, and schemas of others.
type objects struct {
	api   *served.API
	types map[schema.GroupVersionKind]*kind
	core  managedfields.TypeConverter // nil until a mutation needs it
	// unknown is the reason why a request cannot be evaluated; nil if it can.
	unknown error
	// scalesCustom reports a request for the subresource scale of a custom resource.
	scalesCustom bool
}

// kind is a kind with a schema.
type kind struct {
	schema    *apiextensionsv1.JSONSchemaProps
	defaults  *served.Definition
	converter managedfields.TypeConverter // nil until a mutation needs it
}

func newObjects(api *served.API, types []project.Type) (*objects, error) {
	o := &objects{api: api, types: map[schema.GroupVersionKind]*kind{}}
	for _, t := range types {
		complete := policy.Complete(t)
		defaults, err := served.NewDefinition(t.Version, complete)
		if err != nil {
			return nil, fmt.Errorf("the schema of %s: %w", t.Kind, err)
		}
		o.types[schema.GroupVersionKind(t.GroupVersionKind)] = &kind{schema: complete, defaults: defaults}
	}
	return o, nil
}

func (o *objects) GetObjectCreater() runtime.ObjectCreater     { return o }
func (o *objects) GetObjectTyper() runtime.ObjectTyper         { return scheme.Scheme }
func (o *objects) GetObjectDefaulter() runtime.ObjectDefaulter { return o }
func (o *objects) GetObjectConvertor() runtime.ObjectConvertor { return o }
func (o *objects) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper {
	return o.api.Mapper()
}

// New returns an empty object.
func (o *objects) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	if scheme.Scheme.Recognizes(kind) {
		return object.Empty(kind)
	}
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(kind)
	return empty, nil
}

// Default sets the defaults of a schema, or of Kubernetes' own kinds.
func (o *objects) Default(in runtime.Object) {
	u, ok := in.(*unstructured.Unstructured)
	if !ok {
		_, _ = object.Default(in) // an object of a Go type always has JSON
		return
	}
	if k := o.types[u.GroupVersionKind()]; k != nil {
		k.defaults.Default(u)
	}
}

// complete changes an object as the decoder of an API server does: custom resources lose unknown fields and nulls, and
// all objects get defaults.
func (o *objects) complete(in runtime.Object) error {
	if u, ok := in.(*unstructured.Unstructured); ok && o.types[u.GroupVersionKind()] != nil {
		_, err := o.types[u.GroupVersionKind()].defaults.Complete(u)
		return err
	}
	o.Default(in)
	return nil
}

// stored are objects as an API server would have stored them.
func (o *objects) stored(given []runtime.Object) ([]runtime.Object, error) {
	var all []runtime.Object
	for _, in := range given {
		in = in.DeepCopyObject()
		if err := o.complete(in); err != nil {
			return nil, fmt.Errorf("params: %w", err)
		}
		all = append(all, in)
	}
	return all, nil
}

// Convert copies an object into another of the same version, or of another version of a custom resource that differs in
// nothing but its apiVersion.
func (o *objects) Convert(in, out, _ any) error {
	switch to := out.(type) {
	case *unstructured.Unstructured:
		from, ok := in.(*unstructured.Unstructured)
		if !ok {
			break
		}
		version := to.GroupVersionKind()
		if from.GroupVersionKind().Version != version.Version && !o.sameInAllVersions(version) {
			return o.cannotConvert(from.GroupVersionKind(), version)
		}
		to.SetUnstructuredContent(from.DeepCopy().Object)
		// A mutation may have changed the kind. The API server refuses that later.
		to.SetAPIVersion(version.GroupVersion().String())
		return nil
	case runtime.Object:
		from, ok := in.(runtime.Object)
		if ok && reflect.TypeOf(in) == reflect.TypeOf(out) {
			reflect.ValueOf(out).Elem().Set(reflect.ValueOf(from.DeepCopyObject()).Elem())
			return nil
		}
		if ok {
			return o.cannotConvert(from.GetObjectKind().GroupVersionKind(), to.GetObjectKind().GroupVersionKind())
		}
	}
	return fmt.Errorf("%T is not converted to %T", in, out)
}

// sameInAllVersions reports a custom resource whose versions differ in nothing but the apiVersion.
func (o *objects) sameInAllVersions(kind schema.GroupVersionKind) bool {
	return slices.ContainsFunc(o.api.ForKind(kind), func(r served.Resource) bool {
		d := o.api.Definition(r.GroupResource())
		return d != nil && d.SameInAllVersions
	})
}

func (o *objects) cannotConvert(from, to schema.GroupVersionKind) error {
	o.unknown = fmt.Errorf("a policy sees the object as %s of %s, and how it is converted from %s is not known here", to.Kind, to.GroupVersion(), from.GroupVersion())
	return o.unknown
}

// ConvertToVersion makes a Go type of an object of one of Kubernetes' own kinds. It fails for the result of a mutation
// of a custom resource's Scale, as in an API server (crConverter of
// k8s.io/apiextensions-apiserver/pkg/apiserver/conversion).
func (o *objects) ConvertToVersion(in runtime.Object, _ runtime.GroupVersioner) (runtime.Object, error) {
	if o.scalesCustom {
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", autoscalingv1.SchemeGroupVersion)
	}
	if u, ok := in.(*unstructured.Unstructured); ok {
		return object.Typed(u)
	}
	return in, nil
}

func (o *objects) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("no field selectors")
}

// GetTypeConverter returns the types that an ApplyConfiguration is merged by.
func (o *objects) GetTypeConverter(of schema.GroupVersionKind) managedfields.TypeConverter {
	if of == autoscalingv1.SchemeGroupVersion.WithKind("Scale") { // an API server has no type for it
		none, err := managedfields.NewTypeConverter(nil, false)
		if err != nil {
			o.unknown = err
		}
		return none
	}
	if scheme.Scheme.Recognizes(of) {
		if o.core == nil {
			o.core = applyconfigurations.NewTypeConverter(scheme.Scheme)
		}
		return o.core
	}
	k := o.types[of]
	if k == nil {
		return untyped{managedfields.NewDeducedTypeConverter()}
	}
	if k.converter == nil {
		converter, err := typeConverter(of, k.schema)
		if err != nil {
			o.unknown = fmt.Errorf("the schema of %s: %w", of.Kind, err)
			return nil
		}
		k.converter = converter
	}
	return k.converter
}

// untyped are the types of objects without a schema, which serve JSON patches.
type untyped struct{ managedfields.TypeConverter }

func (o *objects) Run(context.Context) {}

// typeConverter makes the types from a schema, as from the OpenAPI document of an API server.
func typeConverter(of schema.GroupVersionKind, props *apiextensionsv1.JSONSchemaProps) (managedfields.TypeConverter, error) {
	text, err := json.Marshal(props)
	if err != nil {
		return nil, err
	}
	var s spec.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	s.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{"group": of.Group, "version": of.Version, "kind": of.Kind}})
	return managedfields.NewTypeConverter(map[string]*spec.Schema{of.Kind: &s}, false)
}
