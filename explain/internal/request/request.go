// SPDX-License-Identifier: Apache-2.0

// Package request makes admission attributes, as an API server passes them to admission, from an object and options. It
// follows the rules of k8s.io/apiserver/pkg/endpoints/handlers and of RequestInfoFactory.
package request

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
	"github.com/webhook-gen/webhook-gen/internal/defaulting"
)

// Options describe a request. New finds out absent options where it can.
type Options struct {
	// Object is the object that the client sends, or the object that a DELETE deletes; nil for a CONNECT without options.
	Object *unstructured.Unstructured
	// Old is the object before an UPDATE; nil means that the UPDATE leaves it unchanged.
	Old *unstructured.Unstructured
	// Operation is CREATE, UPDATE, DELETE or CONNECT; empty means UPDATE where there is an old object, else CREATE.
	Operation string
	// Resource is a resource as kubectl names it: "deployments", "deployments.apps", "deployments.v1.apps".
	Resource    string
	Subresource string
	Namespace   string
	Name        string
	// Collection is a DELETE of a collection, of which the object is an item. Its requests have no name.
	Collection bool
	DryRun     bool
	// FieldValidation is Strict, Warn or Ignore: the answer of the API server to unknown fields and to fields that the
	// object has twice. Empty means Warn, as for the API server.
	FieldValidation string
	// Twice are the fields that the texts of the objects have twice.
	Twice []string
	User
}

// Request is a request as admission sees it.
type Request struct {
	admission.Attributes
	// Defaulted reports that the objects come from an API server, and have its defaults.
	Defaulted bool
	// Assumed lists the assumptions, in sentences.
	Assumed []string
}

// New makes a request from its options. An AdmissionReview needs no other options.
func New(o Options, api *served.API) (*Request, error) {
	if o.Object != nil && isReview(o.Object) {
		return fromReview(o)
	}
	r := &Request{Defaulted: fromServer(o.Object) && (o.Old == nil || fromServer(o.Old))}
	operation, err := r.operation(&o)
	if err != nil {
		return nil, err
	}
	resource, err := r.resource(o, api)
	if err != nil {
		return nil, err
	}
	namespace, name, err := objectName(o, resource)
	if err != nil {
		return nil, err
	}
	created, old, err := r.objects(o, operation, resource, namespace, api)
	if err != nil {
		return nil, err
	}
	kind := resource.Kind
	if o.Object != nil && !r.Defaulted && scheme.Scheme.Recognizes(kind) && !defaulting.Kubernetes().Has(kind.GroupVersion().String(), kind.Kind) {
		r.assume("no default: the defaults of %s of %s are not known here", kind.Kind, kind.GroupVersion())
	}
	r.Attributes = admission.NewAttributesRecord(created, old, resource.Kind, namespace, name, resource.GroupVersionResource,
		resource.Subresource, operation, OperationOptions(operation, o.DryRun), o.DryRun, o.User.info())
	return r, nil
}

// fromServer reports an object that an API server has printed, or would store: kubectl get, kubectl create
// --dry-run=server.
func fromServer(o *unstructured.Unstructured) bool { return o != nil && o.GetUID() != "" }

func (r *Request) assume(format string, args ...any) {
	r.Assumed = append(r.Assumed, fmt.Sprintf(format, args...))
}

// operation returns the operation, and moves the object of a DELETE to where New reads it.
func (r *Request) operation(o *Options) (admission.Operation, error) {
	operation := admission.Operation(strings.ToUpper(o.Operation))
	switch {
	case operation == "" && o.Old != nil:
		operation = admission.Update
	case operation == "":
		operation = admission.Create
	}
	switch operation {
	case admission.Create, admission.Connect:
		if o.Old != nil {
			return "", fmt.Errorf("a %s has no old object", operation)
		}
	case admission.Update:
		if o.Object != nil && o.Old == nil {
			o.Old = o.Object
			r.assume("the update changes nothing: pass the former object with --old")
		}
	case admission.Delete:
		if o.Collection && o.Subresource != "" {
			return "", errors.New("a subresource has no collection to delete")
		}
		o.Object, o.Old = cmp.Or(o.Object, o.Old), cmp.Or(o.Old, o.Object)
	default:
		return "", fmt.Errorf("%q is no operation: use CREATE, UPDATE, DELETE or CONNECT", o.Operation)
	}
	if o.Collection && operation != admission.Delete {
		return "", fmt.Errorf("--name is empty, as for a DELETE of a collection, and this is a %s", operation)
	}
	if o.Object == nil && operation != admission.Connect {
		return "", fmt.Errorf("a %s needs an object: -f names its file", operation)
	}
	return operation, nil
}

