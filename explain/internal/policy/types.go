// SPDX-License-Identifier: Apache-2.0

package policy

import (
	"reflect"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/webhook-gen/webhook-gen/explain/project"
)

// node is a place in the type of an object: its schema, and its type in expressions.
type node struct {
	decl   *apiservercel.DeclType
	schema *apiextensionsv1.JSONSchemaProps
}

// objectType is the type of a kind.
type objectType struct {
	kind  string
	scope string // empty if it is not known
	root  node
	// objects are the schemas of its structs, by the name of the type in expressions.
	objects map[string]*apiextensionsv1.JSONSchemaProps
}

// newObjectType returns the type of a kind, with the metadata of every object. Expressions see objects as JSON, without
// a schema, so that a time is a text, bytes are one in base64, and unknown fields may be present where the schema
// preserves them (k8s.io/apiserver/pkg/cel/common, SchemalessTypedToVal).
func newObjectType(t project.Type) *objectType {
	o := &objectType{kind: t.Kind, scope: t.Scope, objects: map[string]*apiextensionsv1.JSONSchemaProps{}}
	root := Complete(t)
	if known, err := scheme.Scheme.New(schema.GroupVersionKind(t.GroupVersionKind)); err == nil {
		requireStructs(root, reflect.TypeOf(known))
	}
	o.root = node{o.declare(root, t.Kind), root}
	return o
}

// Complete returns the schema of a type with the fields that every object has.
func Complete(t project.Type) *apiextensionsv1.JSONSchemaProps {
	root := t.Schema.DeepCopy()
	root.Type, root.XIntOrString, root.XPreserveUnknownFields, root.AdditionalProperties = "object", false, nil, nil
	if root.Properties == nil {
		root.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
	}
	text := apiextensionsv1.JSONSchemaProps{Type: "string"}
	root.Properties["apiVersion"], root.Properties["kind"], root.Properties["metadata"] = text, text, objectMeta()
	for _, always := range []string{"apiVersion", "kind", "metadata"} {
		if !slices.Contains(root.Required, always) {
			root.Required = append(root.Required, always)
		}
	}
	return root
}

// requireStructs marks the fields of Kubernetes' own types that are structs as required. JSON has them in any case:
// omitempty leaves out no struct.
func requireStructs(s *apiextensionsv1.JSONSchemaProps, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Slice && s.Items != nil && s.Items.Schema != nil:
		requireStructs(s.Items.Schema, t.Elem())
	case t.Kind() == reflect.Map && s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		requireStructs(s.AdditionalProperties.Schema, t.Elem())
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "" && field.Anonymous {
				requireStructs(s, field.Type)
				continue
			}
			property, ok := s.Properties[name]
			if !ok {
				continue
			}
			requireStructs(&property, field.Type)
			s.Properties[name] = property
			if field.Type.Kind() == reflect.Struct && property.Type == "object" && !strings.Contains(options, "omitzero") && !slices.Contains(s.Required, name) {
				s.Required = append(s.Required, name)
			}
		}
	}
}

// declare returns the type of a schema in expressions. It has the sizes of SchemaDeclType in
// k8s.io/apiserver/pkg/cel/common.
func (o *objectType) declare(s *apiextensionsv1.JSONSchemaProps, name string) *apiservercel.DeclType {
	if isOpen(s) {
		return o.dynamic(s)
	}
	switch s.Type {
	case "array":
		items := o.declare(s.Items.Schema, name+".@idx")
		return apiservercel.NewListType(items, bound(s.MaxItems, (requestSize-2)/(items.MinSerializedSize+1)))
	case "object":
		if s.AdditionalProperties != nil {
			values := o.declare(s.AdditionalProperties.Schema, name+".@elem")
			return apiservercel.NewMapType(apiservercel.StringType, values, bound(s.MaxProperties, (requestSize-2)/(values.MinSerializedSize+6)))
		}
		fields := map[string]*apiservercel.DeclField{}
		size := int64(2)
		for field := range s.Properties {
			property := s.Properties[field]
			required := slices.Contains(s.Required, field)
			decl := o.declare(&property, name+"."+field)
			fields[field] = apiservercel.NewDeclField(field, decl, required, nil, nil)
			if required && property.Default == nil {
				size += int64(len(field)) + decl.MinSerializedSize + 4
			}
		}
		object := apiservercel.NewObjectType(name, fields)
		object.MinSerializedSize = size
		o.objects[name] = s
		return object
	case "string":
		text := apiservercel.NewSimpleTypeWithMinSize("string", celgo.StringType, types.String(""), apiservercel.MinStringSize)
		text.MaxElements = textSize(s)
		return text
	case "boolean":
		return apiservercel.BoolType
	case "number":
		return apiservercel.DoubleType
	}
	return apiservercel.IntType
}

// requestSize is the size of the largest request, in bytes.
const requestSize = apiservercel.DefaultMaxRequestSizeBytes

