// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/admission"

	"github.com/webhook-gen/webhook-gen/explain/internal/admit"
	"github.com/webhook-gen/webhook-gen/explain/internal/object"
	"github.com/webhook-gen/webhook-gen/explain/internal/request"
	"github.com/webhook-gen/webhook-gen/explain/internal/served"
	"github.com/webhook-gen/webhook-gen/explain/project"
)

// Request is a request as admission sees it.
type Request struct {
	Operation       string                      `json:"operation"`
	Resource        metav1.GroupVersionResource `json:"resource"`
	Kind            metav1.GroupVersionKind     `json:"kind"`
	SubResource     string                      `json:"subResource"`
	Name            string                      `json:"name"`
	Namespace       string                      `json:"namespace"`
	UserInfo        authenticationv1.UserInfo   `json:"userInfo"`
	DryRun          bool                        `json:"dryRun"`
	Object          json.RawMessage             `json:"object"`
	OldObject       json.RawMessage             `json:"oldObject"`
	Options         json.RawMessage             `json:"options"`
	NamespaceObject json.RawMessage             `json:"namespaceObject"`
	Params          []json.RawMessage           `json:"params"`
	// Authorizer is allow or deny: the answer to expressions that ask the authorizer. Without it, such requests have no
	// answer.
	Authorizer admit.Answer `json:"authorizer"`
	// Phase limits the evaluation to one phase, for callers with webhooks in between. It is empty for all of them.
	Phase Phase `json:"phase"`
	// Current is the object before the phase reinvocation; Object is the one before the phase mutation.
	Current json.RawMessage `json:"current"`
}

// Run answers every request by the policies of a project.
func Run(ctx context.Context, p *project.Project, requests []Request) ([]Answer, error) {
	api := served.Kubernetes()
	for _, r := range requests {
		addResources(api, r, p.Types)
	}
	e, err := New(p.Policies, p.Types, api)
	if err != nil {
		return nil, err
	}
	answers := []Answer{}
	for _, r := range requests {
		answers = append(answers, e.Answer(ctx, r))
	}
	return answers, nil
}

// addResources adds the resource of a request in all versions whose types are known.
func addResources(api *served.API, r Request, types []project.Type) {
	add := func(version string) {
		resource := served.Resource{
			GroupVersionResource: schema.GroupVersionResource{Group: r.Resource.Group, Version: version, Resource: r.Resource.Resource},
			Kind:                 schema.GroupVersionKind{Group: r.Kind.Group, Version: version, Kind: r.Kind.Kind}, Namespaced: r.Namespace != "",
		}
		if !api.Serves(resource.GroupVersionResource) {
			api.Add(resource)
		}
	}
	if r.SubResource != "" || r.Resource.Resource == "" {
		return
	}
	add(r.Resource.Version)
	for _, t := range types {
		if t.Group == r.Kind.Group && t.Kind == r.Kind.Kind {
			add(t.Version)
		}
	}
}

// Answer runs all policies on a request, without webhooks.
func (e *Evaluator) Answer(ctx context.Context, r Request) Answer {
	a, c, err := e.attributes(r)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	v, err := e.begin(c)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	switch v.only = r.Phase; r.Phase {
	case "", Mutation, Validation:
	case Reinvocation:
		if v.current, err = e.read("current", r.Current, schema.GroupVersionKind(r.Kind)); err != nil {
			return Answer{Error: err.Error()}
		}
	default:
		return Answer{Error: fmt.Sprintf("phase is %q: use mutation, reinvocation or validation", r.Phase)}
	}
	if err := v.run(ctx, a); err != nil {
		return Answer{Error: err.Error()}
	}
	switch {
	case v.unknown != nil:
		return Answer{Error: v.unknown.Error()}
	case v.authorizer.Unanswered():
		return Answer{Error: "a policy asks the authorizer, whose answer is not known here"}
	}
	return v.result.Answer
}