// objectName decides namespace and name. A request about a namespace lies in the namespace of that name.
func objectName(o Options, resource served.Resource) (namespace, name string, err error) {
	var ownNamespace, ownName string
	if o.Object != nil {
		ownNamespace, ownName = o.Object.GetNamespace(), o.Object.GetName()
	}
	name = cmp.Or(o.Name, ownName)
	if o.Collection {
		name = ""
	}
	switch {
	case o.Name != "" && ownName != "" && o.Name != ownName:
		return "", "", fmt.Errorf("the object is called %s, not %s", ownName, o.Name)
	case o.Old != nil && ownName != "" && (o.Old.GetName() != ownName || o.Old.GroupVersionKind().GroupKind() != o.Object.GroupVersionKind().GroupKind()):
		return "", "", fmt.Errorf("the old object is %s %s, and the object is %s %s", o.Old.GetKind(), o.Old.GetName(), o.Object.GetKind(), ownName)
	case resource.Resource == "namespaces" && resource.Group == "":
		return name, name, nil
	case !resource.Namespaced && o.Namespace != "":
		return "", "", fmt.Errorf("%s is cluster-scoped and lies in no namespace", resource.Name())
	case !resource.Namespaced:
		return "", name, nil
	case o.Namespace != "" && ownNamespace != "" && o.Namespace != ownNamespace:
		return "", "", fmt.Errorf("the object is in the namespace %s, not in %s", ownNamespace, o.Namespace)
	}
	return cmp.Or(o.Namespace, ownNamespace, metav1.NamespaceDefault), name, nil
}

// objects are the object and the old object of the operation, as the API server has them.
func (r *Request) objects(o Options, operation admission.Operation, resource served.Resource, namespace string, api *served.API) (now, old runtime.Object, err error) {
	if o.Object == nil { // of a CONNECT
		now, err = object.Empty(resource.Kind)
		return now, nil, err
	}
	if operation != admission.Delete {
		var unknown []string
		if now, unknown, err = prepare(o.Object, operation == admission.Create, resource, namespace, api); err != nil {
			return nil, nil, err
		}
		if err := r.validateFields(o, unknown); err != nil {
			return nil, nil, err
		}
	}
	if o.Old != nil {
		if old, _, err = prepare(o.Old, false, resource, namespace, api); err != nil {
			return nil, nil, err
		}
	}
	return now, old, nil
}

// prepare changes an object as the API server does before admission. It prunes custom resources, sets defaults, sets
// the namespace of the request, and removes the fields of new objects that only the server may set.
//
// It returns the unknown fields that the API server drops. An error means that the decoder of the API server refuses
// the object.
func prepare(o *unstructured.Unstructured, isNew bool, resource served.Resource, namespace string, api *served.API) (prepared runtime.Object, unknown []string, err error) {
	o = o.DeepCopy()
	if unknown, err = object.Strict(o); err != nil {
		return nil, nil, fmt.Errorf("the API server cannot decode the %s: %w", o.GetKind(), err)
	}
	if d := api.Definition(resource.GroupResource()); d != nil && o.GroupVersionKind().Group == resource.Group {
		dropped, err := d.Complete(o)
		if err != nil {
			return nil, nil, fmt.Errorf("the API server cannot decode the %s: %w", o.GetKind(), err)
		}
		unknown = append(unknown, dropped...)
	}
	if prepared, err = object.Typed(o); err != nil {
		return nil, nil, err
	}
	if u, ok := prepared.(*unstructured.Unstructured); ok {
		err = served.Metadata(u)
	} else {
		_, err = object.Default(prepared)
	}
	if err != nil {
		return nil, nil, err
	}
	accessor, err := meta.Accessor(prepared)
	if err != nil {
		return prepared, unknown, nil // the options of a connection, say, which have no metadata
	}
	if resource.Namespaced && accessor.GetNamespace() == "" {
		accessor.SetNamespace(namespace)
	}
	if isNew {
		accessor.SetCreationTimestamp(metav1.Time{})
		accessor.SetDeletionTimestamp(nil)
		accessor.SetDeletionGracePeriodSeconds(nil)
		accessor.SetUID("")
		accessor.SetSelfLink("")
	}
	return prepared, unknown, nil
}

