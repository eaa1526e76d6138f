// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/webhook-gen/webhook-gen/explain/internal/configuration"
	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/request"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// isPolicy reports an admission policy or a binding. Its versions differ in nothing that matters here.
func isPolicy(o *unstructured.Unstructured) bool {
	kind := o.GroupVersionKind()
	return kind.Group == configuration.Group && slices.Contains([]string{
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding",
	}, kind.Kind)
}

func (w *world) addPolicy(o *unstructured.Unstructured) {
	if strings.HasSuffix(o.GetKind(), "Binding") {
		w.bindings = append(w.bindings, *o)
		return
	}
	w.policies = append(w.policies, project.Policy{Object: *o})
}

// bind gives every policy its bindings, without those that an API server refuses.
func (w *world) bind(refused map[Registered]string) error {
	at := map[[2]string]int{} // by the kind of bindings, and the name
	for i, p := range w.policies {
		key := [2]string{p.Object.GetKind() + "Binding", p.Object.GetName()}
		if _, known := at[key]; known {
			return fmt.Errorf("there are two %ss called %q", p.Object.GetKind(), p.Object.GetName())
		}
		at[key] = i
		w.policies[i].Refused = refused[Registered{p.Object.GetKind(), p.Object.GetName()}]
	}
	for _, b := range w.bindings {
		name, _, _ := unstructured.NestedString(b.Object, "spec", "policyName")
		if reason := refused[Registered{b.GetKind(), b.GetName()}]; reason != "" {
			w.unbound = append(w.unbound, fmt.Sprintf("the %s %s does nothing: the API server refuses it: %s", b.GetKind(), b.GetName(), reason))
			continue
		}
		i, known := at[[2]string{b.GetKind(), name}]
		if !known {
			w.unbound = append(w.unbound, fmt.Sprintf("the %s %s does nothing: there is no policy %q", b.GetKind(), b.GetName(), name))
			continue
		}
		w.policies[i].Bindings = append(w.policies[i].Bindings, b)
	}
	for _, p := range w.policies {
		switch {
		case p.Refused != "":
			w.unbound = append(w.unbound, fmt.Sprintf("the %s %s does nothing: the API server refuses it: %s", p.Object.GetKind(), p.Object.GetName(), p.Refused))
		case len(p.Bindings) == 0:
			w.unbound = append(w.unbound, fmt.Sprintf("the %s %s does nothing: it has no binding", p.Object.GetKind(), p.Object.GetName()))
		}
	}
	return nil
}

// addTypes adds the types of a CustomResourceDefinition.
func (w *world) addTypes(crd *apiextensionsv1.CustomResourceDefinition) {
	for _, v := range crd.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		kind := project.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
		w.types = append(w.types, project.Type{GroupVersionKind: kind, Schema: *v.Schema.OpenAPIV3Schema})
	}
}

// typesOf are the types of the objects of a request and of params: from the CustomResourceDefinition of each, or else
// from the project's Go types.
func (w *world) typesOf(r *request.Request) []project.Type {
	params := map[schema.GroupVersionKind]bool{}
	for _, p := range w.policies {
		params[paramKind(p)] = true
	}
	var found []project.Type
	for _, t := range w.types {
		if (t.Group == r.GetKind().Group && t.Kind == r.GetKind().Kind || params[schema.GroupVersionKind(t.GroupVersionKind)]) &&
			!slices.ContainsFunc(found, func(f project.Type) bool { return f.GroupVersionKind == t.GroupVersionKind }) {
			found = append(found, t)
		}
	}
	return found
}

// paramKind is the kind of a policy's params; without a kind if the policy has none.
func paramKind(p project.Policy) schema.GroupVersionKind {
	apiVersion, _, _ := unstructured.NestedString(p.Object.Object, "spec", "paramKind", "apiVersion")
	kind, _, _ := unstructured.NestedString(p.Object.Object, "spec", "paramKind", "kind")
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

// paramsOf are the params of all policies: from files, and from the cluster.
func (w *world) paramsOf(ctx context.Context, r *request.Request) ([]runtime.Object, error) {
	var found []runtime.Object
	known := map[string]bool{}
	add := func(o *unstructured.Unstructured, namespaced bool) error {
		if namespaced && o.GetNamespace() == "" {
			o = o.DeepCopy()
			o.SetNamespace(metav1.NamespaceDefault)
		}
		key := fmt.Sprintf("%s %s/%s", o.GroupVersionKind(), o.GetNamespace(), o.GetName())
		if known[key] {
			return nil
		}
		known[key] = true
		typed, err := object.Typed(o)
		found = append(found, typed)
		return err
	}
	for _, p := range w.policies {
		gvk := paramKind(p)
		if gvk.Kind == "" {
			continue
		}
		resources := w.api.ForKind(gvk)
		namespaced := len(resources) > 0 && resources[0].Namespaced
		for _, o := range w.objects {
			if o.GroupVersionKind() == gvk {
				if err := add(o, namespaced); err != nil {
					return nil, err
				}
			}
		}
		if w.cluster == nil || len(resources) == 0 {
			continue
		}
		for _, b := range p.Bindings {
			ref := &v1.ParamRef{}
			fields, ok, _ := unstructured.NestedMap(b.Object, "spec", "paramRef")
			if !ok {
				continue
			}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, ref); err != nil {
				return nil, fmt.Errorf("%s %s: spec.paramRef: %w", b.GetKind(), b.GetName(), err)
			}
			namespace := ""
			if namespaced {
				if namespace = cmp.Or(ref.Namespace, r.GetNamespace()); namespace == "" {
					continue // an API server refuses the request, which the evaluation tells
				}
			}
			read, err := w.cluster.Params(ctx, resources[0].GroupVersionResource, namespace, ref)
			if err != nil {
				return nil, fmt.Errorf("params of the %s %s: %w", b.GetKind(), b.GetName(), err)
			}
			for i := range read {
				if err := add(&read[i], namespaced); err != nil {
					return nil, err
				}
			}
		}
	}
	return found, nil
}

// policySelectsNamespaces reports whether a policy or a binding depends on labels of the namespace other than its name.
func policySelectsNamespaces(p project.Policy) bool {
	reads := func(o unstructured.Unstructured, path ...string) bool {
		s := &metav1.LabelSelector{}
		fields, ok, _ := unstructured.NestedMap(o.Object, append(path, "namespaceSelector")...)
		return ok && runtime.DefaultUnstructuredConverter.FromUnstructured(fields, s) == nil && asksMoreThanName(s)
	}
	text, err := json.Marshal(p.Object.Object)
	if err != nil || strings.Contains(string(text), "namespaceObject") || reads(p.Object, "spec", "matchConstraints") {
		return true
	}
	return slices.ContainsFunc(p.Bindings, func(b unstructured.Unstructured) bool { return reads(b, "spec", "matchResources") })
}
