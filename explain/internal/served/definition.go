// SPDX-License-Identifier: Apache-2.0

package served

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Definition is the information about a kind in its CustomResourceDefinition.
type Definition struct {
	// SameInAllVersions reports that versions differ in nothing but their apiVersion (spec.conversion.strategy: None).
	SameInAllVersions bool

	schemas map[string]*structuralschema.Structural // by version
}

// Define adds the resources of a CustomResourceDefinition in the order in which the API server registers them
// (k8s.io/apiextensions-apiserver/pkg/apiserver, getOrCreateServingInfoFor).
func (a *API) Define(crd *apiextensionsv1.CustomResourceDefinition) error {
	group := crd.Spec.Group
	d := &Definition{
		SameInAllVersions: crd.Spec.Conversion == nil || crd.Spec.Conversion.Strategy != apiextensionsv1.WebhookConverter,
		schemas:           map[string]*structuralschema.Structural{},
	}
	for _, v := range crd.Spec.Versions {
		resource := Resource{
			GroupVersionResource: schema.GroupVersionResource{Group: group, Version: v.Name, Resource: crd.Spec.Names.Plural},
			Kind:                 schema.GroupVersionKind{Group: group, Version: v.Name, Kind: crd.Spec.Names.Kind},
			Namespaced:           crd.Spec.Scope == apiextensionsv1.NamespaceScoped,
		}
		a.Add(resource)
		if v.Subresources != nil && v.Subresources.Status != nil {
			status := resource
			status.Subresource = "status"
			a.Add(status)
		}
		if v.Subresources != nil && v.Subresources.Scale != nil {
			scale := resource
			scale.Subresource, scale.Kind = "scale", autoscalingv1.SchemeGroupVersion.WithKind("Scale")
			a.Add(scale)
		}
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil || crd.Spec.PreserveUnknownFields {
			continue
		}
		structural, err := structuralOf(v.Schema)
		if err != nil {
			return fmt.Errorf("%s, version %s: %w", crd.Name, v.Name, err)
		}
		d.schemas[v.Name] = structural
	}
	a.definitions[schema.GroupResource{Group: group, Resource: crd.Spec.Names.Plural}] = d
	return nil
}

func structuralOf(validation *apiextensionsv1.CustomResourceValidation) (*structuralschema.Structural, error) {
	internal := &apiextensions.CustomResourceValidation{}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(validation, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	return structural, defaulting.PruneDefaults(structural)
}

// NewDefinition returns the definition of a kind with one version.
func NewDefinition(version string, schema *apiextensionsv1.JSONSchemaProps) (*Definition, error) {
	structural, err := structuralOf(&apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema})
	if err != nil {
		return nil, err
	}
	return &Definition{SameInAllVersions: true, schemas: map[string]*structuralschema.Structural{version: structural}}, nil
}

// Convert declares that a webhook converts between the versions of a resource. It overrides the file of the definition,
// since another program than the conversion's often writes that file.
func (a *API) Convert(resource schema.GroupResource) {
	d := a.definitions[resource]
	if d == nil {
		d = &Definition{}
		a.definitions[resource] = d
	}
	d.SameInAllVersions = false
}

// Definition returns the definition of a custom resource; nil for other resources.
func (a *API) Definition(resource schema.GroupResource) *Definition { return a.definitions[resource] }

// Defaults reports whether Complete adds the defaults of a version. It cannot for Kubernetes' own kinds, nor for a
// version without a schema.
func (d *Definition) Defaults(version string) bool { return d != nil && d.schemas[version] != nil }

// Default adds the defaults of the schema, as the API server does after a mutation.
func (d *Definition) Default(object *unstructured.Unstructured) {
	if structural := d.schemas[object.GroupVersionKind().Version]; structural != nil {
		defaulting.Default(object.Object, structural)
	}
}

// Complete drops the fields of an object that are not in the schema of its version, and adds the schema's defaults, as
// the API server does before admission. It returns the paths of the dropped fields. An error means that the decoder of
// the API server refuses an embedded object.
func (d *Definition) Complete(object *unstructured.Unstructured) (dropped []string, err error) {
	structural := d.schemas[object.GroupVersionKind().Version]
	if structural == nil {
		return nil, nil
	}
	defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, structural)
	defaulting.Default(object.Object, structural)
	dropped = pruning.PruneWithOptions(object.Object, structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	refused, unknown := objectmeta.CoerceWithOptions(nil, object.Object, structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if refused != nil {
		return nil, refused
	}
	return append(dropped, unknown...), nil
}

// Metadata writes the metadata of a custom resource again from the Go type into which an API server reads it. Empty and
// unknown members go (k8s.io/apiextensions-apiserver/pkg/apiserver, unstructuredSchemaCoercer).
func Metadata(object *unstructured.Unstructured) error {
	metadata, ok, err := objectmeta.GetObjectMeta(object.Object, false)
	if err != nil || !ok {
		return err
	}
	return objectmeta.SetObjectMeta(object.Object, metadata)
}