// validateFields refuses unknown fields and fields that the object has twice, or assumes that the API server warns of
// them (k8s.io/apiserver/pkg/endpoints/handlers, fieldValidation).
func (r *Request) validateFields(o Options, unknown []string) error {
	for _, f := range []struct {
		what, effect string
		fields       []string
	}{{"unknown", "drops it", unknown}, {"duplicate", "takes its last value", o.Twice}} {
		for _, field := range f.fields {
			switch o.FieldValidation {
			case metav1.FieldValidationStrict:
				return fmt.Errorf("the API server cannot decode the %s strictly: %s field %q", o.Object.GetKind(), f.what, field)
			case metav1.FieldValidationIgnore:
			default:
				r.assume("the API server warns of the %s field %s and %s; it refuses the request with --field-validation Strict, kubectl's default",
					f.what, field, f.effect)
			}
		}
	}
	return nil
}

// OperationOptions returns the options that the operation has.
func OperationOptions(operation admission.Operation, isDryRun bool) runtime.Object {
	var dryRun []string
	if isDryRun {
		dryRun = []string{metav1.DryRunAll}
	}
	kind := metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String()}
	switch operation {
	case admission.Create:
		kind.Kind = "CreateOptions"
		return &metav1.CreateOptions{TypeMeta: kind, DryRun: dryRun}
	case admission.Update:
		kind.Kind = "UpdateOptions"
		return &metav1.UpdateOptions{TypeMeta: kind, DryRun: dryRun}
	case admission.Delete:
		kind.Kind = "DeleteOptions"
		return &metav1.DeleteOptions{TypeMeta: kind, DryRun: dryRun}
	}
	return nil
}

// resource finds the resource of the request.
func (r *Request) resource(o Options, api *served.API) (served.Resource, error) {
	if o.Object == nil {
		if o.Resource == "" {
			return served.Resource{}, errors.New("CONNECT needs --resource and --subresource, or a file of its options with -f")
		}
		return only(api.Named(o.Resource, o.Subresource), o)
	}
	kind := o.Object.GroupVersionKind()
	fits := func(candidates []served.Resource) []served.Resource {
		return slices.DeleteFunc(candidates, func(c served.Resource) bool {
			return c.Kind != kind || o.Subresource != "" && c.Subresource != o.Subresource
		})
	}
	if o.Resource != "" {
		if found := fits(api.Named(o.Resource, o.Subresource)); len(found) > 0 {
			return only(found, o)
		}
		if others := api.Named(o.Resource, o.Subresource); len(others) > 0 {
			return served.Resource{}, fmt.Errorf("objects of %s are of the kind %s of %s, not %s of %s", others[0].Name(),
				others[0].Kind.Kind, others[0].Kind.GroupVersion(), kind.Kind, kind.GroupVersion())
		}
		return r.unknown(o)
	}
	found := fits(api.ForKind(kind))
	if len(found) > 0 && found[0].Subresource == "" {
		return found[0], nil
	}
	if len(found) == 0 && o.Subresource != "" && len(api.ForKind(kind)) > 0 {
		main := api.ForKind(kind)[0]
		return served.Resource{}, fmt.Errorf("%s has no subresource %q with objects of the kind %s; it has %s", main.Resource, o.Subresource,
			kind.Kind, strings.Join(api.Subresources(main.GroupVersionResource), ", "))
	}
	if len(found) == 0 {
		return served.Resource{}, fmt.Errorf("which resource has the kind %s of %s? pass --resource, or name its CustomResourceDefinition with --crds",
			kind.Kind, kind.GroupVersion())
	}
	return only(found, o)
}

// unknown returns a resource that only the command line names.
func (r *Request) unknown(o Options) (served.Resource, error) {
	kind := o.Object.GroupVersionKind()
	plural, _, _ := strings.Cut(o.Resource, ".")
	resource := served.Resource{
		GroupVersionResource: kind.GroupVersion().WithResource(plural), Subresource: o.Subresource, Kind: kind,
		Namespaced: o.Namespace != "" || o.Object.GetNamespace() != "",
	}
	scope := "cluster-scoped, since neither -n nor the object names a namespace"
	if resource.Namespaced {
		scope = "namespaced"
	}
	r.assume("%s is %s, and served in no other version: --crds names its CustomResourceDefinition", resource.Name(), scope)
	return resource, nil
}

// only is the resource where there is but one that is meant.
func only(candidates []served.Resource, o Options) (served.Resource, error) {
	switch len(candidates) {
	case 0:
		return served.Resource{}, fmt.Errorf("there is no resource %s", strings.TrimSuffix(o.Resource+"/"+o.Subresource, "/"))
	case 1:
		return candidates[0], nil
	}
	var names []string
	for _, c := range candidates {
		names = append(names, c.String())
	}
	return served.Resource{}, fmt.Errorf("which resource? pass --resource: it may be %s", strings.Join(names, ", "))
}
