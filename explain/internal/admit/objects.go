// SPDX-License-Identifier: Apache-2.0

package admit

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"

	"github.com/webhook-gen/webhook-gen/explain/internal/served"
)

// objects are the request's objects in the versions that webhooks receive.
type objects struct {
	api        *served.API
	definition *served.Definition // nil where the resource has none
	attributes admission.Attributes
	// guessed reports that an object of another version was made by changing the apiVersion, though more may change.
	guessed bool
}

func newObjects(api *served.API, request admission.Attributes) *objects {
	return &objects{api: api, definition: api.Definition(request.GetResource().GroupResource()), attributes: request}
}

// VersionedAttribute returns the request with its objects in a version.
func (o *objects) VersionedAttribute(kind schema.GroupVersionKind) (*admission.VersionedAttributes, error) {
	return admission.NewVersionedAttributes(o.attributes, kind, o)
}

func (o *objects) GetObjectCreater() runtime.ObjectCreater     { return converter{objects: o} }
func (o *objects) GetObjectConvertor() runtime.ObjectConvertor { return converter{objects: o} }
func (o *objects) GetObjectTyper() runtime.ObjectTyper         { return nil } // matching asks for no types
func (o *objects) GetObjectDefaulter() runtime.ObjectDefaulter { return nil } // and sets no defaults
func (o *objects) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper {
	return o.api.Mapper()
}

// converter converts between the versions of a kind by changing the apiVersion. For custom resources without a
// conversion webhook that is all there is to it. Of others the metadata is right.
type converter struct {
	runtime.ObjectConvertor
	*objects
}

func (converter) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(kind)
	return empty, nil
}

func (c converter) Convert(in, out, _ any) error {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(in)
	if err != nil {
		return err
	}
	c.guessed = c.guessed || c.definition == nil || !c.definition.SameInAllVersions
	out.(*unstructured.Unstructured).SetUnstructuredContent(runtime.DeepCopyJSON(content)) // its apiVersion changes
	return nil
}