// dynamic returns the type of a value whose type is open. It may still be a list or a map that may be null.
func (o *objectType) dynamic(s *apiextensionsv1.JSONSchemaProps) *apiservercel.DeclType {
	d := apiservercel.NewSimpleTypeWithMinSize("dyn", celgo.DynType, nil, 1)
	switch {
	case s.Type == "array":
		d.MaxElements = bound(s.MaxItems, requestSize/2)
	case s.Type == "object" && s.AdditionalProperties != nil:
		d.MaxElements = bound(s.MaxProperties, requestSize/6)
	default:
		d.MaxElements = textSize(s)
	}
	return d
}

// textSize is the length of the longest text in bytes. A character has at most four bytes.
func textSize(s *apiextensionsv1.JSONSchemaProps) int64 {
	switch {
	case s.MaxLength != nil:
		return 4 * max(*s.MaxLength, 0)
	case s.Format == "date-time":
		return apiservercel.MaxDatetimeSizeJSON
	case s.Format == "duration":
		return apiservercel.MaxDurationSizeJSON
	case s.Format == "date":
		return apiservercel.JSONDateSize
	case len(s.Enum) > 0:
		longest := 0
		for _, e := range s.Enum {
			longest = max(longest, len(e.Raw))
		}
		return int64(longest)
	}
	return requestSize - 2
}

func bound(declared *int64, assumed int64) int64 {
	if declared != nil {
		return max(*declared, 0)
	}
	return assumed
}

// isOpen reports whether a schema leaves the type of a value open, or says too little of it.
func isOpen(s *apiextensionsv1.JSONSchemaProps) bool {
	switch {
	case s.XIntOrString, s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields, s.XEmbeddedResource:
		return true
	case s.Nullable && s.Type != "object":
		return true
	}
	switch s.Type {
	case "array":
		return s.Items == nil || s.Items.Schema == nil
	case "object":
		if s.AdditionalProperties != nil {
			return s.AdditionalProperties.Schema == nil || s.Nullable
		}
		return len(s.Properties) == 0
	case "string", "boolean", "number", "integer":
		return false
	}
	return true
}

// isQuantity reports a resource.Quantity.
func isQuantity(s *apiextensionsv1.JSONSchemaProps) bool {
	return s != nil && s.XIntOrString && strings.Contains(s.Pattern, "numkMGTPE")
}

// field returns a field of a struct, or a value of a map.
func (n node) field(name string) (node, bool) {
	if n.decl == nil {
		return node{}, false
	}
	if n.decl.IsMap() {
		return n.element()
	}
	f, ok := n.decl.Fields[name]
	if !ok {
		return node{}, false
	}
	field := node{decl: f.Type}
	if n.schema != nil {
		if property, ok := n.schema.Properties[name]; ok {
			field.schema = &property
		}
	}
	return field, true
}

// element returns an element of a list, or a value of a map.
func (n node) element() (node, bool) {
	if n.decl == nil || n.decl.ElemType == nil {
		return node{}, false
	}
	e := node{decl: n.decl.ElemType}
	switch {
	case n.schema == nil:
	case n.decl.IsList() && n.schema.Items != nil:
		e.schema = n.schema.Items.Schema
	case n.decl.IsMap() && n.schema.AdditionalProperties != nil:
		e.schema = n.schema.AdditionalProperties.Schema
	}
	return e, true
}

// metadataBytes is the size of all annotations of an object that an API server allows
// (k8s.io/apimachinery/pkg/api/validation, TotalAnnotationSizeLimitB). It is taken for labels, too.
const metadataBytes = 256 * 1024

// objectMeta is the schema of metav1.ObjectMeta. Its sizes are limits of API servers, or assumed.
func objectMeta() apiextensionsv1.JSONSchemaProps {
	text := func(n int64) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "string", MaxLength: new(n)}
	}
	list := func(items apiextensionsv1.JSONSchemaProps, of string, keys ...string) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{
			Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}, XListType: &of, XListMapKeys: keys, MaxItems: new(int64(1000)),
		}
	}
	texts := func(n int64) apiextensionsv1.JSONSchemaProps {
		value := text(n)
		return apiextensionsv1.JSONSchemaProps{
			Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Schema: &value}, MaxProperties: new(int64(metadataBytes / 8)),
		}
	}
	flag, number := apiextensionsv1.JSONSchemaProps{Type: "boolean"}, apiextensionsv1.JSONSchemaProps{Type: "integer", Format: "int64"}
	time := apiextensionsv1.JSONSchemaProps{Type: "string", Format: "date-time"}
	owner := apiextensionsv1.JSONSchemaProps{Type: "object", Required: []string{"apiVersion", "kind", "name", "uid"},
		Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"apiVersion": text(317), "kind": text(63), "name": text(253), "uid": text(36), "controller": flag, "blockOwnerDeletion": flag,
		}}
	return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"name": text(253), "generateName": text(253), "namespace": text(63), "selfLink": text(1024), "uid": text(36),
		"resourceVersion": text(32), "generation": number, "creationTimestamp": time, "deletionTimestamp": time,
		"deletionGracePeriodSeconds": number, "labels": texts(63), "annotations": texts(metadataBytes / 4),
		"ownerReferences": list(owner, "map", "uid"), "finalizers": list(text(317), "set"),
		"managedFields": list(apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}, "atomic"),
	}}
}