// attributes makes the attributes of a request.
func (e *Evaluator) attributes(r Request) (admission.Attributes, Cluster, error) {
	c := Cluster{Authorized: r.Authorizer}
	kind := schema.GroupVersionKind(r.Kind)
	operation := admission.Operation(r.Operation)
	switch {
	case !slices.Contains([]admission.Operation{admission.Create, admission.Update, admission.Delete, admission.Connect}, operation):
		return nil, c, fmt.Errorf("%q is no operation: use CREATE, UPDATE, DELETE or CONNECT", r.Operation)
	case !slices.Contains([]admit.Answer{admit.Unknown, admit.Allow, admit.Deny}, r.Authorizer):
		return nil, c, fmt.Errorf("authorizer is %q: use allow or deny", r.Authorizer)
	case r.Resource.Resource == "" || r.Kind.Kind == "":
		return nil, c, fmt.Errorf("a request needs its resource and its kind")
	}
	now, err := e.read("object", r.Object, kind)
	if err != nil {
		return nil, c, err
	}
	old, err := e.read("oldObject", r.OldObject, kind)
	if err != nil {
		return nil, c, err
	}
	switch {
	case operation != admission.Delete && now == nil:
		return nil, c, fmt.Errorf("a %s has an object", operation)
	case (operation == admission.Update || operation == admission.Delete) && old == nil:
		return nil, c, fmt.Errorf("a %s has an oldObject", operation)
	}
	if operation == admission.Delete {
		now = nil
	}
	if operation == admission.Create || operation == admission.Connect {
		old = nil
	}
	options := request.OperationOptions(operation, r.DryRun)
	if given, err := decodeObject("options", r.Options); err != nil {
		return nil, c, err
	} else if given != nil {
		options = given
	}
	if c.Namespace, err = namespaceOf(r, now, old); err != nil {
		return nil, c, err
	}
	for _, p := range r.Params {
		given, err := decodeObject("params", p)
		if err != nil {
			return nil, c, err
		}
		if given == nil || given.GetKind() == "" || given.GetName() == "" {
			return nil, c, fmt.Errorf("params need apiVersion, kind and metadata.name")
		}
		typed, err := object.Typed(given)
		if err != nil {
			return nil, c, fmt.Errorf("params: %w", err)
		}
		c.Params = append(c.Params, typed)
	}
	a := admission.NewAttributesRecord(now, old, kind, r.Namespace, r.Name, schema.GroupVersionResource(r.Resource), r.SubResource, operation, options, r.DryRun,
		request.UserInfo(r.UserInfo))
	return a, c, nil
}

// read reads an object of a kind, with the defaults of its schema.
func (e *Evaluator) read(field string, text json.RawMessage, kind schema.GroupVersionKind) (runtime.Object, error) {
	given, err := decodeObject(field, text)
	if err != nil || given == nil {
		return nil, err
	}
	if given.GetKind() == "" && given.GetAPIVersion() == "" {
		given.SetGroupVersionKind(kind)
	}
	if got := given.GroupVersionKind(); got != kind {
		return nil, fmt.Errorf("%s is a %s of %s, and the request is for a %s of %s", field, got.Kind, got.GroupVersion(), kind.Kind, kind.GroupVersion())
	}
	typed, err := object.Typed(given)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	if err := e.objects.complete(typed); err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	return typed, nil
}

// decodeObject reads an object as an API server does: whole numbers are integers. It returns nil for null.
func decodeObject(field string, text json.RawMessage) (*unstructured.Unstructured, error) {
	if trimmed := strings.TrimSpace(string(text)); trimmed == "" || trimmed == "null" {
		return nil, nil
	}
	var content map[string]any
	if err := utiljson.Unmarshal(text, &content); err != nil {
		return nil, fmt.Errorf("%s: %w", field, err)
	}
	if metadata, ok := content["metadata"]; ok && metadata != nil {
		var m metav1.ObjectMeta
		fields, isMap := metadata.(map[string]any)
		if !isMap {
			return nil, fmt.Errorf("%s: metadata is no object", field)
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &m); err != nil {
			return nil, fmt.Errorf("%s: metadata: %w", field, err)
		}
		// As an API server reads it: without fields that are empty or unknown.
		known, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(&m) // it always has JSON
		if known["creationTimestamp"] == nil {
			delete(known, "creationTimestamp")
		}
		content["metadata"] = known
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// namespaceOf returns the namespace of a request. Without one that is given, it has no labels but its name; for a
// request about a namespace, it is the old object.
func namespaceOf(r Request, now, old runtime.Object) (*corev1.Namespace, error) {
	given, err := decodeObject("namespaceObject", r.NamespaceObject)
	if err != nil {
		return nil, err
	}
	if given == nil {
		for _, o := range []runtime.Object{old, now} {
			if n, ok := o.(*corev1.Namespace); ok {
				return n, nil
			}
		}
		if r.Namespace == "" {
			return nil, nil
		}
		return object.Namespace(r.Namespace, nil), nil
	}
	n := &corev1.Namespace{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(given.Object, n); err != nil {
		return nil, fmt.Errorf("namespaceObject: %w", err)
	}
	if n.Name != r.Namespace {
		return nil, fmt.Errorf("namespaceObject is %q, and the request lies in %q", n.Name, r.Namespace)
	}
	return n, nil
}
