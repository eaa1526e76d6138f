// SPDX-License-Identifier: Apache-2.0

package worlds

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/json"
	fieldpath "k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// schemaOf is the schema of a version with the API server's own code for it.
type schemaOf struct {
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
}

// newSchema reads the schema of a version, with that version as the storage version. It returns an error if an API
// server refuses the definition.
func newSchema(definition *apiextensionsv1.CustomResourceDefinition, version string) (*schemaOf, error) {
	d := installable(definition, version)
	d.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	d.Status.StoredVersions = []string{version}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(d)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&d.Spec)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(d, internal, nil); err != nil {
		return nil, err
	}
	if errs := crdvalidation.ValidateCustomResourceDefinition(context.Background(), internal); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	own, err := apiextensions.GetSchemaForVersion(internal, version)
	if err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(own.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(own.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	return &schemaOf{structural, validator, cel.NewValidator(structural, true, celconfig.PerCallLimit)}, nil
}

// installable returns a definition with all versions served and one of them stored.
func installable(definition *apiextensionsv1.CustomResourceDefinition, storage string) *apiextensionsv1.CustomResourceDefinition {
	d := definition.DeepCopy()
	d.Name = d.Spec.Names.Plural + "." + d.Spec.Group
	for i := range d.Spec.Versions {
		v := &d.Spec.Versions[i]
		v.Served, v.Storage = true, v.Name == storage
	}
	return d
}

// prune does what an API server does with each object that it decodes or that a webhook has converted. Upstream:
// k8s.io/apiextensions-apiserver/pkg/apiserver, unstructuredSchemaCoercer.
func (s *schemaOf) prune(object map[string]any, stored bool) error {
	kind, apiVersion := object["kind"], object["apiVersion"]
	meta, found, err := objectmeta.GetObjectMeta(object, stored)
	if err != nil {
		return err
	}
	pruning.Prune(object, s.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
	if err := objectmeta.Coerce(nil, object, s.structural, false, stored); err != nil {
		return err
	}
	object["kind"], object["apiVersion"] = kind, apiVersion
	if found {
		return objectmeta.SetObjectMeta(object, meta)
	}
	return nil
}

// validate does what an API server does with an object of a request. Upstream:
// k8s.io/apiextensions-apiserver/pkg/registry/customresource, customResourceStrategy.Validate.
func (s *schemaOf) validate(object map[string]any) error {
	errs := validation.ValidateCustomResource(nil, object, s.validator)
	errs = append(errs, objectmeta.Validate(context.Background(), nil, object, s.structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	if s.rules != nil && len(errs) == 0 {
		ruled, _ := s.rules.Validate(context.Background(), nil, s.structural, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, ruled...)
	}
	if len(errs) == 0 {
		return nil
	}
	return &invalid{errs}
}

// invalid is the answer to an object that a schema refuses.
type invalid struct{ errs fieldpath.ErrorList }

func (i *invalid) Error() string { return i.errs.ToAggregate().Error() }

// limited reports whether objects violate only limits that may be younger than they are.
func limited(err error) bool {
	refused := (*invalid)(nil)
	return errors.As(err, &refused) && !slices.ContainsFunc(refused.errs, func(e *fieldpath.Error) bool { return e.Type != fieldpath.ErrorTypeTooLong })
}

// server plays an API server with one object of a world.
type server struct {
	*made
	converter *converter
	storage   string // the storage version
	stored    map[string]any
	lenient   bool // whether values that are there already may violate limits
}

// write stores an object that a client sends. The object then has the defaults of its version.
func (s *server) write(version string, object map[string]any) error {
	own := s.schemas[version]
	if err := own.prune(object, false); err != nil {
		return &invalid{fieldpath.ErrorList{fieldpath.Invalid(nil, nil, err.Error())}}
	}
	defaulting.Default(object, own.structural)
	if err := own.validate(object); err != nil && !(s.lenient && limited(err)) {
		return err
	}
	stored, err := s.convert(object, s.storage)
	if err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	s.stored = stored
	return nil
}

// accepts reports whether a version takes an object of a client.
func (s *server) accepts(version string, object map[string]any) bool {
	own := s.schemas[version]
	if own.prune(object, false) != nil {
		return false
	}
	defaulting.Default(object, own.structural)
	err := own.validate(object)
	return err == nil || s.lenient && limited(err)
}

// read returns the object in a version, as a client gets it.
func (s *server) read(version string) (map[string]any, error) {
	object, own := clone(s.stored), s.schemas[s.storage]
	if err := own.prune(object, true); err != nil {
		return nil, err
	}
	defaulting.Default(object, own.structural)
	return s.convert(object, version)
}

// convert converts an object as an API server does, which checks and prunes the result.
func (s *server) convert(object map[string]any, version string) (map[string]any, error) {
	apiVersion := s.name + ".example.com/" + version
	if object["apiVersion"] == apiVersion {
		return clone(object), nil
	}
	converted, err := s.converter.convert(object, apiVersion)
	if err != nil {
		return nil, err
	}
	if converted["kind"] != object["kind"] || converted["apiVersion"] != apiVersion {
		return nil, errors.New("the result has another kind or version")
	}
	before, after := maps.Clone(metadata(object)), maps.Clone(metadata(converted))
	for _, m := range []map[string]any{before, after} {
		delete(m, "annotations")
		delete(m, "labels")
	}
	if string(encode(before)) != string(encode(after)) {
		return nil, fmt.Errorf("the result has other metadata: %s", encode(after))
	}
	return converted, s.schemas[version].prune(converted, false)
}

func metadata(object map[string]any) map[string]any {
	m, _ := object["metadata"].(map[string]any)
	return m
}

// decode reads JSON as API servers do: whole numbers are int64.
func decode(text []byte) (map[string]any, error) {
	var object map[string]any
	return object, json.Unmarshal(text, &object)
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		return []byte(err.Error())
	}
	return text
}

// clone copies an object.
func clone(object map[string]any) map[string]any {
	copied, err := decode(encode(object))
	if err != nil {
		return nil
	}
	return copied
}
